/* What the portable program and module need of newer C libraries, made of what older ones have. They are
   compiled with the headers of this system and linked with glibc 2.31 (tools/portable-sources). */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <time.h>

/* Debian's archives are made for programs, where stderr is a place of the program itself. In a Python
   module it is not: portable/CMakeLists.txt lets them use these instead. */
FILE* sfg_stdin;
FILE* sfg_stdout;
FILE* sfg_stderr;

__attribute__((constructor(101))) static void take_streams(void) {
  sfg_stdin = stdin;
  sfg_stdout = stdout;
  sfg_stderr = stderr;
}

/* Tells libstdc++ whether it may count references without atomic instructions (glibc 2.32): never. */
char __libc_single_threaded = 0;

/* glibc 2.29 gave these functions new versions, which leave errno to the caller. The old ones return the
   same numbers and are on every system; the linker sends calls here (--wrap). */
#define OLD_VERSION(type, name, parameters, arguments)  \
  extern type old_##name parameters;                    \
  __asm__(".symver old_" #name "," #name "@GLIBC_2.2.5"); \
  type __wrap_##name parameters { return old_##name arguments; }

OLD_VERSION(double, exp, (double x), (x))
OLD_VERSION(double, exp2, (double x), (x))
OLD_VERSION(double, log, (double x), (x))
OLD_VERSION(double, log2, (double x), (x))
OLD_VERSION(double, pow, (double x, double y), (x, y))

/* Waiting by a clock of one's choice is of glibc 2.30. Before, one waited by the time of day: what is left of the wait is
   the same, unless somebody sets the time meanwhile. */
int __wrap_pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                                  const struct timespec* until) {
  enum { kBillion = 1000000000 };
  struct timespec now;
  struct timespec day;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &day);
  day.tv_sec += until->tv_sec - now.tv_sec;
  day.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (day.tv_nsec < 0) {
    day.tv_nsec += kBillion;
    --day.tv_sec;
  }
  if (day.tv_nsec >= kBillion) {
    day.tv_nsec -= kBillion;
    ++day.tv_sec;
  }
  return pthread_cond_timedwait(condition, mutex, &day);
}
