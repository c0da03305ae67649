# Tests, one binary a folder, so that a change in one folder relinks one binary. The ctest label is the folder's name.

rowq_need(GTest libgtest-dev)
include(GoogleTest)
find_path(ROWQ_RAPIDCHECK_INCLUDE rapidcheck.h)
find_library(ROWQ_RAPIDCHECK rapidcheck)

set(ROWQ_TEST_BIN_DIR ${PROJECT_BINARY_DIR}/tests/bin)

# What every test source sees: the rooms, the test folder, the drivers of this build, where our programs are.
add_library(rowq_test_common INTERFACE)
target_link_libraries(rowq_test_common INTERFACE rowq_internal GTest::gtest)
target_include_directories(rowq_test_common INTERFACE
    ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/cli)
target_compile_definitions(rowq_test_common INTERFACE
    ROWQ_TEST_BIN_DIR="${ROWQ_TEST_BIN_DIR}"
    ROWQ_CLI_PATH="${PROJECT_BINARY_DIR}/bin/rowq"
    ROWQ_SOURCE_DIR="${PROJECT_SOURCE_DIR}"
    ROWQ_WITH_POSTGRES=$<BOOL:${ROWQ_POSTGRES}>
    ROWQ_WITH_SQLITE=$<BOOL:${ROWQ_SQLITE}>)
# Fixtures talk to the servers themselves, past the library, to check what it did.
if(ROWQ_POSTGRES)
    target_link_libraries(rowq_test_common INTERFACE PkgConfig::libpq)
endif()
if(ROWQ_SQLITE)
    target_link_libraries(rowq_test_common INTERFACE PkgConfig::sqlite3)
endif()

file(GLOB support CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/support/*.cpp)
set(main ${PROJECT_SOURCE_DIR}/tests/support/main.cpp)
list(REMOVE_ITEM support ${main})
if(support)
    add_library(rowq_test_support STATIC ${support})
    rowq_target(rowq_test_support)
    target_link_libraries(rowq_test_support PUBLIC rowq_test_common)
else()
    add_library(rowq_test_support INTERFACE)
    target_link_libraries(rowq_test_support INTERFACE rowq_test_common)
endif()

# Helper processes that tests start and kill: each file is a program of its own.
file(GLOB processes CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/processes/*.cpp)
set(helpers "")
foreach(source ${processes})
    cmake_path(GET source STEM name)
    add_executable(rowq_process_${name} ${source})
    rowq_target(rowq_process_${name})
    set_target_properties(rowq_process_${name} PROPERTIES
        OUTPUT_NAME ${name} RUNTIME_OUTPUT_DIRECTORY ${ROWQ_TEST_BIN_DIR})
    target_link_libraries(rowq_process_${name} PRIVATE rowq_test_support)
    list(APPEND helpers rowq_process_${name})
endforeach()
if(TARGET rowq_cli)
    list(APPEND helpers rowq_cli)
endif()

function(rowq_test_folder folder target)
    file(GLOB sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tests/${folder}/*.cpp)
    if(NOT sources)
        return()
    endif()
    if(EXISTS ${main})
        add_executable(${target} ${sources} ${main})
        target_link_libraries(${target} PRIVATE rowq_test_support)
    else()
        add_executable(${target} ${sources})
        target_link_libraries(${target} PRIVATE rowq_test_support GTest::gtest_main)
    endif()
    rowq_target(${target})
    if(ROWQ_RAPIDCHECK AND ROWQ_RAPIDCHECK_INCLUDE)
        target_include_directories(${target} SYSTEM PRIVATE ${ROWQ_RAPIDCHECK_INCLUDE})
        target_link_libraries(${target} PRIVATE ${ROWQ_RAPIDCHECK})
        target_compile_definitions(${target} PRIVATE ROWQ_WITH_RAPIDCHECK=1)
    endif()
    set_target_properties(${target} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests)
    if(helpers)
        add_dependencies(${target} ${helpers})
    endif()
    gtest_discover_tests(${target} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60
        PROPERTIES TIMEOUT 300 LABELS ${folder})
endfunction()

rowq_test_folder(unit rowq_unit)
rowq_test_folder(golden rowq_golden)
rowq_test_folder(contract rowq_contract)
rowq_test_folder(faults rowq_faults)
rowq_test_folder(cli rowq_cli_tests)

# Benchmarks: built with the tests, since they share their databases and tables; run by `make bench` only.
add_executable(rowq_throughput ${PROJECT_SOURCE_DIR}/bench/throughput.cpp)
rowq_target(rowq_throughput)
target_link_libraries(rowq_throughput PRIVATE rowq_test_support)
set_target_properties(rowq_throughput PROPERTIES
    OUTPUT_NAME throughput RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bench)
