#pragma once

#include <string>
#include <vector>

#include "io/text_source.hpp"

namespace sfg::detail {

/// Numbers of the columns that a list of the user names: by heading, "nm*" for all that start so. A
/// heading with a comma in it may come in pieces, as the list was cut at commas. Throws
/// inconsistent_input for a heading that is not there, or that two columns have; `field` is the
/// option that the list comes from.
[[nodiscard]] std::vector<std::size_t> find_columns(const std::string& source,
                                                    const std::vector<std::string>& headings,
                                                    const std::vector<std::string>& wanted,
                                                    const std::string& field);

}  // namespace sfg::detail
