//! Records of one instruction: inputs of 128 lanes (or 24 scalar rows), results, and how far to trust them.

use super::{Case, Source, VGPRS, WaveRegisters, fact, numbers};
use serde_json::Value;
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_isa::Gen;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Variant {
    Plain,
    /// −src0, |src1|.
    Mods,
    Clamp,
}

pub struct Single {
    pub text: String,
    /// The record's own words for the generation.
    pub words: Option<Vec<u32>>,
    pub variant: Variant,
    /// Two references agree on every lane that is not skipped.
    pub sure: bool,
    /// Transcendental or a part of a division: the host's library, to be compared with a tolerance.
    pub approximate: bool,
    pub scalar: bool,
    pub cases: Vec<Case>,
}

/// Dwords of a hexadecimal byte string.
pub fn words(hex: &str) -> Vec<u32> {
    let byte = |i: usize| u8::from_str_radix(&hex[i..i + 2], 16).expect("hexadecimal");
    let bytes: Vec<u8> = (0..hex.len()).step_by(2).map(byte).collect();
    bytes.chunks(4).map(|c| u32::from_le_bytes(c.try_into().expect("whole dwords"))).collect()
}

/// All records of a file; `None` if the file is missing.
pub fn read(source: Source) -> Option<Vec<Single>> {
    let records = fact(&format!("vectors/vec_{}.jsonl", source.file()))?;
    let inputs = fact(&format!("vectors/inputs_{}.json", source.file()))?;
    let inputs: Value = serde_json::from_str(&inputs).expect("inputs are JSON");
    let wave = if inputs["wave"] == 64 { W64 } else { W32 };
    let record = |line| record(&serde_json::from_str(line).expect("records are JSON"), &inputs, wave, source.isa());
    Some(records.lines().map(record).collect())
}

fn record(record: &Value, inputs: &Value, wave: WaveSize, isa: Gen) -> Single {
    let scalar = !record["salu"].is_null();
    let results = record["res"].as_array().expect("results").iter().enumerate().filter(|(_, r)| !r.is_null());
    let skip: Vec<Vec<u32>> = record["skip"].as_array().map(|a| a.iter().map(numbers).collect()).unwrap_or_default();
    let skipped = |round: usize| {
        let lanes = skip.iter().filter(|s| s[0] as usize == round).map(|s| 1u64 << s[1]);
        lanes.fold(0, |mask, lane| mask | lane)
    };
    let cases = results.map(|(place, result)| {
        let (before, after) = if scalar {
            let rows = &inputs[if record["salu"] == "f" { "salu_f" } else { "salu" }];
            scalar_states(&numbers(&rows[place]), place, &numbers(result), wave)
        } else {
            let set = format!("{}.{place}", record["set"].as_str().expect("set"));
            vector_states(&inputs["sets"][set], result, wave)
        };
        Case { wave, before, after, skip: skipped(place), place }
    });
    Single {
        text: record["asm"].as_str().expect("asm").into(),
        words: record[isa.name()].as_str().map(words),
        variant: match record["variant"].as_str() {
            Some("mods") => Variant::Mods,
            Some("clamp") => Variant::Clamp,
            _ => Variant::Plain,
        },
        sure: record["x2"] == 1,
        approximate: record["approx"] == 1,
        scalar,
        cases: cases.collect(),
    }
}

fn all_lanes(wave: WaveSize) -> u64 {
    !0 >> (64 - wave.lanes())
}

fn scalar_states(row: &[u32], place: usize, result: &[u32], wave: WaveSize) -> (WaveRegisters, WaveRegisters) {
    let mut before = WaveRegisters {
        v: vec![vec![0; wave.lanes() as usize]; VGPRS],
        s: [0; super::SGPRS],
        vcc: 0,
        exec: all_lanes(wave),
        scc: place & 1 != 0,
    };
    before.s[..8].copy_from_slice(&row[..8]);
    (before.s[8], before.s[9]) = (row[6], row[7]);
    let mut after = before.clone();
    (after.s[8], after.s[9], after.scc) = (result[0], result[1], result[2] != 0);
    if let [_, _, _, low, high] = result {
        after.exec = (u64::from(*low) | u64::from(*high) << 32) & all_lanes(wave);
    }
    (before, after)
}

