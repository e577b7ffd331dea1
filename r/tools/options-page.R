# Writes man/sfg_options.Rd out of the library's list of options. Run in the package's folder, with the package
# installed: `make r-options-page`.
writeLines(sfg:::options_page(), "man/sfg_options.Rd")
