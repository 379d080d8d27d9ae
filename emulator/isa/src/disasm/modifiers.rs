//! Modifiers: what stands behind the operands.

use std::fmt::Write;
use std::ops::RangeInclusive;

use super::immediates::swizzle;
use crate::cache::{self, Access};
use crate::format;
use crate::generation::{CacheBits, Gen};
use crate::image;
use crate::instr::{Extra, Flags, Instr};
use crate::legal;
use crate::row::{Format, MemKind, Row, Sem, Space, Traits, Ty, WaveOp};

pub(crate) const SDWA_SELECTS: [&str; 7] = ["BYTE_0", "BYTE_1", "BYTE_2", "BYTE_3", "WORD_0", "WORD_1", "DWORD"];
pub(crate) const SDWA_UNUSED: [&str; 3] = ["UNUSED_PAD", "UNUSED_SEXT", "UNUSED_PRESERVE"];
pub(crate) const OMODS: [&str; 4] = ["", "mul:2", "mul:4", "div:2"];
/// Flags in the order of the text; the first three stand before the offset.
pub(crate) const FLAGS: [(Flags, &str); 12] = [
    (Flags::IDXEN, "idxen"),
    (Flags::OFFEN, "offen"),
    (Flags::ADDR64, "addr64"),
    (Flags::UNORM, "unorm"),
    (Flags::GDS, "gds"),
    (Flags::R128, "r128"),
    (Flags::A16, "a16"),
    (Flags::LDS, "lds"),
    (Flags::TFE, "tfe"),
    (Flags::LWE, "lwe"),
    (Flags::DA, "da"),
    (Flags::D16, "d16"),
];

