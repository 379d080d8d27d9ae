//! One instruction of a row, really executed: a wave whose registers hold plain numbers runs it, and its registers are looked at
//! before and after.

use crate::memory::Memory;
use crate::wave::{CodeCache, Execution, Launch, Outcome, WorkGroup, execution};
use std::sync::Arc;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::{BufferDescriptor, ImageDescriptor, ImageType};
use wavepipe_isa::instr::{Flags, Form};
use wavepipe_isa::insts::Op;
use wavepipe_isa::row::{Control, Format, ImageOp, MemKind, Sem, Space, Ty};
use wavepipe_isa::sample::sample;
use wavepipe_isa::{Gen, Instr, Src, asm, disasm, encode, legal};

/// A register that the instruction names or implies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    pub name: String,
    pub ty: Ty,
    /// Of a VGPR by lane, of all else one entry; each the dwords of the operand.
    pub values: Vec<Vec<u32>>,
}

/// What a wave did with one instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    pub instr: Instr,
    pub text: String,
    /// Sources, and destinations as they were.
    pub before: Vec<Shown>,
    pub after: Vec<Shown>,
    /// Dwords of memory that changed: bytes from the buffer's begin, then old and new value.
    pub memory: Vec<(u32, u32, u32)>,
}

/// Where the wave keeps its lanes' numbers.
const LANES: u32 = 60;
/// Bytes of memory that the example may reach.
const DATA: u32 = 1 << 14;

/// Runs one instruction of a row; `Err` says why there is none.
pub fn example(op: Op, isa: Gen) -> Result<Example, String> {
    let wave = if isa.caps().wave32 { WaveSize::W32 } else { WaveSize::W64 };
    let form = if op.supports(Form::Base, isa) { Form::Base } else { Form::E64 };
    let instr = sample(op, form, isa).ok_or_else(|| format!("{} has no such instruction", isa.name()))?;
    if let Some(why) = refused(&instr) {
        return Err(why.into());
    }
    match execution(&instr, isa, wave) {
        Execution::Executes => {}
        Execution::Illegal => return Err("a compute wave that reaches it faults".into()),
        Execution::Unimplemented => return Err("it is known to the assembler, and not executed".into()),
    }
    let instr = placed(instr, isa);
    let text = disasm::text(&instr, isa, wave.lanes());
    let mut code = prologue(&instr, isa, wave.lanes())?;
    let end = assembled("s_endpgm", isa, wave.lanes())?;
    let before = run(&[&code[..], &end].concat(), isa, wave)?;
    encode::encode(&instr, isa, &mut code).map_err(|e| e.to_string())?;
    let after = run(&[&code[..], &end].concat(), isa, wave)?;
    let shown = |state: &State, list: Vec<legal::Access>| {
        let mut out: Vec<Shown> = Vec::new();
        for one in list.into_iter().map(|a| state.shown(a, wave.lanes())) {
            if !out.iter().any(|o| o.name == one.name) {
                out.push(one);
            }
        }
        out
    };
    let lanes = wave.lanes();
    let changed = before.memory.iter().zip(&after.memory).enumerate().filter(|(_, (a, b))| a != b);
    Ok(Example {
        text,
        before: shown(&before, instr.uses(lanes).chain(instr.defs(lanes)).collect()),
        after: shown(&after, instr.defs(lanes).collect()),
        memory: changed.map(|(i, (a, b))| (4 * i as u32, *a, *b)).collect(),
        instr,
    })
}

/// Why a row's instruction alone shows nothing.
fn refused(instr: &Instr) -> Option<&'static str> {
    let row = instr.op.row();
    if instr.flags.contains(Flags::GDS) {
        return Some("it reaches the global data share, which waves of an example have none of");
    }
    match row.sem {
        Sem::Control(Control::GetReg | Control::GetPc) => None,
        Sem::Control(_) => {
            Some("it decides when or where its wave goes on, and changes no register that could be shown")
        }
        Sem::Mem(Space::Scratch, _) => Some("it needs private memory, which only a dispatch has"),
        Sem::Mem(_, MemKind::Image(ImageOp::IntersectRay { .. })) => Some("it needs a tree of boxes and triangles"),
        Sem::Mem(_, MemKind::Invalidate | MemKind::Hint | MemKind::WaveId) => {
            Some("it changes no register and no memory")
        }
        Sem::Mem(_, MemKind::Gws(_) | MemKind::OrderedCount) => Some("it needs other waves"),
        _ => None,
    }
}

