#include <cstdio>

#include <halfopen/base/error.hpp>

int main() { std::printf("%.*s\n", 4, halfopen::name(halfopen::errc::open).data()); }
