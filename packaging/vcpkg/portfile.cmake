# Untried: no vcpkg has built this. It is parsed by tests/python/test_packaging.py.
# The address and the checksum of the release go here when it is published.
vcpkg_from_git(
  OUT_SOURCE_PATH SOURCE_PATH
  URL https://example.org/taut.git
  REF v${VERSION})

vcpkg_cmake_configure(
  SOURCE_PATH "${SOURCE_PATH}"
  OPTIONS -DTAUT_NATIVE=OFF -DTAUT_BUILD_TESTS=OFF -DTAUT_BUILD_BENCH=OFF)
vcpkg_cmake_build(TARGET taut_shared)
vcpkg_cmake_install()
vcpkg_cmake_config_fixup(CONFIG_PATH lib/cmake/taut)
vcpkg_fixup_pkgconfig()
vcpkg_copy_tools(TOOL_NAMES taut AUTO_CLEAN)
file(REMOVE_RECURSE "${CURRENT_PACKAGES_DIR}/debug/include")
vcpkg_install_copyright(FILE_LIST "${SOURCE_PATH}/LICENSE")
