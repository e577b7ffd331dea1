# One target that carries what all our code is compiled with.
add_library(sfg_warnings INTERFACE)
target_compile_options(sfg_warnings INTERFACE -Wall -Wextra -Werror)
# No fused multiply-add unless written out: the same bits on every x86-64, whatever it can do.
target_compile_options(sfg_warnings INTERFACE -ffp-contract=off)
