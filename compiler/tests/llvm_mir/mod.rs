//! LLVM's machine IR as an oracle: random functions in it, and what llc makes of them with and without its hazard pass.

mod gcn;

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;
use wavepipe_compiler::back::machine::{Body, Link, Machine, Placed};
use wavepipe_compiler::back::waits;
use wavepipe_compiler::ir::Loc;
use wavepipe_compiler::mir::{Cond, Term};
use wavepipe_isa::row::{Control, Sem};
use wavepipe_isa::{Gen, Instr, decode, insts as i};

pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) as usize) % n
    }
}

/// Instructions with holes: `v` a VGPR, `d` one that is the same throughout, `V` two, `W` four, `s` an SGPR, `p` two, `q` four, `o` eight, `m` a
/// lane mask, `a` what may be added to a buffer's address, `n` its offset. EXEC and VCC are those of the wave size.
const TEMPLATES: &[&str] = &[
    "{v} = BUFFER_LOAD_DWORD_OFFEN {v}, {q}, {a}, {n}, 0, 0, implicit $exec",
    "BUFFER_STORE_DWORD_OFFEN {v}, {v}, {q}, {a}, {n}, 0, 0, implicit $exec",
    "{v} = TBUFFER_LOAD_FORMAT_X_OFFEN {v}, {q}, {a}, {n}, 22, 0, 0, implicit $exec",
    "BUFFER_ATOMIC_FMIN_OFFEN {v}, {v}, {q}, 0, {n}, 0, implicit $exec",
    "{v} = GLOBAL_LOAD_DWORD_SADDR {p}, {v}, 0, 0, implicit $exec",
    "GLOBAL_STORE_DWORD_SADDR {v}, {v}, {p}, 0, 0, implicit $exec",
    "GLOBAL_ATOMIC_FMAX {V}, {v}, 0, 0, implicit $exec",
    "{v} = SCRATCH_LOAD_DWORD_SADDR {s}, 0, 0, implicit $exec, implicit $flat_scr",
    "{v} = FLAT_LOAD_DWORD {V}, 0, 0, implicit $exec, implicit $flat_scr",
    "FLAT_STORE_DWORD {V}, {v}, 0, 0, implicit $exec, implicit $flat_scr",
    "{v} = DS_READ_B32_gfx9 {v}, 0, 0, implicit $exec",
    "DS_WRITE_B32_gfx9 {v}, {v}, 0, 0, implicit $exec",
    "{v} = DS_ADD_RTN_U32_gfx9 {v}, {v}, 0, 0, implicit $exec",
    "{v} = IMAGE_LOAD_V1_V2_nsa_gfx10 {v}, {v}, {o}, 1, 1, -1, 0, 0, 0, 0, 0, 0, implicit $exec :: (load (s32), addrspace 8)",
    "{v} = IMAGE_SAMPLE_D_V1_V6_nsa_gfx10 {v}, {v}, {v}, {v}, {v}, {v}, {o}, {q}, 1, 1, 0, 0, 0, 0, 0, 0, 0, implicit $exec :: (load (s32), addrspace 8)",
    "{s} = S_LOAD_DWORD_IMM {p}, 0, 0",
    "{p} = S_LOAD_DWORDX2_IMM {p}, 0, 0",
    "{s} = S_BUFFER_LOAD_DWORD_SGPR_IMM {q}, {s}, 0, 0",
    "S_DCACHE_INV",
    "{s} = S_MOV_B32 0",
    "{p} = S_MOV_B64 0",
    "{exec} = S_MOV_B{lanes} -1",
    "{vcc} = S_MOV_B{lanes} 0",
    "{m} = S_MOV_B{lanes} {exec}",
    "$m0 = S_MOV_B32 {s}",
    "{m} = S_AND_SAVEEXEC_B{lanes} {m}, implicit-def $exec, implicit-def $scc, implicit $exec",
    "{s} = S_ADD_U32 {s}, {s}, implicit-def $scc",
    "S_CMP_EQ_U32 {s}, 0, implicit-def $scc",
    "S_SETREG_IMM32_B32 3, 2177, implicit-def $mode, implicit $mode",
    "{s} = S_GETREG_B32 2177, implicit $mode",
    "S_VERSION 0",
    "S_DENORM_MODE 3, implicit-def $mode, implicit $mode",
    "S_DENORM_MODE 0, implicit-def $mode, implicit $mode",
    "S_NOP 0",
    "S_NOP 1",
    "S_WAITCNT 0",
    "S_WAITCNT 16240",
    "S_WAITCNT 49279",
    "S_WAITCNT_VSCNT undef $sgpr_null, 0",
    "S_WAITCNT_VSCNT undef $sgpr_null, 1",
    "S_WAITCNT_LGKMCNT undef $sgpr_null, 0",
    "S_WAITCNT_VMCNT undef $sgpr_null, 0",
    "S_WAITCNT_DEPCTR 65507",
    "S_WAITCNT_DEPCTR 65534",
    "S_WAITCNT_DEPCTR 65535",
    "{v} = V_MOV_B32_e32 {v}, implicit $exec",
    "V_NOP_e32 implicit $exec",
    "{s} = V_READFIRSTLANE_B32 {v}, implicit $exec",
    "{s} = V_READLANE_B32 {v}, 3",
    "{d} = V_WRITELANE_B32 {s}, 3, {d}",
    "V_CMP_EQ_U32_e32 {v}, {v}, implicit-def $vcc, implicit $exec",
    "{m} = V_CMP_EQ_U32_e64 {v}, {v}, implicit $exec",
    "V_CMPX_EQ_U32_nosdst_e32 {v}, {v}, implicit-def $exec, implicit $exec",
    "V_CMPX_LT_F32_nosdst_e64 0, {v}, 0, {v}, 0, implicit-def $exec, implicit $mode, implicit $exec",
    "{v}, {m} = V_ADD_CO_U32_e64 {v}, {v}, 0, implicit $exec",
    "{d} = V_PERMLANE16_B32_e64 0, {v}, 0, {s}, 0, {s}, {d}, 0, implicit $exec",
    "{d} = V_PERMLANEX16_B32_e64 0, {v}, 0, {s}, 0, {s}, {d}, 0, implicit $exec",
];

