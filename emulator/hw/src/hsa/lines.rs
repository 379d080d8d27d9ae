//! Which source line each instruction of a code object comes from, and what its kernels' parameters are called, out of its DWARF.
//!
//! The line program says it for every address. Where that is a line of a file that the unit's own file includes, as a
//! library's functions are, it is the call in the unit's own file that is told, by the inlined calls of `.debug_info`; only
//! where there is none, the included file's. What cannot be read has no lines: a launch needs none.

use crate::code::LineRow;
use gimli::constants::{DW_AT_call_file, DW_AT_call_line, DW_AT_low_pc, DW_AT_name};
use gimli::constants::{DW_TAG_formal_parameter, DW_TAG_inlined_subroutine, DW_TAG_subprogram};
use gimli::{AttributeValue, Dwarf, EndianSlice, LineProgramHeader, LittleEndian, SectionId, Unit};
use std::collections::{BTreeSet, HashMap};

type Bytes<'a> = EndianSlice<'a, LittleEndian>;

/// Rows of line programs, and ranges of inlined calls, that are read of a file: units may share what they name.
const MOST: usize = 1 << 22;
/// Inlined calls, one in the other, among which that of the unit's own file is looked for.
const DEEPEST: usize = 64;

/// Source files, and the line of each address from its row up to the next one; line 0 = unknown. Sorted by `pc`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct SourceMap {
    pub files: Vec<String>,
    pub lines: Vec<LineRow>,
    /// What the parameters of a function are called, by its address.
    pub parameters: HashMap<u64, Vec<String>>,
}

/// A file of the map, and a line.
type Line = (u32, u32);

/// Addresses, and the line that is told for them.
struct Span {
    begin: u64,
    end: u64,
    line: Line,
}

#[derive(Default)]
struct Reader {
    files: Vec<String>,
    numbers: HashMap<String, u32>,
    rows: Vec<LineRow>,
    parameters: HashMap<u64, Vec<String>>,
    /// Spans and calls so far.
    read: usize,
}

/// Reads the sections that `section` finds by their names, empty ones where there are none.
pub(super) fn read<'a>(section: impl Fn(&str) -> &'a [u8]) -> SourceMap {
    let load = |id: SectionId| Ok::<_, gimli::Error>(EndianSlice::new(section(id.name()), LittleEndian));
    let Ok(dwarf) = Dwarf::load(load) else { return SourceMap::default() };
    let mut reader = Reader::default();
    let mut units = dwarf.units();
    while let Ok(Some(header)) = units.next() {
        if let Ok(unit) = dwarf.unit(header) {
            // What a damaged unit says up to its damage is as good as before.
            let _ = reader.unit(&dwarf, &unit);
            let _ = reader.parameters(&dwarf, &unit);
        }
    }
    reader.rows.sort_by_key(|row| row.pc);
    SourceMap { files: reader.files, lines: reader.rows, parameters: reader.parameters }
}

impl Reader {
    fn unit(&mut self, dwarf: &Dwarf<Bytes<'_>>, unit: &Unit<Bytes<'_>>) -> gimli::Result<()> {
        let Some(program) = unit.line_program.clone() else { return Ok(()) };
        let own = unit.name.map(|name| name.to_string_lossy().into_owned());
        let own = own.map(|name| self.number(name));
        let mut spans = Vec::new();
        let mut numbers = HashMap::new();
        let header = program.header().clone();
        let mut rows = program.rows();
        let mut last: Option<(u64, Line)> = None;
        while let Some((_, row)) = rows.next_row()? {
            if let Some((begin, line)) = last.take()
                && begin < row.address()
            {
                self.read += 1;
                spans.push(Span { begin, end: row.address(), line });
            }
            if self.read > MOST {
                return Ok(());
            }
            if !row.end_sequence() {
                let file = row.file_index();
                let file = *numbers.entry(file).or_insert_with(|| self.file(dwarf, unit, &header, file));
                let line = row.line().and_then(|line| u32::try_from(line.get()).ok()).unwrap_or(0);
                last = Some((row.address(), (file, line)));
            }
        }
        spans.sort_by_key(|s| s.begin);
        let calls = match spans.iter().any(|s| Some(s.line.0) != own) {
            true => self.calls(dwarf, unit, &header)?,
            false => Vec::new(),
        };
        self.tell(&spans, &calls, own);
        Ok(())
    }

