//! A sheet of a code object.

use crate::occupancy::Occupancy;
use crate::sheet::{Branch, CodeRow, IrRow, Peak, Run, Sheet, SourceFile, SourceLine, WaitRow};
use std::collections::BTreeMap;
use wavepipe_flow::{CodeLine, Graph, Listing, Registers, awaited};
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::machine::Machine;
use wavepipe_isa::row::{Control, Sem};
use wavepipe_isa::{Src, disasm};

/// A file that lines are of, where somebody has it.
#[derive(Clone, Debug, Default)]
pub struct SourceText {
    pub name: String,
    pub text: String,
}

/// What a sheet is made of.
pub struct Input<'a> {
    /// The file that was compiled.
    pub shader: &'a str,
    pub code: &'a CodeObject,
    pub machine: &'a Machine,
    pub sources: &'a [SourceText],
    /// The last text of the ir, whose lines end in `!FILE:LINE`.
    pub ir: Option<&'a str>,
    pub run: Option<Run>,
}

impl Sheet {
    pub fn new(input: Input<'_>) -> Sheet {
        let Input { shader, code, machine, sources, ir, run } = input;
        let files = code.files.iter().map(|name| {
            let text = sources.iter().find(|s| s.name == *name).map_or("", |s| s.text.as_str());
            SourceFile { name: name.clone(), lines: text.lines().map(|l| l.replace('\t', "    ")).collect() }
        });
        let files: Vec<SourceFile> = files.collect();
        let listing = Listing::of(code);
        let (rows, by_dword) = rows(code, &listing);
        let Listing { graph, live, .. } = listing;
        let row = |node: u32| by_dword.get(&graph.nodes[node as usize].at).copied();
        let peak = |node: usize, registers: u32| Some(Peak { row: row(node as u32)?, registers });
        let (peak_vgprs, peak_sgprs) = match live.peaks() {
            Some((v, s)) => (peak(v, live.pressure[v].vgprs), peak(s, live.pressure[s].sgprs)),
            None => (None, None),
        };
        let most = |peak: Option<Peak>| peak.map_or(0, |p| p.registers);
        let mut waits = Vec::new();
        for (node, all) in awaited(&graph) {
            let Some(at) = row(node) else { continue };
            waits.extend(all.into_iter().map(|w| WaitRow {
                row: at,
                counter: w.counter.name(),
                at_most: w.at_most,
                accesses: w.accesses.into_iter().filter_map(row).collect(),
            }));
        }
        Sheet {
            shader: shader.into(),
            entry: code.name.clone(),
            machine: machine.name.clone(),
            product: machine.product.clone(),
            isa: code.isa.name().into(),
            wave: code.wave.lanes(),
            workgroup: code.workgroup,
            vgprs: code.vgprs,
            sgprs: code.sgprs,
            spilled_vgprs: code.stats.spilled_vgprs,
            spilled_sgprs: code.stats.spilled_sgprs,
            lds_bytes: code.lds_bytes,
            scratch_bytes: code.scratch_bytes,
            code_bytes: 4 * code.code_words().len() as u32,
            occupancy: Occupancy::of(machine, code, (most(peak_vgprs), most(peak_sgprs))),
            peak_vgprs,
            peak_sgprs,
            ir: ir.map_or(Vec::new(), |text| ir_rows(text, files.len())),
            branches: branches(&graph, &by_dword),
            files,
            code: rows,
            waits,
            run,
        }
    }
}

/// The instructions, and by the dword where each begins its number.
fn rows(code: &CodeObject, listing: &Listing) -> (Vec<CodeRow>, BTreeMap<usize, u32>) {
    let number = |(n, line): (usize, &CodeLine)| (line.offset as usize / 4, n as u32);
    let row = |line: &CodeLine| {
        let (node, takes) = (listing.node(line), listing.takes(line).unwrap_or_default());
        CodeRow {
            offset: line.offset,
            words: line.words.clone(),
            text: line.labelled(),
            function: line.function.clone(),
            label: line.label.clone(),
            source: code.line_at(line.offset).map(|(_, l)| SourceLine { file: l.file, line: l.line }),
            vgprs: takes.vgprs,
            sgprs: takes.sgprs,
            live: node.map_or(String::new(), |n| names(&listing.live.before[n])),
            reached: node.is_some(),
        }
    };
    (listing.lines.iter().map(row).collect(), listing.lines.iter().enumerate().map(number).collect())
}

/// Registers as assembly names them, those that follow each other together.
fn names(registers: &Registers) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut all = registers.iter().filter(|r| r.is_vgpr() || r.0 < 108 || *r == Src::M0).peekable();
    while let Some(first) = all.next() {
        let mut dwords = 1;
        while all.next_if(|next| next.0 == first.0 + dwords as u16 && (first.is_vgpr() || next.0 < 106)).is_some() {
            dwords += 1;
        }
        out.push(disasm::register_name(first, dwords));
    }
    out.join(" ")
}

fn branches(graph: &Graph, by_dword: &BTreeMap<usize, u32>) -> Vec<Branch> {
    let mut out = Vec::new();
    for node in &graph.nodes {
        let Sem::Control(control) = node.instr.op.row().sem else { continue };
        if !Control::has_target(control) || matches!(control, Control::Call) {
            continue;
        }
        let target = (node.at + node.size).wrapping_add_signed(node.instr.imm as isize);
        if let (Some(&from), Some(&to)) = (by_dword.get(&node.at), by_dword.get(&target)) {
            out.push(Branch { from, to, back: to <= from });
        }
    }
    out
}

/// The ir by lines, each with the last `!FILE:LINE` that it has.
fn ir_rows(text: &str, files: usize) -> Vec<IrRow> {
    let row = |line: &str| {
        let place = |word: &str| {
            let (file, line) = word.strip_prefix('!')?.split_once(':')?;
            let source = SourceLine { file: file.parse().ok()?, line: line.parse().ok()? };
            ((source.file as usize) < files && source.line > 0).then_some(source)
        };
        let found = line.split(' ').filter_map(|word| Some((word, place(word)?))).next_back();
        let text = match found {
            Some((word, _)) => line.replacen(&format!(" {word}"), "", 1),
            None => line.to_owned(),
        };
        IrRow { text, source: found.map(|(_, source)| source) }
    };
    // What the kernel's files are called stands above its code.
    text.lines().filter(|l| !l.trim_start().starts_with("file ")).map(row).collect()
}
