#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sfg::detail {

struct Point {
  double x = 0;
  double y = 0;
};

/// How a line is drawn.
struct Stroke {
  const char* colour = "#000000";
  double width = 1;
  const char* dashes = "";  ///< as SVG has them ("4 3"); empty: none
};

enum class Anchor { start, middle, end };

struct TextStyle {
  double size = 10;
  Anchor anchor = Anchor::start;
  const char* colour = "#222222";
  bool bold = false;
  bool upwards = false;  ///< turned by 90 degrees, to be read from below
};

/// An SVG picture on white ground; text stays text. Coordinates in pixels, y downwards.
class Drawing {
 public:
  Drawing(double width, double height, std::string_view title);

  void line(Point from, Point to, const Stroke& stroke);
  void polyline(const std::vector<Point>& points, const Stroke& stroke);
  void rectangle(Point corner, double width, double height, const char* fill);
  void circle(Point centre, double radius, const char* fill);
  void square(Point centre, double half, const char* fill);
  void triangle(Point centre, double half, const char* fill);
  /// The text is escaped.
  void text(Point at, std::string_view text, const TextStyle& style);

  /// The whole document.
  [[nodiscard]] std::string svg() const { return out_ + "</svg>\n"; }

 private:
  std::string out_;
};

}  // namespace sfg::detail