    fn parameters(&mut self, dwarf: &Dwarf<Bytes<'_>>, unit: &Unit<Bytes<'_>>) -> gimli::Result<()> {
        // The function that holds what comes next, by address, and how deep it lies.
        let mut function: Option<(u64, isize)> = None;
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            self.read += 1;
            if self.read > MOST {
                return Ok(());
            }
            if entry.tag() == DW_TAG_subprogram {
                let begin = entry.attr_value(DW_AT_low_pc).map(|v| dwarf.attr_address(unit, v)).transpose()?;
                function = begin.flatten().map(|begin| (begin, entry.depth()));
            } else if entry.tag() == DW_TAG_formal_parameter
                && let Some((begin, depth)) = function
                && entry.depth() == depth + 1
            {
                let name = entry.attr_value(DW_AT_name).map(|v| dwarf.attr_string(unit, v)).transpose()?;
                let name = name.map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
                self.parameters.entry(begin).or_default().push(name);
            }
        }
        Ok(())
    }

    /// Inlined calls, outer ones in front of those that they hold, each with its place.
    fn calls(
        &mut self,
        dwarf: &Dwarf<Bytes<'_>>,
        unit: &Unit<Bytes<'_>>,
        header: &LineProgramHeader<Bytes<'_>>,
    ) -> gimli::Result<Vec<Span>> {
        let mut calls = Vec::new();
        let mut entries = unit.entries();
        while let Some(entry) = entries.next_dfs()? {
            if entry.tag() != DW_TAG_inlined_subroutine {
                continue;
            }
            let number = |at| entry.attr_value(at).and_then(|v: AttributeValue<_>| v.udata_value());
            let file = match entry.attr_value(DW_AT_call_file) {
                Some(AttributeValue::FileIndex(file)) => file,
                _ => continue,
            };
            let line = number(DW_AT_call_line).and_then(|line| u32::try_from(line).ok()).unwrap_or(0);
            let line = (self.file(dwarf, unit, header, file), line);
            let mut ranges = dwarf.die_ranges(unit, entry)?;
            while let Some(range) = ranges.next()? {
                self.read += 1;
                if self.read > MOST {
                    return Ok(calls);
                }
                calls.push(Span { begin: range.begin, end: range.end, line });
            }
        }
        Ok(calls)
    }

    /// Adds a unit's rows, by one walk over all addresses where something begins or ends.
    fn tell(&mut self, spans: &[Span], calls: &[Span], own: Option<u32>) {
        let mut begins: Vec<usize> = (0..calls.len()).collect();
        begins.sort_by_key(|&n| calls[n].begin);
        let mut ends: Vec<usize> = (0..calls.len()).collect();
        ends.sort_by_key(|&n| calls[n].end);
        let (mut begins, mut ends) = (begins.into_iter().peekable(), ends.into_iter().peekable());
        let mut cuts: Vec<u64> = spans.iter().chain(calls).flat_map(|s| [s.begin, s.end]).collect();
        cuts.sort_unstable();
        cuts.dedup();
        let mut spans = spans.iter().peekable();
        let mut span: Option<&Span> = None;
        let mut inside = BTreeSet::new();
        let mut last = None;
        for at in cuts {
            while let Some(next) = spans.next_if(|s| s.begin <= at) {
                span = Some(next);
            }
            while let Some(n) = begins.next_if(|&n| calls[n].begin <= at) {
                inside.insert(n);
            }
            while let Some(n) = ends.next_if(|&n| calls[n].end <= at) {
                inside.remove(&n);
            }
            let (file, line) = match span.filter(|s| at < s.end) {
                None => (0, 0),
                Some(s) if Some(s.line.0) == own => s.line,
                Some(s) => {
                    let mut out = inside.iter().rev().take(DEEPEST).map(|&n| calls[n].line);
                    out.find(|line| Some(line.0) == own).unwrap_or(s.line)
                }
            };
            let Ok(pc) = u32::try_from(at) else { return };
            if last != Some((file, line)) {
                self.rows.push(LineRow { pc, file, line });
                last = Some((file, line));
            }
        }
    }

    /// The number of a file that a line program names by its index.
    fn file(
        &mut self,
        dwarf: &Dwarf<Bytes<'_>>,
        unit: &Unit<Bytes<'_>>,
        header: &LineProgramHeader<Bytes<'_>>,
        index: u64,
    ) -> u32 {
        let text = |value| dwarf.attr_string(unit, value).ok().map(|s: Bytes<'_>| s.to_string_lossy().into_owned());
        let Some(file) = header.file(index) else { return self.number(String::new()) };
        let name = text(file.path_name()).unwrap_or_default();
        // Folder 0 is the one that the compiler ran in: files are named as they were there.
        let folder = file.directory(header).filter(|_| file.directory_index() != 0).and_then(text);
        self.number(match folder {
            Some(folder) if !name.starts_with('/') => format!("{folder}/{name}"),
            _ => name,
        })
    }

    fn number(&mut self, file: String) -> u32 {
        let files = &mut self.files;
        *self.numbers.entry(file).or_insert_with_key(|file| {
            files.push(file.clone());
            files.len() as u32 - 1
        })
    }
}
