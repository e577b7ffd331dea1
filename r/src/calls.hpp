#pragma once

#include <Rinternals.h>

// What .Call() reaches: one function per stage. Each gives a list, or a list of the class
// sfg_failure.
extern "C" {

SEXP C_fields(SEXP stage);
SEXP C_version();

SEXP C_reduce(SEXP table, SEXP options, SEXP missing, SEXP is_asked, SEXP running);
SEXP C_predictability(SEXP table, SEXP missing, SEXP running);
SEXP C_sweep(SEXP table, SEXP options, SEXP missing, SEXP thetas, SEXP running);
SEXP C_compare(SEXP table, SEXP options, SEXP missing, SEXP running);
SEXP C_stability(SEXP table, SEXP options, SEXP repeats, SEXP missing, SEXP running);

SEXP C_load(SEXP path, SEXP running);
SEXP C_save(SEXP file, SEXP path);
SEXP C_apply(SEXP file, SEXP table, SEXP missing, SEXP running);
SEXP C_drift(SEXP file, SEXP table, SEXP running);
SEXP C_explain(SEXP file, SEXP feature);

SEXP C_read_table(SEXP path, SEXP options, SEXP running);
}
