# What ./package builds, once for each level of processors. TAUT_LEVEL is the level: x86-64-v2, x86-64-v3 or x86-64-v4.
# The levels differ in speed alone: nothing is contracted, so they give the same bits. The loader chooses among the
# libraries that lie in folders named glibc-hwcaps/LEVEL. See "One package for several processors" in docs/architecture.md.
if(TAUT_NATIVE)
  message(FATAL_ERROR "TAUT_LEVEL is for packages, TAUT_NATIVE for the processor of this machine: choose one.")
endif()
option(TAUT_STATIC_RUNTIME "Link in what not every system with glibc has: the C++ library, quadmath, zlib" OFF)

target_compile_options(taut_own INTERFACE -march=${TAUT_LEVEL})
# The same sources give the same files in every folder.
target_compile_options(taut_own INTERFACE -ffile-prefix-map=${PROJECT_SOURCE_DIR}=. -ffile-prefix-map=${PROJECT_BINARY_DIR}=build)
# Debian has no static library of fmt, whose functions are few: every source takes those it uses.
target_compile_definitions(taut_own INTERFACE FMT_HEADER_ONLY=1)
add_link_options(-Wl,--as-needed -Wl,-z,relro,-z,now -Wl,--build-id=sha1)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
# The folder of the executable and that of its libraries keep their distance, wherever both are put.
set(CMAKE_INSTALL_RPATH "\$ORIGIN/../${CMAKE_INSTALL_LIBDIR}/taut")
if(TAUT_STATIC_RUNTIME)
  add_library(taut_older_glibc OBJECT ${CMAKE_CURRENT_LIST_DIR}/older_glibc.cpp)
  add_link_options(-static-libstdc++ -static-libgcc -Wl,--exclude-libs,ALL)
  # The linker takes the archives in place of the shared libraries of the same names.
  set(static_folder ${PROJECT_BINARY_DIR}/static)
  file(MAKE_DIRECTORY ${static_folder})
  foreach(archive IN ITEMS libquadmath.a libz.a)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=${archive} OUTPUT_VARIABLE found OUTPUT_STRIP_TRAILING_WHITESPACE)
    file(CREATE_LINK ${found} ${static_folder}/${archive} SYMBOLIC)
  endforeach()
  set(ZLIB_LIBRARY ${static_folder}/libz.a CACHE FILEPATH "" FORCE)
  unset(ZLIB_LIBRARY_RELEASE CACHE)  # FindZLIB would take it first
  link_directories(BEFORE ${static_folder})
else()
  unset(ZLIB_LIBRARY CACHE)
  unset(ZLIB_LIBRARY_RELEASE CACHE)
endif()