/// A tuple's name: `$sgpr4_sgpr5`.
fn tuple(bank: &str, first: usize, count: usize) -> String {
    let names: Vec<String> = (first..first + count).map(|n| format!("{bank}{n}")).collect();
    format!("${}", names.join("_"))
}

fn fill(template: &str, lanes: u32, r: &mut Random) -> String {
    let wide = lanes == 64;
    let same = r.below(6);
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (hole, after) = after.split_once('}').expect("a hole ends");
        out += before;
        let filled = match hole {
            "v" => tuple("vgpr", r.below(6), 1),
            "d" => tuple("vgpr", same, 1),
            "V" => tuple("vgpr", r.below(6), 2),
            "W" => tuple("vgpr", r.below(6), 4),
            "s" => tuple("sgpr", r.below(8), 1),
            "p" => tuple("sgpr", 2 * r.below(4), 2),
            "q" => tuple("sgpr", 4 * r.below(2), 4),
            "o" => tuple("sgpr", 8 * r.below(2), 8),
            "m" if wide => tuple("sgpr", 2 * r.below(4), 2),
            "m" => tuple("sgpr", r.below(8), 1),
            "a" => ["0".into(), "$m0".into(), tuple("sgpr", r.below(8), 1)][r.below(3)].clone(),
            "n" => [0, 1, 2, 4, 6, 8, 12][r.below(7)].to_string(),
            "exec" => if wide { "$exec" } else { "$exec_lo" }.into(),
            "vcc" => if wide { "$vcc" } else { "$vcc_lo" }.into(),
            "lanes" => lanes.to_string(),
            other => panic!("no hole {other}"),
        };
        out += &filled;
        rest = after;
    }
    out + rest
}

