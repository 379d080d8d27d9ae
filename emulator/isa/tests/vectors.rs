//! Bodies against recorded single-instruction results: RDNA 3 vectors that have gfx1010 words, for the meanings that the
//! two generations share.

mod common;

use std::collections::BTreeMap;

use serde_json::Value;
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::row::{Sem, Ty};
use wavepipe_isa::{Gen, Instr, Src, decode, reference};

/// Round to nearest, f32 denormals flushed, f16 and f64 denormals kept, DX10_CLAMP, IEEE.
const MODE: u32 = 0x3c0;

/// The records of these are known to be wrong or of another generation (ERRATA.md).
const CONTRADICTED: &[Op] = &[
    // Round to nearest instead of toward zero.
    insts::V_CVT_PKRTZ_F16_F32,
    // No clamp to [−1, 1] before the scale.
    insts::V_CVT_PKNORM_I16_F16,
    insts::V_CVT_PKNORM_U16_F16,
    insts::V_CVT_PKNORM_I16_F32,
    insts::V_CVT_PKNORM_U16_F32,
    // No saturation.
    insts::V_CVT_RPI_I32_F32,
    // Reach 1.0.
    insts::V_FRACT_F16,
    insts::V_FRACT_F32,
    insts::V_FRACT_F64,
    // No carry out.
    insts::V_MAD_U64_U32,
    insts::V_MAD_I64_I32,
    // NaN for the largest finite number of turns.
    insts::V_COS_F16,
    // 255 for NaN.
    insts::V_CVT_PK_U8_F32,
    // The exponent field of a denormal, not its exponent.
    insts::V_FREXP_EXP_I32_F64,
    // NaN where one source is.
    insts::V_MAX3_F16,
    insts::V_MED3_F16,
    insts::V_MIN3_F16,
    // Denormal reciprocals are zero there; division.rs tests the row.
    insts::V_DIV_SCALE_F64,
    // Minus zero from a zero factor.
    insts::V_MULLIT_F32,
];

struct Bank {
    v: Vec<Vec<u32>>,
    vcc: u32,
    s20: u32,
}

fn numbers(v: &Value) -> Vec<u32> {
    v.as_array().map(|a| a.iter().map(|n| n.as_u64().unwrap_or(0) as u32).collect()).unwrap_or_default()
}

impl Bank {
    fn scalar(&self, n: u16) -> u32 {
        match n {
            106 => self.vcc,
            14 => self.v[0][0],
            15 => self.v[1][0],
            20 => self.s20,
            _ => 0,
        }
    }
    fn read(&self, src: Src, dwords: u32, lane: usize) -> u64 {
        let word = |i: u32| {
            if src.is_vgpr() {
                self.v.get((src.vgpr() + i) as usize).map_or(0, |r| r[lane])
            } else {
                self.scalar(src.0 + i as u16)
            }
        };
        u64::from(word(0)) | if dwords > 1 { u64::from(word(1)) << 32 } else { 0 }
    }
}

/// Sources of one lane, as the bodies take them, and the carry in.
fn sources(instr: &Instr, lane: usize, read: &dyn Fn(Src, u32) -> u64, mode: FpMode) -> ([u64; 3], bool) {
    let row = instr.op.row();
    let (mut s, mut carry) = ([0; 3], false);
    for (i, &ty) in row.src.iter().enumerate() {
        let src = instr.src[i];
        if matches!(ty, Ty::Vcc | Ty::Mask) {
            carry = read(src, 1) >> lane & 1 != 0;
            continue;
        }
        let raw = match ty {
            Ty::Scc => {
                carry = read(Src::SCC, 1) != 0;
                u64::from(carry)
            }
            Ty::Imm16 => i64::from(instr.imm) as u64,
            Ty::Lit32 => u64::from(instr.literal),
            Ty::Old => read(src, row.dst[0].dwords(32)),
            _ => reference::constant(src, ty, instr.literal).unwrap_or_else(|| read(src, ty.dwords(32))),
        };
        if i < 3 {
            s[i] = reference::modify(instr, i, raw, mode);
        }
    }
    (s, carry)
}

fn nan_as_one(ty: Ty, v: u64) -> u64 {
    match ty {
        Ty::F32 if f32::from_bits(v as u32).is_nan() => 0x7fc0_0000,
        Ty::F64 if f64::from_bits(v).is_nan() => 0x7ff8_0000_0000_0000,
        Ty::F16 | Ty::F16Hi if v & 0x7fff > 0x7c00 => 0x7e00,
        Ty::F16 | Ty::F16Hi | Ty::B16 | Ty::U16 | Ty::I16 => v & 0xffff,
        Ty::PkF16 => nan_as_one(Ty::F16, v & 0xffff) | nan_as_one(Ty::F16, v >> 16 & 0xffff) << 16,
        _ => v,
    }
}

fn f16(v: u64) -> f32 {
    use wavepipe_isa::alu::{Alu, Nearest};
    f32::from_bits(Nearest.f32_from_f16(v as u32))
}

