# Functions that make one kind of target each. Flags stand here and nowhere else.

# Warnings are errors, for our own targets and never for a project that links to them. What g++ finds by following values
# through optimised code differs from release to release, with false alarms on branches that no call takes: from 13 on
# those stay warnings.
function(shoal_warnings target)
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:-Wall;-Wextra;-Wshadow;-Wconversion;-Werror>
        $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings;-Xcompiler=-Wall,-Wextra,-Wshadow>)
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 13)
        set(flow -Wno-error=array-bounds -Wno-error=maybe-uninitialized -Wno-error=stringop-overflow)
        list(JOIN flow , flow_of_host)
        target_compile_options(${target} PRIVATE
            $<$<COMPILE_LANGUAGE:CXX>:${flow}> $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${flow_of_host}>)
    endif()
endfunction()

# In a project that fetches Shoal, a library of ours is built if something there links to it.
function(shoal_built_when_needed target)
    if(NOT PROJECT_IS_TOP_LEVEL AND NOT SHOAL_INSTALL)
        set_target_properties(${target} PROPERTIES EXCLUDE_FROM_ALL ON)
    endif()
endfunction()

# A program that is built to run on this machine, or, for CUDA, on another one that has the GPU: its C++ runtime goes along.
function(shoal_local_program target)
    shoal_warnings(${target})
    target_compile_options(${target} PRIVATE
        $<$<COMPILE_LANGUAGE:CXX>:${SHOAL_FLOAT_FLAGS};${SHOAL_LOCAL_ARCH}>
        $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=-ffp-contract=off,-fno-math-errno>)
    if(SHOAL_LOCAL_ARCH)
        target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${SHOAL_LOCAL_ARCH}>)
    endif()
    get_target_property(sources ${target} SOURCES)
    if(sources MATCHES "\\.cu(;|$)")
        set_target_properties(${target} PROPERTIES CUDA_RUNTIME_LIBRARY Static)
        target_link_libraries(${target} PRIVATE shoal::cuda)
        target_link_options(${target} PRIVATE -static-libstdc++ -static-libgcc -s -Wl,--gc-sections)
    endif()
endfunction()

# include(DIRECTORY/NAME.cmake) if it stands beside the source: what one program needs beyond the rest (a vendor library, ...).
macro(shoal_extra target source)
    cmake_path(REPLACE_EXTENSION source LAST_ONLY cmake OUTPUT_VARIABLE extra)
    if(EXISTS ${extra})
        include(${extra})
    endif()
endmacro()

# Name of the program that a source makes: its stem, with _gpu appended for a .cu so that both lanes may have the same stem.
function(shoal_program_name source result)
    cmake_path(GET source STEM LAST_ONLY stem)
    if(source MATCHES "\\.cu$" AND NOT stem MATCHES "_gpu$")
        string(APPEND stem _gpu)
    endif()
    set(${result} ${stem} PARENT_SCOPE)
endfunction()

# True when the lane and the name filter let this source in.
function(shoal_wanted source name result)
    set(lane cpu)
    if(source MATCHES "\\.cu$")
        set(lane gpu)
    endif()
    set(${result} ON PARENT_SCOPE)
    if(NOT lane IN_LIST SHOAL_TEST_LANES OR (lane STREQUAL gpu AND NOT SHOAL_WITH_CUDA))
        set(${result} OFF PARENT_SCOPE)
    elseif(SHOAL_TEST_FILTER AND NOT name MATCHES "${SHOAL_TEST_FILTER}")
        set(${result} OFF PARENT_SCOPE)
    endif()
endfunction()
