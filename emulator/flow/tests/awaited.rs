//! What waits wait for, beside queues that are kept along walks.

use crate::random::{GEN, Random};
use std::collections::{BTreeMap, BTreeSet};
use wavepipe_flow::{Graph, awaited};
use wavepipe_isa::asm;
use wavepipe_isa::wait::Counter;

fn of(text: &str) -> BTreeMap<u32, Vec<(Counter, u8, Vec<u32>)>> {
    let graph = Graph::new(&asm::assemble(text, GEN, 32).unwrap(), 0, 32, GEN);
    let all = awaited(&graph).into_iter();
    all.map(|(n, w)| (n, w.into_iter().map(|w| (w.counter, w.at_most, w.accesses)).collect())).collect()
}

#[test]
fn waits_are_for_the_older_accesses_of_their_counter() {
    let load = |to: u32| format!("global_load_dword v{to}, v[0:1], off\n");
    let text = load(2)
        + &load(3)
        + "s_load_dword s4, s[0:1], 0x0\nglobal_store_dword v[0:1], v5, off\n"
        + "s_waitcnt vmcnt(1)\ns_waitcnt vmcnt(0) lgkmcnt(0)\ns_waitcnt_vscnt null, 0x0\ns_endpgm";
    let found = of(&text);
    assert_eq!(found[&4], [(Counter::Vm, 1, vec![0])]);
    assert_eq!(found[&5], [(Counter::Vm, 0, vec![1]), (Counter::Lgkm, 0, vec![2])]);
    assert_eq!(found[&6], [(Counter::Vs, 0, vec![3])]);
}

/// Random code of loads, stores, waits and branches: an access is named by a wait exactly if it is outstanding in front of it on some
/// walk, and behind it on none.
#[test]
fn accesses_are_those_that_no_walk_has_left() {
    let mut named = 0;
    for seed in 0..120u64 {
        let mut random = Random(seed + 1);
        let lines = 6 + random.below(18) as usize;
        // What each line is: 0 a load, 1 an access of LDS, 2 a store, 3 and 4 waits, 5 a branch anywhere.
        let kinds: Vec<(u64, u64)> = (0..lines).map(|_| (random.below(6), random.below(lines as u64))).collect();
        let mut text = String::new();
        for (n, &(kind, what)) in kinds.iter().enumerate() {
            text += &format!("BB{n}:\n");
            text += &match kind {
                0 => format!("global_load_dword v{}, v[0:1], off\n", 2 + what),
                1 => format!("ds_read_b32 v{}, v0\n", 2 + what),
                2 => "global_store_dword v[0:1], v2, off\n".to_string(),
                3 => format!("s_waitcnt vmcnt({})\n", what % 3),
                4 => format!("s_waitcnt lgkmcnt({})\n", what % 3),
                _ => format!("s_cbranch_scc1 BB{what}\n"),
            };
        }
        let found = of(&(text.clone() + "s_endpgm"));
        let (mut before, mut behind): (BTreeMap<u32, BTreeSet<u32>>, BTreeMap<u32, BTreeSet<u32>>) = Default::default();
        for _ in 0..400 {
            let mut queues: [Vec<u32>; 2] = Default::default();
            let mut at = 0;
            for _ in 0..4 * lines {
                let Some(&(kind, what)) = kinds.get(at) else { break };
                let mut next = at + 1;
                match kind {
                    0 | 1 => {
                        let queue = &mut queues[kind as usize];
                        queue.push(at as u32);
                    }
                    3 | 4 => {
                        let queue = &mut queues[kind as usize - 3];
                        before.entry(at as u32).or_default().extend(&*queue);
                        let done = queue.len().saturating_sub((what % 3) as usize);
                        queue.drain(..done);
                        behind.entry(at as u32).or_default().extend(&*queue);
                    }
                    5 if random.below(2) == 0 => next = what as usize,
                    _ => {}
                }
                at = next;
            }
        }
        for (wait, outstanding) in before {
            let left = &behind[&wait];
            let want: Vec<u32> = outstanding.difference(left).copied().collect();
            assert_eq!(found[&wait][0].2, want, "seed {seed}, line {wait}\n{text}");
            named += want.len();
        }
    }
    assert!(named > 200, "{named}");
}
