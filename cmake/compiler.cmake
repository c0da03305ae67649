# What every target of ours is compiled with. Users of rowq::rowq inherit only the language level.

if(PROJECT_IS_TOP_LEVEL)
    set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
    find_program(ROWQ_CCACHE ccache)
    if(ROWQ_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
        set(CMAKE_CXX_COMPILER_LAUNCHER ${ROWQ_CCACHE})
    endif()
endif()

add_library(rowq_warnings INTERFACE)
target_compile_options(rowq_warnings INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wnon-virtual-dtor -Woverloaded-virtual
    # GCC 12 takes `"text" + string` for an overlapping copy (its bug 105651).
    $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>
    $<$<BOOL:${ROWQ_WERROR}>:-Werror>)

if(ROWQ_SANITIZE)
    # GCC's flow warnings see the sanitizers' own instrumentation and guess wrong; the plain builds keep them.
    target_compile_options(rowq_warnings INTERFACE
        $<$<CXX_COMPILER_ID:GNU>:-Wno-error=maybe-uninitialized;-Wno-error=stringop-overflow>
        $<$<CXX_COMPILER_ID:GNU>:-Wno-error=null-dereference>)
    add_compile_options(-fsanitize=${ROWQ_SANITIZE} -fno-omit-frame-pointer)
    add_link_options(-fsanitize=${ROWQ_SANITIZE})
    if(ROWQ_SANITIZE MATCHES "undefined")
        add_compile_options(-fno-sanitize-recover=all)
    endif()
    if(ROWQ_SANITIZE MATCHES "thread")
        # std::atomic_thread_fence is not modelled; libstdc++ uses it in places that are correct.
        target_compile_options(rowq_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-tsan>)
    endif()
endif()

# Settings shared by every target built here.
function(rowq_target target)
    target_compile_features(${target} PUBLIC cxx_std_20)
    set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF CXX_STANDARD_REQUIRED ON)
    target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:rowq_warnings>)
endfunction()

# The two answers that code and tests ask for: which drivers this build has.
function(rowq_define_drivers target)
    foreach(driver POSTGRES SQLITE)
        target_compile_definitions(${target} PRIVATE ROWQ_WITH_${driver}=$<BOOL:${ROWQ_${driver}}>)
    endforeach()
endfunction()
