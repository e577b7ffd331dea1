#include "report/page.hpp"
#include "sfg/version.hpp"

namespace sfg {

std::vector<std::string> built_with() {
  std::vector<std::string> parts;
#ifdef SFG_WITH_MAT
  parts.emplace_back("mat");
#endif
#ifdef SFG_WITH_HDF5
  parts.emplace_back("h5ad");
#endif
#ifdef SFG_WITH_LZF
  parts.emplace_back("lzf");
#endif
#ifdef SFG_WITH_ARCHIVE
  parts.emplace_back("archive");
#endif
  if (!detail::page().before.empty()) parts.emplace_back("report");
  return parts;
}

}  // namespace sfg