/// A function of up to six blocks of few instructions: what follows what counts, so each has its favourites.
fn function(name: &str, isa: Gen, lanes: u32, loops: bool, r: &mut Random) -> String {
    let mut out = format!("---\nname: {name}\nbody: |\n");
    let templates = templates(isa);
    let favourites: Vec<&str> = (0..6).map(|_| templates[r.below(templates.len())]).collect();
    let blocks = 1 + r.below(6);
    for b in 0..blocks {
        let _ = writeln!(out, "  bb.{b}:");
        for _ in 0..r.below(7) {
            let template = if r.below(3) > 0 { favourites[r.below(6)] } else { templates[r.below(templates.len())] };
            let _ = writeln!(out, "    {}", fill(template, lanes, r));
        }
        let target = if loops { r.below(blocks) } else { (b + 1 + r.below(blocks - b)).min(blocks - 1) };
        match r.below(6) {
            _ if b + 1 == blocks => out += "    S_ENDPGM 0\n",
            0 => drop(writeln!(out, "    S_BRANCH %bb.{target}")),
            1 => drop(writeln!(out, "    S_CBRANCH_SCC1 %bb.{target}, implicit $scc")),
            // Where the flag may be wrong, another of LLVM's passes sees to it.
            2 if gcn::is(isa) => drop(writeln!(out, "    S_CBRANCH_SCC0 %bb.{target}, implicit $scc")),
            2 => drop(writeln!(out, "    S_CBRANCH_VCCNZ %bb.{target}, implicit $vcc")),
            3 | 4 => drop(writeln!(out, "    S_CBRANCH_EXECZ %bb.{target}, implicit $exec")),
            _ => {}
        }
    }
    out + "...\n"
}

/// What there is on a generation.
fn templates(isa: Gen) -> Vec<&'static str> {
    match gcn::is(isa) {
        true => gcn::templates(isa),
        false => TEMPLATES.to_vec(),
    }
}

pub fn functions(count: usize, isa: Gen, lanes: u32, loops: bool, seed: u64) -> String {
    let mut r = Random(seed);
    (0..count).map(|n| function(&format!("f{n}"), isa, lanes, loops, &mut r)).collect()
}

fn run(program: &str, args: &[&str]) -> Vec<u8> {
    let out = Command::new(program).args(args).output().unwrap_or_else(|e| panic!("{program}: {e}"));
    let err = String::from_utf8_lossy(&out.stderr);
    assert!(out.status.success() && err.is_empty(), "{program} {args:?}\n{err}");
    out.stdout
}

/// The functions of `mir` as machine code, after `stage` (`-start-before=post-RA-hazard-rec`: with LLVM's workarounds).
pub fn compiled(folder: &Path, mir: &str, isa: Gen, lanes: u32, stage: &str) -> BTreeMap<usize, Vec<u32>> {
    let (input, object, text) = (folder.join("in.mir"), folder.join("out.o"), folder.join("out.bin"));
    std::fs::write(&input, mir).unwrap();
    let path = |p: &Path| p.to_str().unwrap().to_owned();
    let size = match lanes {
        // GCN has no other waves, and only GCN 5 and RDNA 1 something to restart.
        64 if isa == Gen::Gfx900 => "-mattr=-xnack",
        64 if gcn::is(isa) => "-mattr=",
        64 if isa == Gen::Gfx1010 => "-mattr=+wavefrontsize64,-wavefrontsize32,-xnack",
        _ if isa == Gen::Gfx1010 => "-mattr=+wavefrontsize32,-xnack",
        64 => "-mattr=+wavefrontsize64,-wavefrontsize32",
        _ => "-mattr=+wavefrontsize32",
    };
    let (input, object, text) = (path(&input), path(&object), path(&text));
    let cpu = format!("-mcpu={}", isa.name());
    let target = ["-mtriple=amdgcn", &cpu, size, "-filetype=obj", stage, "-o", &object, &input];
    run("llc-19", &target);
    run("llvm-objcopy-19", &["-O", "binary", "--only-section=.text", &object, &text]);
    let words: Vec<u32> =
        std::fs::read(&text).unwrap().chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    let symbols = String::from_utf8(run("llvm-nm-19", &["--defined-only", &object])).unwrap();
    let starts = symbols.lines().map(|l| {
        let columns: Vec<&str> = l.split_whitespace().collect();
        let at = usize::from_str_radix(columns[0], 16).unwrap() / 4;
        (columns[2].strip_prefix('f').unwrap().parse::<usize>().unwrap(), at)
    });
    starts.map(|(n, at)| (n, function_words(&words[at..], isa))).collect()
}

