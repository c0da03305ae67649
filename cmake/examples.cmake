# Each example is a program and a test: it runs in an empty folder of its own and must exit with 0.

file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
foreach(source ${examples})
    cmake_path(GET source STEM name)
    add_executable(rowq_example_${name} ${source})
    rowq_target(rowq_example_${name})
    set_target_properties(rowq_example_${name} PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    target_link_libraries(rowq_example_${name} PRIVATE rowq::rowq Threads::Threads)
    add_test(NAME example.${name}
        COMMAND ${PROJECT_SOURCE_DIR}/cmake/in_empty_folder.sh $<TARGET_FILE:rowq_example_${name}>)
    set_tests_properties(example.${name} PROPERTIES TIMEOUT 300 LABELS examples)
endforeach()
