//! The page's own files, as they are served and as `scripts/playground` puts them together.

macro_rules! files {
    ($($name:literal $kind:literal;)*) => {
        &[$(File { name: $name, kind: concat!($kind, "; charset=utf-8"), text: include_str!(concat!("../page/", $name)) },)*]
    };
}

/// A file of the page.
pub struct File {
    pub name: &'static str,
    /// Its media type.
    pub kind: &'static str,
    pub text: &'static str,
}

/// All of them; the first is the page itself.
pub const FILES: &[File] = files! {
    "index.html" "text/html";
    "style.css" "text/css";
    "base.js" "text/javascript";
    "editor.js" "text/javascript";
    "listing.js" "text/javascript";
    "results.js" "text/javascript";
    "steps.js" "text/javascript";
    "puzzles.js" "text/javascript";
    "engine.js" "text/javascript";
    "app.js" "text/javascript";
};
