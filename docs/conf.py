"""Sphinx settings. tools/build-docs runs Doxygen first and sets SHOAL_DOXYGEN_XML."""
import os
import pathlib
import re

top = pathlib.Path(__file__).resolve().parent.parent
project = "Shoal"
copyright = "the Shoal authors, Apache-2.0"
release = re.search(r"project\(shoal VERSION ([\d.]+)", (top / "CMakeLists.txt").read_text()).group(1)
version = release

extensions = ["breathe", "myst_parser", "sphinx.ext.mathjax"]
myst_enable_extensions = ["dollarmath", "colon_fence", "deflist"]
myst_heading_anchors = 3
source_suffix = {".md": "markdown", ".rst": "restructuredtext"}
exclude_patterns = ["examples", "tests", "include", "data"]
breathe_projects = {"shoal": os.environ["SHOAL_DOXYGEN_XML"]}
breathe_default_project = "shoal"
breathe_show_include = False
suppress_warnings = ["misc.highlighting_failure"]  # pictures of matrices in comments are no C++
cpp_index_common_prefix = ["shoal::"]
cpp_id_attributes = ["__device__", "__host__", "__global__"]
smartquotes = False  # a prime is a transpose here
primary_domain = "cpp"
highlight_language = "cpp"
html_theme = "furo"
html_title = f"Shoal {release}"
html_show_sphinx = False
html_show_copyright = False
