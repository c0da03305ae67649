# cmake -DCOMPILER=.. -DSOURCE=.. -DINCLUDE=.. -P compile_one.cmake
# A source whose first line is `// expect: TEXT` must not compile, and the compiler must say TEXT.
# A source named ok_*.cpp must compile: it shows that its neighbours fail for the reason they give.

cmake_path(GET SOURCE FILENAME name)
execute_process(COMMAND ${COMPILER} -std=c++20 -fsyntax-only -I${INCLUDE} ${SOURCE}
    RESULT_VARIABLE status OUTPUT_VARIABLE output ERROR_VARIABLE output)

if(name MATCHES "^ok_")
    if(NOT status EQUAL 0)
        message(FATAL_ERROR "${name} must compile, but:\n${output}")
    endif()
    return()
endif()

file(STRINGS ${SOURCE} first LIMIT_COUNT 1)
if(NOT first MATCHES "^// expect: (.+)$")
    message(FATAL_ERROR "${name}: the first line must be '// expect: TEXT'")
endif()
set(expected "${CMAKE_MATCH_1}")
if(status EQUAL 0)
    message(FATAL_ERROR "${name} compiles, but must be refused with: ${expected}")
endif()
string(FIND "${output}" "${expected}" at)
if(at EQUAL -1)
    message(FATAL_ERROR "${name} is refused, but not with: ${expected}\n${output}")
endif()
