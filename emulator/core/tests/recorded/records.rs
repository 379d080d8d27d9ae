//! Single instructions on recorded inputs: one round sets twelve vector registers or eight scalar ones, runs the instruction
//! and compares what it wrote.

use super::compare::{delicate, f16, nan_as_one, ulps};
use super::explained::{self, Case};
use super::machine::{Machine, assemble};
use super::{Report, number, words};
use serde_json::Value;
use std::collections::{BTreeSet, HashMap};
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::insts;
use wavepipe_isa::row::{Format, Ty};
use wavepipe_isa::{Gen, Instr, Src, asm, decode, reference};

/// Round to nearest, f32 denormals flushed, f16 and f64 denormals kept, DX10_CLAMP, IEEE.
const MODE: u32 = 0x3c0;

/// One file of records.
pub struct Source {
    pub name: &'static str,
    pub wave: WaveSize,
    /// Old names to gfx10's, for records without gfx1010 words.
    pub renames: HashMap<String, String>,
}

/// Results of a record that agree, and that differ for a reason.
#[derive(Default)]
struct Tally {
    agree: usize,
    differ: usize,
    reasons: BTreeSet<&'static str>,
}

struct Bank {
    v: Vec<Vec<u32>>,
    vcc: u64,
    s20: u64,
}

fn numbers(v: &Value) -> Vec<u32> {
    v.as_array().map(|a| a.iter().map(|n| number(n) as u32).collect()).unwrap_or_default()
}

impl Bank {
    fn new(input: &Value) -> Bank {
        let v = input["v"].as_array().expect("v").iter().map(numbers).collect();
        Bank { v, vcc: number(&input["vcc"]), s20: number(&input["s20"]) }
    }

    fn scalar(&self, n: u16) -> u64 {
        match n {
            106 => self.vcc,
            107 => self.vcc >> 32,
            14 => self.v[0][0].into(),
            15 => self.v[1][0].into(),
            20 => self.s20,
            21 => self.s20 >> 32,
            _ => 0,
        }
    }

    fn read(&self, src: Src, dwords: u32, lane: usize) -> u64 {
        let word = |i: u32| {
            if src.is_vgpr() {
                self.v.get((src.vgpr() + i) as usize).map_or(0, |r| r[lane])
            } else {
                self.scalar(src.0 + i as u16) as u32
            }
        };
        u64::from(word(0)) | if dwords > 1 { u64::from(word(1)) << 32 } else { 0 }
    }
}

/// Sources of one lane after modifiers: what decides whether a record's lane is a witness.
fn sources(instr: &Instr, lane: usize, bank: &Bank, mode: FpMode) -> [u64; 3] {
    let row = instr.op.row();
    let mut s = [0; 3];
    for (i, &ty) in row.src.iter().enumerate().take(3) {
        let src = instr.src[i];
        let raw = match ty {
            Ty::Vcc | Ty::Mask | Ty::Scc | Ty::M0 => continue,
            Ty::Lit32 => u64::from(instr.literal),
            Ty::Old => bank.read(src, row.dst[0].dwords(32), lane),
            _ => reference::constant(src, ty, instr.literal).unwrap_or_else(|| bank.read(src, ty.dwords(32), lane)),
        };
        s[i] = reference::modify(instr, i, raw, mode);
    }
    s
}

impl Source {
    /// The instruction for gfx1010: the record's words, or its text under today's name.
    fn instruction(&self, record: &Value) -> Option<(Instr, Vec<u32>)> {
        if let Some(hex) = record["gfx1010"].as_str() {
            let words = words(hex);
            let (instr, _) = decode::decode(&words, Gen::Gfx1010).ok()?;
            return Some((instr, words));
        }
        let text = record["asm"].as_str()?;
        let (mnemonic, operands) = text.split_once(' ').unwrap_or((text, ""));
        let bare = mnemonic.trim_end_matches("_e32").trim_end_matches("_e64");
        let name = self.renames.get(bare).map_or(bare, String::as_str);
        let suffix = &mnemonic[bare.len()..];
        let tries = [format!("{name}{suffix} {operands}"), format!("{name} {operands}")];
        let instr = tries.iter().find_map(|t| asm::parse_line(t, Gen::Gfx1010, self.wave.lanes()).ok())?;
        let mut words = Vec::new();
        wavepipe_isa::encode::encode(&instr, Gen::Gfx1010, &mut words).ok()?;
        Some((instr, words))
    }

