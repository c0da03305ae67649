# `cmake --install` puts headers, library and a package config, so that find_package(rowq) works elsewhere.

include(CMakePackageConfigHelpers)
set(rowq_config_dir ${CMAKE_INSTALL_LIBDIR}/cmake/rowq)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/rowqConfig.cmake.in
    ${PROJECT_BINARY_DIR}/rowqConfig.cmake INSTALL_DESTINATION ${rowq_config_dir})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/rowqConfigVersion.cmake
    COMPATIBILITY SameMinorVersion)

install(TARGETS rowq EXPORT rowqTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(EXPORT rowqTargets NAMESPACE rowq:: DESTINATION ${rowq_config_dir})
install(FILES ${PROJECT_BINARY_DIR}/rowqConfig.cmake ${PROJECT_BINARY_DIR}/rowqConfigVersion.cmake
    DESTINATION ${rowq_config_dir})
if(EXISTS ${PROJECT_SOURCE_DIR}/include)
    install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
endif()
