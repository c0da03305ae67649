# The rowq program, at <build>/bin/rowq.

file(GLOB rowq_cli_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/cli/*.cpp)
if(NOT rowq_cli_sources)
    return()
endif()

rowq_need(CLI11 libcli11-dev)
rowq_need(tomlplusplus libtomlplusplus-dev)
rowq_need(spdlog libspdlog-dev)

add_executable(rowq_cli ${rowq_cli_sources})
rowq_target(rowq_cli)
rowq_define_drivers(rowq_cli)
set_target_properties(rowq_cli PROPERTIES
    OUTPUT_NAME rowq RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)
target_include_directories(rowq_cli PRIVATE ${PROJECT_SOURCE_DIR}/cli)
target_compile_definitions(rowq_cli PRIVATE ROWQ_VERSION="${PROJECT_VERSION}")
target_link_libraries(rowq_cli PRIVATE
    rowq_internal CLI11::CLI11 tomlplusplus::tomlplusplus spdlog::spdlog fmt::fmt)
install(TARGETS rowq_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
