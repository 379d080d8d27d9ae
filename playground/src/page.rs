//! The page's own files, as they are served and as `scripts/playground` puts them together.

/// Name, media type, contents.
pub const FILES: &[(&str, &str, &str)] = &[
    ("index.html", "text/html; charset=utf-8", include_str!("../page/index.html")),
    ("style.css", "text/css; charset=utf-8", include_str!("../page/style.css")),
];
