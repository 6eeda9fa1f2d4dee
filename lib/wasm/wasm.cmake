# libpose as WebAssembly: local.h for JavaScript. Made where clang and wasi-libc are (5 MB beside a clang, where emscripten is
# 800), of the same sources as the library, in the same build. Sets POSED_WASM_FILE, empty where there is none.
set(POSED_WASM AUTO CACHE STRING "Make the WebAssembly module: AUTO where clang, lld and wasi-libc are installed, ON, OFF, or a libpose.wasm that is there")
set(POSED_WASM_SOURCES "" CACHE PATH "Where the sources of expat, libdeflate and jansson are, or sources.sh puts them; else in the build")
set(POSED_WASM_FILE "")
set(POSED_WASM_MISSING "" CACHE INTERNAL "Packages for want of which there is no module")
set(wasm ${CMAKE_CURRENT_SOURCE_DIR}/wasm)
set(wasm_out ${PROJECT_BINARY_DIR}/wasm)

# Says why there is none; where it was asked for, that ends the configuration.
function(posed_no_wasm why)
  if(POSED_WASM STREQUAL AUTO)
    message(STATUS "WebAssembly: none, so dropped files are sent to the server to be looked at; ${why}")
  else()
    message(FATAL_ERROR "WebAssembly: ${why}")
  endif()
endfunction()

if(POSED_WASM STREQUAL OFF)
  message(STATUS "WebAssembly: none (POSED_WASM is OFF)")
  return()
endif()
if(POSED_WASM MATCHES "[.]wasm$")
  set(POSED_WASM_FILE ${POSED_WASM})
  message(STATUS "WebAssembly: ${POSED_WASM}")
  return()
endif()
if(CMAKE_CROSSCOMPILING AND NOT CMAKE_CROSSCOMPILING_EMULATOR)
  posed_no_wasm("a build for another processor; -DPOSED_WASM=FILE takes a libpose.wasm that was made before")
  return()
endif()

set(wasm_sources ${POSED_WASM_SOURCES})
if(NOT wasm_sources)
  set(wasm_sources ${wasm_out}/sources)
endif()
find_program(WASM_CLANG clang)
find_program(WASM_LD wasm-ld)
find_file(WASI_LIBC libc.a PATHS /usr/lib/wasm32-wasi NO_DEFAULT_PATH)
set(wasm_builtins "")
if(WASM_CLANG)
  execute_process(COMMAND ${WASM_CLANG} --target=wasm32-wasi -print-libgcc-file-name
    OUTPUT_VARIABLE wasm_builtins OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
set(wasm_missing "")
foreach(tool WASM_CLANG:clang WASM_LD:lld WASI_LIBC:wasi-libc)
  string(REPLACE ":" ";" tool ${tool})
  list(POP_FRONT tool variable)
  if(NOT ${variable})
    list(APPEND wasm_missing ${tool})
  endif()
endforeach()
if(NOT EXISTS "${wasm_builtins}")
  list(APPEND wasm_missing libclang-rt-dev-wasm32)
endif()
find_program(DPKG_SOURCE dpkg-source)
if(NOT DPKG_SOURCE AND NOT EXISTS ${wasm_sources})
  list(APPEND wasm_missing dpkg-dev)
endif()
if(wasm_missing)
  set(POSED_WASM_MISSING "${wasm_missing}" CACHE INTERNAL "")
  list(JOIN wasm_missing " " wasm_missing)
  posed_no_wasm("missing: ${wasm_missing} (./dev install wasm)")
  return()
endif()

# They come from the network, as what the page is made of does. Where they cannot be had that is found out once.
if(NOT EXISTS ${wasm_sources} AND POSED_WASM_UNFETCHED AND POSED_WASM STREQUAL AUTO)
  posed_no_wasm("the sources of its libraries could not be fetched; -DPOSED_WASM=ON tries again")
  return()
endif()
if(NOT EXISTS ${wasm_sources})
  message(STATUS "WebAssembly: fetching the sources of expat, libdeflate and jansson")
  execute_process(COMMAND ${wasm}/sources.sh ${wasm_sources} RESULT_VARIABLE failed OUTPUT_QUIET ERROR_VARIABLE said TIMEOUT 180)
  if(NOT failed EQUAL 0)
    set(POSED_WASM_UNFETCHED TRUE CACHE INTERNAL "The sources could not be fetched")
    string(REGEX REPLACE "[ \n]+" " " said "${said}")
    posed_no_wasm("the sources of its libraries cannot be fetched: ${said}")
    return()
  endif()
endif()
message(STATUS "WebAssembly: with ${WASM_CLANG}")

# Headers of the system that are the same for every processor, without the rest of /usr/include.
set(wasm_include ${wasm_out}/include)
find_path(STB_INCLUDE stb/stb_image.h REQUIRED)
find_path(LIBARCHIVE_INCLUDE archive.h HINTS ${ARCHIVE_INCLUDE_DIRS} REQUIRED)
file(COPY ${STB_INCLUDE}/stb DESTINATION ${wasm_include})
file(COPY ${LIBARCHIVE_INCLUDE}/archive.h ${LIBARCHIVE_INCLUDE}/archive_entry.h DESTINATION ${wasm_include})
set(json_have_localeconv 0)
set(json_have_long_long 1)
set(json_have_atomic_builtins 0)
set(json_have_sync_builtins 0)
set(json_inline inline)
configure_file(${wasm_sources}/jansson/src/jansson_config.h.in ${wasm_include}/jansson_config.h @ONLY)
file(WRITE ${wasm_include}/jansson_private_config.h "") # nothing of a system
file(WRITE ${wasm_include}/expat_config.h "")

# No errno, no contraction: the flags that decide about numbers are those of the library. One thread. These instructions are in
# every browser since 2021.
set(wasm_flags --target=wasm32-wasi -std=gnu17 -Oz -DNDEBUG -fno-math-errno -ffp-contract=off -D_GNU_SOURCE -D_Thread_local=
  -mbulk-memory -msign-ext -mnontrapping-fptoint -mmutable-globals)
set(wasm_objects "")

# posed_wasm_compile(SOURCE FLAGS...): and knows what the source includes.
function(posed_wasm_compile source)
  cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE path)
  string(MD5 name "${path}")
  cmake_path(GET path STEM stem)
  set(object ${wasm_out}/objects/${stem}-${name}.o)
  add_custom_command(OUTPUT ${object} DEPENDS ${path} ${POWERS} DEPFILE ${object}.d VERBATIM
    COMMAND ${CMAKE_C_COMPILER_LAUNCHER} ${WASM_CLANG} ${wasm_flags} ${ARGN} -MD -MF ${object}.d -MT ${object} -c ${path} -o ${object}
    COMMENT "WebAssembly: ${stem}")
  set(wasm_objects ${wasm_objects} ${object} PARENT_SCOPE)
