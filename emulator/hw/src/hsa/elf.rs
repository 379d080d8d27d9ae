//! The ELF container: header, segments, symbols, the metadata note, dynamic relocations.

use super::{Function, HsaError, Part, Relocation, Segment};
use object::elf::{self, FileHeader64};
use object::read::elf::{FileHeader, ProgramHeader, Rela, SectionHeader, Sym};
use object::{LittleEndian, SymbolIndex};
use std::collections::HashMap;
use wavepipe_isa::Gen;

const EM_AMDGPU: u16 = 224;
const ELFOSABI_AMDGPU_HSA: u8 = 64;
/// EI_ABIVERSION of code object versions 4, 5 and 6.
const ABI_VERSIONS: std::ops::RangeInclusive<u8> = 2..=4;
const NT_AMDGPU_METADATA: u32 = 32;
/// Most memory that a module may take.
const MAX_SPAN: u64 = 1 << 30;

/// EF_AMDGPU_MACH: LLVM's processors, and the generation whose instructions and descriptors they have, if that is one of ours.
/// Processors differ in instructions even within a generation's number: gfx904 and gfx906 have V_FMA_MIX where gfx900 has V_MAD_MIX, and
/// gfx1011 and gfx1012 dot products that gfx1010 lacks. Source: LLVM's "User Guide for AMDGPU Backend" and AMDGPU.td.
const MACHINES: &[(u32, &str, Option<Gen>)] = &[
    (0x20, "gfx600", Some(Gen::Gfx600)),
    (0x21, "gfx601", Some(Gen::Gfx600)),
    (0x3a, "gfx602", Some(Gen::Gfx600)),
    (0x22, "gfx700", Some(Gen::Gfx701)),
    (0x23, "gfx701", Some(Gen::Gfx701)),
    (0x24, "gfx702", Some(Gen::Gfx701)),
    (0x25, "gfx703", Some(Gen::Gfx701)),
    (0x26, "gfx704", Some(Gen::Gfx701)),
    (0x3b, "gfx705", Some(Gen::Gfx701)),
    (0x2a, "gfx803", None),
    (0x51, "gfx9-generic", Some(Gen::Gfx900)),
    (0x2c, "gfx900", Some(Gen::Gfx900)),
    (0x2d, "gfx902", Some(Gen::Gfx900)),
    (0x2e, "gfx904", None),
    (0x2f, "gfx906", None),
    (0x30, "gfx908", None),
    (0x31, "gfx909", Some(Gen::Gfx900)),
    (0x32, "gfx90c", Some(Gen::Gfx900)),
    (0x3f, "gfx90a", None),
    (0x4c, "gfx942", None),
    (0x52, "gfx10-1-generic", Some(Gen::Gfx1010)),
    (0x33, "gfx1010", Some(Gen::Gfx1010)),
    (0x34, "gfx1011", None),
    (0x35, "gfx1012", None),
    (0x42, "gfx1013", None),
    (0x53, "gfx10-3-generic", Some(Gen::Gfx1030)),
    (0x36, "gfx1030", Some(Gen::Gfx1030)),
    (0x37, "gfx1031", Some(Gen::Gfx1030)),
    (0x38, "gfx1032", Some(Gen::Gfx1030)),
    (0x39, "gfx1033", Some(Gen::Gfx1030)),
    (0x3e, "gfx1034", Some(Gen::Gfx1030)),
    (0x3d, "gfx1035", Some(Gen::Gfx1030)),
    (0x45, "gfx1036", Some(Gen::Gfx1030)),
    (0x41, "gfx1100", Some(Gen::Gfx1100)),
    (0x43, "gfx1150", Some(Gen::Gfx1150)),
    (0x48, "gfx1200", Some(Gen::Gfx1201)),
    (0x4e, "gfx1201", Some(Gen::Gfx1201)),
];

/// `elf.h`'s R_AMDGPU_*.
mod r_amdgpu {
    pub const NONE: u32 = 0;
    pub const ABS32_LO: u32 = 1;
    pub const ABS32_HI: u32 = 2;
    pub const ABS64: u32 = 3;
    pub const RELATIVE64: u32 = 13;
}

pub(super) struct Symbol {
    pub name: String,
    pub address: u64,
}

pub(super) struct Elf<'a> {
    /// The processor that it is for, and the generation whose code that runs.
    pub target: &'static str,
    pub isa: Gen,
    pub segments: Vec<Segment>,
    pub relocations: Vec<Relocation>,
    pub symbols: Vec<Symbol>,
    pub functions: Vec<Function>,
    pub metadata: Vec<u8>,
    /// Sections of debug information by name, those left out that are compressed.
    pub debug: HashMap<&'a str, &'a [u8]>,
}

