//! The whole-wave interpreter against the one-lane reference: random vector and scalar instructions with partial EXEC,
//! every row with a body, every source kind, in both wave sizes and several MODEs.

mod wave;

use wave::Bed;
use wavepipe_hw::code::WaveSize::{self, W32, W64};
use wavepipe_isa::alu::FpMode;
use wavepipe_isa::instr::{Extra, Form, Sdwa};
use wavepipe_isa::insts::Op;
use wavepipe_isa::reference::{Meaning, constant, evaluate, finish, meaning, modify};
use wavepipe_isa::row::{Format, Scc, Sem, Ty};
use wavepipe_isa::{Gen, Instr, Src, asm, disasm, encode, legal};

/// splitmix64
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    fn below(&mut self, n: u32) -> u32 {
        (self.next() >> 32) as u32 % n
    }

    fn one_in(&mut self, n: u32) -> bool {
        self.below(n) == 0
    }

    /// A word that is often interesting as a float, a half or an integer.
    fn word(&mut self) -> u32 {
        const SPECIAL: [u32; 16] = [
            0,
            1,
            !0,
            0x8000_0000,
            0x7fff_ffff,
            0x3f80_0000,
            0xbf80_0000,
            0x7f80_0000,
            0xff80_0000,
            0x7fc0_0000,
            0x0000_0001,
            0x807f_ffff,
            0x3c00_3c00,
            0x7c00_fc00,
            0x4b00_0001,
            0x0080_0000,
        ];
        match self.below(4) {
            0 => SPECIAL[self.below(16) as usize],
            1 => (self.below(2000) as f32 / 64.0 - 8.0).to_bits(),
            2 => self.below(70),
            _ => self.next() as u32,
        }
    }
}

const VGPRS: u32 = 32;
const FIRST: u32 = 4;

/// Architectural state, plainly.
struct Model {
    lanes: u32,
    v: Vec<[u32; 64]>,
    s: [u32; 128],
    scc: bool,
    mode: FpMode,
}

impl Model {
    fn mask(&self, i: usize) -> u64 {
        u64::from(self.s[i]) | if self.lanes == 64 { u64::from(self.s[i + 1]) << 32 } else { 0 }
    }

    fn set_mask(&mut self, i: usize, m: u64) {
        self.s[i] = m as u32;
        if self.lanes == 64 {
            self.s[i + 1] = (m >> 32) as u32;
        }
    }

    fn source(&self, i: &Instr, n: usize, lane: usize) -> u64 {
        let row = i.op.row();
        let (src, ty) = (i.src[n], if row.src[n] == Ty::Old { row.dst[0] } else { row.src[n] });
        let two = ty.dwords(self.lanes) == 2;
        if src.is_vgpr() {
            let r = src.vgpr() as usize;
            return u64::from(self.v[r][lane]) | if two { u64::from(self.v[r + 1][lane]) << 32 } else { 0 };
        }
        if src == Src::SCC {
            return self.scc.into();
        }
        constant(src, ty, i.literal).unwrap_or_else(|| {
            let n = src.0 as usize;
            u64::from(self.s[n]) | if two { u64::from(self.s[n + 1]) << 32 } else { 0 }
        })
    }

    fn is_condition(ty: Ty) -> bool {
        matches!(ty, Ty::Mask | Ty::Vcc)
    }

    fn vector(&mut self, i: &Instr) {
        let row = i.op.row();
        let exec = self.mask(126);
        let conditions = |types: &[Ty]| types.iter().position(|&ty| Self::is_condition(ty));
        let carry_in = conditions(row.src).map_or(0, |n| self.mask(i.src[n].0 as usize));
        let mut out = 0;
        let mut writes = Vec::new();
        for lane in (0..self.lanes as usize).filter(|l| exec >> l & 1 != 0) {
            let mut s = [0; 3];
            let words = row.src.iter().enumerate().filter(|(_, ty)| !Self::is_condition(**ty) && **ty != Ty::Exec);
            for (k, (n, _)) in words.take(3).enumerate() {
                s[k] = modify(i, n, self.source(i, n, lane), self.mode);
            }
            let Some((value, c)) = evaluate(i.op, s, carry_in >> lane & 1 != 0, self.mode) else { unreachable!() };
            out |= u64::from(c) << lane;
            writes.push((lane, finish(i, value, self.mode)));
        }
        if matches!(row.sem, Sem::Compare | Sem::CompareExec) {
            let to = if row.dst[0] == Ty::Exec { 126 } else { i.dst[0].0 as usize };
            return self.set_mask(to, out);
        }
        if let Some(n) = conditions(row.dst) {
            self.set_mask(i.dst[n].0 as usize, out);
        }
        let (r, ty) = (i.dst[0].vgpr() as usize, row.dst[0]);
        for (lane, value) in writes {
            let (old, value32) = (self.v[r][lane], value as u32);
            let upper = ty == Ty::F16Hi || i.mods.op_sel & 8 != 0 && row.format != Format::Vop3p;
            self.v[r][lane] = match ty {
                _ if matches!(i.extra, Extra::Sdwa(_)) => value32,
                Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16 | Ty::F16Hi if upper => old & 0xffff | value32 << 16,
                Ty::F16 | Ty::U16 | Ty::I16 | Ty::B16 => old & 0xffff_0000 | value32 & 0xffff,
                _ => value32,
            };
            if ty.dwords(self.lanes) == 2 {
                self.v[r + 1][lane] = (value >> 32) as u32;
            }
        }
    }

