// Bundles the page into one HTML text and writes it as C++ source: page.cpp.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { build } from "esbuild";

async function bundle() {
  const result = await build({
    entryPoints: ["src/main.ts"],
    bundle: true,
    minify: true,
    write: false,
    format: "iife",
    target: ["chrome90", "firefox113", "safari16.4"],
    legalComments: "none",
    logLevel: "warning",
  });
  // A closing tag inside a string of the script would end it.
  return result.outputFiles[0].text.replaceAll("</script", "<\\/script").trim();
}

async function styles() {
  const result = await build({
    entryPoints: ["src/style.css"],
    bundle: true,
    minify: true,
    write: false,
    logLevel: "warning",
  });
  return result.outputFiles[0].text.trim();
}

/** Only this very script may run, and nothing may be fetched. */
function policy(script) {
  const hash = createHash("sha256").update(script).digest("base64");
  return [
    "default-src 'none'",
    `script-src 'sha256-${hash}'`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
}

/** Adjacent raw strings: compilers limit the length of one. */
function literal(text) {
  const kPiece = 8000;
  const bytes = Buffer.from(text, "utf8");
  const pieces = [];
  for (let at = 0; at < bytes.length;) {
    let end = Math.min(at + kPiece, bytes.length);
    while (end < bytes.length && (bytes[end] & 0xc0) === 0x80) --end;
    pieces.push(`R"page~(${bytes.subarray(at, end).toString("utf8")})page~"`);
    at = end;
  }
  return pieces.join("\n");
}

const script = await bundle();
const style = await styles();
const page = (await readFile("src/page.html", "utf8"))
  .replace("%policy%", () => policy(script))
  .replace("%style%", () => style)
  .replace("%script%", () => script);
const [before, after] = page.split("%data%");
await writeFile(
  "page.cpp",
  `// Made from web/ by build.mjs.
#include "report/page.hpp"

namespace sfg::detail {

namespace {

constexpr char kBefore[] =
${literal(before)};

constexpr char kAfter[] =
${literal(after)};

}  // namespace

Page page() noexcept {
  return {{kBefore, sizeof kBefore - 1}, {kAfter, sizeof kAfter - 1}};
}

}  // namespace sfg::detail
`,
);
