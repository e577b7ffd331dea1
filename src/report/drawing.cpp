#include "report/drawing.hpp"

#include <fmt/format.h>

#include "core/markup.hpp"

namespace sfg::detail {

namespace {

/// A coordinate: more digits than anybody sees would only make the file larger.
std::string number(double value) {
  std::string text = fmt::format("{:.2f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

std::string attributes(const Stroke& stroke) {
  std::string text =
      fmt::format("stroke=\"{}\" stroke-width=\"{}\"", stroke.colour, number(stroke.width));
  if (stroke.dashes[0] != '\0') text += fmt::format(" stroke-dasharray=\"{}\"", stroke.dashes);
  return text;
}

const char* anchor_name(Anchor anchor) {
  switch (anchor) {
    case Anchor::start:
      return "start";
    case Anchor::middle:
      return "middle";
    case Anchor::end:
      break;
  }
  return "end";
}

}  // namespace

Drawing::Drawing(double width, double height, std::string_view title)
    : out_(fmt::format(
          "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" height=\"{1}\" "
          "viewBox=\"0 0 {0} {1}\" font-family=\"DejaVu Sans, Arial, Helvetica, sans-serif\">\n"
          "<title>{2}</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
          number(width), number(height), xml_text(title))) {}

void Drawing::line(Point from, Point to, const Stroke& stroke) {
  out_ += fmt::format("<line x1=\"{}\" y1=\"{}\" x2=\"{}\" y2=\"{}\" {}/>\n", number(from.x),
                      number(from.y), number(to.x), number(to.y), attributes(stroke));
}

void Drawing::polyline(const std::vector<Point>& points, const Stroke& stroke) {
  std::string list;
  for (const Point& point : points) {
    list += fmt::format("{}{},{}", list.empty() ? "" : " ", number(point.x), number(point.y));
  }
  out_ += fmt::format("<polyline points=\"{}\" fill=\"none\" {}/>\n", list, attributes(stroke));
}

void Drawing::rectangle(Point corner, double width, double height, const char* fill) {
  out_ += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"/>\n",
                      number(corner.x), number(corner.y), number(width), number(height), fill);
}

void Drawing::circle(Point centre, double radius, const char* fill) {
  out_ += fmt::format("<circle cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"/>\n", number(centre.x),
                      number(centre.y), number(radius), fill);
}

void Drawing::square(Point centre, double half, const char* fill) {
  rectangle({centre.x - half, centre.y - half}, 2 * half, 2 * half, fill);
}

void Drawing::triangle(Point centre, double half, const char* fill) {
  out_ += fmt::format("<polygon points=\"{},{} {},{} {},{}\" fill=\"{}\"/>\n", number(centre.x),
                      number(centre.y - half), number(centre.x - half), number(centre.y + half),
                      number(centre.x + half), number(centre.y + half), fill);
}

void Drawing::text(Point at, std::string_view text, const TextStyle& style) {
  const std::string turned =
      style.upwards ? fmt::format(" transform=\"rotate(-90 {} {})\"", number(at.x), number(at.y))
                    : "";
  out_ += fmt::format(
      "<text x=\"{}\" y=\"{}\" font-size=\"{}\" text-anchor=\"{}\" fill=\"{}\"{}{}>{}</text>\n",
      number(at.x), number(at.y), number(style.size), anchor_name(style.anchor), style.colour,
      style.bold ? " font-weight=\"bold\"" : "", turned, xml_text(text));
}

}  // namespace sfg::detail
