# Installs taut (cmake --install), and what find_package(taut) reads afterwards.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/taut)

install(TARGETS taut EXPORT taut_targets)
install(TARGETS taut_cli)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/taut ${PROJECT_BINARY_DIR}/generated/taut
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.hpp")
install(EXPORT taut_targets FILE taut-targets.cmake NAMESPACE taut:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/taut-config.cmake.in ${PROJECT_BINARY_DIR}/taut-config.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/taut-config-version.cmake
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(FILES ${PROJECT_BINARY_DIR}/taut-config.cmake ${PROJECT_BINARY_DIR}/taut-config-version.cmake
  DESTINATION ${package_dir})
