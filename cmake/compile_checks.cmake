# What the compiler alone can test: wrong descriptions are refused with a good text, and every public header stands alone.

file(GLOB compile_fail CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/compile_fail/*.cpp)
foreach(source ${compile_fail})
    cmake_path(GET source STEM name)
    add_test(NAME compile_fail.${name}
        COMMAND ${CMAKE_COMMAND} -DCOMPILER=${CMAKE_CXX_COMPILER} -DSOURCE=${source}
            -DINCLUDE=${PROJECT_SOURCE_DIR}/include
            -P ${PROJECT_SOURCE_DIR}/cmake/compile_one.cmake)
    set_tests_properties(compile_fail.${name} PROPERTIES TIMEOUT 300 LABELS compile_fail)
endforeach()

file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/rowq/*.hpp)
set(units "")
foreach(header ${headers})
    cmake_path(RELATIVE_PATH header BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/include OUTPUT_VARIABLE name)
    # Twice: alone, and once more, which a header without a guard does not survive.
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/headers/${name}.cpp
        CONTENT "#include <${name}>\n#include <${name}> // NOLINT\n")
    list(APPEND units ${PROJECT_BINARY_DIR}/headers/${name}.cpp)
endforeach()
if(units)
    add_library(rowq_headers OBJECT ${units})
    rowq_target(rowq_headers)
    target_link_libraries(rowq_headers PRIVATE rowq::rowq)
endif()
