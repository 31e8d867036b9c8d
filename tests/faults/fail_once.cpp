// A library that is loaded before all others (LD_PRELOAD) and lets one call of the system fail, once.
//
// FAULT=KIND:N          the N-th call of this kind fails, counted from 1
// FAULT=KIND:N:onwards  so do all that follow, as on a disk that is full
// FAULT_LOG=FILE        gets a line "KIND COUNT" for each kind at the end of the program,
//                       a line "failed FUNCTION" if the call came, and a line "unsynced FUNCTION" if a file
//                       is named while something that was written is not on the disk, or if its folder is
//                       not synced after that
//
// Calls of the C library to itself are not seen. So the functions of its streams are listed too: a stream
// that is told to fail behaves as if the system had refused to take its bytes. Standard error is left alone,
// because the words about a failure go there.

#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include <pthread.h>

// The functions of the C library are defined here a second time, with its own names.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name)
extern "C" {
void* __libc_malloc(std::size_t);
void* __libc_calloc(std::size_t, std::size_t);
void* __libc_realloc(void*, std::size_t);
void* __libc_memalign(std::size_t, std::size_t);
}

namespace {

struct Kind {
  const char* name;
  int error;  // what errno says after the failure
};
constexpr std::array<Kind, 16> kinds = {{{"memory", ENOMEM},
                                         {"write", ENOSPC},
                                         {"short", 0},
                                         {"sync", EIO},
                                         {"rename", EIO},
                                         {"create", ENOSPC},
                                         {"open", EMFILE},
                                         {"close", EIO},
                                         {"truncate", EIO},
                                         {"mkdir", ENOSPC},
                                         {"remove", EIO},
                                         {"read", EIO},
                                         {"stat", EIO},
                                         {"spawn", EAGAIN},
                                         {"thread", EAGAIN},
                                         {"load", ENOMEM}}};
enum Which {
  memory,
  writing,
  shortly,
  syncing,
  renaming,
  creating,
  opening,
  closing,
  truncating,
  making,
  removing,
  reading,
  asking,
  spawning,
  threading,
  loading
};

std::array<std::atomic<long>, kinds.size()> counts;
std::atomic<int> chosen{-1};
std::atomic<long> number{-1};
bool onwards = false;

// Writes a line to the log without anything that may be counted.
void log_line(const char* first, const char* second) {
  const char* path = std::getenv("FAULT_LOG");
  if (path == nullptr) return;
  const long file = syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (file < 0) return;
  std::array<char, 128> line{};
  std::size_t length = 0;
  for (const char* part : {first, " ", second, "\n"})
    for (; *part != '\0' && length < line.size(); ++part) line[length++] = *part;
  syscall(SYS_write, file, line.data(), length);
  syscall(SYS_close, file);
}

// Asks whether this call is the one that fails, and sets errno if so.
bool fails(Which which, const char* function) {
  const long count = ++counts[which];
  if (chosen.load(std::memory_order_relaxed) != which) return false;
  if (onwards ? count < number : count != number) return false;
  if (count == number) log_line("failed", function);
  errno = kinds[which].error;
  return true;
}

// Bytes that were written and not synced, by the number of the descriptor; the first is for files that are
// closed by now, whose numbers are used again.
std::array<std::atomic<bool>, 1024> unsynced;
std::atomic<bool> unsynced_name;  // a file has one that its folder does not yet keep
std::atomic<bool>& unsynced_of(int file) {
  return unsynced[file > STDERR_FILENO && file < static_cast<int>(unsynced.size()) ? file : 1];
}
void note_written(int file) {
  if (file > STDERR_FILENO) unsynced_of(file) = true;
}
void note_closed(int file) {
  if (unsynced_of(file).exchange(false)) unsynced[0] = true;
}
bool naming_fails(const char* function) {
  for (const auto& one : unsynced)
    if (one) {
      log_line("unsynced", function);
      break;
    }
  unsynced_name = true;
  return fails(renaming, function);
}
// Finds the function that would have been called, the first time that it is.
template <class Function>
Function* next(const char* name) {
  return std::bit_cast<Function*>(dlsym(RTLD_NEXT, name));
}
// Notes that the descriptor was synced. A name is on the disk once its folder is.
void note_synced(int file) {
  unsynced_of(file) = false;
  struct stat info{};
  static auto* const real = next<decltype(::fstat)>("fstat");
  if (unsynced_name && real(file, &info) == 0 && S_ISDIR(info.st_mode)) unsynced_name = false;
}

// Declares `real`, the function of the C library.
#define REAL(name) static auto* const real = next<decltype(::name)>(#name)

[[gnu::constructor]] void begin() {
  const char* fault = std::getenv("FAULT");
  if (fault == nullptr) return;
  const char* colon = std::strchr(fault, ':');
  if (colon == nullptr) return;
  onwards = std::strchr(colon + 1, ':') != nullptr;
  number = std::atol(colon + 1);
  for (std::size_t k = 0; k < kinds.size(); ++k)
    if (std::strncmp(fault, kinds[k].name, static_cast<std::size_t>(colon - fault)) == 0 &&
        std::strlen(kinds[k].name) == static_cast<std::size_t>(colon - fault))
      chosen = static_cast<int>(k);
}

[[gnu::destructor]] void end() {
  if (unsynced_name) log_line("unsynced", "folder");
  for (std::size_t k = 0; k < kinds.size(); ++k) {
    std::array<char, 24> digits{};
    long left = counts[k];
    std::size_t at = digits.size() - 1;
    do digits[--at] = static_cast<char>('0' + left % 10);
    while ((left /= 10) > 0);
    log_line(kinds[k].name, digits.data() + at);
  }
}

bool makes(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }
bool open_fails(int flags, const char* name) {
  return makes(flags) ? fails(creating, name) : fails(opening, name);
}
bool is_for_words(int file) { return file == STDERR_FILENO; }
bool is_for_words(std::FILE* file) { return file == stderr; }
void mark_failed(std::FILE* file) { file->_flags |= 0x20; }  // what ferror looks at

}  // namespace

