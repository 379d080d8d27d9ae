//! The pass that keeps hazards apart: beside LLVM's own pass, and under the checker.

mod llvm_mir;

use llvm_mir::{Random, all_reached, compiled, functions, instructions, machine};
use std::collections::BTreeMap;
use wavepipe_compiler::back::hazards::Rules;
use wavepipe_compiler::back::machine::Machine;
use wavepipe_compiler::back::{emit, hazards};
use wavepipe_compiler::ir::Kernel;
use wavepipe_isa::hazard::{HAZARDS, Reading, Remedy, walk};
use wavepipe_isa::{Gen, asm, disasm, insts as i};

fn missing(oracle: &str) -> bool {
    use std::process::{Command, Stdio};
    let there = Command::new(oracle).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        println!("SKIP {oracle}");
        assert!(std::env::var_os("CI").is_none(), "{oracle} is missing");
    }
    !there
}

/// One instruction a line, without branch distances and what follows the end.
fn listing(words: &[u32], lanes: u32) -> Vec<String> {
    let mut out = Vec::new();
    for (_, mut x) in instructions(words) {
        if let wavepipe_isa::row::Sem::Control(c) = x.op.row().sem
            && c.has_target()
        {
            x.imm = 0;
        }
        out.push(disasm::text(&x, Gen::Gfx1010, lanes));
        if x.op == i::S_ENDPGM {
            break;
        }
    }
    out
}

/// Pairs of instructions that the checker reports, by the hazard's name.
fn pairs(words: &[u32], lanes: u32, reading: Reading) -> Vec<String> {
    let found = walk::check(words, &[0], lanes, Gen::Gfx1010, reading).unwrap();
    found.iter().filter(|f| f.first != f.second).map(|f| f.to_string()).collect()
}

fn emitted(m: &Machine) -> Vec<u32> {
    let text = emit::emit(m, &Kernel::new("f", [1; 3])).unwrap().text;
    text.as_chunks::<4>().0.iter().map(|w| u32::from_le_bytes(*w)).collect()
}