impl Elf<'_> {
    /// File bytes that are loaded at `address`.
    pub fn bytes(&self, address: u64, size: u64) -> Option<&[u8]> {
        self.segments.iter().find_map(|s| {
            let at = usize::try_from(address.checked_sub(s.address)?).ok()?;
            s.data.get(at..at.checked_add(size as usize)?)
        })
    }

    /// Whether `size` bytes at `address` are in one segment's memory.
    fn loaded(&self, address: u64, size: u64) -> bool {
        self.segments.iter().any(|s| {
            let at = address.checked_sub(s.address);
            at.is_some_and(|at| at.checked_add(size).is_some_and(|end| end <= s.size))
        })
    }
}

/// An error of the ELF reader.
fn elf_error(what: &str) -> impl Fn(object::Error) -> HsaError + '_ {
    move |e| HsaError::malformed(what, e.to_string())
}

pub(super) fn read(file: &[u8]) -> Result<Elf<'_>, HsaError> {
    let header = FileHeader64::<LittleEndian>::parse(file).map_err(elf_error("ELF header"))?;
    let e = header.endian().map_err(elf_error("ELF header"))?;
    let (target, isa) = check_header(header, e)?;
    let mut out = Elf {
        target,
        isa,
        segments: Vec::new(),
        relocations: Vec::new(),
        symbols: Vec::new(),
        functions: Vec::new(),
        metadata: Vec::new(),
        debug: HashMap::new(),
    };
    let mut note = None;
    for (n, p) in header.program_headers(e, file).map_err(elf_error("program headers"))?.iter().enumerate() {
        let what = format!("program header {n}");
        if p.p_type(e) == elf::PT_LOAD {
            out.segments.push(segment(p, e, file, &what)?);
        }
        if let Some(mut notes) = p.notes(e, file).map_err(elf_error(&what))? {
            while let Some(found) = notes.next().map_err(elf_error(&what))? {
                if found.n_type(e).0 == NT_AMDGPU_METADATA && found.name() == b"AMDGPU" {
                    note.get_or_insert(found.desc());
                }
            }
        }
    }
    if out.segments.is_empty() {
        return Err(HsaError::malformed("program headers", "nothing to load"));
    }
    let Some(note) = note else {
        return Err(HsaError::malformed("notes", "no AMDGPU metadata"));
    };
    out.metadata = note.to_vec();
    symbols(header, e, file, &mut out)?;
    out.debug = debug(header, e, file)?;
    relocations(header, e, file, &mut out)?;
    Ok(out)
}

fn check_header(header: &FileHeader64<LittleEndian>, e: LittleEndian) -> Result<(&'static str, Gen), HsaError> {
    let machine = header.e_machine(e).0;
    if machine != EM_AMDGPU {
        return Err(HsaError::Unsupported(format!("ELF machine {machine}; AMDGPU is {EM_AMDGPU}")));
    }
    let ident = header.e_ident();
    if ident.os_abi.0 != ELFOSABI_AMDGPU_HSA {
        return Err(HsaError::Unsupported(format!("OS ABI {}; AMDGPU_HSA is {ELFOSABI_AMDGPU_HSA}", ident.os_abi.0)));
    }
    // Bits 11:8 say what code for xnack and sramecc was made for, which runs without these too.
    let mach = header.e_flags(e).0 & 0xff;
    let found = MACHINES.iter().find(|m| m.0 == mach);
    let Some(&(_, target, Some(isa))) = found else {
        let name = found.map_or("another processor", |m| m.1);
        let known: Vec<&str> = MACHINES.iter().filter(|m| m.2.is_some()).map(|m| m.1).collect();
        let known = known.join(", ");
        return Err(HsaError::Unsupported(format!("code for {name} (EF_AMDGPU_MACH {mach:#x}); known are {known}")));
    };
    if !ABI_VERSIONS.contains(&ident.abi_version) {
        let v = ident.abi_version;
        return Err(HsaError::Unsupported(format!("ABI version {v}; code objects v4 to v6 have 2 to 4")));
    }
    match header.e_type(e) {
        elf::ET_DYN => Ok((target, isa)),
        elf::ET_REL => Err(HsaError::Unsupported("a relocatable object; link it with ld.lld -shared".into())),
        other => Err(HsaError::malformed("ELF header", format!("type {other}, not a shared object"))),
    }
}

