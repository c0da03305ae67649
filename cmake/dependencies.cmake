# Everything rowq is built on, all from Debian packages. A missing client library only switches its driver off.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

foreach(driver "POSTGRES libpq libpq-dev" "SQLITE sqlite3 libsqlite3-dev")
    string(REPLACE " " ";" driver "${driver}")
    list(GET driver 0 name)
    list(GET driver 1 module)
    list(GET driver 2 package)
    if(ROWQ_${name})
        pkg_check_modules(${module} QUIET IMPORTED_TARGET ${module})
        if(NOT ${module}_FOUND)
            message(WARNING "ROWQ_${name} is off: ${module} was not found. Install the Debian package ${package} to build this driver.")
            set(ROWQ_${name} OFF)
        endif()
    endif()
endforeach()

# A package that a part of the build cannot do without; the error names what to install.
macro(rowq_need package debian)
    find_package(${package} QUIET ${ARGN})
    if(NOT ${package}_FOUND)
        message(FATAL_ERROR "${package} was not found. Install the Debian package ${debian}.")
    endif()
endmacro()

rowq_need(nlohmann_json nlohmann-json3-dev)
rowq_need(fmt libfmt-dev)
