// These functions stand in for those that the static libraries of Debian's compiler take from glibc 2.35 and
// 2.36. With them the folder and the wheel of ./package run with glibc 2.34, as Red Hat Enterprise Linux 9
// has it. They are hidden, so that no other program finds them.
#include <dlfcn.h>
#include <link.h>
#include <sys/random.h>

#include <cstdint>
#include <cstdlib>

namespace {

// Finds the object that holds an address, and the table of its frames.
int look(dl_phdr_info* info, std::size_t, void* data) {
  auto& found = *static_cast<dl_find_object*>(data);
  const auto address = reinterpret_cast<std::uintptr_t>(found.dlfo_map_start);
  bool is_here = false;
  std::uintptr_t frames = 0, begin = UINTPTR_MAX, end = 0;
  for (int k = 0; k < info->dlpi_phnum; ++k) {
    const auto& part = info->dlpi_phdr[k];
    const std::uintptr_t at = info->dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_GNU_EH_FRAME) frames = at;
    if (part.p_type != PT_LOAD) continue;
    is_here = is_here || (address >= at && address < at + part.p_memsz);
    begin = at < begin ? at : begin;
    end = at + part.p_memsz > end ? at + part.p_memsz : end;
  }
  if (!is_here || frames == 0) return 0;
  found.dlfo_map_start = reinterpret_cast<void*>(begin);
  found.dlfo_map_end = reinterpret_cast<void*>(end);
  found.dlfo_eh_frame = reinterpret_cast<void*>(frames);
  return 1;
}

}  // namespace

extern "C" {

// libgcc asks it for each frame that an exception goes through.
__attribute__((visibility("hidden"))) int _dl_find_object(void* address, dl_find_object* result) noexcept {
  *result = {};
  result->dlfo_map_start = address;
  return dl_iterate_phdr(look, result) == 1 ? 0 : -1;
}

// std::random_device asks it.
__attribute__((visibility("hidden"))) unsigned arc4random() noexcept {
  unsigned value = 0;
  for (int tries = 0; getrandom(&value, sizeof value, 0) != sizeof value; ++tries)
    if (tries == 100) std::abort();  // the system has no random numbers
  return value;
}
}