    /// Instructions that load the registers: v0..v11 from memory, SGPRs from user data.
    fn prologue(&self) -> Vec<u32> {
        let lanes = self.wave.lanes();
        let mut text = String::from("v_lshlrev_b32 v20, 2, v0\n");
        for n in 0..12 {
            text += &format!("global_load_dword v{n}, v20, s[0:1] offset:{}\n", n as i32 * 4 * lanes as i32 - 2048);
        }
        text += "v_mov_b32 v20, 0\n s_mov_b64 vcc, s[4:5]\n s_mov_b64 s[20:21], s[6:7]\n";
        // v0 is the address of nothing any more, the scalars below are zero as the records have them.
        text += "s_mov_b64 s[0:1], 0\n s_mov_b64 s[4:5], 0\n s_mov_b64 s[6:7], 0\n";
        assemble(&text, lanes)
    }

    pub fn run(&self, records: &str, inputs: &Value, report: &mut Report) {
        let lanes = self.wave.lanes();
        let mut m = Machine::new(self.wave, lanes, MODE);
        let prologue = self.prologue();
        for line in records.lines() {
            let record: Value = serde_json::from_str(line).expect("records are JSON");
            let Some((instr, words)) = self.instruction(&record) else {
                report.absent += 1;
                continue;
            };
            let name = format!("{} {} {}", self.name, record["asm"].as_str().unwrap_or("?"), instr.op.row().name);
            let result = if record["salu"].is_null() {
                self.vector(&mut m, &prologue, &record, inputs, &instr, &words)
            } else {
                self.scalar(&mut m, &record, inputs, &instr, &words)
            };
            match result {
                Ok(t) => {
                    t.reasons.into_iter().for_each(|why| report.exclude(&name, why));
                    if t.agree > t.differ {
                        report.right += 1;
                        report.confirm(instr.op, self.name);
                    } else {
                        report.empty += 1;
                    }
                }
                Err(e) => report.wrong.push(format!("{name}: {e}")),
            }
        }
    }

    fn vector(
        &self,
        m: &mut Machine,
        prologue: &[u32],
        record: &Value,
        inputs: &Value,
        instr: &Instr,
        words: &[u32],
    ) -> Result<Tally, String> {
        let (set, lanes) = (record["set"].as_str().expect("set"), self.wave.lanes());
        let skip: Vec<Vec<u32>> =
            record["skip"].as_array().map(|a| a.iter().map(numbers).collect()).unwrap_or_default();
        let program: Vec<u32> = prologue.iter().chain(words).copied().collect();
        let mut tally = Tally::default();
        for (round, expected) in record["res"].as_array().expect("res").iter().enumerate() {
            if expected.is_null() {
                continue;
            }
            let bank = Bank::new(&inputs["sets"][format!("{set}.{round}")]);
            for (n, row) in bank.v.iter().enumerate() {
                m.store(4 * (n as u64 * u64::from(lanes)), row);
            }
            let base = m.data + 2048;
            let pairs = [base, 0, bank.vcc, bank.s20];
            m.launch.user_data = [0; 16];
            for (i, pair) in pairs.into_iter().enumerate() {
                m.launch.user_data[2 * i] = pair as u32;
                m.launch.user_data[2 * i + 1] = (pair >> 32) as u32;
            }
            (m.launch.user_data[14], m.launch.user_data[15]) = (bank.v[0][0], bank.v[1][0]);
            m.run(&program)?;
            for lane in 0..lanes as usize {
                if skip.iter().any(|s| s[0] as usize == round && s[1] as usize == lane) {
                    continue;
                }
                self.lane(m, record, expected, instr, &bank, lane, &mut tally)
                    .map_err(|e| format!("round {round} lane {lane}: {e}"))?;
            }
        }
        Ok(tally)
    }

