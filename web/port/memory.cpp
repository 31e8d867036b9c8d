// operator new that throws if there is no memory: that of Debian's libc++abi for wasm32 would end the module.
#include <cstddef>
#include <cstdlib>
#include <new>

namespace {
void* taken(std::size_t size, std::size_t alignment) {
  if (size == 0) size = 1;
  void* const at = alignment <= alignof(std::max_align_t)
                       ? std::malloc(size)
                       : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
  if (at == nullptr) throw std::bad_alloc();
  return at;
}
}  // namespace

void* operator new(std::size_t size) { return taken(size, 0); }
void* operator new[](std::size_t size) { return taken(size, 0); }
void* operator new(std::size_t size, std::align_val_t at) {
  return taken(size, static_cast<std::size_t>(at));
}
void* operator new[](std::size_t size, std::align_val_t at) {
  return taken(size, static_cast<std::size_t>(at));
}
void operator delete(void* at) noexcept { std::free(at); }
void operator delete[](void* at) noexcept { std::free(at); }
void operator delete(void* at, std::size_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t) noexcept { std::free(at); }
void operator delete(void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, std::align_val_t) noexcept { std::free(at); }
void operator delete(void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
void operator delete[](void* at, std::size_t, std::align_val_t) noexcept { std::free(at); }