pub(super) fn modifiers(instr: &Instr, generation: Gen, out: &mut String) {
    let row = instr.op.row();
    let m = instr.mods;
    let sources = row.src.iter().filter(|&&t| instr.form.encodes(row, t)).count();
    let list = |mask: u8, n: usize| (0..n).map(|i| (mask >> i & 1).to_string()).collect::<Vec<_>>().join(",");
    match row.format {
        Format::Vop3p => {
            let indexed = matches!(row.src.get(2), Some(Ty::Sparse8 | Ty::Sparse16 | Ty::Sparse32));
            if indexed && m.op_sel != 0 {
                let _ = write!(out, " index_key:{}", m.op_sel);
            } else if m.op_sel != 0 {
                let _ = write!(out, " op_sel:[{}]", list(m.op_sel, sources));
            }
            let default = if row.src.first() == Some(&Ty::Mix) { 0 } else { (1u8 << sources) - 1 };
            if m.op_sel_hi != default {
                let _ = write!(out, " op_sel_hi:[{}]", list(m.op_sel_hi, sources));
            }
            if row.src.first() != Some(&Ty::Mix) {
                if m.neg != 0 {
                    let _ = write!(out, " neg_lo:[{}]", list(m.neg, sources));
                }
                if m.neg_hi != 0 {
                    let _ = write!(out, " neg_hi:[{}]", list(m.neg_hi, sources));
                }
            }
        }
        // Halves have been named with their registers.
        _ if m.op_sel == 0 || row.dst.contains(&Ty::Half) => {}
        _ if let Some(byte) = byte_select(row) => {
            let _ = write!(out, " byte_sel:{}", byte.of(m.op_sel));
        }
        Format::Vop1 | Format::Vop2 | Format::Vopc | Format::Vop3 => {
            let permlane = row.traits.contains(Traits::ROW_SELECTS);
            // An accumulator has a half as well.
            let accumulator = usize::from(row.format == Format::Vop2 && row.src.contains(&Ty::Old));
            let n = if permlane { 2 } else { sources + accumulator };
            let mut text = list(m.op_sel, n);
            if !permlane {
                let _ = write!(text, ",{}", m.op_sel >> 3 & 1);
            }
            let _ = write!(out, " op_sel:[{text}]");
        }
        _ => {}
    }
    if let Extra::Interp { high: true, .. } = instr.extra {
        out.push_str(" high");
    }
    if m.clamp {
        out.push_str(" clamp");
    }
    if row.format == Format::Vinterp && m.op_sel != 0 {
        let _ = write!(out, " op_sel:[{}]", list(m.op_sel, 4));
    }
    if m.omod != 0 {
        let _ = write!(out, " {}", OMODS[usize::from(m.omod & 3)]);
    }
    let binary = row.format != Format::Vop1;
    match instr.extra {
        Extra::None | Extra::Probe(_) | Extra::Interp { .. } | Extra::Dual(_) => {}
        Extra::WaitExp(v) => {
            let _ = write!(out, " wait_exp:{v}");
        }
        Extra::Image(_) if !legal::implied(instr.op, generation).is_empty() => {}
        Extra::LdsDir { wait_vdst, wait_vsrc, .. } => {
            let _ = if generation.caps().wait_vsrc {
                write!(out, " wait_va_vdst:{wait_vdst} wait_vm_vsrc:{}", u8::from(wait_vsrc))
            } else {
                write!(out, " wait_vdst:{wait_vdst}")
            };
        }
        Extra::Image(image) => {
            if image.dmask != 0 {
                let _ = write!(out, " dmask:{:#x}", image.dmask);
            }
            if generation.caps().image_dim {
                let _ = write!(out, " dim:SQ_RSRC_IMG_{}", image::DIMS[usize::from(image.dim & 7)].name);
            }
        }
        // 8_UNORM is what an instruction without a format has.
        Extra::Format(1) => {}
        Extra::Format(number) => {
            let split = format::split::text(number, generation);
            let _ = match (split, format::Format::of_buffer(number, generation)) {
                (Some(both), _) => write!(out, " format:{both}"),
                (None, Some(f)) => write!(out, " format:[BUF_FMT_{}]", f.name),
                (None, None) => write!(out, " format:{number}"),
            };
        }
        Extra::Export(e) => {
            for (on, name) in [(e.done, " done"), (e.compressed, " compr"), (e.valid_mask, " vm"), (e.row, " row_en")] {
                if on {
                    out.push_str(name);
                }
            }
        }
        Extra::Sdwa(s) => {
            let select = |v: u8| SDWA_SELECTS.get(usize::from(v)).copied().unwrap_or("?");
            if row.format != Format::Vopc {
                let unused = SDWA_UNUSED.get(usize::from(s.dst_unused)).copied().unwrap_or("?");
                let _ = write!(out, " dst_sel:{} dst_unused:{unused}", select(s.dst_sel));
            }
            let _ = write!(out, " src0_sel:{}", select(s.src0_sel));
            if binary {
                let _ = write!(out, " src1_sel:{}", select(s.src1_sel));
            }
        }
        Extra::Dpp8 { selects, fetch_inactive } => {
            let lanes: Vec<String> = (0..8).map(|i| (selects >> (3 * i) & 7).to_string()).collect();
            let _ = write!(out, " dpp8:[{}]", lanes.join(","));
            if fetch_inactive {
                out.push_str(" fi:1");
            }
        }
        Extra::Dpp16(d) => {
            let c = d.ctrl;
            let n = c & 15;
            let control = match c >> 4 {
                0..=15 => format!("quad_perm:[{},{},{},{}]", c & 3, c >> 2 & 3, c >> 4 & 3, c >> 6 & 3),
                0x10 => format!("row_shl:{n}"),
                0x11 => format!("row_shr:{n}"),
                0x12 => format!("row_ror:{n}"),
                0x14 if n == 0 => "row_mirror".into(),
                0x14 if n == 1 => "row_half_mirror".into(),
                0x13 if n & 3 == 0 => {
                    ["wave_shl:1", "wave_rol:1", "wave_shr:1", "wave_ror:1"][usize::from(n) / 4].into()
                }
                0x14 if n == 2 => "row_bcast:15".into(),
                0x14 if n == 3 => "row_bcast:31".into(),
                0x15 => format!("row_share:{n}"),
                0x16 => format!("row_xmask:{n}"),
                _ => format!("dpp_ctrl:{c:#x}"),
            };
            let _ = write!(out, " {control} row_mask:{:#x} bank_mask:{:#x}", d.row_mask, d.bank_mask);
            if d.bound_ctrl {
                out.push_str(" bound_ctrl:1");
            }
            if d.fetch_inactive {
                out.push_str(" fi:1");
            }
        }
    }
    memory_modifiers(instr, generation, out);
}

