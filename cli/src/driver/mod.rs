//! The driver that programs are started on. It is looked for, in this order,
//!
//! 1. beside the program: `wavepipe_icd.json`, then `libvulkan_wavepipe.so`,
//! 2. where a package or an archive puts it, from the folder above the program's: `share/vulkan/icd.d/wavepipe_icd*.json`, then
//!    `libvulkan_wavepipe.so` in `lib`, `lib/TRIPLET` and `lib64`,
//! 3. in a checkout: `icd/wavepipe_icd.json` in a folder above the program's,
//! 4. in the program itself, which `cargo install --path cli` leaves alone: it is unpacked into the user's cache.
//!
//! The loader takes manifests only. For a library without one a manifest is written into the user's cache.

pub mod contained;
pub mod folders;
pub mod manifest;

use crate::failure::{Failure, Result};
use manifest::Library;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};

/// A driver's library, as every system calls it.
pub const LIBRARY: &str = "libvulkan_wavepipe.so";
/// Its manifest, where we name it.
pub const MANIFEST: &str = "wavepipe_icd.json";

/// Debian's name of this machine's kind, for `lib/TRIPLET`.
const TRIPLET: &str = if cfg!(target_arch = "aarch64") { "aarch64-linux-gnu" } else { "x86_64-linux-gnu" };

/// A manifest that names a library that is there.
#[derive(Clone, Debug)]
pub struct Driver {
    pub manifest: PathBuf,
    pub library: Library,
    /// It came out of the program.
    pub contained: bool,
}

/// What may be at a path.
enum Candidate {
    Manifest(PathBuf),
    Library(PathBuf),
}

/// Where a driver may be, the first first.
fn candidates(program: &Path) -> Vec<Candidate> {
    let folder = program.parent().unwrap_or(Path::new("/"));
    let above = folder.parent().unwrap_or(folder);
    let mut all = vec![Candidate::Manifest(folder.join(MANIFEST)), Candidate::Library(folder.join(LIBRARY))];
    let shared = std::fs::read_dir(above.join("share/vulkan/icd.d")).into_iter().flatten().flatten();
    let ours = shared.map(|file| file.path()).filter(|path| {
        let name = path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        name.starts_with("wavepipe_icd") && name.ends_with(".json")
    });
    all.extend(ours.map(Candidate::Manifest));
    let libraries = ["lib".to_owned(), format!("lib/{TRIPLET}"), "lib64".to_owned()];
    all.extend(libraries.map(|lib| Candidate::Library(above.join(lib).join(LIBRARY))));
    all.extend(program.ancestors().skip(1).map(|f| Candidate::Manifest(f.join("icd").join(MANIFEST))));
    all
}

impl Driver {
    /// Of a manifest that the user names.
    pub fn at(manifest: &Path) -> Result<Driver> {
        let library = manifest::check(manifest).map_err(Failure::Driver)?;
        Ok(Driver { manifest: manifest.to_owned(), library, contained: false })
    }

    /// The one that the user names, or the one that belongs to this program.
    pub fn find(named: Option<&Path>) -> Result<Driver> {
        if let Some(manifest) = named {
            return Driver::at(manifest);
        }
        let program = std::env::current_exe().map_err(|e| Failure::Driver(format!("this program's path: {e}")))?;
        let all = candidates(&program);
        let mut damaged = Vec::new();
        for candidate in &all {
            match candidate {
                Candidate::Manifest(path) if path.exists() => match manifest::check(path) {
                    Ok(library) => return Ok(Driver { manifest: path.clone(), library, contained: false }),
                    Err(why) => damaged.push(why),
                },
                Candidate::Library(path) if path.exists() => match manifest::examine(path) {
                    Ok(()) => return Driver::of_library(path, &all),
                    Err(why) => damaged.push(why),
                },
                _ => {}
            }
        }
        let wrong = |e: std::io::Error| Failure::Driver(format!("the driver in {}: {e}", program.display()));
        if let Some(bytes) = contained::library().map_err(wrong)? {
            let library = kept()?.join(LIBRARY);
            contained::put(&library, &bytes).map_err(|e| cannot_write(&library, &e))?;
            let driver = Driver::with_manifest(&library, library.with_file_name(MANIFEST))?;
            return Ok(Driver { contained: true, ..driver });
        }
        let mut words = damaged;
        words.push(
            "there is no driver: this program contains none, and of these files there is none, or none that works:"
                .into(),
        );
        words.extend(all.iter().map(|c| {
            let (Candidate::Manifest(path) | Candidate::Library(path)) = c;
            format!("  {}", path.display())
        }));
        words.push("Build it (`cargo build --release`), or name its manifest with --icd FILE.".into());
        Err(Failure::Driver(words.join("\n")))
    }

    /// A manifest of a library that was found without one: of those at hand the one that names it, or a new one.
    fn of_library(library: &Path, all: &[Candidate]) -> Result<Driver> {
        let same = |path: &Path| {
            let named = manifest::read(path).ok()?;
            let Library::File(file) = &named else { return None };
            (file.canonicalize().ok()? == library.canonicalize().ok()?).then(|| Driver {
                manifest: path.to_owned(),
                library: named.clone(),
                contained: false,
            })
        };
        let known = all.iter().find_map(|c| match c {
            Candidate::Manifest(path) => same(path),
            Candidate::Library(_) => None,
        });
        if let Some(driver) = known {
            return Ok(driver);
        }
        let mut hasher = DefaultHasher::new();
        hasher.write(library.as_os_str().as_encoded_bytes());
        Driver::with_manifest(library, kept()?.join(format!("wavepipe_icd-{:016x}.json", hasher.finish())))
    }

    fn with_manifest(library: &Path, manifest: PathBuf) -> Result<Driver> {
        contained::put(&manifest, manifest::text(&library.display().to_string()).as_bytes())
            .map_err(|e| cannot_write(&manifest, &e))?;
        Ok(Driver { manifest, library: Library::File(library.to_owned()), contained: false })
    }
}

/// Where this program keeps a driver that it unpacks and manifests that it makes. Not the folder of compiled code, which is
/// bounded and sheds what is old.
fn kept() -> Result<PathBuf> {
    let none = "neither XDG_CACHE_HOME nor HOME says where a manifest of the driver can be put";
    Ok(folders::cache().ok_or_else(|| Failure::Driver(none.into()))?.join("wavepipe-driver"))
}

fn cannot_write(path: &Path, e: &std::io::Error) -> Failure {
    Failure::Driver(format!("{}: {e}. XDG_CACHE_HOME names another folder to put it in.", path.display()))
}
