# The library. Each room of src/ is a folder; drivers are the only files that see a client library.

file(GLOB rowq_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*/*.cpp)
if(NOT ROWQ_POSTGRES)
    list(FILTER rowq_sources EXCLUDE REGEX "/src/db/postgres[^/]*$")
endif()
if(NOT ROWQ_SQLITE)
    list(FILTER rowq_sources EXCLUDE REGEX "/src/db/sqlite[^/]*$")
endif()
if(NOT rowq_sources)   # CMake refuses a library without a source
    file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/empty.cpp CONTENT "")
    set(rowq_sources ${PROJECT_BINARY_DIR}/empty.cpp)
endif()

add_library(rowq STATIC ${rowq_sources})
add_library(rowq::rowq ALIAS rowq)
rowq_target(rowq)
rowq_define_drivers(rowq)
set_target_properties(rowq PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(rowq
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
target_link_libraries(rowq
    PUBLIC nlohmann_json::nlohmann_json   # header only: the opt-in codec header needs it
    PRIVATE fmt::fmt Threads::Threads)
if(ROWQ_POSTGRES)
    target_link_libraries(rowq PRIVATE PkgConfig::libpq)
endif()
if(ROWQ_SQLITE)
    target_link_libraries(rowq PRIVATE PkgConfig::sqlite3)
endif()

# The program and the tests see the rooms too; a user of the library does not.
add_library(rowq_internal INTERFACE)
target_link_libraries(rowq_internal INTERFACE rowq::rowq fmt::fmt Threads::Threads)
target_include_directories(rowq_internal INTERFACE ${PROJECT_SOURCE_DIR}/src)
