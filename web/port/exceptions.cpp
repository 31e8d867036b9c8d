// C++ exceptions over those of WebAssembly. Debian's libc++abi for wasm32 is built without exceptions; these
// are the functions that the compiler's code calls for throw and catch, as the Itanium C++ ABI names them.
//
// A throw is one instruction with a pointer to the unwind header. Where the compiled code may catch it, it
// writes the number of its landing pad and its table of types into __wasm_lpad_context and asks
// _Unwind_CallPersonality, which answers with the selector of the handler: 0 means that none fits, and the
// exception goes on.
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <new>
#include <typeinfo>

namespace {

struct Unwind {  // what the instruction carries; only its address matters
  std::uint64_t exception_class;
  void (*cleanup)(int, Unwind*);
  std::uintptr_t private_1, private_2;
};

struct alignas(16) Exception {  // stands before every thrown object
  int references;
  const std::type_info* type;
  void* (*destroy)(void*);  // a destructor returns its object here
  int handlers;             // catch clauses that are now in it; negative after `throw;`
  Exception* below;         // the one that was being handled before
  void* adjusted;           // the object as the handler's type sees it
  Unwind unwind;
};

Exception* handled = nullptr;  // the newest exception in a catch clause
unsigned in_flight = 0;

Exception* of_object(void* object) { return static_cast<Exception*>(object) - 1; }
void* object_of(Exception* e) { return e + 1; }
Exception* of_unwind(void* unwind) {
  return reinterpret_cast<Exception*>(static_cast<char*>(unwind) - offsetof(Exception, unwind));
}

// The class of libc++abi of which every type_info is one: what can be caught by it is asked of its vtable.
struct Catchable : std::type_info {
  virtual void noop1() const = 0;
  virtual void noop2() const = 0;
  virtual bool can_catch(const Catchable* thrown, void*& adjusted) const = 0;
};

std::uintptr_t read_unsigned(const std::uint8_t*& at) {
  std::uintptr_t value = 0;
  for (unsigned shift = 0;; shift += 7) {
    const std::uint8_t byte = *at++;
    value |= static_cast<std::uintptr_t>(byte & 0x7f) << shift;
    if ((byte & 0x80) == 0) return value;
  }
}
std::intptr_t read_signed(const std::uint8_t*& at) {
  std::uintptr_t value = 0;
  unsigned shift = 0;
  std::uint8_t byte = 0;
  do {
    byte = *at++;
    value |= static_cast<std::uintptr_t>(byte & 0x7f) << shift;
    shift += 7;
  } while ((byte & 0x80) != 0);
  if ((byte & 0x40) != 0 && shift < 8 * sizeof value) value |= ~std::uintptr_t{0} << shift;
  return static_cast<std::intptr_t>(value);
}

constexpr std::uint8_t omitted = 0xff;

// Returns the selector of the first handler of this landing pad that takes the exception; 0 if there is none.
int selector_of(Exception& e, std::uintptr_t pad, const std::uint8_t* table) {
  const std::uint8_t start_encoding = *table++;
  if (start_encoding != omitted) std::abort();  // never written for WebAssembly
  const std::uint8_t type_encoding = *table++;
  const std::uint8_t* types_end = nullptr;
  if (type_encoding != omitted) {
    const std::uintptr_t offset = read_unsigned(table);
    types_end = table + offset;
  }
  ++table;  // the encoding of call sites, which is that of read_unsigned
  const std::uintptr_t sites_size = read_unsigned(table);
  const std::uint8_t* const sites_end = table + sites_size;
  std::uintptr_t action = 0;
  for (const std::uint8_t* site = table; site < sites_end;) {
    const std::uintptr_t index = read_unsigned(site);
    action = read_unsigned(site);
    if (index == pad) break;
    action = 0;
  }
  if (action == 0) return 0;
  const std::uint8_t* at = sites_end + action - 1;
  while (true) {
    const std::intptr_t kind = read_signed(at);
    if (kind > 0) {
      const Catchable* wanted = nullptr;
      std::memcpy(&wanted, types_end - kind * static_cast<std::intptr_t>(sizeof wanted), sizeof wanted);
      void* adjusted = object_of(&e);
      if (wanted == nullptr || wanted->can_catch(static_cast<const Catchable*>(e.type), adjusted)) {
        e.adjusted = adjusted;
        return static_cast<int>(kind);
      }
    }
    const std::uint8_t* next = at;
    const std::intptr_t offset = read_signed(next);
    if (offset == 0) return 0;
    at += offset;
  }
}

}  // namespace

