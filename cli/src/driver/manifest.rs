//! A driver's manifest: the file that the Vulkan loader reads, and the library that it names.

use object::elf;
use object::read::elf::{ElfFile64, FileHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _, ReadCache};
use std::path::{Path, PathBuf};
use wavepipe_runtime::hw::file;

/// The manifest of the checkout; ours are like it, but for the path.
const CHECKED_IN: &str = include_str!("../../../icd/wavepipe_icd.json");

/// Of a manifest.
const BYTES: u64 = 1 << 20;

/// What `library_path` means.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Library {
    File(PathBuf),
    /// A name alone, which the dynamic linker looks for.
    Name(String),
}

impl std::fmt::Display for Library {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Library::File(path) => path.display().fmt(f),
            Library::Name(name) => f.write_str(name),
        }
    }
}

impl Library {
    /// Whether it is wavepipe's, by its name.
    pub fn is_ours(&self) -> bool {
        let name = match self {
            Library::File(path) => path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default(),
            Library::Name(name) => name.clone(),
        };
        name.starts_with("libvulkan_wavepipe")
    }
}

/// The library that a manifest names. Errors begin with the file's path.
pub fn read(path: &Path) -> Result<Library, String> {
    let wrong = |why: String| format!("{}: {why}", path.display());
    let bytes = file::read(path, BYTES).map_err(|e| wrong(e.to_string()))?;
    let json: serde_json::Value = serde_json::from_slice(&bytes).map_err(|e| wrong(format!("no manifest: {e}")))?;
    let named = json["ICD"]["library_path"].as_str().filter(|name| !name.is_empty());
    let library = named.ok_or_else(|| wrong("no manifest of a driver: there is no ICD.library_path".into()))?;
    if !json["file_format_version"].is_string() {
        return Err(wrong("the loader passes over it: there is no file_format_version".into()));
    }
    if !library.contains('/') {
        return Ok(Library::Name(library.to_owned()));
    }
    // A relative path begins in the manifest's folder; `join` takes an absolute one as it is.
    Ok(Library::File(path.parent().unwrap_or(Path::new("")).join(library)))
}

/// A manifest that names this library.
pub fn text(library: &str) -> String {
    let mut json: serde_json::Value = serde_json::from_str(CHECKED_IN).unwrap_or_default();
    json["ICD"]["library_path"] = library.into();
    format!("{json:#}\n")
}

/// Whether the file is a driver's library for this machine; if not, why. Nothing of it is executed.
pub fn examine(library: &Path) -> Result<(), String> {
    let wrong = |why: &dyn std::fmt::Display| format!("{}: {why}", library.display());
    let file = file::open(library).map_err(|e| wrong(&e))?;
    let cache = ReadCache::new(file);
    let parsed = ElfFile64::<Endianness, _>::parse(&cache);
    let elf = parsed.map_err(|e| wrong(&format!("no 64-bit ELF library: {e}")))?;
    let header = elf.elf_header();
    let machine = if cfg!(target_arch = "aarch64") { elf::EM_AARCH64 } else { elf::EM_X86_64 };
    if header.e_machine(elf.endian()) != machine {
        return Err(wrong(&format!(
            "a library for another processor (ELF machine {})",
            header.e_machine(elf.endian())
        )));
    }
    let mut symbols = elf.dynamic_symbols();
    match symbols.any(|s| s.is_definition() && s.name_bytes() == Ok(b"vk_icdGetInstanceProcAddr")) {
        true => Ok(()),
        false => Err(wrong(&"no Vulkan driver: it does not export vk_icdGetInstanceProcAddr")),
    }
}

/// [`examine`]s the library that a manifest names, where that is a file.
pub fn check(path: &Path) -> Result<Library, String> {
    let library = read(path)?;
    if let Library::File(file) = &library {
        examine(file).map_err(|why| format!("{}: its library_path is wrong: {why}", path.display()))?;
    }
    Ok(library)
}
