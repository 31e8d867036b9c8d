// The parts of libc++ about threads and files that its library for wasm32 leaves out. There is one thread,
// which nothing can start another beside, and no file.
#include <condition_variable>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

_LIBCPP_BEGIN_NAMESPACE_STD

mutex::~mutex() noexcept = default;
void mutex::lock() {}
bool mutex::try_lock() noexcept { return true; }
void mutex::unlock() noexcept {}

thread::~thread() {}
void thread::join() {}
unsigned thread::hardware_concurrency() noexcept { return 1; }
__thread_struct::__thread_struct() : __p_(nullptr) {}
__thread_struct::~__thread_struct() {}

// Nobody else could change what is waited for.
void __cxx_atomic_notify_one(void const volatile*) noexcept {}
void __cxx_atomic_notify_all(void const volatile*) noexcept {}
__cxx_contention_t __libcpp_atomic_monitor(void const volatile*) noexcept { return 0; }
void __libcpp_atomic_wait(void const volatile*, __cxx_contention_t) noexcept {}

template class basic_filebuf<char>;
template class basic_ifstream<char>;

_LIBCPP_END_NAMESPACE_STD

_LIBCPP_BEGIN_NAMESPACE_FILESYSTEM

file_status __status(const path&, error_code* error) {
  if (error != nullptr) *error = make_error_code(errc::no_such_file_or_directory);
  return file_status(file_type::not_found);
}
uintmax_t __file_size(const path&, error_code* error) {
  if (error != nullptr) *error = make_error_code(errc::no_such_file_or_directory);
  return static_cast<uintmax_t>(-1);
}

_LIBCPP_END_NAMESPACE_FILESYSTEM

// The one thread ends with the page.
extern "C" int __cxa_thread_atexit(void (*)(void*), void*, void*) { return 0; }
