#pragma once

#include <string>

#include "sfg/error.hpp"

namespace sfg {

/// Something that was assumed about the data or done with them, for the user to agree or object:
/// one sentence, and the option that changes it.
struct Note {
  enum class About {
    form,     ///< separator, decimal mark, header, where names and labels are
    columns,  ///< columns that are not numbers
    cells,    ///< cells that were read otherwise than they are written
    values,   ///< what the numbers may mean: codes, orientation
  };
  About about = About::form;
  std::string text;  ///< what was assumed
  Hint hint = {};    ///< what to do if it is wrong
};

/// "text; what to do", with options as the caller's users write them.
[[nodiscard]] std::string message(const Note& note, const FieldSpelling& spelling);

}  // namespace sfg