extern "C" {

void* malloc(std::size_t size) { return fails(memory, "malloc") ? nullptr : __libc_malloc(size); }
void* calloc(std::size_t n, std::size_t size) {
  return fails(memory, "calloc") ? nullptr : __libc_calloc(n, size);
}
void* realloc(void* old, std::size_t size) {
  return fails(memory, "realloc") ? nullptr : __libc_realloc(old, size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  return fails(memory, "aligned_alloc") ? nullptr : __libc_memalign(alignment, size);
}
int posix_memalign(void** to, std::size_t alignment, std::size_t size) {
  if (fails(memory, "posix_memalign")) return ENOMEM;
  *to = __libc_memalign(alignment, size);
  return *to == nullptr ? ENOMEM : 0;
}

ssize_t write(int file, const void* bytes, std::size_t length) {
  REAL(write);
  if (is_for_words(file)) return real(file, bytes, length);
  if (fails(writing, "write")) return -1;
  if (length > 1 && fails(shortly, "write")) length /= 2;
  note_written(file);
  return real(file, bytes, length);
}
ssize_t pwrite(int file, const void* bytes, std::size_t length, off_t at) {
  REAL(pwrite);
  if (fails(writing, "pwrite")) return -1;
  if (length > 1 && fails(shortly, "pwrite")) length /= 2;
  note_written(file);
  return real(file, bytes, length, at);
}
ssize_t writev(int file, const iovec* parts, int count) {
  REAL(writev);
  if (is_for_words(file)) return real(file, parts, count);
  if (fails(writing, "writev")) return -1;
  if (count > 1 && fails(shortly, "writev")) count = 1;
  note_written(file);
  return real(file, parts, count);
}
std::size_t fwrite(const void* bytes, std::size_t size, std::size_t count, std::FILE* file) {
  REAL(fwrite);
  if (is_for_words(file)) return real(bytes, size, count, file);
  if (fails(writing, "fwrite")) {
    mark_failed(file);
    return 0;
  }
  if (count > 1 && fails(shortly, "fwrite")) {  // a stream gives up after the part that found room
    mark_failed(file);
    errno = ENOSPC;
    return real(bytes, size, count / 2, file);
  }
  note_written(fileno(file));
  return real(bytes, size, count, file);
}
int fflush(std::FILE* file) {
  REAL(fflush);
  if (file == nullptr || is_for_words(file)) return real(file);
  if (!fails(writing, "fflush")) return real(file);
  mark_failed(file);
  return EOF;
}

int fsync(int file) {
  REAL(fsync);
  if (fails(syncing, "fsync")) return -1;
  note_synced(file);
  return real(file);
}
int fdatasync(int file) {
  REAL(fdatasync);
  if (fails(syncing, "fdatasync")) return -1;
  note_synced(file);
  return real(file);
}

int rename(const char* from, const char* to) {
  REAL(rename);
  return naming_fails("rename") ? -1 : real(from, to);
}
int renameat(int a, const char* from, int b, const char* to) {
  REAL(renameat);
  return naming_fails("renameat") ? -1 : real(a, from, b, to);
}
int linkat(int a, const char* from, int b, const char* to, int flags) {
  REAL(linkat);
  return naming_fails("linkat") ? -1 : real(a, from, b, to, flags);
}

int open(const char* path, int flags, ...) {
  REAL(open);
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return open_fails(flags, "open") ? -1 : real(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  REAL(openat);
  std::va_list more;
  va_start(more, flags);
  const mode_t mode = va_arg(more, mode_t);
  va_end(more);
  return open_fails(flags, "openat") ? -1 : real(folder, path, flags, mode);
}
std::FILE* fopen(const char* path, const char* mode) {
  REAL(fopen);
  return open_fails(*mode == 'r' ? O_RDONLY : O_CREAT, "fopen") ? nullptr : real(path, mode);
}
std::FILE* fopen64(const char* path, const char* mode) {
  REAL(fopen64);
  return open_fails(*mode == 'r' ? O_RDONLY : O_CREAT, "fopen64") ? nullptr : real(path, mode);
}
std::FILE* fdopen(int file, const char* mode) {
  REAL(fdopen);
  return open_fails(*mode == 'r' ? O_RDONLY : O_CREAT, "fdopen") ? nullptr : real(file, mode);
}
int pipe2(int* ends, int flags) {
  REAL(pipe2);
  return fails(opening, "pipe2") ? -1 : real(ends, flags);
}

int fcntl(int file, int what, ...) {
  REAL(fcntl);
  std::va_list more;
  va_start(more, what);
  void* const argument = va_arg(more, void*);
  va_end(more);
  return what == F_DUPFD_CLOEXEC && fails(opening, "fcntl") ? -1 : real(file, what, argument);
}
DIR* fdopendir(int folder) {
  REAL(fdopendir);
  return fails(opening, "fdopendir") ? nullptr : real(folder);
}

// What cannot be closed well is closed all the same.
int close(int file) {
  REAL(close);
  note_closed(file);
  if (!fails(closing, "close")) return real(file);
  real(file);
  errno = EIO;
  return -1;
}
int fclose(std::FILE* file) {
  REAL(fclose);
  note_closed(fileno(file));
  if (!fails(closing, "fclose")) return real(file);
  real(file);
  errno = EIO;
  return EOF;
}

int ftruncate(int file, off_t length) {
  REAL(ftruncate);
  return fails(truncating, "ftruncate") ? -1 : real(file, length);
}
int mkdir(const char* path, mode_t mode) {
  REAL(mkdir);
  return fails(making, "mkdir") ? -1 : real(path, mode);
}
int mkdirat(int folder, const char* path, mode_t mode) {
  REAL(mkdirat);
  return fails(making, "mkdirat") ? -1 : real(folder, path, mode);
}
int unlinkat(int folder, const char* path, int flags) {
  REAL(unlinkat);
  return fails(removing, "unlinkat") ? -1 : real(folder, path, flags);
}

ssize_t read(int file, void* to, std::size_t length) {
  REAL(read);
  return fails(reading, "read") ? -1 : real(file, to, length);
}
ssize_t pread(int file, void* to, std::size_t length, off_t at) {
  REAL(pread);
  return fails(reading, "pread") ? -1 : real(file, to, length, at);
}
std::size_t fread(void* to, std::size_t size, std::size_t count, std::FILE* file) {
  REAL(fread);
  if (!fails(reading, "fread")) return real(to, size, count, file);
  mark_failed(file);
  return 0;
}

int fseeko(std::FILE* file, off_t to, int from) {
  REAL(fseeko);
  return fails(reading, "fseeko") ? -1 : real(file, to, from);
}

int fstat(int file, struct stat* info) {
  REAL(fstat);
  return fails(asking, "fstat") ? -1 : real(file, info);
}
int fstatat(int folder, const char* path, struct stat* info, int flags) {
  REAL(fstatat);
  return fails(asking, "fstatat") ? -1 : real(folder, path, info, flags);
}

int stat(const char* path, struct stat* info) {
  REAL(stat);
  return fails(asking, "stat") ? -1 : real(path, info);
}
int lstat(const char* path, struct stat* info) {
  REAL(lstat);
  return fails(asking, "lstat") ? -1 : real(path, info);
}
int access(const char* path, int how) {
  REAL(access);
  return fails(asking, "access") ? -1 : real(path, how);
}
int flock(int file, int how) {
  REAL(flock);
  return fails(asking, "flock") ? -1 : real(file, how);
}

int posix_spawn(pid_t* child, const char* path, const posix_spawn_file_actions_t* actions,
                const posix_spawnattr_t* attributes, char* const* arguments, char* const* environment) {
  REAL(posix_spawn);
  return fails(spawning, "posix_spawn") ? EAGAIN
                                        : real(child, path, actions, attributes, arguments, environment);
}
int pthread_create(pthread_t* made, const pthread_attr_t* attributes, void* (*start)(void*), void* argument) {
  REAL(pthread_create);
  return fails(threading, "pthread_create") ? EAGAIN : real(made, attributes, start, argument);
}
void* dlopen(const char* path, int flags) {
  REAL(dlopen);
  return fails(loading, "dlopen") ? nullptr : real(path, flags);
}
}
// NOLINTEND(bugprone-reserved-identifier,readability-inconsistent-declaration-parameter-name)
