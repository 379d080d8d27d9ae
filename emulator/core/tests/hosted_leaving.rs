//! Loops whose lanes leave one by one, and come back behind them or in them: what host code goes on with in lanes that live, and what it
//! keeps for those that do not, are the interpreter's at the end.

use crate::hosted_loops::{Random, ends_as_the_interpreters, rounds};
use wavepipe_jit::HostIsa;

/// One of them.
fn of<'a>(r: &mut Random, all: &[&'a str]) -> &'a str {
    all[r.next() as usize % all.len()]
}

const BINARY: &[&str] = &[
    "add_nc_u32",
    "sub_nc_u32",
    "xor_b32",
    "mul_lo_u32",
    "max_u32",
    "and_b32",
    "or_b32",
    "mul_hi_u32",
    "bcnt_u32_b32",
];
/// Behind which no lane lives that did not before.
const LEAVE: &[&str] = &[
    "s_and_bm LANES, LANES, vcc",
    "s_and_bm LANES, vcc, LANES",
    "s_andn2_bm LANES, LANES, MASK_24",
    "s_and_saveexec_bm MASK_26, vcc",
];
/// What changes EXEC otherwise, or sees other lanes.
const OTHERS: &[&str] = &[
    "s_or_bm LANES, LANES, MASK_30",
    "s_mov_bm LANES, MASK_30",
    "s_xor_bm LANES, MASK_30, LANES",
    "s_mov_b32 exec_hi, s31",
    "v_cmpx_ne_u32 1, A",
    "v_mov_b32_dpp B, A quad_perm:[1,0,3,2] row_mask:0xf bank_mask:0x7",
    "v_readfirstlane_b32 s53, A",
    "v_permlane16_b32 B, A, s52, s54",
];

/// Steps of each lane by itself.
fn steps(r: &mut Random, n: u32) -> Vec<String> {
    let step = |r: &mut Random| {
        let [d, a, b] = [(); 3].map(|()| of(r, &["A", "B", "C", "D"]));
        match r.next() % 10 {
            0 => format!("v_mov_b32 {d}, s52"),
            1 => format!("v_lshrrev_b32 {d}, {}, {a}", 1 + r.next() % 5),
            2 => format!("v_cndmask_b32 {d}, {a}, {b}, {}", of(r, &["vcc", "MASK_24"])),
            3 => format!("v_cmp_{}_u32 {}, {a}, {b}", of(r, &["lt", "ge"]), of(r, &["vcc", "MASK_24"])),
            4 => format!("v_add_co_ci_u32_e32 {d}, vcc, {a}, {b}, vcc"),
            5 => format!("v_ffbh_u32 {d}, {a}"),
            _ => format!("v_{} {d}, {a}, {b}", of(r, BINARY)),
        }
    };
    (0..n).map(|_| step(r)).collect()
}

/// A loop of at most four vector registers, A to D; it is left by and by, and in the end by all.
fn leaving(r: &mut Random) -> Vec<String> {
    let mut lines: Vec<String> = ["s_mov_b32 s52, 0", "s_mov_bm MASK_30, LANES"].map(String::from).into();
    if r.next().is_multiple_of(2) {
        // It is not only fallen into.
        lines.extend(
            ["s_add_u32 s53, s4, s54", "s_bitcmp1_b32 s53, 0", "s_cbranch_scc1 leave", "v_xor_b32 D, 0x3c3c3c3c, D"]
                .map(String::from),
        );
    }
    lines.push("leave:".into());
    let n = r.next() % 4;
    lines.extend(steps(r, n));
    let other = r.next().is_multiple_of(2).then(|| of(r, OTHERS).to_owned());
    let before = r.next().is_multiple_of(2);
    lines.extend(other.iter().filter(|_| before).cloned());
    // One lane of eight, or of sixteen.
    lines.push(format!("v_mul_lo_u32 D, {}, D", of(r, &["17", "33", "49", "A"])));
    lines.push("v_xor_b32 D, s52, D".into());
    let few = of(r, &["0x20000000", "0x10000000"]);
    lines.extend([format!("v_cmp_lt_u32 vcc, {few}, D"), format!("v_cmp_ge_u32 MASK_24, {few}, D")]);
    lines.extend(other.into_iter().filter(|_| !before));
    lines.push(of(r, LEAVE).into());
    lines.push("s_cbranch_execz left".into());
    let n = r.next() % 7;
    lines.extend(steps(r, n));
    lines.extend(["s_add_u32 s52, s52, 1", "s_cmp_lt_u32 s52, 20", "s_cbranch_scc1 leave", "left:"].map(String::from));
    lines.push("s_mov_bm LANES, MASK_30".into());
    lines
}