/// Which bits of op_sel name the byte that the row reads or writes, low bit first.
#[derive(Clone, Copy)]
pub(crate) struct ByteSelect(u8, u8);

pub(crate) fn byte_select(row: &Row) -> Option<ByteSelect> {
    match (row.dst, row.src) {
        ([Ty::Byte], _) => Some(ByteSelect(4, 8)),
        (_, [Ty::Byte]) => Some(ByteSelect(2, 1)),
        _ => None,
    }
}

impl ByteSelect {
    pub fn of(self, op_sel: u8) -> u8 {
        u8::from(op_sel & self.0 != 0) | u8::from(op_sel & self.1 != 0) << 1
    }

    pub fn bits(self, byte: u8) -> u8 {
        self.0 * (byte & 1) | self.1 * (byte >> 1 & 1)
    }
}

fn memory_modifiers(instr: &Instr, generation: Gen, out: &mut String) {
    let row = instr.op.row();
    let f = instr.flags - legal::implied(instr.op, generation);
    if matches!(row.format, Format::Mubuf | Format::Mtbuf) {
        for (_, name) in FLAGS.iter().take(3).filter(|(flag, _)| f.contains(*flag)) {
            let _ = write!(out, " {name}");
        }
    }
    match row.format {
        Format::Ds => {
            let (first, second) = (instr.imm & 0xff, instr.imm >> 8 & 0xff);
            if pairs(instr) {
                if first != 0 {
                    let _ = write!(out, " offset0:{first}");
                }
                if second != 0 {
                    let _ = write!(out, " offset1:{second}");
                }
            } else if row.sem == Sem::Wave(WaveOp::DsSwizzle) {
                if instr.imm != 0 {
                    let _ = write!(out, " offset:{}", swizzle(instr.imm as u32));
                }
            } else if instr.imm != 0 {
                let _ = write!(out, " offset:{}", instr.imm);
            }
        }
        Format::Flat | Format::Global | Format::Scratch | Format::Mubuf | Format::Mtbuf if instr.imm != 0 => {
            let _ = write!(out, " offset:{}", instr.imm);
        }
        _ => {}
    }
    // What the mnemonic already says stands first.
    let lds = legal::implied(instr.op, generation) & Flags::LDS;
    if !lds.is_empty() {
        out.push_str(" lds");
    }
    for (flag, name) in FLAGS.iter().skip(3) {
        if (f - lds).contains(*flag) {
            let _ = write!(out, " {name}");
        }
        // What caches are told stands behind it.
        if *flag == Flags::GDS {
            cache_policy(instr, generation, out);
        }
    }
}

/// Bits of the cache word by their names, up to RDNA 3.
const CACHE_BITS: [(u8, &str); 3] = [(cache::GLC, "glc"), (cache::SLC, "slc"), (cache::DLC, "dlc")];

/// The bit of the cache word that has this name on the generation.
pub(crate) fn cache_bit(name: &str, generation: Gen) -> Option<u8> {
    let named = generation.caps().cache_bits != CacheBits::ScopeHint;
    CACHE_BITS.iter().find(|(_, n)| named && *n == name).map(|(bit, _)| *bit)
}

/// Scopes by their value.
const CU: u8 = 0;
const DEVICE: u8 = 2;
const SYSTEM: u8 = 3;

