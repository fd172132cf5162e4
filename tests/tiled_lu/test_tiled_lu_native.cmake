# The same source under flags that let the compiler choose instructions and contract products.
target_compile_options(${name} PRIVATE -O3 -ffp-contract=fast)
include(CheckCXXCompilerFlag)
check_cxx_compiler_flag(-march=native SHOAL_HAS_MARCH_NATIVE)
if(SHOAL_HAS_MARCH_NATIVE)
    target_compile_options(${name} PRIVATE -march=native)
endif()