/// A to D.
fn named(lines: &[String], first: u32) -> Vec<String> {
    let name = |line: &String| {
        let name = |word: &str| match word.trim_end_matches(',') {
            one @ ("A" | "B" | "C" | "D") => {
                word.replace(one, &format!("v{}", first + u32::from(one.as_bytes()[0] - b'A')))
            }
            _ => word.to_owned(),
        };
        line.split(' ').map(name).collect::<Vec<_>>().join(" ")
    };
    lines.iter().map(name).collect()
}

/// Among accesses, whose registers a region names as well.
fn among_others(r: &mut Random) -> String {
    let mut lines: Vec<String> =
        ["v_mov_b32 A, v2", "v_xor_b32 B, v0, v20", "v_mul_lo_u32 D, 0x9e3779b1, v2", "v_add_nc_u32 D, v0, D"]
            .map(String::from)
            .into();
    lines.extend(leaving(r));
    lines.extend(["v_xor_b32 v20, A, v20", "v_add3_u32 v20, B, D, v20"].map(String::from));
    let store = "global_store_dword v3, v20, s[2:3] offset:32";
    // A short group, in which a mask is a condition and a word.
    let carries = ["v_cmp_ne_u32 vcc, v20, v2", "v_add_co_ci_u32_e32 v20, vcc, A, v20, vcc"];
    lines.extend(["s_mov_b64 exec, s[20:21]", store, carries[0], carries[1], store].map(String::from));
    rounds(&named(&lines, 6).iter().map(String::as_str).collect::<Vec<_>>())
}

/// By itself, over and over.
fn alone(r: &mut Random) -> String {
    let mut lines: Vec<String> = [
        "v_mul_lo_u32 D, 0x9e3779b1, v0",
        "v_mov_b32 A, v0",
        "v_mov_b32 B, 3",
        "v_mov_b32 C, 0",
        "s_mov_b32 s54, 0",
        "again:",
        "v_xor_b32 D, 0x5bd1e995, D",
    ]
    .map(String::from)
    .into();
    lines.extend(leaving(r));
    lines.push("v_add_nc_u32 C, A, C".into());
    lines
        .extend(["s_add_u32 s54, s54, 1", "s_cmp_lt_u32 s54, 9", "s_cbranch_scc1 again", "s_endpgm"].map(String::from));
    named(&lines, 1).iter().map(|line| line.clone() + "\n").collect()
}

#[test]
fn lanes_that_have_left_are_as_they_were() {
    let mut r = Random(0x1ea7e);
    for _ in 0..24 {
        let texts = [among_others(&mut r), alone(&mut r), alone(&mut r)];
        for (text, target) in texts.iter().flat_map(|text| HostIsa::ALL.map(|target| (text, target))) {
            ends_as_the_interpreters(target, text, 2, 0);
        }
    }
}

/// In AVX2's code, where lanes of EXEC are told by what they are not.
#[test]
fn exec_is_a_condition() {
    let mut r = Random(0xc04d);
    for _ in 0..8 {
        let last = "s_add_u32 s52, s52, 1";
        let chosen = format!("v_cndmask_b32 v1, 0, v1, LANES\nv_cndmask_b32 v2, v1, v2, LANES\n{last}");
        ends_as_the_interpreters(HostIsa::Avx2, &alone(&mut r).replace(last, &chosen), 2, 0);
    }
}
