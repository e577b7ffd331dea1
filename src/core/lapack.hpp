#pragma once

// LAPACK comes with OpenBLAS, its C header does not: these are the prototypes that we use. Matrices
// are column-major with `leading` values from one column to the next; everything is passed by
// address, as Fortran does. `info` is 0 for success, -k if argument k is wrong; each line says what
// a positive value means. A `work_size` of -1 only asks for the best size, which is put into work.
extern "C" {

/// QR by Householder: R into the upper triangle of `a`, the reflections below it and in `tau`.
void dgeqrf_(const int* rows, const int* columns, double* a, const int* leading, double* tau,
             double* work, const int* work_size, int* info);

/// Cholesky: a positive definite matrix becomes its triangle. info > 0: it is not positive
/// definite.
void dpotrf_(const char* triangle, const int* n, double* a, const int* leading, int* info);

/// Cholesky with pivoting, for a matrix that may be singular: rows `order` (from 1) of the matrix
/// are those of the triangle, which has `rank` columns. A negative `tolerance` stands for n times
/// the rounding of the largest entry. info > 0: the rank is not full.
void dpstrf_(const char* triangle, const int* n, double* a, const int* leading, int* order,
             int* rank, const double* tolerance, double* work, int* info);

/// Solves L x = b or L' x = b for a triangle; `b` becomes x.
void dtrtrs_(const char* triangle, const char* transposed, const char* diagonal, const int* n,
             const int* n_right, const double* a, const int* leading, double* b,
             const int* leading_b, int* info);

/// The inverse, one triangle of it, from the triangle of dpotrf_. info > 0: it is singular.
void dpotri_(const char* triangle, const int* n, double* a, const int* leading, int* info);

/// Solves A x = b for a positive definite A; `b` becomes x. info > 0: A is not positive definite.
void dposv_(const char* triangle, const int* n, const int* n_right, double* a, const int* leading,
            double* b, const int* leading_b, int* info);

/// Eigenvalues `first` to `last` (from 1, ascending) of a symmetric matrix with their vectors, by
/// relatively robust representations. info > 0: it failed.
void dsyevr_(const char* job, const char* range, const char* triangle, const int* n, double* a,
             const int* leading, const double* from, const double* to, const int* first,
             const int* last, const double* tolerance, int* found, double* values, double* vectors,
             const int* vectors_leading, int* support, double* work, const int* work_size,
             int* integers, const int* integers_size, int* info);

/// All eigenvalues of a symmetric matrix by divide and conquer, their vectors into `a`. info > 0:
/// it failed.
void dsyevd_(const char* job, const char* triangle, const int* n, double* a, const int* leading,
             double* values, double* work, const int* work_size, int* integers,
             const int* integers_size, int* info);

/// All eigenvalues of a symmetric matrix by the QR algorithm, their vectors into `a`: slow, and
/// fails (info > 0) on nothing that is finite.
void dsyev_(const char* job, const char* triangle, const int* n, double* a, const int* leading,
            double* values, double* work, const int* work_size, int* info);
}
