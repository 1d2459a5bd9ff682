#include <cstddef>
#include <cstring>
#include <limits>

#include <sqlite3.h>

#include <halfopen/gateway/storage_disk_fixture.hpp>

namespace halfopen::gateway::testing {
namespace {

// A VFS of SQLite that passes everything on to the one the system has, except a write that is due to fail.
// C callbacks cannot carry an object, hence the state at namespace scope.
sqlite3_vfs* real_vfs = nullptr;
std::atomic<int> writes_left{std::numeric_limits<int>::max()};
std::atomic<int> result_after{SQLITE_OK};
std::atomic<int> writes_seen{0};
std::atomic<int> syncs_seen{0};

struct file {
  sqlite3_file base;
  alignas(8) char real[1];  // the system's file begins here
};

sqlite3_file* real(sqlite3_file* f) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<file*>(f)->real);
}
sqlite3_io_methods const& methods(sqlite3_file* f) { return *real(f)->pMethods; }

int write_result() {
  ++writes_seen;
  return writes_left.fetch_sub(1) > 1 ? SQLITE_OK : result_after.load();
}

int close_file(sqlite3_file* f) { return methods(f).xClose(real(f)); }
int read(sqlite3_file* f, void* to, int n, sqlite3_int64 at) { return methods(f).xRead(real(f), to, n, at); }
int write(sqlite3_file* f, void const* from, int n, sqlite3_int64 at) {
  if (int const result = write_result(); result != SQLITE_OK) return result;
  return methods(f).xWrite(real(f), from, n, at);
}
int truncate(sqlite3_file* f, sqlite3_int64 n) { return methods(f).xTruncate(real(f), n); }
int sync(sqlite3_file* f, int flags) {
  ++syncs_seen;
  if (int const result = write_result(); result != SQLITE_OK) return SQLITE_IOERR_FSYNC;
  return methods(f).xSync(real(f), flags);
}
int size(sqlite3_file* f, sqlite3_int64* n) { return methods(f).xFileSize(real(f), n); }
int lock(sqlite3_file* f, int level) { return methods(f).xLock(real(f), level); }
int unlock(sqlite3_file* f, int level) { return methods(f).xUnlock(real(f), level); }
int check_lock(sqlite3_file* f, int* out) { return methods(f).xCheckReservedLock(real(f), out); }
int control(sqlite3_file* f, int op, void* arg) { return methods(f).xFileControl(real(f), op, arg); }
int sector_size(sqlite3_file* f) { return methods(f).xSectorSize(real(f)); }
int traits(sqlite3_file* f) { return methods(f).xDeviceCharacteristics(real(f)); }
int shm_map(sqlite3_file* f, int page, int n, int extend, void volatile** out) {
  return methods(f).xShmMap(real(f), page, n, extend, out);
}
int shm_lock(sqlite3_file* f, int at, int n, int flags) { return methods(f).xShmLock(real(f), at, n, flags); }
void shm_barrier(sqlite3_file* f) { methods(f).xShmBarrier(real(f)); }
int shm_unmap(sqlite3_file* f, int remove) { return methods(f).xShmUnmap(real(f), remove); }

sqlite3_io_methods const failing_methods{
    2,       close_file,  read,   write,   truncate, sync,        size,      lock,    unlock, check_lock,
    control, sector_size, traits, shm_map, shm_lock, shm_barrier, shm_unmap, nullptr, nullptr};

int open_file(sqlite3_vfs*, sqlite3_filename name, sqlite3_file* f, int flags, int* flags_out) {
  f->pMethods = nullptr;
  int const result = real_vfs->xOpen(real_vfs, name, real(f), flags, flags_out);
  if (real(f)->pMethods != nullptr) f->pMethods = &failing_methods;
  return result;
}

sqlite3_vfs failing_vfs;

}  // namespace

failing_disk::failing_disk() {
  real_vfs = sqlite3_vfs_find(nullptr);
  failing_vfs = *real_vfs;
  failing_vfs.pNext = nullptr;
  failing_vfs.zName = "failing";
  failing_vfs.szOsFile = static_cast<int>(offsetof(file, real)) + real_vfs->szOsFile;
  failing_vfs.xOpen = open_file;
  heal();
  sqlite3_vfs_register(&failing_vfs, 1);
}

failing_disk::~failing_disk() {
  sqlite3_vfs_unregister(&failing_vfs);
  sqlite3_vfs_register(real_vfs, 1);
}

void failing_disk::fail_from(int n, int result) {
  writes_seen = syncs_seen = 0;
  result_after = result;
  writes_left = n;
}

void failing_disk::heal() {
  writes_seen = syncs_seen = 0;
  writes_left = std::numeric_limits<int>::max();
  result_after = SQLITE_OK;
}

int failing_disk::writes() const { return writes_seen; }

int failing_disk::syncs() const { return syncs_seen; }

}  // namespace halfopen::gateway::testing
