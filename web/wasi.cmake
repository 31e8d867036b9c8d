# The compiler for WebAssembly: clang 19 with the C and C++ libraries that Debian has for it.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(CMAKE_C_COMPILER clang-19)
set(CMAKE_CXX_COMPILER clang++-19)
set(CMAKE_C_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_TARGET wasm32-wasi)
set(CMAKE_CXX_COMPILER_WORKS TRUE)  # it makes no archive of its own: the packages have no llvm-ar
set(CMAKE_EXECUTABLE_SUFFIX .wasm)
