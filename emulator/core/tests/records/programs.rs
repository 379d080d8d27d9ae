//! Records of short programs, compared with hardware by those who wrote them.

use super::singles::words;
use super::translate::Names;
use super::{Source, fact, numbers};
use serde_json::Value;
use wavepipe_core::wave::WorkGroup;
use wavepipe_hw::code::WaveSize::W32;
use wavepipe_isa::{Gen, Instr, decode, encode};

pub struct Program {
    pub name: String,
    pub lanes: u32,
    /// Text of each instruction, and what it is here or why it is nothing.
    pub steps: Vec<(String, Result<Instr, String>)>,
    pub words: Vec<u32>,
    pub v: Vec<Vec<u32>>,
    pub s: Vec<u32>,
    pub vcc: u32,
    pub exec: u32,
    pub scc: bool,
}

/// What the records' own disassembler could not name: gfx1100 words with ignored fields set, and their text.
const UNNAMED: &[(&str, &str)] = &[
    ("000080f4000000f8", "s_gl1_inv"),
    ("000084f4000000f8", "s_dcache_inv"),
    ("000152dc00030203", "global_load_b32 v3, v0, s[2:3] offset:256"),
    ("040152dc00040204", "global_load_b32 v4, v0, s[2:3] offset:260"),
    ("000156dc00040204", "global_load_b64 v[4:5], v0, s[2:3] offset:256"),
    ("100156dc02060206", "global_load_b64 v[6:7], v2, s[2:3] offset:272"),
    ("000142dc02030203", "global_load_u8 v3, v2, s[2:3] offset:256"),
    ("080142dc02040204", "global_load_u8 v4, v2, s[2:3] offset:264"),
    ("00018edc00037c03", "global_load_d16_hi_b16 v3, v[0:1], off offset:256"),
    ("00018edc01010201", "global_load_d16_hi_b16 v1, v1, s[2:3] offset:256"),
    ("06018edc01010201", "global_load_d16_hi_b16 v1, v1, s[2:3] offset:262"),
    ("00018adc03040205", "global_load_d16_hi_i8 v5, v3, s[2:3] offset:256"),
    ("000186dc03040205", "global_load_d16_hi_u8 v5, v3, s[2:3] offset:256"),
];

/// Text of words that the records have none for.
fn unnamed(hex: &str) -> Option<String> {
    if let Some((_, text)) = UNNAMED.iter().find(|(words, _)| *words == hex) {
        return Some((*text).into());
    }
    // A literal where an inline constant would do.
    match words(hex)[..] {
        [word, literal] if word & 0xff80_ffff == 0xbe80_00ff => {
            let name = if word >> 16 & 0x7f == 106 { "vcc_lo".into() } else { format!("s{}", word >> 16 & 0x7f) };
            Some(format!("s_mov_b32 {name}, {literal:#x}"))
        }
        [word, literal] if word & 0xfe01_ffff == 0x7e00_02ff => {
            Some(format!("v_mov_b32 v{}, {literal:#x}", word >> 17 & 0xff))
        }
        _ => None,
    }
}

/// Every program; `None` if the file is missing.
pub fn read(names: &Names) -> Option<Vec<Program>> {
    let text = fact("vectors/rdna3_hw_vectors.jsonl")?;
    Some(text.lines().map(|line| program(&serde_json::from_str(line).expect("records are JSON"), names)).collect())
}

fn program(record: &Value, names: &Names) -> Program {
    let strings = |name: &str| -> Vec<&str> {
        record[name].as_array().map(|a| a.iter().filter_map(Value::as_str).collect()).unwrap_or_default()
    };
    let (text, theirs, ours) = (strings("asm"), strings("gfx1100"), strings("gfx1010"));
    let steps = text.iter().zip(&theirs).enumerate().map(|(i, (text, hex))| {
        let text = if *text == "?" { unnamed(hex) } else { Some((*text).to_string()) };
        let Some(text) = text else { return (format!("gfx1100 words {hex}"), Err("no text".to_string())) };
        let instr = match ours.get(i) {
            Some(hex) if !text.contains("Invalid register") => {
                decode::decode(&words(hex), Gen::Gfx1010).map(|(i, _)| i).map_err(|e| e.to_string())
            }
            _ => names.instruction(&text, Source::Rdna3Programs, W32),
        };
        (text, instr)
    });
    let steps: Vec<_> = steps.collect();
    let mut words = Vec::new();
    for instr in steps.iter().filter_map(|(_, instr)| instr.as_ref().ok()) {
        encode::encode(instr, Gen::Gfx1010, &mut words).expect("an instruction that was decoded or assembled");
    }
    let lanes = record["n_lanes"].as_u64().expect("lanes") as u32;
    let registers = |name: &str| record[name].as_object().expect("registers");
    let mut v = vec![vec![0; lanes as usize]; 255];
    for (r, values) in registers("v") {
        let values = numbers(values);
        v[r.parse::<usize>().expect("a number")][..values.len()].copy_from_slice(&values);
    }
    let mut s = vec![0; 16];
    for (r, value) in registers("s") {
        s[r.parse::<usize>().expect("a number")] = value.as_u64().expect("a word") as u32;
    }
    let number = |name: &str| record[name].as_u64().expect("a word") as u32;
    Program {
        name: record["test"].as_str().expect("a name").into(),
        lanes,
        steps,
        words,
        v,
        s,
        vcc: number("vcc"),
        exec: number("exec"),
        scc: number("scc") != 0,
    }
}

impl Program {
    /// Compares registers as far as the record has them: v0 … v254, s0 … s15, VCC, EXEC, SCC.
    pub fn check(&self, group: &WorkGroup) -> Result<(), String> {
        let wave = group.wave(0).ok_or("no wave")?;
        for (r, values) in self.v.iter().enumerate() {
            for (lane, &want) in values.iter().enumerate() {
                let w = group.wave(lane / 32).ok_or("a wave is missing")?;
                let got = w.vgpr(r as u32, lane as u32 % 32);
                if got != want && !(is_nan(got) && is_nan(want)) {
                    return Err(format!("v{r}[{lane}] = {got:x}, want {want:x}"));
                }
            }
        }
        for (r, &want) in self.s.iter().enumerate() {
            let got = wave.sgpr(r as u32);
            if got != want {
                return Err(format!("s{r} = {got:x}, want {want:x}"));
            }
        }
        let (got, want) = ((wave.vcc() as u32, wave.exec() as u32, wave.scc()), (self.vcc, self.exec, self.scc));
        if got != want {
            return Err(format!("VCC, EXEC, SCC = {got:x?}, want {want:x?}"));
        }
        Ok(())
    }
}

/// Which NaN, the records do not tell.
fn is_nan(v: u32) -> bool {
    f32::from_bits(v).is_nan()
}