/// Random functions before and after LLVM's hazard pass, and after ours by the same reading. Without loops the instructions
/// are the same; with loops each pass is cautious in its own way (LLVM looks backwards into blocks that it has yet to mend),
/// and ours inserts no more in all. The checker finds something in a function if and only if LLVM mended it, and nothing
/// behind either pass.
fn beside_llvm(loops: bool, seed: u64, count: usize) -> BTreeMap<String, usize> {
    let folder = std::env::temp_dir().join(format!("wavepipe-hazards-{}-{loops}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (mut remedies, mut more) = (BTreeMap::new(), 0);
    for lanes in [32, 64] {
        let mir = functions(count, lanes, loops, seed + u64::from(lanes));
        let before = compiled(&folder, &mir, lanes, "-start-after=post-RA-hazard-rec");
        let after = compiled(&folder, &mir, lanes, "-start-before=post-RA-hazard-rec");
        assert_eq!(before.len(), count);
        for (n, words) in &before {
            let mut m = machine(words, lanes);
            if !all_reached(&m) {
                continue;
            }
            hazards::insert_by(&mut m, &Rules { reading: Reading::Llvm, ..Rules::default() });
            let mended = emitted(&m);
            let name = || format!("f{n} of wave{lanes}, without: {:#?}", listing(words, lanes));
            let (ours, theirs) = (listing(&mended, lanes), listing(&after[n], lanes));
            assert!(loops || ours == theirs, "{}\nours {ours:#?}\ntheirs {theirs:#?}", name());
            more += ours.len() as isize - theirs.len() as isize;
            let found = pairs(words, lanes, Reading::Llvm);
            assert_eq!(found.is_empty(), theirs.len() == listing(words, lanes).len(), "{}\n{found:#?}", name());
            for code in [&mended, &after[n]] {
                let left = pairs(code, lanes, Reading::Llvm);
                assert!(left.is_empty(), "{}\n{left:#?}\n{:#?}", name(), listing(code, lanes));
            }
            let mut had = listing(words, lanes).into_iter().peekable();
            for line in theirs {
                if had.next_if_eq(&line).is_none() {
                    *remedies.entry(line.split(' ').next().unwrap().to_owned()).or_default() += 1;
                }
            }
        }
    }
    std::fs::remove_dir_all(&folder).unwrap();
    println!("beside LLVM {more:+} instructions");
    assert!(more <= 0, "{more} instructions more than LLVM inserts");
    remedies
}

#[test]
fn workarounds_stand_where_llvm_puts_them() {
    if missing("llc-19") {
        return;
    }
    for (loops, count) in [(false, 2_000), (true, 1_000)] {
        let remedies = beside_llvm(loops, 1, count);
        println!("{remedies:?}");
        for op in ["s_waitcnt_depctr", "s_mov_b32", "v_mov_b32_e32", "s_waitcnt_vscnt", "s_nop"] {
            assert!(remedies.get(op).is_some_and(|&n| n > 20), "{op}: {remedies:?}");
        }
    }
}

/// Code with one hazard each, which the pass keeps apart: over a loop, a join, a branch.
const KERNELS: &[(&str, &str)] = &[
    (
        "VMEMtoScalarWriteHazard",
        "s_mov_b32 s0, 0\n again: s_add_u32 s0, s0, 1\n global_store_dword v0, v1, s[2:3]\n \
         buffer_load_dword v2, v1, s[0:3], 0 offen\n s_cbranch_scc1 again",
    ),
    (
        "SMEMtoVectorWriteHazard",
        "s_cbranch_scc0 other\n s_load_dword s9, s[4:5], 0x0\n s_branch join\n other: v_mov_b32 v0, v1\n \
         join: v_readfirstlane_b32 s5, v0",
    ),
    ("VcmpxExecWARHazard", "v_mov_b32 v0, v1\n s_cbranch_execz on\n v_mov_b32 v1, v2\n on: v_cmpx_eq_u32 v0, v1"),
    (
        "VcmpxPermlaneHazard",
        "v_cmpx_eq_u32 v0, v1\n s_cbranch_scc0 on\n s_mov_b32 s1, 0\n on: v_permlane16_b32 v2, v3, s0, s1",
    ),
    (
        "LdsBranchVmemWARHazard",
        "again: ds_write_b32 v0, v1\n global_load_dword v2, v1, s[2:3]\n v_mov_b32 v3, v4\n s_cbranch_scc1 again",
    ),
    (
        "NSAtoVMEMBug",
        "image_sample_d v0, [v1, v2, v3, v4, v9, v6], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D\n \
         buffer_load_dword v0, v1, s[0:3], 0 offen offset:4",
    ),
    (
        "NsaCannotFollowWritelane",
        "v_writelane_b32 v0, s0, 3\n image_sample v0, [v1, v3], s[0:7], s[8:11] dmask:0x1 dim:SQ_RSRC_IMG_2D",
    ),
    ("FPAtomicToDenormModeHazard", "global_atomic_fmin v[0:1], v2, off\n s_cbranch_scc0 on\n on: s_denorm_mode 0x3"),
    ("SMEMStoreThenLoad", "s_store_dword s0, s[2:3], 0x0\n s_branch on\n on: s_load_dword s1, s[4:5], 0x0"),
];

/// The kernel after the pass by `rules`, and how many instructions that put in.
fn mended(text: &str, lanes: u32, rules: &Rules) -> (Vec<u32>, usize) {
    let words = asm::assemble(&format!("{text}\ns_endpgm"), Gen::Gfx1010, lanes).unwrap();
    let mut m = machine(&words, lanes);
    let remedies = hazards::insert_by(&mut m, rules);
    (emitted(&m), remedies)
}

#[test]
fn a_rule_that_the_pass_forgets_is_found() {
    for h in HAZARDS.iter().filter(|h| !matches!(h.remedy, Remedy::Avoid(_))) {
        let (_, text) = KERNELS.iter().find(|(name, _)| *name == h.name).unwrap_or_else(|| panic!("{}", h.name));
        for lanes in [32, 64] {
            let (code, remedies) = mended(text, lanes, &Rules::default());
            assert_eq!(
                (remedies, pairs(&code, lanes, Reading::Strict)),
                (1, vec![]),
                "{text}\n{:#?}",
                listing(&code, lanes)
            );
            let (code, remedies) = mended(text, lanes, &Rules { without: Some(h.name), ..Rules::default() });
            let found = pairs(&code, lanes, Reading::Strict);
            assert!(
                remedies == 0 && found.iter().all(|f| f.starts_with(h.name)) && !found.is_empty(),
                "{found:#?}\n{text}"
            );
        }
    }
}

/// Where a register says where to go on, nothing is pending.
#[test]
fn calls_and_returns_begin_with_nothing() {
    // A float atomic is not among them: what resolves its other hazards keeps it far enough away.
    let begun = [
        ("VMEMtoScalarWriteHazard", "global_load_dword v0, v1, s[2:3]"),
        ("SMEMtoVectorWriteHazard", "s_load_dword s9, s[4:5], 0x0"),
        ("VcmpxExecWARHazard", "s_mov_b32 s0, exec_lo"),
        ("VcmpxPermlaneHazard", "v_cmpx_eq_u32 v0, v1"),
        ("LdsBranchVmemWARHazard", "ds_write_b32 v0, v1"),
        ("NsaCannotFollowWritelane", "v_writelane_b32 v0, s0, 3"),
        ("SMEMStoreThenLoad", "s_store_dword s0, s[2:3], 0x0"),
    ];
    for (name, text) in begun {
        let text = format!("{text}\ns_setpc_b64 s[30:31]");
        let found = |rules: &Rules| pairs(&mended(&text, 32, rules).0, 32, Reading::Strict);
        assert_eq!(found(&Rules::default()), [""; 0], "{text}");
        let left = found(&Rules { without: Some(name), ..Rules::default() });
        assert!(!left.is_empty() && left.iter().all(|f| f.starts_with(name)), "{left:#?}\n{text}");
    }
}

/// Random code by the strict reading: nothing is left, and of each rule that the pass forgets something is.
#[test]
fn random_code_is_mended() {
    let mut r = Random(5);
    let mut found: BTreeMap<&str, usize> = BTreeMap::new();
    for n in 0..4_000 {
        let lanes = [32, 64][n % 2];
        let text = program(lanes, &mut r);
        let (code, _) = mended(&text, lanes, &Rules::default());
        assert_eq!(pairs(&code, lanes, Reading::Strict), [""; 0], "{text}");
        for (name, _) in KERNELS {
            let (code, _) = mended(&text, lanes, &Rules { without: Some(name), ..Rules::default() });
            let left = pairs(&code, lanes, Reading::Strict);
            assert!(left.iter().all(|f| f.starts_with(name)), "{left:#?}\n{text}");
            *found.entry(name).or_default() += usize::from(!left.is_empty());
        }
    }
    println!("{found:?}");
    assert!(KERNELS.iter().all(|(name, _)| found[name] > 20), "{found:?}");
}

/// Up to six blocks of lines that rules speak of.
fn program(lanes: u32, r: &mut Random) -> String {
    let mut lines: Vec<String> = KERNELS.iter().flat_map(|(_, text)| text.split('\n')).map(String::from).collect();
    lines.retain(|l| !l.contains("branch"));
    lines.iter_mut().for_each(|l| *l = l.rsplit_once(": ").map_or(l.as_str(), |(_, code)| code).trim().to_owned());
    let mask = if lanes == 64 { "s[4:5]" } else { "s4" };
    lines.push(format!("v_cmp_eq_u32_e64 {mask}, v0, v1"));
    lines.push(format!("s_and_saveexec_b{lanes} {mask}, {mask}"));
    let waits =
        ["s_waitcnt vmcnt(0)", "s_waitcnt lgkmcnt(0)", "s_waitcnt_vscnt null, 0x0", "s_nop 0", "s_mov_b32 s2, 0"];
    lines.extend(waits.map(String::from));
    let blocks = 2 + r.below(5);
    let mut out = String::new();
    for b in 0..blocks {
        out += &format!("b{b}: s_nop 0\n");
        for _ in 0..r.below(6) {
            out += &lines[r.below(lines.len())];
            out.push('\n');
        }
        if b + 1 < blocks {
            let branch = ["s_cbranch_scc1", "s_cbranch_execz", "s_cbranch_vccz"][r.below(3)];
            out += &format!("{branch} b{}\n", r.below(blocks));
        }
    }
    out
}