/// Temporal hints by access, value, and the scopes in which they have this name.
const HINTS: [(Access, u8, RangeInclusive<u8>, &str); 20] = [
    (Access::Load, 1, CU..=SYSTEM, "TH_LOAD_NT"),
    (Access::Load, 2, CU..=SYSTEM, "TH_LOAD_HT"),
    (Access::Load, 3, CU..=DEVICE, "TH_LOAD_LU"),
    (Access::Load, 3, SYSTEM..=SYSTEM, "TH_LOAD_BYPASS"),
    (Access::Load, 4, CU..=SYSTEM, "TH_LOAD_NT_RT"),
    (Access::Load, 5, CU..=SYSTEM, "TH_LOAD_RT_NT"),
    (Access::Load, 6, CU..=SYSTEM, "TH_LOAD_NT_HT"),
    (Access::Store, 1, CU..=SYSTEM, "TH_STORE_NT"),
    (Access::Store, 2, CU..=SYSTEM, "TH_STORE_HT"),
    (Access::Store, 3, CU..=DEVICE, "TH_STORE_RT_WB"),
    (Access::Store, 3, SYSTEM..=SYSTEM, "TH_STORE_BYPASS"),
    (Access::Store, 4, CU..=SYSTEM, "TH_STORE_NT_RT"),
    (Access::Store, 5, CU..=SYSTEM, "TH_STORE_RT_NT"),
    (Access::Store, 6, CU..=SYSTEM, "TH_STORE_NT_HT"),
    (Access::Store, 7, CU..=SYSTEM, "TH_STORE_NT_WB"),
    (Access::Atomic, 1, CU..=SYSTEM, "TH_ATOMIC_RETURN"),
    (Access::Atomic, 2, CU..=SYSTEM, "TH_ATOMIC_NT"),
    (Access::Atomic, 3, CU..=SYSTEM, "TH_ATOMIC_NT_RETURN"),
    (Access::Atomic, 4, DEVICE..=SYSTEM, "TH_ATOMIC_CASCADE_RT"),
    (Access::Atomic, 6, DEVICE..=SYSTEM, "TH_ATOMIC_CASCADE_NT"),
];
pub(crate) const SCOPES: [&str; 4] = ["SCOPE_CU", "SCOPE_SE", "SCOPE_DEV", "SCOPE_SYS"];

/// The hint with this name, or with this number, in the instruction, whose scope the cache word has.
pub(crate) fn hint(instr: &Instr, word: u8, name: &str) -> Option<u8> {
    let access = Access::of(instr.op.row());
    let scope = word >> cache::SCOPE.trailing_zeros();
    let named = HINTS.iter().find(|(a, _, on, n)| *n == name && *a == access && on.contains(&scope));
    let number = || u8::from_str_radix(name.strip_prefix(unnamed(access))?, 16).ok().filter(|n| *n < 8);
    named.map(|(_, value, ..)| *value).or_else(number)
}

/// What stands before the number of a hint without a name.
fn unnamed(access: Access) -> &'static str {
    if access == Access::Atomic { "TH_ATOMIC_0x" } else { "0x" }
}

fn cache_policy(instr: &Instr, generation: Gen, out: &mut String) {
    let word = instr.cache_word(generation).unwrap_or(0);
    if generation.caps().cache_bits != CacheBits::ScopeHint {
        for (_, name) in CACHE_BITS.iter().filter(|(bit, _)| word & bit != 0) {
            let _ = write!(out, " {name}");
        }
        return;
    }
    let (hint, scope) = (word & cache::HINT, word >> cache::SCOPE.trailing_zeros());
    if hint != 0 {
        let access = Access::of(instr.op.row());
        let _ = match HINTS.iter().find(|(a, v, on, _)| *a == access && *v == hint && on.contains(&scope)) {
            Some((.., name)) => write!(out, " th:{name}"),
            None => write!(out, " th:{}{hint:x}", unnamed(access)),
        };
    }
    if scope != 0 {
        let _ = write!(out, " scope:{}", SCOPES[usize::from(scope & 3)]);
    }
}

/// Whether the DS offset is two, one for each of two elements.
pub(crate) fn pairs(instr: &Instr) -> bool {
    let pair = |k| matches!(k, MemKind::Load2 { .. } | MemKind::Store2 { .. } | MemKind::Exchange2 { .. });
    matches!(instr.op.row().sem, Sem::Mem(Space::Lds, kind) if pair(kind))
}
