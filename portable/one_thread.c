/* OpenBLAS asks itself this while it is loaded. Left to itself it starts a thread per core when sfg is
   imported; sfg calls it from threads of its own. cli/main.cpp says the same for the program. */
int openblas_num_threads_env(void) { return 1; }
