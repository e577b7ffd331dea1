# `make release` puts the checksums in: sfg-VERSION-recipes.tar.gz.
class Sfg < Formula
  desc "Removes redundant features from wide data without labels"
  homepage "https://example.org/sfg"
  url "https://example.org/sfg/releases/sfg-0.2.0.tar.gz"
  sha256 "@SHA256_SOURCE@"
  license "MIT"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "eigen" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "spectra" => :build
  depends_on "cairo"
  depends_on "fmt"
  depends_on "hdf5"
  depends_on "libarchive"
  depends_on "liblzf"
  depends_on "libmatio"
  depends_on "librsvg"
  # Not tried on macOS.
  depends_on :linux
  depends_on "libzip"
  depends_on "openblas"
  depends_on "zlib"

  # The page of `sfg report`, bundled: no npm is needed.
  resource "page" do
    url "https://example.org/sfg/releases/sfg-0.2.0-page.tar.gz"
    sha256 "@SHA256_PAGE@"
  end

  def install
    resource("page").stage(buildpath/"page")
    args = %W[
      -DSFG_BUILD_TESTS=OFF
      -DSFG_WARNINGS_ARE_ERRORS=OFF
      -DSFG_WITH_MPI=OFF
      -DSFG_WITH_PYTHON=OFF
      -DSFG_PAGE_FILE=#{buildpath}/page/page.cpp
    ]
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", *args, *std_cmake_args
    system "cmake", "--build", "build", "--target", "sfg_program", "sfg_pages"
    system "cmake", "--install", "build"
    pkgshare.install "examples/sensors.csv"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/sfg --version")
    system bin/"sfg", "reduce", pkgshare/"sensors.csv", "-o", "out"
    assert_match "temp_in_f", (testpath/"out.removed.tsv").read
    refute_match(/^temp_in_f$/, (testpath/"out.kept.txt").read)
  end
end
