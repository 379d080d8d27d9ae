//! Short programs whose end state was compared with a real card's: registers, masks and SCC after the last instruction.

use super::machine::{Machine, assemble};
use super::{Report, number, words};
use serde_json::Value;
use std::collections::BTreeMap;
use wavepipe_hw::code::WaveSize::W32;
use wavepipe_isa::{Gen, decode};

/// Round to nearest, f32 denormals flushed, f16 and f64 denormals kept, DX10_CLAMP, IEEE.
const MODE: u32 = 0x3c0;

/// Why RDNA 1 cannot run a program as it is meant.
fn foreign(asm: &str) -> Option<&'static str> {
    asm.contains("v128/*Invalid").then_some("v128 of a 16-bit operand is the upper half of v0 on RDNA 3")
}

/// NaNs are one, in words and halves: their payloads differ between machines.
fn same(got: u32, want: u32) -> bool {
    let nan = |v: u32| v & 0x7fff_ffff > 0x7f80_0000;
    got == want || nan(got) && nan(want)
}

fn check(record: &Value, report: &mut Report) -> Result<(), String> {
    let lanes = number(&record["n_lanes"]) as u32;
    let mut m = Machine::new(W32, lanes, MODE);
    // The programs find the address of the address of their memory in s[80:81], and the lane's number in v255.
    m.store(0, &[(m.data + 4096) as u32, ((m.data + 4096) >> 32) as u32]);
    let prologue = format!(
        "v_mov_b32 v255, v0\n v_mov_b32 v0, 0\n s_mov_b32 s80, {:#x}\n s_mov_b32 s81, {:#x}
        s_setreg_b32 hwreg(HW_REG_FLAT_SCR_LO), s80\n s_setreg_b32 hwreg(HW_REG_FLAT_SCR_HI), s81",
        m.data as u32,
        m.data >> 32
    );
    m.launch.user_sgprs = 0;
    let mut program = assemble(&prologue, 32);
    let mut ops = Vec::new();
    for code in record["gfx1010"].as_array().expect("words") {
        let code = words(code.as_str().expect("hexadecimal"));
        let (instr, n) = decode::decode(&code, Gen::Gfx1010).map_err(|e| e.to_string())?;
        if n != code.len() {
            return Err("trailing words".into());
        }
        ops.push(instr.op);
        program.extend(code);
    }
    m.run(&program)?;
    let map = |name: &str| -> BTreeMap<u32, &Value> {
        let object = record[name].as_object().expect("registers");
        object.iter().map(|(n, v)| (n.parse().expect("a number"), v)).collect()
    };
    let (v, s) = (map("v"), map("s"));
    for wave in 0..m.group.waves() {
        let w = m.group.wave(wave).expect("a wave");
        for n in 0..255 {
            for lane in 0..32.min(lanes - 32 * wave as u32) {
                let want = v.get(&n).map_or(0, |a| number(&a[(32 * wave as u32 + lane) as usize]) as u32);
                let got = w.vgpr(n, lane);
                if !same(got, want) {
                    return Err(format!("v{n} of lane {lane}: {got:#x}, want {want:#x}"));
                }
            }
        }
    }
    let w = m.wave();
    // The records hold the first sixteen.
    for n in 0..16 {
        let (got, want) = (w.sgpr(n), s.get(&n).map_or(0, |v| number(v) as u32));
        if !same(got, want) {
            return Err(format!("s{n}: {got:#x}, want {want:#x}"));
        }
    }
    let (vcc, exec) = (number(&record["vcc"]), number(&record["exec"]));
    if w.vcc() != vcc || u64::from(w.scc()) != number(&record["scc"]) || w.exec() != exec & 0xffff_ffff {
        return Err(format!(
            "vcc {:#x}, want {vcc:#x}; scc {}; exec {:#x}, want {exec:#x}",
            w.vcc(),
            w.scc(),
            w.exec()
        ));
    }
    ops.into_iter().for_each(|op| report.confirm(op, "hw"));
    Ok(())
}

/// Runs every program that has gfx1010 words.
pub fn run(records: &str, report: &mut Report) {
    for line in records.lines() {
        let record: Value = serde_json::from_str(line).expect("records are JSON");
        let name = record["test"].as_str().expect("a name");
        if record["gfx1010"].is_null() {
            report.absent += 1;
            continue;
        }
        if let Some(why) = foreign(&record["asm"].to_string()) {
            report.exclude(name, why);
            continue;
        }
        match check(&record, report) {
            Ok(()) => report.right += 1,
            Err(e) => report.wrong.push(format!("{name}: {e} {}", record["asm"])),
        }
    }
}
