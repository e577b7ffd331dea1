#ifdef SFG_WITH_MAT

#include "read/mat73_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "io/size_check.hpp"
#include "read/mat73_check.hpp"
#include "read/mat73_decode.hpp"
#include "read/mat73_plain.hpp"
#include "sfg/error.hpp"

namespace sfg::detail {

Mat73File::Mat73File(const std::filesystem::path& path) : MatFile(path.string()) {
  check_mat73(path);
#ifdef SFG_WITH_HDF5
  root_ = Hdf5Node{path.string(), open_hdf5(path)};
#endif
  file_.reset(Mat_Open(path.c_str(), MAT_ACC_RDONLY));
  if (!file_) {
    throw Error(ErrorCode::malformed_input,
                "not a MAT file that can be read; copy or save it again", name());
  }
  list_variables();
}

void Mat73File::list_variables() {
  // A number no real file reaches ends the search in a file that runs in circles.
  constexpr int kMostVariables = 1000000;
  for (int i = 0; i < kMostVariables; ++i) {
    const LoadedVariable info(Mat_VarReadNextInfo(file_.get()));
    if (!info) return;
    MatVariable variable;
    if (info->name != nullptr) variable.name = info->name;
    if (info->dims != nullptr && info->rank > 0) {
      variable.extents.assign(info->dims, info->dims + info->rank);
    }
    variable.kind = static_cast<MatClass>(info->class_type);
    variable.is_complex = info->isComplex != 0;
#ifdef SFG_WITH_HDF5
    if (variable.kind == MatClass::empty) {
      const auto node = find_node(root_, variable.name);
      if (node) describe_plain(*node, variable);
      if (variable.kind != MatClass::empty) plain_.insert(variables().size());
    }
#endif
    add(std::move(variable));
  }
}

#ifdef SFG_WITH_HDF5
std::optional<Hdf5Node> Mat73File::plain_node(const MatVariable& variable) const {
  return plain_.contains(variable.number) ? find_node(root_, variable.name) : std::nullopt;
}
#endif

Mat73File::LoadedVariable Mat73File::load(const MatVariable& variable) const {
  LoadedVariable loaded(Mat_VarRead(file_.get(), variable.name.c_str()));
  const bool complete =
      loaded && static_cast<MatClass>(loaded->class_type) == variable.kind &&
      loaded->dims != nullptr &&
      std::ranges::equal(
          std::span(loaded->dims, static_cast<std::size_t>(std::max(0, loaded->rank))),
          variable.extents);
  if (!complete) {
    throw Error(ErrorCode::malformed_input,
                fmt::format("the variable {} cannot be read; copy or save the file again",
                            variable.description()),
                name());
  }
  return loaded;
}

DenseMatrix Mat73File::load_dense(const MatVariable& variable, const RunContext& run) const {
#ifdef SFG_WITH_HDF5
  if (const auto node = plain_node(variable)) return plain_numbers(*node, run);
#endif
  // matio's copy stands beside ours for a moment; both are 8 bytes per number at most.
  constexpr double kBothCopies = 2 * sizeof(double);
  check_size(what(variable), static_cast<double>(variable.extents[0]),
             static_cast<double>(variable.extents[1]), variable.n_items(), kBothCopies, run);
  const LoadedVariable loaded = load(variable);
  DenseMatrix matrix(static_cast<Index>(variable.extents[0]),
                     static_cast<Index>(variable.extents[1]));
  mat_numbers(what(variable), *loaded,
              {matrix.data(), static_cast<std::size_t>(variable.n_items())});
  return matrix;
}

// The arrays of sparse matrices and cells have been compared with the file's size by check_mat73().
SparseMatrix Mat73File::load_sparse(const MatVariable& variable, const RunContext&) const {
  return mat_sparse(what(variable), *load(variable));
}

std::optional<std::vector<std::string>> Mat73File::load_texts(const MatVariable& variable,
                                                              const RunContext& run) const {
#ifdef SFG_WITH_HDF5
  if (const auto node = plain_node(variable)) return plain_texts(*node, variable, run);
#else
  static_cast<void>(run);
#endif
  return mat_texts(*load(variable));
}

}  // namespace sfg::detail

#endif
