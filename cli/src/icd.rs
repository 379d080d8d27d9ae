//! `wavepipe icd`: makes the driver known to the Vulkan loader, so that every program finds it, and takes it away again.

use crate::driver::manifest::{self, Library};
use crate::driver::{Driver, LIBRARY, MANIFEST, contained, folders};
use crate::failure::{Failure, Result};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

const EXAMPLES: &str = "\
Examples:
  wavepipe icd install                 every Vulkan program of this user finds wavepipe
  wavepipe icd install --system        every one of this machine; as root
  wavepipe icd uninstall
  wavepipe icd show                    where the loader finds wavepipe, and whether what it finds is whole

The manifest goes to vulkan/icd.d in $XDG_DATA_HOME (~/.local/share), with --system in /etc. It names the driver's library where
that is: a driver that is moved has to be installed anew. A library that only this program contains, and with --system one that is
not under /usr, is copied: to wavepipe in $XDG_DATA_HOME, with --system to /usr/local/lib/wavepipe.

Programs that take the first device they are shown may take another driver's, if there are others; `wavepipe exec` shows a program
wavepipe alone.";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct IcdArgs {
    #[command(subcommand)]
    what: What,
}

#[derive(clap::Subcommand, Debug)]
enum What {
    /// Let every Vulkan program find the driver
    Install {
        #[command(flatten)]
        scope: Scope,
        /// The manifest of the driver to install; this program's own driver by default
        #[arg(long, value_name = "FILE")]
        icd: Option<PathBuf>,
    },
    /// Take away what install has put there
    Uninstall {
        #[command(flatten)]
        scope: Scope,
    },
    /// Where the loader finds wavepipe; exit code 3 if something there is broken
    Show {
        /// One JSON array of objects: manifest, library, fault
        #[arg(long)]
        json: bool,
    },
}

#[derive(clap::Args, Debug)]
#[group(multiple = false)]
struct Scope {
    /// For this user (the default)
    #[arg(long)]
    user: bool,
    /// For all users of this machine
    #[arg(long)]
    system: bool,
}

/// Where an installation's files are.
struct Paths {
    manifest: PathBuf,
    /// Of a library that is copied.
    library: PathBuf,
}

impl Scope {
    fn paths(&self) -> Result<Paths> {
        if self.system {
            let library = Path::new("/usr/local/lib/wavepipe").join(LIBRARY);
            return Ok(Paths { manifest: folders::of_system().join(MANIFEST), library });
        }
        let (Some(folder), Some(data)) = (folders::of_user(), folders::data()) else {
            return Err(Failure::Driver("neither XDG_DATA_HOME nor HOME says where a user's drivers are".into()));
        };
        Ok(Paths { manifest: folder.join(MANIFEST), library: data.join("wavepipe").join(LIBRARY) })
    }
}

pub fn run(args: &IcdArgs) -> Result<()> {
    match &args.what {
        What::Install { scope, icd } => install(scope, icd.as_deref()),
        What::Uninstall { scope } => uninstall(scope),
        What::Show { json } => show(*json),
    }
}

fn cannot(verb: &'static str, path: &Path) -> impl FnOnce(std::io::Error) -> Failure {
    let path = path.to_owned();
    move |e| {
        let root =
            if e.kind() == ErrorKind::PermissionDenied { ". --system is for root, --user for everybody" } else { "" };
        Failure::Driver(format!("cannot {verb} {}: {e}{root}", path.display()))
    }
}

fn install(scope: &Scope, icd: Option<&Path>) -> Result<()> {
    let paths = scope.paths()?;
    let library = match own_library(icd)? {
        Kept::At(library) if !scope.system || library.starts_with("/usr") => library,
        from => {
            let bytes = from.bytes()?;
            contained::put(&paths.library, &bytes).map_err(cannot("write", &paths.library))?;
            paths.library
        }
    };
    let text = manifest::text(&library.display().to_string());
    contained::put(&paths.manifest, text.as_bytes()).map_err(cannot("write", &paths.manifest))?;
    println!("{} names {}", paths.manifest.display(), library.display());
    for (other, _) in folders::installed() {
        if other != paths.manifest {
            println!("note: {} names a wavepipe too: programs will be shown two devices", other.display());
        }
    }
    Ok(())
}

/// Where the driver is that is to be installed.
enum Kept {
    At(PathBuf),
    /// In this program alone.
    Here(Vec<u8>),
}

impl Kept {
    fn bytes(self) -> Result<Vec<u8>> {
        match self {
            Kept::At(path) => crate::failure::read_file(&path),
            Kept::Here(bytes) => Ok(bytes),
        }
    }
}

fn own_library(icd: Option<&Path>) -> Result<Kept> {
    let driver = Driver::find(icd)?;
    match driver.library {
        Library::Name(name) => {
            Err(Failure::usage(format!("{} names {name} without a path", driver.manifest.display())))
        }
        // A cache is no place to install from.
        Library::File(path) if driver.contained => crate::failure::read_file(&path).map(Kept::Here),
        Library::File(path) => path.canonicalize().map(Kept::At).map_err(cannot("find", &path)),
    }
}

fn uninstall(scope: &Scope) -> Result<()> {
    let paths = scope.paths()?;
    let folder = paths.library.parent().map(Path::to_owned).unwrap_or_default();
    let mut removed = false;
    for path in [&paths.manifest, &paths.library] {
        match std::fs::remove_file(path) {
            Ok(()) => {
                println!("removed {}", path.display());
                removed = true;
            }
            Err(e) if e.kind() == ErrorKind::NotFound => {}
            Err(e) => return Err(cannot("remove", path)(e)),
        }
    }
    // Only if nothing else is in it.
    let _ = std::fs::remove_dir(folder);
    if !removed {
        println!("nothing was installed: there is no {}", paths.manifest.display());
    }
    Ok(())
}

fn show(json: bool) -> Result<()> {
    let found: Vec<_> = folders::installed().into_iter().map(|(path, _)| (manifest::check(&path), path)).collect();
    let broken = found.iter().filter(|(library, _)| library.is_err()).count();
    if json {
        let entry = |(library, path): &(std::result::Result<Library, String>, PathBuf)| {
            let named = manifest::read(path).ok().map(|l| l.to_string());
            serde_json::json!({ "manifest": path, "library": named, "fault": library.as_ref().err() })
        };
        println!("{}", serde_json::Value::from_iter(found.iter().map(entry)));
    } else if found.is_empty() {
        println!("The loader finds no wavepipe. `wavepipe icd install` lets every program find it.");
    } else {
        for (library, path) in &found {
            match library {
                Ok(library) => println!("{} names {library}", path.display()),
                Err(why) => println!("fault: {why}"),
            }
        }
    }
    match broken {
        0 => Ok(()),
        n => Err(Failure::Driver(format!(
            "{n} broken {}: `wavepipe icd install` makes ours anew, `wavepipe icd uninstall` removes it",
            if n == 1 { "manifest" } else { "manifests" }
        ))),
    }
}
