//! Live registers beside what walks through the code come to read, lane by lane.

use crate::random::{Code, GEN, Random};
use std::collections::BTreeMap;
use wavepipe_flow::{Counts, Graph, Live};
use wavepipe_isa::{Src, asm, decode};

fn live(text: &str, lanes: u32) -> (Graph, Live) {
    let graph = Graph::new(&asm::assemble(text, GEN, lanes).unwrap(), 0, lanes, GEN);
    let live = Live::of(&graph);
    (graph, live)
}

/// Of a walk: by place of it the lanes of each register that are read later on, before they are written. Scalars are all lanes.
fn wanted(code: &Code, starts: &[usize], words: &[u32], walk: &[(usize, u64)], lanes: u32) -> Vec<BTreeMap<u16, u64>> {
    let mut now: BTreeMap<u16, u64> = BTreeMap::new();
    let mut out = Vec::new();
    for &(line, exec) in walk.iter().rev() {
        let (instr, _) = decode::decode(&words[starts[line]..], GEN).unwrap();
        for d in instr.defs(lanes) {
            for n in 0..d.dwords as u16 {
                let left = now.entry(d.reg.0 + n).or_default();
                *left &= if d.reg.is_vgpr() { !exec } else { 0 };
            }
        }
        for u in instr.uses(lanes).filter(|u| u.reg != Src::SCC) {
            let read = if u.reg.is_vgpr() { exec } else { !0 };
            (0..u.dwords as u16).for_each(|n| *now.entry(u.reg.0 + n).or_default() |= read);
        }
        now.retain(|_, lanes| *lanes != 0);
        out.push(now.clone());
    }
    let _ = code;
    out.reverse();
    out
}

/// No walk reads what is said to be dead, and of what is said to be live nearly all is read by some walk.
#[test]
fn dead_registers_are_never_read_and_live_ones_mostly_are() {
    let (mut said, mut read) = (0u64, 0u64);
    for seed in 0..160u64 {
        let lanes = if seed % 2 == 0 { 32 } else { 64 };
        let mut random = Random(seed * 7919 + 1);
        let code = Code::random(&mut random, lanes);
        let (words, starts) = code.words();
        let graph = Graph::new(&words, 0, lanes, GEN);
        let live = Live::of(&graph);
        let mut seen: BTreeMap<usize, BTreeMap<u16, u64>> = BTreeMap::new();
        for _ in 0..60 {
            let walk = code.walk(&mut random, 2000);
            for (&(line, _), wanted) in walk.iter().zip(wanted(&code, &starts, &words, &walk, lanes)) {
                let node = graph.at(starts[line]).expect("a walk stays in the graph");
                for (reg, lanes) in wanted {
                    // In a wave32 the upper halves of masks belong to nobody.
                    let text = || code.lines.iter().map(|l| l.text.clone()).collect::<Vec<_>>().join("\n");
                    assert!(
                        live.before[node].has(Src(reg)),
                        "seed {seed}: {:?} is dead in front of line {line}, and read\n{}",
                        Src(reg),
                        text()
                    );
                    *seen.entry(node).or_default().entry(reg).or_default() |= lanes;
                }
            }
        }
        for (node, regs) in &seen {
            said += u64::from(live.before[*node].vector.iter().map(|v| v.count_ones()).sum::<u32>());
            read += regs.keys().filter(|r| Src(**r).is_vgpr()).count() as u64;
        }
    }
    let share = read as f64 / said as f64;
    assert!(said > 20_000 && share > 0.97, "of {said} vector registers said to be live {read} are read: {share}");
}

#[test]
fn scalar_registers_live_from_their_writes_to_their_last_reads() {
    let (_, live) = live(
        "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_add_u32 s6, s4, s5\ns_add_u32 s7, s6, s2\ns_endpgm",
        32,
    );
    let names = |n: usize| live.before[n].iter().map(|r| format!("{r:?}")).collect::<Vec<_>>().join(" ");
    assert_eq!([0, 1, 2, 3, 4].map(names), ["s0 s1 s2", "s2 s4 s5", "s2 s4 s5", "s2 s6", ""]);
    // What is written counts where it is written, though nobody reads it.
    assert_eq!(live.pressure[3], Counts { vgprs: 0, sgprs: 2 });
    assert_eq!(live.pressure[0].sgprs, 3);
}

/// A write for some lanes leaves the others theirs; where EXEC is what it was, the write is of all that is read.
#[test]
fn writes_under_a_narrower_mask_end_nothing() {
    let text = |within: &str| {
        format!(
            "v_mov_b32_e32 v1, 0\ns_and_saveexec_b32 s4, vcc_lo\n{within}\ns_or_b32 exec_lo, exec_lo, s4\n\
             v_mov_b32_e32 v2, v1\ns_endpgm"
        )
    };
    let (_, live1) = live(&text("v_mov_b32_e32 v1, 1.0"), 32);
    assert!(live1.before[2].has(Src::v(1)) && live1.before[1].has(Src::v(1)) && !live1.before[0].has(Src::v(1)));
    // Both sides of a branch together write it whole.
    let (_, both) = live(
        &text("v_mov_b32_e32 v1, 1.0\ns_xor_b32 exec_lo, s4, exec_lo\nv_mov_b32_e32 v1, 2.0\ns_mov_b32 exec_lo, s4"),
        32,
    );
    assert!(both.before[3].has(Src::v(1)) && both.before[4].has(Src::v(1)) && !both.before[2].has(Src::v(1)));
    // Only the narrowed lanes read it.
    let (_, live2) = live(&text("v_mov_b32_e32 v3, 1.0\nv_mov_b32_e32 v4, v3"), 32);
    assert!(live2.before[3].has(Src::v(3)) && !live2.before[2].has(Src::v(3)));
    // A lane of its own, whatever EXEC is.
    let (_, live3) = live("v_writelane_b32 v1, s0, 3\nv_readlane_b32 s1, v1, 3\ns_mov_b32 s2, s1\ns_endpgm", 32);
    assert!(live3.before[0].has(Src::v(1)));
}

#[test]
fn registers_live_through_calls_and_returns() {
    let (graph, live) = live(
        "s_getpc_b64 s[4:5]\ns_add_u32 s4, s4, 24\ns_addc_u32 s5, s5, 0\ns_swappc_b64 s[30:31], s[4:5]\n\
         v_mov_b32_e32 v0, v2\nv_mov_b32_e32 v3, v7\ns_endpgm\nv_mov_b32_e32 v2, v1\ns_setpc_b64 s[30:31]",
        32,
    );
    let at = |n: usize| graph.nodes[n].next.clone();
    assert_eq!((graph.nodes.len(), at(3), at(8)), (9, vec![7], vec![4]));
    assert!(live.before[7].has(Src::v(7)) && live.before[7].has(Src::s(30)) && live.before[0].has(Src::v(1)));
    assert!(!live.before[7].has(Src::v(2)) && live.before[8].has(Src::v(2)));
}
