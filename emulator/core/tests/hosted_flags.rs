//! Branches and choices by what scalar instructions have just made, moved, compared or written over: host code asks its flags for some
//! of it.

use crate::hosted_loops::{ends_as_the_interpreters, rounds};
use crate::split_mix::split_mix;
use wavepipe_jit::HostIsa;

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        (split_mix(&mut self.0) % n as u64) as usize
    }

    fn of<'a>(&mut self, all: &[&'a str]) -> &'a str {
        all[self.below(all.len())]
    }

    /// A scalar that is computed with, or a number, often zero.
    fn source(&mut self) -> String {
        match self.below(4) {
            0 => self.below(3).to_string(),
            _ => format!("s{}", 46 + self.below(5)),
        }
    }
}

const BINARY: &[&str] = &[
    "s_and_b32",
    "s_or_b32",
    "s_xor_b32",
    "s_andn2_b32",
    "s_add_u32",
    "s_sub_u32",
    "s_lshr_b32",
    "s_min_u32",
    "s_cselect_b32",
];
const COMPARISONS: &[&str] = &["eq_u32", "lg_u32", "lt_i32", "ge_i32", "gt_i32", "lt_u32", "ge_u32", "le_u32"];
const MASKS: &[&str] = &["s_and_bm", "s_or_bm", "s_xor_bm", "s_andn2_bm"];
const ASKED: &[&str] = &["scc0", "scc1", "scc0", "scc1", "vccz", "vccnz", "execz", "execnz"];

/// Lines of a round; what is passed over by each branch is a factor of s52, which changes no SCC.
fn lines(r: &mut Random) -> Vec<String> {
    let mut lines: Vec<String> = (46..51).map(|n| format!("s_and_b32 s{n}, s{}, {}", n - 30, n % 3 + 1)).collect();
    lines.extend(["s_or_b32 s52, s22, 1".into(), "s_mov_b64 s[24:25], s[46:47]".into()]);
    lines.push("s_mov_b64 s[26:27], s[20:21]".into());
    for n in 0..60 {
        let d = format!("s{}", 46 + r.below(5));
        lines.push(match r.below(10) {
            0 => format!("s_mov_b32 {d}, {}", r.source()),
            1 | 2 => format!("s_cmp_{} {}, {}", r.of(COMPARISONS), r.source(), r.source()),
            3 => format!("{} vcc, MASK_{}, MASK_{}", r.of(MASKS), r.of(&["24", "26"]), r.of(&["20", "24"])),
            4 => format!("s_mov_bm {}, {}", r.of(&["vcc", "LANES", "MASK_24"]), r.of(&["0", "1", "MASK_20", "vcc"])),
            5 => format!("{} LANES, LANES, {}", r.of(MASKS), r.of(&["MASK_20", "MASK_24", "vcc"])),
            6 => format!("s_not_b32 {d}, {}", r.source()),
            _ => format!("{} {d}, {}, {}", r.of(BINARY), r.source(), r.source()),
        });
        if r.below(3) > 0 {
            // Sometimes what was asked for is another value by now.
            if r.below(4) == 0 {
                lines.push(format!("s_mov_bm {}, {}", r.of(&["vcc", "LANES"]), r.of(&["0", "MASK_24"])));
            }
            lines.push(format!("s_cbranch_{} on{n}", r.of(ASKED)));
            lines.push(format!("s_mul_i32 s52, s52, {}", 2 * n + 3));
            lines.push(format!("on{n}:"));
        }
    }
    lines.push("s_mov_b64 exec, s[20:21]".into());
    lines.extend((46..51).map(|n| format!("v_xor_b32 v{}, s{n}, v{}", n - 40, n - 40)));
    lines.push("v_add_nc_u32 v4, s52, v4".into());
    lines
}

#[test]
fn what_flags_say_is_what_the_interpreter_says() {
    let mut r = Random(0xf1a6);
    for _ in 0..12 {
        let lines = lines(&mut r);
        let text = rounds(&lines.iter().map(String::as_str).collect::<Vec<_>>());
        HostIsa::ALL.into_iter().for_each(|target| ends_as_the_interpreters(target, &text, 2, 0));
    }
}
