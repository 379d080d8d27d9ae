//! Files that users name: the host's, or those that a caller has in their place.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// Bytes by path, as what names the files spells it.
pub type Given = BTreeMap<PathBuf, Vec<u8>>;

thread_local! {
    static GIVEN: RefCell<Option<Given>> = const { RefCell::new(None) };
}

/// While `f` runs, these are all files that there are on this thread: for a page whose files are texts, and for a server whose files
/// are nobody's business.
pub fn instead<T>(given: Given, f: impl FnOnce() -> T) -> T {
    struct Before(Option<Given>);
    impl Drop for Before {
        fn drop(&mut self) {
            GIVEN.set(self.0.take());
        }
    }
    let _before = Before(GIVEN.replace(Some(given)));
    f()
}

/// Whether there is anything of this name, such as a pipe.
pub fn is_there(path: &Path) -> bool {
    GIVEN.with_borrow(|given| given.as_ref().map_or_else(|| path.exists(), |given| given.contains_key(path)))
}

/// Whether it is a file.
pub fn is_file(path: &Path) -> bool {
    is_there(path) && (GIVEN.with_borrow(Option::is_some) || path.is_file())
}

/// What was given as the file, if files were given.
pub(crate) fn given(path: &Path) -> Option<std::io::Result<Vec<u8>>> {
    GIVEN.with_borrow(|given| {
        let bytes = given.as_ref()?.get(path).cloned();
        Some(bytes.ok_or_else(|| std::io::ErrorKind::NotFound.into()))
    })
}