/// The sample with its operands where the wave has something for them.
fn placed(plain: Instr, isa: Gen) -> Instr {
    let row = plain.op.row();
    let mut instr = plain;
    for (n, &ty) in row.src.iter().enumerate().take(4) {
        let src = instr.src[n];
        // An offset of 1 would be no aligned access.
        if ty == Ty::SOffset && src.inline_value().is_some() {
            instr.src[n] = Src(128);
        }
        if src.is_vgpr() || src.0 >= 106 {
            continue;
        }
        instr.src[n] = match ty {
            Ty::Rsrc => Src::s(4),
            Ty::Image => Src::s(8),
            Ty::Sampler => Src::s(16),
            Ty::Addr64 => Src::s(0),
            _ => Src::s(20 + 4 * n as u32),
        };
    }
    instr.imply();
    let moved = legal::check(&instr, isa).is_ok() && encode::encode(&instr, isa, &mut Vec::new()).is_ok();
    if moved { instr } else { plain }
}

fn assembled(text: &str, isa: Gen, lanes: u32) -> Result<Vec<u32>, String> {
    asm::assemble(text, isa, lanes).map_err(|e| e.to_string())
}

/// Code that gives the sources numbers: lanes differ, and sources do.
fn prologue(instr: &Instr, isa: Gen, lanes: u32) -> Result<Vec<u32>, String> {
    let row = instr.op.row();
    let memory = matches!(row.sem, Sem::Mem(..));
    let pack = Op::named("v_cvt_pkrtz_f16_f32").map_or("v_cvt_pkrtz_f16_f32", |op| op.row().spelling(isa));
    // Of LDS it is the limit on the first generations; where an access has its base in M0, that is 0.
    let based = matches!(row.sem, Sem::Mem(_, MemKind::Count { .. } | MemKind::LoadLane | MemKind::StoreLane));
    let m0 = if row.format == Format::Ds && !based { "-1" } else { "0" };
    let mut text = format!("v_mov_b32 v{LANES}, v0\ns_mov_b32 m0, {m0}\ns_mov_b32 vcc_lo, 0x0f0f0f0f\n");
    if lanes == 64 {
        text += "s_mov_b32 vcc_hi, 0x0f0f0f0f\n";
    }
    for (n, &ty) in row.src.iter().enumerate().take(4) {
        let src = instr.src[n];
        let dwords = instr.uses(lanes).find(|a| a.reg == src).map_or(1, |a| a.dwords);
        if src.is_vgpr() {
            vector(&mut text, src.vgpr(), n as u32, ty, dwords, memory, pack, instr);
        } else if src.0 >= 20 && src.0 < 100 {
            scalar(&mut text, u32::from(src.0), n as u32, ty, dwords);
        }
    }
    // SCC is set.
    text += "s_cmp_eq_u32 s0, s0\n";
    assembled(&text, isa, lanes)
}

#[allow(clippy::too_many_arguments)]
fn vector(text: &mut String, v: u32, n: u32, ty: Ty, dwords: u32, memory: bool, pack: &str, instr: &Instr) {
    use std::fmt::Write as _;
    let step = [1000, 3, 5, 7][n as usize & 3];
    let float = |text: &mut String, to: u32| {
        let _ = writeln!(
            text,
            "v_cvt_f32_u32 v{to}, v{LANES}\nv_mul_f32 v{to}, {}, v{to}",
            ["0.5", "2.0", "4.0", "-1.0"][n as usize & 3]
        );
    };
    let _ = match ty {
        Ty::F32 | Ty::Mix | Ty::PkF32 => {
            (0..dwords.max(1)).for_each(|i| float(text, v + i));
            Ok(())
        }
        Ty::F16 | Ty::PkF16 => {
            float(text, v);
            writeln!(text, "{pack} v{v}, v{v}, v{v}")
        }
        Ty::F64 => writeln!(text, "v_cvt_f64_u32 v[{v}:{}], v{LANES}", v + 1),
        // Sixteen bytes for each lane: aligned for every access.
        Ty::Addr32 => writeln!(text, "v_lshlrev_b32 v{v}, 4, v{LANES}"),
        Ty::Addr64 => {
            writeln!(text, "v_lshlrev_b32 v{v}, 4, v{LANES}\nv_or_b32 v{v}, s0, v{v}\nv_mov_b32 v{}, s1", v + 1)
        }
        Ty::ImageAddr => {
            let sampled = matches!(instr.op.row().sem, Sem::Mem(_, MemKind::Image(op)) if op.sampled());
            let first = if sampled {
                format!("v_cvt_f32_u32 v{v}, v{LANES}\nv_mul_f32 v{v}, 0x3c800000, v{v}")
            } else {
                format!("v_mov_b32 v{v}, v{LANES}")
            };
            (1..12).for_each(|i| {
                let _ = writeln!(text, "v_mov_b32 v{}, 0", v + i);
            });
            writeln!(text, "{first}")
        }
        // SWAPREL and the like read registers by number; a lane number is small.
        _ if memory || matches!(instr.op.row().sem, Sem::Wave(_)) => {
            (0..dwords.max(1)).for_each(|i| {
                let _ = writeln!(text, "v_mul_u32_u24 v{}, {}, v{LANES}", v + i, i + 1 + 4 * (n & 1));
            });
            Ok(())
        }
        _ => {
            (0..dwords.max(1)).for_each(|i| {
                let _ = writeln!(text, "v_mul_u32_u24 v{}, {:#x}, v{LANES}", v + i, step + i);
            });
            Ok(())
        }
    };
}

