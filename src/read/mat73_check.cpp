#include "read/mat73_check.hpp"

#include <exception>

#include "io/hdf5.hpp"

namespace sfg::detail {

#ifdef SFG_WITH_HDF5

namespace {

struct Visit {
  const Hdf5Node& root;
  std::exception_ptr error;
};

constexpr herr_t kContinue = 0;
constexpr herr_t kStop = 1;

/// Called by HDF5, through which no exception may fly.
herr_t check_object(hid_t root, const char* name, const H5O_info_t* info, void* data) {
  auto& visit = *static_cast<Visit*>(data);
  if (info->type != H5O_TYPE_DATASET) return kContinue;
  try {
    const Hdf5Node dataset{visit.root.what + ": '" + name + "'",
                           Hdf5Handle(H5Oopen(root, name, H5P_DEFAULT), H5Oclose)};
    if (!dataset.handle.valid()) throw_damaged(dataset.what);
    static_cast<void>(checked_extents(dataset));
    return kContinue;
  } catch (...) {
    visit.error = std::current_exception();
    return kStop;
  }
}

}  // namespace

void check_mat73(const std::filesystem::path& path) {
  const QuietHdf5 quiet;
  const Hdf5Node root{path.string(), open_hdf5(path)};
  Visit visit{root, nullptr};
  const herr_t status =
      H5Ovisit2(root.id(), H5_INDEX_NAME, H5_ITER_NATIVE, check_object, &visit, H5O_INFO_BASIC);
  if (visit.error) std::rethrow_exception(visit.error);
  if (status < 0) throw_damaged(root.what);
}

#else

void check_mat73(const std::filesystem::path&) {}

#endif

}  // namespace sfg::detail