endfunction()

file(MAKE_DIRECTORY ${wasm_out}/objects)
set(wasm_ours ${CORE_SOURCES} ${POSE_SOURCES} wasm/bundle.c wasm/deflate.c wasm/describe.c wasm/local.c wasm/no_libarchive.c wasm/player.c wasm/print.c wasm/sort.c wasm/system.c)
list(REMOVE_ITEM wasm_ours formats/zip/libarchive.c)
foreach(source IN LISTS wasm_ours)
  posed_wasm_compile(${source} -Wall -Wextra -Wno-unused-function -Wno-unused-const-variable -DPOSE_FOR_PAGES -DSTBI_NO_THREAD_LOCALS -I${CMAKE_CURRENT_SOURCE_DIR}/include -I${PROJECT_SOURCE_DIR} -I${GENERATED}
    -isystem ${wasm_sources}/expat/expat/lib -isystem ${wasm_sources}/libdeflate -isystem ${wasm_sources}/jansson/src
    -isystem ${wasm_include} -include ${wasm}/sort.h -DPOSE_VERSION="${PROJECT_VERSION}")
endforeach()
# Expat's own random numbers would ask for the time; XML of one's own files needs no salt against collisions.
foreach(source xmlparse xmlrole xmltok)
  posed_wasm_compile(${wasm_sources}/expat/expat/lib/${source}.c -w -I${wasm_include} -DBYTEORDER=1234 -DXML_POOR_ENTROPY -DXML_CONTEXT_BYTES=1024 -DXML_GE=1 -DXML_MIN_SIZE)
endforeach()
file(GLOB theirs ${wasm_sources}/jansson/src/*.c)
foreach(source adler32 deflate_decompress utils zlib_decompress)
  list(APPEND theirs ${wasm_sources}/libdeflate/lib/${source}.c)
endforeach()
foreach(source IN LISTS theirs)
  posed_wasm_compile(${source} -w -I${wasm_include} -I${wasm_sources}/libdeflate -DHAVE_STDINT_H)
endforeach()

set(POSED_WASM_FILE ${wasm_out}/libpose.wasm)
string(REPLACE ";" "\n" wasm_list "${wasm_objects}")
file(GENERATE OUTPUT ${wasm_out}/objects.rsp CONTENT "${wasm_list}\n")
# A reactor: local.js is the other side, and answers what the C library asks a system for. It brings the memory, too, since wasm-opt
# cuts the data of a module's own memory into a thousand pieces, which costs 1 % as it is sent. At most 512 MiB, of which 1 is the
# stack. Where wasm-opt is (package binaryen) it makes the module 4 % smaller as it is sent. That nothing is in the first 1024 bytes is the
# linker's default; functions of one caller stay their own, which costs bytes and saves some of Brotli's; expressions that were
# taken apart (flatten) and put together again are shorter.
find_program(WASM_OPT wasm-opt)
# Two steps: where the code that was linked is the same as before, neither the second nor the page is made again.
set(wasm_linked ${wasm_out}/linked.wasm)
set(wasm_smaller ${CMAKE_COMMAND} -E copy ${wasm_linked} ${POSED_WASM_FILE})
if(WASM_OPT)
  set(wasm_smaller ${WASM_OPT} --enable-bulk-memory --enable-sign-ext --enable-nontrapping-float-to-int --enable-mutable-globals
    --strip-producers --low-memory-unused --one-caller-inline-max-function-size 0 --flatten --rereloop -Oz -Oz ${wasm_linked} -o ${POSED_WASM_FILE})
endif()
add_custom_command(OUTPUT ${wasm_linked} DEPENDS ${wasm_objects} ${wasm_out}/objects.rsp VERBATIM
  COMMAND ${WASM_CLANG} --target=wasm32-wasi -mexec-model=reactor @${wasm_out}/objects.rsp -o ${wasm_linked}.new
    -Wl,--no-entry,--import-memory,--gc-sections,--strip-all,--allow-undefined,-O2,-z,stack-size=1048576,--initial-memory=4194304,--max-memory=536870912
  COMMAND ${CMAKE_COMMAND} -E copy_if_different ${wasm_linked}.new ${wasm_linked}
  COMMENT "WebAssembly: linking")
add_custom_command(OUTPUT ${POSED_WASM_FILE} DEPENDS ${wasm_linked} VERBATIM
  COMMAND ${wasm_smaller}
  COMMENT "WebAssembly: libpose.wasm")
add_custom_target(libpose-wasm ALL DEPENDS ${POSED_WASM_FILE})
