# `cmake --install` gives the library (base and policy: all that its users need), the command, and find_package(halfopen).
include(CMakePackageConfigHelpers)

install(TARGETS halfopen_base halfopen_policy EXPORT halfopen ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
foreach(folder base policy)
  install(DIRECTORY halfopen/${folder} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/halfopen FILES_MATCHING PATTERN *.hpp
          PATTERN *_fixture.hpp EXCLUDE)
endforeach()
if(TARGET halfopen)
  install(TARGETS halfopen RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()

install(EXPORT halfopen NAMESPACE halfopen:: FILE halfopen-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/halfopen)
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/halfopen-config.cmake CONTENT [[
include(CMakeFindDependencyMacro)
find_dependency(tl-expected)
find_dependency(Threads)
include(${CMAKE_CURRENT_LIST_DIR}/halfopen-targets.cmake)
]] @ONLY)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/halfopen-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/halfopen-config.cmake ${PROJECT_BINARY_DIR}/halfopen-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/halfopen)