fn scalar(text: &mut String, s: u32, n: u32, ty: Ty, dwords: u32) {
    use std::fmt::Write as _;
    let plain = [1000u32, 7, 3, 5][n as usize & 3];
    let float = [3.5f32, 2.0, 0.25, -1.0][n as usize & 3];
    for i in 0..dwords.max(1) {
        let value = match ty {
            Ty::F32 | Ty::Mix => float.to_bits(),
            Ty::F64 if i == 1 => (f64::from(float).to_bits() >> 32) as u32,
            Ty::F64 => 0,
            Ty::F16 | Ty::PkF16 => 0x4200_4100,
            Ty::Mask => 0x00ff_00ff,
            Ty::SOffset | Ty::SAddr32 => 16,
            _ => plain + i,
        };
        let _ = writeln!(text, "s_mov_b32 s{}, {value:#x}", s + i);
    }
}

struct State {
    vgprs: Vec<[u32; 64]>,
    sgprs: Vec<u32>,
    special: [(Src, u64); 3],
    scc: bool,
    memory: Vec<u32>,
}

impl State {
    fn shown(&self, a: legal::Access, lanes: u32) -> Shown {
        let dwords = a.dwords.max(1) as usize;
        let values = if a.reg == Src::SCC {
            vec![vec![self.scc.into()]]
        } else if a.reg.is_vgpr() {
            let first = a.reg.vgpr() as usize;
            (0..lanes as usize)
                .map(|lane| (first..first + dwords).map(|v| self.vgprs.get(v).map_or(0, |r| r[lane])).collect())
                .collect()
        } else {
            let named = self.special.iter().find(|(s, _)| *s == a.reg);
            let word = |i: usize| match named {
                Some((_, v)) => (v >> (32 * i)) as u32,
                None => self.sgprs.get(usize::from(a.reg.0) + i).copied().unwrap_or(0),
            };
            vec![(0..dwords).map(word).collect()]
        };
        Shown { name: disasm::register_name(a.reg, a.dwords), ty: a.ty, values }
    }
}

fn run(code: &[u32], isa: Gen, wave: WaveSize) -> Result<State, String> {
    let failed = |e: &dyn std::fmt::Debug| format!("the machine has no room for it: {e:?}");
    let memory = Memory::new(1 << 24);
    let at = memory.allocate(4 * code.len() as u64 + 256, "code").map_err(|e| failed(&e))?.va;
    let data = memory.allocate(u64::from(DATA), "data").map_err(|e| failed(&e))?.va;
    let map = memory.snapshot();
    for (i, &w) in code.iter().enumerate() {
        map.store32(at + 4 * i as u64, w).ok_or("code lies outside of memory")?;
    }
    for i in 0..u64::from(DATA / 4) {
        map.store32(data + 4 * i, 100 + i as u32).ok_or("data lie outside of memory")?;
    }
    let mut user_data = [0; 16];
    (user_data[0], user_data[1]) = (data as u32, (data >> 32) as u32);
    user_data[4..8].copy_from_slice(&BufferDescriptor::raw(data, DATA).to_words(isa));
    // 8_8_8_8_UNORM
    let image = ImageDescriptor::linear(data, 56, ImageType::D2, [64, 64, 1], 1);
    user_data[8..16].copy_from_slice(&image.to_words(isa));
    let launch = Launch { vgprs: 64, lds_bytes: 4096, user_data, user_sgprs: 16, ..Launch::of_one_wave(isa, at, wave) };
    let (cache, mut group) = (CodeCache::new(), WorkGroup::new());
    group.start(&Arc::new(launch), [0; 3], 0);
    match group.run(&map, &cache, 100_000) {
        Outcome::Done => {}
        Outcome::Budget => return Err("it never ends".into()),
        Outcome::Fault(fault) => return Err(format!("the example's wave faults: {:?}", fault.kind)),
    }
    let view = group.wave(0).ok_or("there is no wave")?;
    let vgprs = (0..64).map(|n| {
        let mut row = [0; 64];
        (0..view.lanes()).for_each(|lane| row[lane as usize] = view.vgpr(n, lane));
        row
    });
    Ok(State {
        vgprs: vgprs.collect(),
        sgprs: (0..104).map(|n| view.sgpr(n)).collect(),
        special: [(Src::VCC_LO, view.vcc()), (Src::EXEC_LO, view.exec()), (Src::M0, view.m0().into())],
        scc: view.scc(),
        memory: (0..u64::from(DATA / 4)).map(|i| map.load32(data + 4 * i).unwrap_or(0)).collect(),
    })
}
