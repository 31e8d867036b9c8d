# cmake --install, and the files that find_package(taut) reads afterwards.
include(CMakePackageConfigHelpers)
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/taut)

# The headers need Eigen alone. The compiled libraries need more, and stand in a file of their own, so that
# somebody who uses only headers can do without.
get_property(libraries GLOBAL PROPERTY TAUT_LIBRARIES)
install(TARGETS taut EXPORT taut_targets)
install(TARGETS ${libraries} EXPORT taut_libraries)
install(TARGETS taut_cli)
# The library with the C interface is installed if it was built: cmake --build BUILD --target taut_shared.
install(TARGETS taut_shared LIBRARY OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/src/taut/capi/taut.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/taut.pc.in ${PROJECT_BINARY_DIR}/taut.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/taut.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/taut ${PROJECT_BINARY_DIR}/generated/taut
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT headers FILES_MATCHING PATTERN "*.hpp")
install(EXPORT taut_targets FILE taut-targets.cmake NAMESPACE taut:: DESTINATION ${package_dir} COMPONENT headers)
install(EXPORT taut_libraries FILE taut-libraries.cmake NAMESPACE taut:: DESTINATION ${package_dir})

configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/taut-config.cmake.in ${PROJECT_BINARY_DIR}/taut-config.cmake
  INSTALL_DESTINATION ${package_dir})
# Before 1.0 a new minor version may break its users.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/taut-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/taut-config.cmake ${PROJECT_BINARY_DIR}/taut-config-version.cmake
  DESTINATION ${package_dir} COMPONENT headers)