    fn scalar(&mut self, i: &Instr) {
        let row = i.op.row();
        let mut s = [0; 3];
        for (k, &ty) in row.src.iter().enumerate().take(3) {
            s[k] = if ty == Ty::Imm16 { i.imm as u32 as u64 } else { self.source(i, k, 0) };
        }
        let carry = row.src.contains(&Ty::Scc) && self.scc;
        let Some((value, c)) = evaluate(i.op, s, carry, self.mode) else { unreachable!() };
        let two = row.dst[0].dwords(64) == 2;
        if row.dst[0] != Ty::Scc {
            self.s[i.dst[0].0 as usize] = value as u32;
            if two {
                self.s[i.dst[0].0 as usize + 1] = (value >> 32) as u32;
            }
        }
        match row.scc {
            Scc::Keep => {}
            Scc::NonZero => self.scc = if two { value != 0 } else { value as u32 != 0 },
            Scc::Body => self.scc = c,
        }
    }
}

/// Rows with a body, by unit.
fn rows(scalar: bool) -> Vec<Op> {
    let of = |op: &Op| {
        let row = op.row();
        let unit = match row.format {
            Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk => Some(true),
            Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 | Format::Vop3p => Some(false),
            _ => None,
        };
        let bodied =
            matches!(row.sem, Sem::Lane | Sem::Compare | Sem::CompareExec | Sem::Carry | Sem::Wide | Sem::WideCarry);
        unit == Some(scalar) && bodied && !matches!(meaning(*op), Meaning::Data)
    };
    Op::all().filter(of).collect()
}

/// A legal instruction of this row with random operands, if one is found.
fn instance(op: Op, r: &mut Random) -> Option<Instr> {
    let row = op.row();
    let scalar = matches!(row.format, Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk);
    for _ in 0..60 {
        let mut i = Instr::new(op);
        i.form = match r.below(8) {
            0..=3 => Form::Base,
            4..=6 => Form::E64,
            _ => Form::Sdwa,
        };
        i.literal = r.word();
        if row.src.contains(&Ty::Imm16) {
            i.imm = i32::from(r.next() as i16);
        }
        if i.form == Form::Sdwa {
            // Results of a whole dword; the parts of a result are tested by hand elsewhere.
            i.extra = Extra::Sdwa(Sdwa {
                dst_sel: 6,
                dst_unused: 0,
                src0_sel: r.below(7) as u8,
                src1_sel: r.below(7) as u8,
                sext: r.below(4) as u8,
            });
        }
        let sgpr = |r: &mut Random| Src::s(16 + 2 * r.below(8));
        for (n, &ty) in row.src.iter().enumerate().take(4) {
            i.src[n] = match ty {
                Ty::Mask | Ty::Vcc => sgpr(r),
                _ if scalar => match r.below(3) {
                    0 => Src(128 + r.below(81) as u16),
                    1 => Src::LITERAL,
                    _ => sgpr(r),
                },
                _ => match r.below(8) {
                    0 => sgpr(r),
                    1 => Src(128 + r.below(81) as u16),
                    2 => Src(240 + r.below(9) as u16),
                    3 => Src::LITERAL,
                    _ => Src::v(FIRST + r.below(VGPRS - FIRST - 1)),
                },
            };
        }
        for (n, &ty) in row.dst.iter().enumerate().take(2) {
            i.dst[n] = match ty {
                Ty::Mask | Ty::Vcc => sgpr(r),
                _ if scalar => sgpr(r),
                _ => Src::v(FIRST + r.below(VGPRS - FIRST - 1)),
            };
        }
        if row.format == Format::Vop3p {
            i.mods.op_sel_hi = 7;
        }
        if i.form != Form::Base || matches!(row.format, Format::Vop3 | Format::Vop3p) {
            if r.one_in(2) {
                (i.mods.neg, i.mods.abs) = (r.below(8) as u8, r.below(8) as u8);
            }
            let float = matches!(row.dst.first(), Some(Ty::F32 | Ty::F16 | Ty::F64 | Ty::PkF16 | Ty::F16Hi));
            i.mods.clamp = float && r.one_in(4);
            if r.one_in(3) {
                (i.mods.op_sel, i.mods.op_sel_hi) = (r.below(16) as u8, r.below(8) as u8);
            }
        }
        i.imply();
        if !i.src.contains(&Src::LITERAL) {
            i.literal = 0;
        }
        let mut words = Vec::new();
        if legal::check(&i).is_ok()
            && encode::encode(&i, Gen::Gfx1010, &mut words).is_ok()
            && wavepipe_isa::decode::decode(&words, Gen::Gfx1010).is_ok_and(|(d, n)| d == i && n == words.len())
        {
            return Some(i);
        }
    }
    None
}

