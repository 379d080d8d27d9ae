//! The instances of the golden corpus: every row, form, kind of operand and modifier, from few numbers that reach every bit.

use std::collections::BTreeSet;

use super::Rng;
use super::random::random_instr;
use wavepipe_isa::cache::{Access, Cache};
use wavepipe_isa::instr::{Extra, Form};
use wavepipe_isa::row::Format;
use wavepipe_isa::sample::{FORMS, sample};
use wavepipe_isa::{Gen, Instr, Op, Src, encode, legal};

const GEN: Gen = Gen::Gfx1010;

/// Register numbers: every bit set and clear, the ends of the file.
const NUMBERS: [u32; 12] = [0, 1, 2, 5, 10, 17, 32, 66, 85, 128, 170, 255];
/// Scalars beside SGPRs, and what has a name.
const SCALARS: [Src; 16] = [
    Src::s(0),
    Src::s(3),
    Src::s(36),
    Src::s(105),
    Src::VCC_LO,
    Src::VCC_HI,
    Src(109),
    Src(123),
    Src::M0,
    Src::NULL,
    Src::EXEC_LO,
    Src::EXEC_HI,
    Src::SHARED_BASE,
    Src::VCCZ,
    Src::SCC,
    Src::LDS_DIRECT,
];
/// Inline constants: the ends of the whole ones, floats.
const CONSTANTS: [Src; 10] =
    [Src(128), Src(129), Src(192), Src(193), Src(208), Src(240), Src(241), Src(242), Src(247), Src(248)];
const LITERALS: [u32; 6] = [0x41, 0x1234, 0x7bff, 0x8001, 0x3f80_0001, 0xdead_beef];
const OFFSETS: [i32; 12] = [0, 1, 8, 255, 256, 0x7ff, 0xfff, 0xffff, -1, -0x800, 0x12345, -0x10_0000];

fn pick<T: Copy>(rng: &mut Rng, from: &[T]) -> T {
    from[rng.below(from.len() as u32) as usize]
}

/// The instance with one thing changed, if that is legal.
fn changed(rng: &mut Rng, instr: &Instr) -> Option<Instr> {
    let row = instr.op.row();
    let mut next = *instr;
    let sources = row.src.len().min(4) as u32;
    match rng.below(14) {
        0..=3 if sources > 0 => {
            let n = rng.below(sources) as usize;
            let ok = legal::accepts(instr.op, instr.form, n, GEN);
            if !(ok.vgpr || ok.scalar || ok.constant || ok.literal) {
                return None;
            }
            let src = match rng.below(4) {
                0 => Src::v(pick(rng, &NUMBERS)),
                1 => pick(rng, &SCALARS),
                2 => pick(rng, &CONSTANTS),
                _ => Src::LITERAL,
            };
            next.src[n] = src;
            if src == Src::LITERAL {
                next.literal = pick(rng, &LITERALS);
            }
        }
        4 if !row.dst.is_empty() => next.dst[0] = Src::v(pick(rng, &NUMBERS)),
        5 if !row.dst.is_empty() => next.dst[rng.below(row.dst.len().min(2) as u32) as usize] = pick(rng, &SCALARS),
        6 => next.mods.neg = rng.below(8) as u8,
        7 => next.mods.abs = rng.below(8) as u8,
        8 => next.mods.omod = rng.below(4) as u8,
        9 => next.mods.clamp = !next.mods.clamp,
        10 => next.mods.op_sel = rng.below(16) as u8,
        11 if row.format == Format::Vop3p => match rng.below(2) {
            0 => next.mods.op_sel_hi = rng.below(8) as u8,
            _ => next.mods.neg_hi = rng.below(8) as u8,
        },
        12 => match &mut next.extra {
            Extra::Sdwa(s) => s.sext = rng.below(4) as u8,
            Extra::None => {
                let imm = pick(rng, &OFFSETS);
                // Of 16 bits there are two ways to say all ones.
                next.imm = if matches!(row.format, Format::Sopp | Format::Sopk) { (imm as i16).into() } else { imm };
            }
            _ => return None,
        },
        13 => {
            let told = legal::cache_bits(instr.op, GEN);
            let bits: Vec<u8> = (0..8).map(|n| 1 << n).filter(|bit| told & bit != 0).collect();
            let flags: Vec<_> = legal::flags(instr.op, GEN).iter().collect();
            if bits.is_empty() && flags.is_empty() {
                return None;
            }
            let n = rng.below((bits.len() + flags.len()) as u32) as usize;
            match bits.get(n) {
                Some(bit) => {
                    let access = Access::of(row);
                    let word = next.cache.word(access, GEN).unwrap_or(0);
                    next.cache = Cache::of(access, word ^ bit, GEN);
                }
                None => next.flags.toggle(flags[n - bits.len()]),
            }
        }
        _ => return None,
    }
    next.imply();
    if !next.src.contains(&Src::LITERAL) {
        next.literal = 0;
    }
    (next != *instr && legal::check(&next, GEN).is_ok() && words(&next).is_some()).then_some(next)
}

/// Registers of an instance that any may stand for, from [`NUMBERS`].
fn few_registers(rng: &mut Rng, instr: &Instr) -> Instr {
    let mut next = *instr;
    if matches!(next.extra, Extra::Image(_)) {
        return next;
    }
    for n in 0..6 {
        let mut tried = next;
        let slot = if n < 2 { &mut tried.dst[n] } else { &mut tried.src[n - 2] };
        *slot = match *slot {
            s if s.is_vgpr() => Src::v(pick(rng, &NUMBERS)),
            s if s.0 < 106 => Src::s(pick(rng, &[0, 4, 8, 20, 36, 64, 96])),
            _ => continue,
        };
        tried.imply();
        if legal::check(&tried, GEN).is_ok() && words(&tried).is_some() {
            next = tried;
        }
    }
    next
}

pub fn words(instr: &Instr) -> Option<Vec<u32>> {
    let mut words = Vec::new();
    encode::encode(instr, GEN, &mut words).ok().map(|()| words)
}

/// Up to `count` different instances of each row and form.
pub fn instances(count: usize, lanes: u32, mut f: impl FnMut(Instr)) {
    for op in Op::of(GEN) {
        for form in FORMS.into_iter().filter(|&f| op.supports(f, GEN)) {
            of(op, form, count, lanes).into_iter().for_each(&mut f);
        }
    }
}

fn of(op: Op, form: Form, count: usize, lanes: u32) -> Vec<Instr> {
    let mut rng = Rng(u64::from(op.0) << 8 | form as u64);
    let mut seen = BTreeSet::new();
    let mut all: Vec<Instr> = sample(op, form, GEN).into_iter().collect();
    seen.extend(all.first().and_then(words));
    // Rows without operands have one instance.
    for _ in 0..4 * count {
        if all.len() >= count {
            break;
        }
        let any = random_instr(&mut rng, op, form, lanes);
        let mut instr = few_registers(&mut rng, &any);
        for _ in 0..rng.below(4) {
            instr = changed(&mut rng, &instr).unwrap_or(instr);
        }
        if words(&instr).is_some_and(|w| seen.insert(w)) {
            all.push(instr);
        }
    }
    all
}