extern "C" {

struct LandingPad {
  std::uintptr_t index;
  const std::uint8_t* table;
  std::uintptr_t selector;
};
thread_local LandingPad __wasm_lpad_context{};

int _Unwind_CallPersonality(void* unwind) {
  __wasm_lpad_context.selector = static_cast<std::uintptr_t>(
      selector_of(*of_unwind(unwind), __wasm_lpad_context.index, __wasm_lpad_context.table));
  return 0;
}
int __gxx_wasm_personality_v0(...) { std::abort(); }  // named by the tables, and called by nobody

void* __cxa_allocate_exception(std::size_t size) noexcept {
  auto* const e = static_cast<Exception*>(std::calloc(1, sizeof(Exception) + size));
  if (e == nullptr) std::terminate();
  return object_of(e);
}
void __cxa_free_exception(void* object) noexcept { std::free(of_object(object)); }

[[noreturn]] void __cxa_throw(void* object, std::type_info* type, void* (*destroy)(void*)) {
  Exception* const e = of_object(object);
  e->references = 1;
  e->type = type;
  e->destroy = destroy;
  ++in_flight;
  __builtin_wasm_throw(0, &e->unwind);
}

void __cxa_increment_exception_refcount(void* object) noexcept {
  if (object != nullptr) ++of_object(object)->references;
}
void __cxa_decrement_exception_refcount(void* object) noexcept {
  if (object == nullptr) return;
  Exception* const e = of_object(object);
  if (--e->references > 0) return;
  if (e->destroy != nullptr) e->destroy(object);
  std::free(e);
}

void* __cxa_get_exception_ptr(void* unwind) noexcept { return of_unwind(unwind)->adjusted; }

void* __cxa_begin_catch(void* unwind) noexcept {
  Exception* const e = of_unwind(unwind);
  e->handlers = e->handlers < 0 ? -e->handlers + 1 : e->handlers + 1;
  if (handled != e) {
    e->below = handled;
    handled = e;
  }
  --in_flight;
  return e->adjusted;
}

void __cxa_end_catch() {
  Exception* const e = handled;
  if (e == nullptr) return;
  if (e->handlers < 0) {  // it was thrown again, and lives on
    if (++e->handlers == 0) handled = e->below;
    return;
  }
  if (--e->handlers > 0) return;
  handled = e->below;
  __cxa_decrement_exception_refcount(object_of(e));
}

[[noreturn]] void __cxa_rethrow() {
  Exception* const e = handled;
  if (e == nullptr) std::terminate();
  e->handlers = -e->handlers;
  ++in_flight;
  __builtin_wasm_throw(0, &e->unwind);
}

void* __cxa_current_primary_exception() noexcept {
  if (handled == nullptr) return nullptr;
  ++handled->references;
  return object_of(handled);
}
void __cxa_rethrow_primary_exception(void* object) {
  if (object == nullptr) return;
  Exception* const e = of_object(object);
  ++e->references;
  ++in_flight;
  __builtin_wasm_throw(0, &e->unwind);
}
std::type_info* __cxa_current_exception_type() {
  return handled == nullptr ? nullptr : const_cast<std::type_info*>(handled->type);
}
unsigned __cxa_uncaught_exceptions() noexcept { return in_flight; }
bool __cxa_uncaught_exception() noexcept { return in_flight > 0; }

}  // extern "C"