fn same(a: u32, b: u32) -> bool {
    // A NaN's sign and payload are the host's; whichever half it is.
    let nan = |x: u32| x & 0x7fff_ffff > 0x7f80_0000;
    let nan16 = |x: u32| x & 0x7fff > 0x7c00;
    let half = |a: u32, b: u32| a == b || nan16(a) && nan16(b);
    a == b || nan(a) && nan(b) || half(a & 0xffff, b & 0xffff) && half(a >> 16, b >> 16)
}

/// Runs one instruction at a time from random state; gives the number compared.
fn compare(size: WaveSize, mode: u32, seed: u64, rounds: usize) -> usize {
    let lanes = size.lanes();
    let mut r = Random(seed);
    let mut compared = 0;
    let ops: Vec<Op> = rows(false).into_iter().chain(rows(true)).collect();
    for round in 0..rounds * ops.len() {
        let op = ops[round % ops.len()];
        let Some(i) = instance(op, &mut r) else { continue };
        let mut b = Bed::new(size, [lanes, 1, 1]);
        b.launch.vgprs = VGPRS;
        b.launch.mode = mode;
        let mut m =
            Model { lanes, v: vec![[0; 64]; VGPRS as usize], s: [0; 128], scc: false, mode: FpMode::from_bits(mode) };
        // Registers come from memory: rows of v4.., then s16..s31.
        let mut setup = String::from("v_lshlrev_b32 v1, 2, v0\n s_mov_b64 s[12:13], s[0:1]\n");
        let map = b.map();
        for n in FIRST..VGPRS {
            for lane in 0..lanes {
                let word = r.word();
                m.v[n as usize][lane as usize] = word;
                map.store32(b.data + u64::from(4 * (n * lanes + lane)), word).unwrap();
            }
            setup += &format!(
                "s_add_u32 s0, s12, 0x{:x}\n s_addc_u32 s1, s13, 0\n global_load_dword v{n}, v1, s[0:1]\n",
                4 * n * lanes
            );
        }
        for n in 16..32 {
            m.s[n] = r.word();
            map.store32(b.data + 60_000 + 4 * n as u64, m.s[n]).unwrap();
        }
        setup += "s_add_u32 s0, s12, 0xea60\n s_addc_u32 s1, s13, 0\n s_load_dwordx16 s[16:31], s[0:1], 0x40\n";
        let exec = if r.one_in(3) { !0 } else { r.next() & if r.one_in(2) { !0 } else { r.next() } };
        let vcc = r.next();
        (m.s[126], m.s[106], m.s[107]) = (exec as u32, vcc as u32, (vcc >> 32) as u32);
        setup += &format!("s_mov_b32 vcc_lo, 0x{:x}\n s_mov_b32 vcc_hi, 0x{:x}\n", vcc as u32, (vcc >> 32) as u32);
        setup += &format!("s_mov_b32 exec_lo, 0x{:x}\n", exec as u32);
        if size == W64 {
            m.s[127] = (exec >> 32) as u32;
            setup += &format!("s_mov_b32 exec_hi, 0x{:x}\n", (exec >> 32) as u32);
        }
        m.scc = r.one_in(2);
        setup += &format!("s_cmp_eq_u32 0, {}\n", u32::from(!m.scc));
        let mut words = asm::assemble(&setup, Gen::Gfx1010, lanes).unwrap();
        encode::encode(&i, Gen::Gfx1010, &mut words).unwrap();
        words.push(0xbf81_0000); // s_endpgm
        b.start(&words);
        let text = disasm::text(&i, Gen::Gfx1010, lanes);
        if let Err(f) = b.run() {
            panic!("{text}: {f:?}");
        }
        if matches!(op.row().format, Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk) {
            m.scalar(&i);
        } else {
            m.vector(&i);
        }
        let w = b.group.wave(0).unwrap();
        for n in FIRST..VGPRS {
            for lane in 0..lanes {
                let (got, want) = (w.vgpr(n, lane), m.v[n as usize][lane as usize]);
                assert!(same(got, want), "{text}: v{n} lane {lane}: {got:#x}, want {want:#x} ({size:?} {i:?})");
            }
        }
        for n in (16..32).chain([106, 107, 126, 127]) {
            let (got, want) = (w.sgpr(n), m.s[n as usize]);
            if n == 127 && size == W32 {
                continue;
            }
            assert_eq!(got, want, "{text}: s{n} ({size:?} {i:?})");
        }
        assert_eq!(w.scc(), m.scc, "{text}: SCC");
        compared += 1;
    }
    compared
}

#[test]
fn every_row_in_wave32() {
    let rows = rows(false).len() + rows(true).len();
    let compared = compare(W32, 0x1f0, 1, 4);
    assert!(compared > 3 * rows, "{compared} of {rows} rows four times");
}

#[test]
fn every_row_in_wave64() {
    compare(W64, 0x1f0, 2, 1);
}

#[test]
fn other_modes() {
    // Flushed denormals; round to zero; IEEE.
    for mode in [0x100, 0x1ff, 0x3f0, 0x3c0, 0x130, 0x0f5] {
        compare(W32, mode, u64::from(mode), 1);
    }
}