fn vector_states(set: &Value, result: &Value, wave: WaveSize) -> (WaveRegisters, WaveRegisters) {
    let mut before = WaveRegisters {
        v: set["v"].as_array().expect("registers").iter().map(numbers).collect(),
        s: [0; super::SGPRS],
        vcc: set["vcc"].as_u64().expect("VCC"),
        exec: all_lanes(wave),
        scc: false,
    };
    assert!(before.v.len() == VGPRS && before.v[0].len() == wave.lanes() as usize);
    (before.s[14], before.s[15]) = (before.v[0][0], before.v[1][0]);
    let select = set["s20"].as_u64().expect("s20");
    (before.s[20], before.s[21]) = (select as u32, (select >> 32) as u32);
    let mut after = before.clone();
    for (name, value) in result.as_object().expect("registers") {
        let number = value.as_u64().unwrap_or(0);
        match (name.as_str(), name[1..].parse::<usize>()) {
            ("vcc", _) => after.vcc = number,
            ("exec", _) => after.exec = number & all_lanes(wave),
            ("s22", _) => (after.s[22], after.s[23]) = (number as u32, (number >> 32) as u32),
            ("s24", _) => after.s[24] = number as u32,
            (name, Ok(r)) if name.starts_with('v') => after.v[r] = numbers(value),
            _ => panic!("register {name} in a record"),
        }
    }
    (before, after)
}

/// The same lanes in waves of the other size: pairs of rounds joined, or each round cut in two. Only for records whose text
/// [`super::translate::resized`] knows.
pub fn resize(cases: &[Case], scalar: bool) -> Vec<Case> {
    let Some(first) = cases.first() else { return Vec::new() };
    match first.wave {
        _ if scalar => cases.iter().map(same_scalars).collect(),
        W32 => cases.chunks_exact(2).filter(|c| c[0].place + 1 == c[1].place).map(|c| join(&c[0], &c[1])).collect(),
        W64 => cases.iter().flat_map(|c| [half(c, 0), half(c, 32)]).collect(),
    }
}

fn same_scalars(c: &Case) -> Case {
    let wave = if c.wave == W32 { W64 } else { W32 };
    let state = |s: &WaveRegisters| WaveRegisters {
        v: vec![vec![0; wave.lanes() as usize]; VGPRS],
        exec: all_lanes(wave),
        ..s.clone()
    };
    Case { wave, before: state(&c.before), after: state(&c.after), skip: 0, place: c.place }
}

/// SGPRs that hold lane masks when the wave has 64 lanes.
const MASKS: [usize; 2] = [20, 22];

fn join(a: &Case, b: &Case) -> Case {
    let state = |a: &WaveRegisters, b: &WaveRegisters| {
        let mut s = a.s;
        for m in MASKS {
            s[m + 1] = b.s[m];
        }
        WaveRegisters {
            v: a.v.iter().zip(&b.v).map(|(a, b)| [&a[..], &b[..]].concat()).collect(),
            s,
            vcc: a.vcc | b.vcc << 32,
            exec: a.exec | b.exec << 32,
            scc: a.scc,
        }
    };
    let (before, after) = (state(&a.before, &b.before), state(&a.after, &b.after));
    Case { wave: W64, before, after, skip: a.skip | b.skip << 32, place: a.place }
}

fn half(c: &Case, first: usize) -> Case {
    let state = |a: &WaveRegisters| {
        let mut s = a.s;
        for m in MASKS {
            (s[m], s[m + 1]) = (a.s[m + first / 32], 0);
        }
        WaveRegisters {
            v: a.v.iter().map(|lanes| lanes[first..first + 32].to_vec()).collect(),
            s,
            vcc: a.vcc >> first & 0xffff_ffff,
            exec: a.exec >> first & 0xffff_ffff,
            scc: a.scc,
        }
    };
    Case { wave: W32, before: state(&c.before), after: state(&c.after), skip: c.skip >> first, place: c.place }
}
