//! The code of a dispatch, line by line, with what its instructions cost: code.json and the source files it names.

use super::json::{self, quoted};
use crate::trace::Symbols;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::Path;
use wavepipe_core::wave::Launch;
use wavepipe_flow::listing::code_lines;
use wavepipe_hw::code::CodeObject;
use wavepipe_isa::{Instr, disasm};

/// Longest source file that is copied, in bytes.
const SOURCE: u64 = 1 << 20;

/// A line: an instruction, the name of a kernel before its first, or a label.
#[derive(Default)]
struct ListingRow {
    text: String,
    source: String,
    code: usize,
    address: u64,
    hits: u64,
    latency: u64,
    stall: u64,
    idle: u64,
}

#[derive(Default)]
pub struct Listing {
    rows: Vec<ListingRow>,
    at: BTreeMap<u64, usize>,
    codes: usize,
    files: BTreeSet<String>,
}

impl Listing {
    /// The line of an instruction; a new one brings all of its code object along.
    pub fn line(&mut self, pc: u64, instr: Option<&Instr>, launch: &Launch, symbols: &dyn Symbols) -> usize {
        if let Some(line) = self.at.get(&pc) {
            return *line;
        }
        if let Some((base, code)) = symbols.code(pc)
            && !self.at.contains_key(&base)
        {
            self.add(base, &code, symbols);
        }
        if let Some(line) = self.at.get(&pc) {
            return *line;
        }
        let text = instr.map_or_else(String::new, |i| disasm::text(i, launch.isa, launch.wave.lanes()));
        self.push(pc, ListingRow { text, address: pc, ..ListingRow::default() })
    }

    fn add(&mut self, base: u64, code: &CodeObject, symbols: &dyn Symbols) {
        self.codes += 1;
        let number = self.codes;
        self.files.extend(code.files.iter().cloned());
        let title = ListingRow {
            text: format!("; {}", code.name),
            source: code.name.clone(),
            code: number,
            ..ListingRow::default()
        };
        self.rows.push(title);
        for line in code_lines(code) {
            let address = u64::from(line.offset);
            if let Some(label) = &line.label {
                // In the form of the title: readers pass over what is a comment.
                self.rows.push(ListingRow {
                    text: format!("; {label}:"),
                    code: number,
                    address,
                    ..ListingRow::default()
                });
            }
            let (text, source) = (line.labelled(), symbols.source(code, line.offset).unwrap_or_default());
            self.push(base + address, ListingRow { text, source, code: number, address, ..ListingRow::default() });
        }
    }

    fn push(&mut self, pc: u64, row: ListingRow) -> usize {
        self.rows.push(row);
        self.at.insert(pc, self.rows.len() - 1);
        self.rows.len() - 1
    }

    /// Counts one execution: cycles from when it was next to its end, of these stalled, and idle before.
    pub fn count(&mut self, line: usize, latency: u64, stall: u64, idle: u64) {
        let Some(row) = self.rows.get_mut(line) else { return };
        row.hits += 1;
        row.latency += latency;
        row.stall += stall;
        row.idle += idle;
    }

    /// Writes code.json, snapshots.json, and copies of the sources that can be read.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        json::file(&folder.join("code.json"), |out| {
            let header = "ISA, _, LineNumber, Source, Codeobj, Vaddr, Hit, Latency, Stall, Idle";
            write!(out, "{{\"version\":\"3.0.0\",\"header\":{},\"code\":[", quoted(header))?;
            for (i, row) in self.rows.iter().enumerate() {
                let comma = if i > 0 { ",\n" } else { "\n" };
                let ListingRow { code, address, hits, latency, stall, idle, .. } = row;
                let (text, source) = (quoted(&row.text), quoted(&row.source));
                write!(out, "{comma}[{text},0,{i},{source},{code},{address},{hits},{latency},{stall},{idle}]")?;
            }
            out.write_all(b"\n]}\n")
        })?;
        let mut tree = Folder::default();
        for (i, path) in self.files.iter().enumerate() {
            let readable = std::fs::metadata(path).is_ok_and(|m| m.is_file() && m.len() <= SOURCE);
            let Some(text) = readable.then(|| std::fs::read_to_string(path).ok()).flatten() else { continue };
            let name = Path::new(path).file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
            let copy = format!("source_{i}_{name}");
            std::fs::write(folder.join(&copy), text)?;
            tree.insert(path, copy);
        }
        std::fs::write(folder.join("snapshots.json"), tree.text())
    }
}

/// A tree of names, by which readers find the copies of files.
#[derive(Default)]
pub struct Folder {
    folders: BTreeMap<String, Folder>,
    files: BTreeMap<String, String>,
}

impl Folder {
    pub fn insert(&mut self, path: &str, copy: String) {
        // The root is a name of its own: parts are joined by slashes, but behind it.
        let (mut at, path) = match path.strip_prefix('/') {
            Some(rest) => (self.folders.entry("/".into()).or_default(), rest),
            None => (self, path),
        };
        let mut parts: Vec<&str> = path.split('/').collect();
        let Some(name) = parts.pop() else { return };
        for part in parts {
            at = at.folders.entry(part.into()).or_default();
        }
        at.files.insert(name.into(), copy);
    }

    pub fn text(&self) -> String {
        let folders = self.folders.iter().map(|(name, folder)| format!("{}:{}", quoted(name), folder.text()));
        let files = self.files.iter().map(|(name, copy)| format!("{}:{}", quoted(name), quoted(copy)));
        format!("{{{}}}", folders.chain(files).collect::<Vec<_>>().join(","))
    }
}
