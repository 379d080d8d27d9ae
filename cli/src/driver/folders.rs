//! Folders of the user and of the system, by the rules of the XDG base directories, as the Vulkan loader follows them.

use super::manifest::{self, Library};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What manifests lie under in each of the loader's folders.
const MANIFESTS: &str = "vulkan/icd.d";

/// A folder of the user's: that of the variable, or one at home.
fn own(variable: &str, at_home: &str, get: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    let set = get(variable).map(PathBuf::from).filter(|path| path.is_absolute());
    set.or_else(|| Some(PathBuf::from(get("HOME").filter(|h| !h.is_empty())?).join(at_home)))
}

fn environment(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// XDG_DATA_HOME.
pub fn data() -> Option<PathBuf> {
    own("XDG_DATA_HOME", ".local/share", &environment)
}

/// XDG_CACHE_HOME.
pub fn cache() -> Option<PathBuf> {
    own("XDG_CACHE_HOME", ".cache", &environment)
}

/// Where a user's manifests are, of those folders in which the loader looks.
pub fn of_user() -> Option<PathBuf> {
    data().map(|folder| folder.join(MANIFESTS))
}

/// Where an administrator's are.
pub fn of_system() -> PathBuf {
    Path::new("/etc").join(MANIFESTS)
}

/// All in which the loader looks for manifests, in its order.
pub fn searched(get: &dyn Fn(&str) -> Option<OsString>) -> Vec<PathBuf> {
    let lists = |variable: &str, default: &str| -> Vec<PathBuf> {
        let list = get(variable).filter(|l| !l.is_empty()).unwrap_or_else(|| default.into());
        std::env::split_paths(&list).filter(|p| p.is_absolute()).collect()
    };
    let mut all: Vec<PathBuf> = own("XDG_CONFIG_HOME", ".config", get).into_iter().collect();
    all.extend(lists("XDG_CONFIG_DIRS", "/etc/xdg"));
    all.extend(["/usr/local/etc", "/etc"].map(PathBuf::from));
    all.extend(own("XDG_DATA_HOME", ".local/share", get));
    all.extend(lists("XDG_DATA_DIRS", "/usr/local/share:/usr/share"));
    let mut folders = Vec::new();
    for folder in all.into_iter().map(|base| base.join(MANIFESTS)) {
        if !folders.contains(&folder) {
            folders.push(folder);
        }
    }
    folders
}

/// The manifests there that name wavepipe's library, or that are called as ours and name none.
pub fn installed() -> Vec<(PathBuf, Result<Library, String>)> {
    let folders = searched(&environment);
    let files = folders.iter().flat_map(std::fs::read_dir).flat_map(|folder| {
        let mut files: Vec<PathBuf> = folder.flatten().map(|file| file.path()).collect();
        files.sort();
        files
    });
    let manifests = files.filter(|path| path.extension().is_some_and(|e| e == "json"));
    let called_ours = |path: &Path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("wavepipe_icd"));
    let read = manifests.map(|path| {
        let library = manifest::read(&path);
        (path, library)
    });
    let ours = read.filter(|(path, library)| library.as_ref().map_or_else(|_| called_ours(path), Library::is_ours));
    ours.collect()
}
