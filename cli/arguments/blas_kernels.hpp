#pragma once

#include <string>

namespace sfg::cli {

/// Call it first of all in main(). A processor that is newer than the installed OpenBLAS gets
/// kernels from before AVX, a quarter as fast. OpenBLAS chooses while it is loaded, so the program
/// is started again, with a word in the environment about what the processor can do. Does nothing
/// where OpenBLAS knows the processor, and where OPENBLAS_CORETYPE says what to take.
void use_kernels_of_this_processor(char** argv);

/// The processor that OpenBLAS takes its kernels for: "SkylakeX".
[[nodiscard]] std::string blas_kernels();

}  // namespace sfg::cli