    fn scalar(
        &self,
        m: &mut Machine,
        record: &Value,
        inputs: &Value,
        instr: &Instr,
        words: &[u32],
    ) -> Result<Tally, String> {
        let rows = &inputs[if record["salu"] == "f" { "salu_f" } else { "salu" }];
        let row = instr.op.row();
        let mut program = assemble("s_cmp_lg_u32 s10, 0", self.wave.lanes());
        program.extend(words);
        let mut tally = Tally::default();
        for (n, expected) in record["res"].as_array().expect("res").iter().enumerate() {
            if expected.is_null() {
                continue;
            }
            let s = numbers(&rows[n]);
            m.launch.user_data = [0; 16];
            m.launch.user_data[..8].copy_from_slice(&s[..8]);
            m.launch.user_data[8..10].copy_from_slice(&s[6..8]);
            m.launch.user_data[10] = n as u32 & 1;
            m.run(&program)?;
            let (w, want) = (m.wave(), numbers(expected));
            let got = [w.sgpr(8), w.sgpr(9), u32::from(w.scc()), w.exec() as u32, (w.exec() >> 32) as u32];
            // A destination of one register leaves the other as it was.
            let words = if row.dst.first().is_some_and(|t| t.dwords(self.wave.lanes()) == 2) { 2 } else { 1 };
            let fields = want.len().min(if self.wave == W64 { 5 } else { 4 });
            for i in (0..fields).filter(|&i| i != 1 || words == 2) {
                if got[i] != want[i] {
                    return Err(format!("row {n} {:x?}: {got:x?}, want {want:x?}", &s[..8]));
                }
            }
            tally.agree += 1;
        }
        Ok(tally)
    }