/// Up to the last instruction, S_ENDPGM; the only one in a function.
fn function_words(words: &[u32], isa: Gen) -> Vec<u32> {
    let mut at = 0;
    loop {
        let (instr, size) = decode::decode(&words[at..], isa).unwrap();
        at += size;
        if instr.op == i::S_ENDPGM {
            return words[..at].to_vec();
        }
    }
}

/// Up to the end, behind which is padding.
pub fn instructions(words: &[u32], isa: Gen) -> Vec<(usize, Instr)> {
    let (mut out, mut at) = (Vec::new(), 0);
    while at < words.len() {
        let (instr, size) = decode::decode(&words[at..], isa).unwrap();
        out.push((at, instr));
        at += size;
        if instr.op == i::S_ENDPGM {
            break;
        }
    }
    out
}

/// The jump that an instruction is, with the dword that it goes to.
fn jump(at: usize, x: &Instr) -> Option<(Option<Cond>, usize)> {
    let Sem::Control(control) = x.op.row().sem else { return None };
    let cond = match control {
        Control::Branch => None,
        Control::BranchScc0 => Some(Cond::Scc0),
        Control::BranchScc1 => Some(Cond::Scc1),
        Control::BranchVccz => Some(Cond::Vccz),
        Control::BranchVccnz => Some(Cond::Vccnz),
        Control::BranchExecz => Some(Cond::Execz),
        Control::BranchExecnz => Some(Cond::Execnz),
        _ => return None,
    };
    Some((cond, (at + 1).wrapping_add_signed(x.imm as isize)))
}

/// Machine code as the back end holds it in front of the hazard pass.
pub fn machine(words: &[u32], isa: Gen, lanes: u32) -> Machine {
    let line = instructions(words, isa);
    let mut leaders = vec![0];
    for &(at, x) in &line {
        if let Some((_, target)) = jump(at, &x) {
            leaders.extend([target, at + 1]);
        }
    }
    leaders.retain(|&l| l < words.len());
    leaders.sort_unstable();
    leaders.dedup();
    let block = |at: usize| leaders.iter().position(|&l| l == at).unwrap() as u32;
    let mut blocks = Vec::new();
    for (b, &start) in leaders.iter().enumerate() {
        let end = leaders.get(b + 1).copied().unwrap_or(words.len());
        let mut body = Body { insts: Vec::new(), term: Term::Fall, loc: Loc::default() };
        for (at, instr) in line.iter().filter(|(at, _)| (start..end).contains(at)) {
            match jump(*at, instr) {
                Some((None, target)) => body.term = Term::Jump(block(target)),
                Some((Some(cond), target)) => body.term = Term::Branch { cond, target: block(target) },
                None if instr.op == i::S_ENDPGM => body.term = Term::End,
                None => body.insts.push(Placed { instr: *instr, loc: Loc::default(), link: Link::None }),
            }
        }
        blocks.push(body);
    }
    Machine { isa, lanes, order: (0..blocks.len() as u32).collect(), blocks, called: false, functions: Vec::new() }
}

/// Whether control can reach every block: of others LLVM thinks as well, the pass does not.
pub fn all_reached(m: &Machine) -> bool {
    let mut reached = vec![false; m.blocks.len()];
    let mut todo = vec![0];
    while let Some(k) = todo.pop() {
        if !std::mem::replace(&mut reached[k], true) {
            todo.extend(waits::successors(m, k).map(|b| b as usize));
        }
    }
    reached.iter().all(|&r| r)
}