fn segment(
    p: &elf::ProgramHeader64<LittleEndian>,
    e: LittleEndian,
    file: &[u8],
    what: &str,
) -> Result<Segment, HsaError> {
    let data = p.data(e, file).map_err(|()| HsaError::malformed(what, "its bytes are outside of the file"))?;
    let (address, size) = (p.p_vaddr(e), p.p_memsz(e));
    if size < data.len() as u64 {
        return Err(HsaError::malformed(what, "more bytes in the file than in memory"));
    }
    if address.checked_add(size).is_none_or(|end| end > MAX_SPAN) {
        return Err(HsaError::malformed(what, format!("{size:#x} bytes at {address:#x}; a module has {MAX_SPAN:#x}")));
    }
    Ok(Segment { address, size, data: data.to_vec(), executable: p.p_flags(e).0 & elf::PF_X.0 != 0 })
}

/// Names of both symbol tables: the dynamic one has kernels, the full one local functions too.
fn symbols(
    header: &FileHeader64<LittleEndian>,
    e: LittleEndian,
    file: &[u8],
    out: &mut Elf<'_>,
) -> Result<(), HsaError> {
    let sections = header.sections(e, file).map_err(elf_error("section headers"))?;
    for kind in [elf::SHT_DYNSYM, elf::SHT_SYMTAB] {
        let table = sections.symbols(e, file, kind).map_err(elf_error("symbol table"))?;
        for s in table.iter().filter(|s| !s.is_undefined(e)) {
            let name = s.name(e, table.strings()).map_err(elf_error("symbol name"))?;
            let name = String::from_utf8_lossy(name).into_owned();
            let (address, size) = (s.st_value(e), s.st_size(e));
            if s.st_type() == elf::STT_FUNC && size > 0 && !out.functions.iter().any(|f| f.address == address) {
                out.functions.push(Function { name: name.clone(), address, size });
            }
            out.symbols.push(Symbol { name, address });
        }
    }
    out.functions.sort_by_key(|f| f.address);
    Ok(())
}

/// Debug information: it is for reports, so that what is wrong with it is as if it were not there.
fn debug<'a>(
    header: &FileHeader64<LittleEndian>,
    e: LittleEndian,
    file: &'a [u8],
) -> Result<HashMap<&'a str, &'a [u8]>, HsaError> {
    let sections = header.sections(e, file).map_err(elf_error("section headers"))?;
    let plain = sections.iter().filter(|s| s.sh_flags(e).0 & elf::SHF_COMPRESSED.0 == 0);
    let named = plain.filter_map(|s| {
        let name = std::str::from_utf8(sections.section_name(e, s).ok()?).ok()?;
        Some((name.starts_with(".debug_").then_some(name)?, s.data(e, file).ok()?))
    });
    Ok(named.collect())
}

fn relocations(
    header: &FileHeader64<LittleEndian>,
    e: LittleEndian,
    file: &[u8],
    out: &mut Elf<'_>,
) -> Result<(), HsaError> {
    let sections = header.sections(e, file).map_err(elf_error("section headers"))?;
    for section in sections.iter() {
        // Without the SHF_ALLOC flag it is for a linker.
        let loaded = section.sh_flags(e).0 & elf::SHF_ALLOC.0 != 0;
        let Some((entries, link)) = section.rela(e, file).map_err(elf_error("relocations"))? else { continue };
        if !loaded {
            continue;
        }
        let table = sections.symbol_table_by_index(e, file, link).map_err(elf_error("relocations"))?;
        for (n, r) in entries.iter().enumerate() {
            let what = format!("relocation {n}");
            let kind = r.r_type(e, false).0;
            let symbol = || -> Result<u64, HsaError> {
                let index = SymbolIndex(r.r_sym(e, false) as usize);
                let s = table.symbol(index).map_err(elf_error(&what))?;
                match s.is_undefined(e) {
                    true => Err(HsaError::Unsupported(format!("{what} of an undefined symbol"))),
                    false => Ok(s.st_value(e)),
                }
            };
            let addend = r.r_addend(e) as u64;
            let (value, part) = match kind {
                r_amdgpu::NONE => continue,
                r_amdgpu::RELATIVE64 => (addend, Part::All),
                r_amdgpu::ABS64 => (symbol()?.wrapping_add(addend), Part::All),
                r_amdgpu::ABS32_LO => (symbol()?.wrapping_add(addend), Part::Low),
                r_amdgpu::ABS32_HI => (symbol()?.wrapping_add(addend), Part::High),
                other => return Err(HsaError::Unsupported(format!("{what} of type {other}"))),
            };
            let address = r.r_offset(e);
            if !out.loaded(address, if part == Part::All { 8 } else { 4 }) {
                return Err(HsaError::malformed(what, format!("its place {address:#x} is in no segment")));
            }
            out.relocations.push(Relocation { address, value, part });
        }
    }
    Ok(())
}