/// Denormals and signalling NaNs, on which one witness is not enough.
fn delicate(ty: Ty, v: u64) -> bool {
    let (exponent, fraction) = match ty {
        Ty::F32 | Ty::Mix => (v >> 23 & 0xff, v & 0x7f_ffff),
        Ty::F16 => (v >> 10 & 0x1f, v & 0x3ff),
        Ty::F64 => (v >> 52 & 0x7ff, v & 0xf_ffff_ffff_ffff),
        Ty::PkF16 => return delicate(Ty::F16, v & 0xffff) || delicate(Ty::F16, v >> 16),
        _ => return false,
    };
    let (top, quiet) = match ty {
        Ty::F16 => (0x1f, 0x200),
        Ty::F64 => (0x7ff, 1 << 51),
        _ => (0xff, 1 << 22),
    };
    fraction != 0 && (exponent == 0 || exponent == top && fraction & quiet == 0)
}

/// Distance in units in the last place, or 0 if both are NaN.
fn ulps(ty: Ty, a: u64, b: u64) -> u64 {
    let (a, b) = (nan_as_one(ty, a), nan_as_one(ty, b));
    let line = |v: u64, bits: u32| {
        let magnitude = (v & ((1 << (bits - 1)) - 1)) as i64;
        if v >> (bits - 1) & 1 != 0 { -magnitude } else { magnitude }
    };
    let bits = match ty {
        Ty::F16 => 16,
        Ty::F64 => 64,
        _ => 32,
    };
    line(a, bits).abs_diff(line(b, bits))
}

fn check(record: &Value, inputs: &Value, mode: FpMode) -> Result<bool, String> {
    let words = common::words(record["gfx1010"].as_str().expect("words"));
    let (instr, _) = decode::decode(&words, Gen::Gfx1010).map_err(|e| e.to_string())?;
    let row = instr.op.row();
    if reference::evaluate(instr.op, [0; 3], false, mode).is_none() || matches!(row.sem, Sem::SaveExec | Sem::WriteExec)
    {
        return Ok(false);
    }
    // Variants have one witness only, and rows below a record that its own notes or the RDNA 1 manual contradict.
    if !record["variant"].is_null() || CONTRADICTED.contains(&instr.op) {
        return Ok(false);
    }
    let approximate = record["approx"] == 1;
    let sure = record["x2"] == 1;
    if !record["salu"].is_null() {
        return check_scalar(record, inputs, &instr, mode);
    }
    let set = record["set"].as_str().expect("set");
    let skip: Vec<Vec<u32>> = record["skip"].as_array().map(|a| a.iter().map(numbers).collect()).unwrap_or_default();
    for (round, expected) in record["res"].as_array().expect("res").iter().enumerate() {
        if expected.is_null() {
            continue;
        }
        let input = &inputs["sets"][format!("{set}.{round}")];
        let bank = Bank {
            v: input["v"].as_array().expect("v").iter().map(numbers).collect(),
            vcc: input["vcc"].as_u64().unwrap_or(0) as u32,
            s20: input["s20"].as_u64().unwrap_or(0) as u32,
        };
        for lane in 0..32 {
            if skip.iter().any(|s| s[0] as usize == round && s[1] as usize == lane) {
                continue;
            }
            let (s, carry) = sources(&instr, lane, &|src, n| bank.read(src, n, lane), mode);
            // Scaling a zero numerator is not specified.
            if approximate && row.src.len() > 2 && s[2] << 1 & 0xffff_ffff == 0 {
                continue;
            }
            if !sure && row.src.iter().zip(s).any(|(&ty, v)| delicate(ty, v)) {
                continue;
            }
            let (value, condition) = reference::evaluate(instr.op, s, carry, mode).expect("a body");
            let value = reference::finish(&instr, value, mode);
            let mask = |name: &str, old: u32| expected[name].as_u64().map_or(old, |v| v as u32) >> lane & 1 != 0;
            for (i, &ty) in row.dst.iter().enumerate() {
                let want_condition = match (ty, instr.dst.get(i)) {
                    (Ty::Exec, _) => Some(mask("exec", u32::MAX)),
                    (Ty::Vcc | Ty::Mask, Some(&Src::VCC_LO)) => Some(mask("vcc", bank.vcc)),
                    (Ty::Vcc | Ty::Mask, _) => Some(mask("s22", 0)),
                    _ => None,
                };
                // Its condition is tested by whole divisions (division.rs): the records flag quotients that are normal.
                if matches!(instr.op, insts::V_DIV_SCALE_F32 | insts::V_DIV_SCALE_F64) && ty == Ty::Mask {
                    continue;
                }
                if let Some(want) = want_condition {
                    if want != condition {
                        return Err(format!("{round}.{lane} {s:x?}: condition {condition}, want {want}"));
                    }
                    continue;
                }
                let word = |r: usize| {
                    expected[format!("v{r}")]
                        .as_array()
                        .map_or(bank.v[r][lane], |a| a[lane].as_u64().unwrap_or(0) as u32)
                };
                let want = if ty == Ty::F16Hi { u64::from(word(8)) >> 16 } else { 0 }
                    | u64::from(if ty == Ty::F16Hi { 0 } else { word(8) })
                    | if ty.dwords(32) == 2 { u64::from(word(9)) << 32 } else { 0 };
                let value = if ty.dwords(32) == 1 { value & 0xffff_ffff } else { value };
                let (got, want) = (nan_as_one(ty, value), nan_as_one(ty, want));
                let near = match ty {
                    Ty::F64 => 1 << 30,
                    Ty::F16 => 1,
                    _ => 2,
                };
                // The recording emulator's scale, a power of two of its own, underflows.
                if instr.op == insts::V_TRIG_PREOP_F64 && want == 0 && got >> 52 < 64 {
                    continue;
                }
                // Near a zero of sine and cosine the bound is absolute.
                let small = |v: u64| ty == Ty::F32 && f32::from_bits(v as u32).abs() < 1e-6;
                if !sure && delicate(ty, got) && delicate(ty, want | 1) {
                    continue;
                }
                let turns =
                    matches!(instr.op, insts::V_SIN_F32 | insts::V_COS_F32 | insts::V_SIN_F16 | insts::V_COS_F16);
                let apart = match ty {
                    Ty::F16 => f16(got) - f16(want),
                    _ => f32::from_bits(got as u32) - f32::from_bits(want as u32),
                };
                if turns && apart.abs() < if ty == Ty::F16 { 0.004 } else { 2e-7 } {
                    continue;
                }
                let close = approximate && (ulps(ty, got, want) <= near || small(got) && small(want));
                if got != want && !close {
                    return Err(format!("{round}.{lane} {s:x?} carry {carry}: {got:x}, want {want:x}"));
                }
            }
        }
    }
    Ok(true)
}

