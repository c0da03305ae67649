# Each example is a program and a test: it runs in an empty folder of its own and must exit with 0. They work on SQLite.
# An example beside which a script of its name stands is run by that script, which gets the program as its argument.

if(NOT ROWQ_SQLITE)
    message(STATUS "The examples work on SQLite, whose driver is off: they are left out")
    return()
endif()

file(GLOB examples CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
foreach(source ${examples})
    cmake_path(GET source STEM name)
    add_executable(rowq_example_${name} ${source})
    rowq_target(rowq_example_${name})
    set_target_properties(rowq_example_${name} PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
    # rowq has no call that creates a table, since tables are their user's: examples use SQLite's own library for it.
    target_link_libraries(rowq_example_${name} PRIVATE
        rowq::rowq PkgConfig::sqlite3 Threads::Threads)
    set(script ${PROJECT_SOURCE_DIR}/examples/${name}.sh)
    if(NOT EXISTS ${script})
        set(script "")
    endif()
    add_test(NAME example.${name}
        COMMAND ${PROJECT_SOURCE_DIR}/cmake/in_empty_folder.sh ${script}
            $<TARGET_FILE:rowq_example_${name}>)
    set_tests_properties(example.${name} PROPERTIES TIMEOUT 300 LABELS examples)
endforeach()
