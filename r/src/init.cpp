#include <R_ext/Rdynload.h>
#include <R_ext/Visibility.h>

#include "calls.hpp"

namespace {

// R keeps functions as void (*)(), and casts them back by their number of arguments.
template <typename Function>
R_CallMethodDef call(const char* name, Function* function, int n_arguments) {
  return {name, reinterpret_cast<DL_FUNC>(function), n_arguments};
}

}  // namespace

extern "C" void attribute_visible R_init_sfg(DllInfo* library) {
  static const R_CallMethodDef calls[] = {
      call("C_fields", C_fields, 1),
      call("C_version", C_version, 0),
      call("C_reduce", C_reduce, 5),
      call("C_predictability", C_predictability, 3),
      call("C_sweep", C_sweep, 5),
      call("C_compare", C_compare, 4),
      call("C_stability", C_stability, 5),
      call("C_load", C_load, 2),
      call("C_save", C_save, 2),
      call("C_apply", C_apply, 4),
      call("C_drift", C_drift, 3),
      call("C_explain", C_explain, 2),
      call("C_read_table", C_read_table, 3),
      {nullptr, nullptr, 0},
  };
  R_registerRoutines(library, nullptr, calls, nullptr, nullptr);
  R_useDynamicSymbols(library, FALSE);
  R_forceSymbols(library, TRUE);
}