fn check_scalar(record: &Value, inputs: &Value, instr: &Instr, mode: FpMode) -> Result<bool, String> {
    let row = instr.op.row();
    let rows = &inputs[if record["salu"] == "f" { "salu_f" } else { "salu" }];
    for (n, expected) in record["res"].as_array().expect("res").iter().enumerate() {
        if expected.is_null() {
            continue;
        }
        let s = numbers(&rows[n]);
        let read = |src: Src, dwords: u32| {
            let word = |i: u16| match src.0 + i {
                r @ 0..=7 => s[r as usize],
                8 => s[6],
                9 => s[7],
                253 => n as u32 & 1,
                _ => 0,
            };
            u64::from(word(0)) | if dwords > 1 { u64::from(word(1)) << 32 } else { 0 }
        };
        let (sources, carry) = sources(instr, 0, &read, mode);
        let (value, condition) = reference::evaluate(instr.op, sources, carry, mode).expect("a body");
        let want = numbers(expected);
        let wide = row.dst.first().is_some_and(|t| t.dwords(32) == 2);
        let value = if wide { value } else { value & 0xffff_ffff };
        if row.dst.first().is_some_and(|t| !t.implicit()) {
            let expected = u64::from(want[0]) | if wide { u64::from(want[1]) << 32 } else { 0 };
            if value != expected {
                return Err(format!("row {n} {sources:x?}: {value:x}, want {expected:x}"));
            }
        }
        let scc = match row.scc {
            wavepipe_isa::row::Scc::Keep => n & 1 != 0,
            wavepipe_isa::row::Scc::NonZero => value != 0,
            wavepipe_isa::row::Scc::Body => condition,
        };
        if scc != (want[2] != 0) {
            return Err(format!("row {n} {sources:x?}: SCC {scc}"));
        }
    }
    Ok(true)
}

#[test]
fn bodies_match_recorded_results() {
    let (Some(records), Some(inputs)) =
        (common::fact("vectors/vec_rdna3.jsonl"), common::fact("vectors/inputs_rdna3.json"))
    else {
        return;
    };
    let inputs: Value = serde_json::from_str(&inputs).expect("inputs are JSON");
    let mode = FpMode::from_bits(MODE);
    let mut bad: BTreeMap<String, String> = BTreeMap::new();
    let (mut good, mut passed_over) = (0, 0);
    for line in records.lines() {
        let record: Value = serde_json::from_str(line).expect("records are JSON");
        if record["gfx1010"].is_null() {
            continue;
        }
        let name = format!("{} {}", record["asm"].as_str().unwrap_or("?"), record["gfx1010"].as_str().unwrap_or("?"));
        match check(&record, &inputs, mode) {
            Ok(true) => good += 1,
            Ok(false) => passed_over += 1,
            Err(e) => {
                bad.insert(name, e);
            }
        }
    }
    println!("vectors: {good} right, {} wrong, {passed_over} without a body or with an integer clamp", bad.len());
    for (name, e) in &bad {
        println!("{name}: {e}");
    }
    assert!(good > 600, "the vectors shrank");
    assert!(bad.is_empty());
}
