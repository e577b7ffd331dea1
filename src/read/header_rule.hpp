#pragma once

#include <string>
#include <vector>

#include "read/first_rows.hpp"

// Is the first row a header? It is if it differs in kind from the rows below:
//
//   text over a column of numbers          a,b over 1,2            a header
//   headings in quotes, numbers not        "1007","1053" over 7.1,8.2
//   an empty corner over row names         ,0,1,2 over s1,5,3,8 (pandas, R)
//   one cell less than every row           2001 2002 over "s1" 5 3 (R's write.table)
//   a text in the corner that is none of   id,2001,2002 over s1,5,3
//     the row names below
//   numbers in strict order over numbers   0,1,2,3 over 5.1,3.5,1.4,0.2; 400,402,404; 2001,2002,...
//     in none, whole numbers over
//     decimals, or numbers far outside
//     their columns (Entrez ids over counts)
//   names that are expected (a model's)
//
// and is none if its texts occur again below (a class in the last column) or look like the row
// names (s1 over s2, s3; a date over dates). What is left is open: then the guess is said.
namespace sfg::detail {

struct HeaderGuess {
  bool is_header = false;
  bool is_open = false;     ///< it could be otherwise, so it is worth a note
  std::string reason = {};  ///< for the note: "its numbers are in strict order"
};

[[nodiscard]] HeaderGuess guess_header(const std::vector<FirstRow>& rows,
                                       const std::vector<std::string>& known_names);

/// Whether a heading stands above names: "id", "Sample", "Country Name", "sample_id".
[[nodiscard]] bool is_corner_word(std::string_view text);

/// The form of a name: runs of digits as 9, of letters as a. "s12" and "x7" are "a9".
[[nodiscard]] std::string name_form(std::string_view text);

/// How strongly the numbers of a first row look like headings of the columns below.
enum class NumberHeadings { no, perhaps, yes };
[[nodiscard]] NumberHeadings judge_number_headings(
    const std::vector<const FirstCell*>& headings,
    const std::vector<std::vector<const FirstCell*>>& rows);

}  // namespace sfg::detail