    /// Compares one lane's results.
    #[allow(clippy::too_many_arguments)]
    fn lane(
        &self,
        m: &Machine,
        record: &Value,
        expected: &Value,
        instr: &Instr,
        bank: &Bank,
        lane: usize,
        tally: &mut Tally,
    ) -> Result<(), String> {
        let (row, mode, w) = (instr.op.row(), FpMode::from_bits(MODE), m.wave());
        let approximate = record["approx"] == 1;
        let sure = record["x2"] == 1;
        let s = sources(instr, lane, bank, mode);
        // Scaling a zero numerator is not specified.
        if approximate && row.src.len() > 2 && s[2] << 1 & 0xffff_ffff == 0 {
            return Ok(());
        }
        // On denormals and signalling NaNs one witness is not enough.
        if !sure && row.src.iter().zip(s).any(|(&ty, v)| delicate(ty, v)) {
            return Ok(());
        }
        let mut judge = |result: Option<Ty>, got: u64, want: u64, close: bool| -> Result<(), String> {
            if got == want || close {
                tally.agree += 1;
                return Ok(());
            }
            let variant = record["variant"].as_str().unwrap_or("").to_string();
            let ty = row.src.first().copied().unwrap_or(Ty::B32);
            let case = Case { op: instr.op, variant, ty, s, result, got, want };
            let why = explained::reason(&case).ok_or_else(|| format!("{s:x?}: {result:?} {got:x}, want {want:x}"))?;
            tally.differ += 1;
            tally.reasons.insert(why);
            Ok(())
        };
        let mask = |name: &str, old: u64| expected[name].as_u64().unwrap_or(old) >> lane & 1;
        for (i, &ty) in row.dst.iter().enumerate() {
            let dst = instr.dst[i];
            let condition = match ty {
                Ty::Exec => Some((w.exec(), mask("exec", u64::MAX))),
                Ty::Vcc | Ty::Mask if dst == Src::VCC_LO => Some((w.vcc(), mask("vcc", bank.vcc))),
                Ty::Vcc | Ty::Mask => {
                    let n = u32::from(dst.0);
                    Some((u64::from(w.sgpr(n)) | u64::from(w.sgpr(n + 1)) << 32, mask("s22", 0)))
                }
                _ => None,
            };
            if let Some((got, want)) = condition {
                // Its condition is tested by whole divisions: the records flag quotients that are normal.
                if !matches!(instr.op, insts::V_DIV_SCALE_F32 | insts::V_DIV_SCALE_F64) {
                    judge(None, got >> lane & 1, want, false)?;
                }
                continue;
            }
            if !dst.is_vgpr() {
                let want = expected[format!("s{}", dst.0)].as_u64().unwrap_or(0);
                judge(Some(ty), w.sgpr(dst.0.into()).into(), want, false)?;
                continue;
            }
            let first = dst.vgpr();
            let dwords = ty.dwords(32);
            let register = |n: u32| (w.vgpr(n, lane as u32), expected_word(expected, bank, n, lane));
            if dwords > 2 {
                for n in first..first + dwords {
                    let (got, want) = register(n);
                    judge(Some(Ty::B32), got.into(), want.into(), false)?;
                }
                continue;
            }
            let words = [register(first), if dwords == 2 { register(first + 1) } else { (0, 0) }];
            let mut got = u64::from(words[0].0) | u64::from(words[1].0) << 32;
            let mut want = u64::from(words[0].1) | u64::from(words[1].1) << 32;
            if ty == Ty::F16Hi || instr.mods.op_sel & 8 != 0 && row.format != Format::Vop3p {
                (got, want) = (got >> 16, want >> 16);
            }
            let (got, want) = (nan_as_one(ty, got), nan_as_one(ty, want));
            if let Some(close) = agrees(instr, ty, got, want, (approximate, sure)) {
                judge(Some(ty), got, want, close)?;
            }
        }
        Ok(())
    }
}

fn expected_word(expected: &Value, bank: &Bank, n: u32, lane: usize) -> u32 {
    let old = bank.v.get(n as usize).map_or(0, |row| row[lane]);
    expected[format!("v{n}")].as_array().map_or(old, |a| number(&a[lane]) as u32)
}

/// Whether a result is as close to its record as that can be; `None`: the record is no witness.
fn agrees(instr: &Instr, ty: Ty, got: u64, want: u64, (approximate, sure): (bool, bool)) -> Option<bool> {
    if got == want {
        return Some(true);
    }
    if !sure && delicate(ty, got) && delicate(ty, want | 1) {
        return None;
    }
    // The recording emulator's scale, a power of two of its own, underflows.
    if instr.op == insts::V_TRIG_PREOP_F64 && want == 0 && got >> 52 < 64 {
        return None;
    }
    let near = match ty {
        Ty::F64 => 1 << 30,
        Ty::F16 => 1,
        _ => 2,
    };
    let turns = matches!(instr.op, insts::V_SIN_F32 | insts::V_COS_F32 | insts::V_SIN_F16 | insts::V_COS_F16);
    let apart = match ty {
        Ty::F16 => f16(got) - f16(want),
        _ => f32::from_bits(got as u32) - f32::from_bits(want as u32),
    };
    // Near a zero of sine and cosine the bound is absolute.
    let small = |v: u64| ty == Ty::F32 && f32::from_bits(v as u32).abs() < 1e-6;
    Some(
        turns && apart.abs() < if ty == Ty::F16 { 0.004 } else { 2e-7 }
            || approximate && (ulps(ty, got, want) <= near || small(got) && small(want)),
    )
}

pub const WAVES: [(&str, WaveSize); 3] = [("rdna3", W32), ("rdna4", W32), ("cdna", W64)];
