//! Constants in text: every source operand of every row, with the values at which an inline constant, a literal and a refusal
//! meet, assembled here and by llvm-mc.

use crate::common;
use std::collections::BTreeMap;

use wavepipe_isa::instr::Form;
use wavepipe_isa::row::{Format, Ty};
use wavepipe_isa::sample::{FORMS, sample};
use wavepipe_isa::{Gen, Instr, Op, Src, asm, disasm, encode, legal};

const GEN: Gen = Gen::Gfx1010;

/// Whole numbers: the ends of the inline ones, of 16, 20, 32 and 64 bits, each signed and unsigned; the bits of inline floats
/// of every width, in one half and in both, and their neighbours.
const INTEGERS: &[&str] = &[
    "0",
    "1",
    "2",
    "63",
    "64",
    "65",
    "127",
    "128",
    "255",
    "256",
    "-1",
    "-2",
    "-15",
    "-16",
    "-17",
    "-128",
    "-129",
    "4095",
    "4096",
    "-2048",
    "-2049",
    "0x7ffff",
    "0x80000",
    "0xfffff",
    "0x100000",
    "-0x80000",
    "-0x100000",
    "-0x100001",
    "32767",
    "32768",
    "65535",
    "65536",
    "-32767",
    "-32768",
    "-32769",
    "-65535",
    "-65536",
    "0xfff0",
    "0xffef",
    "0xffff",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967296",
    "-2147483648",
    "-2147483649",
    "-4294967295",
    "-4294967296",
    "0x40",
    "0x41",
    "0xfffffff0",
    "0xffffffef",
    "0xffffffff",
    "0x80000000",
    "0x7fffffff",
    "0x100000000",
    "0xfffffffffffffff0",
    "0xffffffffffffffef",
    "0xffffffffffffffff",
    "0x7fffffffffffffff",
    "0x8000000000000000",
    "0xffffffff00000000",
    "0xffffffff80000000",
    "0xffffffff7fffffff",
    "-0x8000000000000000",
    "0x10000000000000000",
    "0x3800",
    "0xb800",
    "0x3c00",
    "0xbc00",
    "0x4000",
    "0xc000",
    "0x4400",
    "0xc400",
    "0x3118",
    "0x3c01",
    "15360",
    "0x3c003c00",
    "0xbc00bc00",
    "0x31183118",
    "0x3c000000",
    "0xffff0000",
    "0xfff0fff0",
    "0x10001",
    "0x400040",
    "0x3f000000",
    "0xbf000000",
    "0x3f800000",
    "0xbf800000",
    "0x40000000",
    "0xc0000000",
    "0x40800000",
    "0xc0800000",
    "0x3e22f983",
    "0x3e22f982",
    "0x3f800001",
    "1065353216",
    "-1082130432",
    "0x3f80",
    "0x3fe00000",
    "0x3ff00000",
    "0xbff00000",
    "0x40100000",
    "0x3fc45f30",
    "0x3fe0000000000000",
    "0xbfe0000000000000",
    "0x3ff0000000000000",
    "0xbff0000000000000",
    "0x4010000000000000",
    "0xc010000000000000",
    "0x3fc45f306dc9c882",
    "0x3fc45f306dc9c883",
    "0x3ff0000000000001",
];

const FLOATS: &[&str] = &[
    "0.0",
    "-0.0",
    "0.5",
    "-0.5",
    "1.0",
    "-1.0",
    "2.0",
    "-2.0",
    "4.0",
    "-4.0",
    "8.0",
    "-8.0",
    "1.5",
    "-1.5",
    "0.1",
    "0.15915494",
    "-0.15915494",
    "0.1591",
    "0.15915493667125702",
    "0.15915494309189532",
    "0.15915494309189535",
    "3.14159265358979",
    "1.0e0",
    "1e3",
    "1.",
    ".5",
    "-.5",
    "0.25",
    "65504.0",
    "65505.0",
    "65520.0",
    "65536.0",
    "2049.0",
    "1.0009765625",
    "1e-8",
    "5.9604644775390625e-8",
    "1e30",
    "-1e30",
    "3.5e38",
    "1e40",
    "1e-30",
    "1e-45",
    "1e-50",
    "1e300",
    "1e400",
];

/// Numbers that are fields of something else.
const FIELDS: &[&str] = &[
    "s_getreg_b32 s0, hwreg(@)",
    "s_getreg_b32 s0, hwreg(1, @, 1)",
    "s_getreg_b32 s0, hwreg(HW_REG_MODE, 3, @)",
    "s_sendmsg sendmsg(@)",
    "s_sendmsg sendmsg(MSG_GS, @)",
    "s_sendmsg sendmsg(MSG_GS, GS_OP_CUT, @)",
    "s_sendmsg sendmsg(MSG_SYSMSG, @)",
    "s_waitcnt vmcnt(@)",
    "s_waitcnt expcnt(@)",
    "s_waitcnt lgkmcnt(@)",
    "s_waitcnt vmcnt(3) lgkmcnt(@)",
    "s_waitcnt_depctr depctr_va_vdst(@)",
    "s_waitcnt_depctr depctr_sa_sdst(@)",
    "s_atc_probe @, s[4:5], 0x64",
    "s_load_dword s0, s[4:5], @",
    "s_load_dword s0, s[4:5], s6 offset:@",
    "s_buffer_load_dword s0, s[4:7], @",
    "ds_read_b32 v0, v1 offset:@",
    "ds_read2_b32 v[0:1], v2 offset0:@",
    "ds_read2_b32 v[0:1], v2 offset0:3 offset1:@",
    "ds_swizzle_b32 v0, v1 offset:@",
    "ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PERM,@,1,2,3)",
    "ds_swizzle_b32 v0, v1 offset:swizzle(QUAD_PERM,0,1,2,@)",
    "ds_swizzle_b32 v0, v1 offset:swizzle(SWAP,@)",
    "ds_swizzle_b32 v0, v1 offset:swizzle(REVERSE,@)",
    "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,@,0)",
    "ds_swizzle_b32 v0, v1 offset:swizzle(BROADCAST,8,@)",
    "flat_load_dword v0, v[1:2] offset:@",
    "global_load_dword v0, v[1:2], off offset:@",
    "scratch_load_dword v0, v1, off offset:@",
    "buffer_load_dword v0, off, s[4:7], s0 offset:@",
    "tbuffer_load_format_x v0, off, s[4:7], s0 offset:@",
    "tbuffer_load_format_x v0, off, s[4:7], s0 format:@",
    "image_load v0, v1, s[8:15] dmask:@ dim:SQ_RSRC_IMG_1D",
    "image_load v0, v1, s[8:15] dmask:0x1 dim:@",
    "v_mov_b32_dpp v0, v1 quad_perm:[@,1,2,3] row_mask:0xf bank_mask:0xf",
    "v_mov_b32_dpp v0, v1 quad_perm:[3,1,2,@] row_mask:0xf bank_mask:0xf",
    "v_mov_b32_dpp v0, v1 row_shl:@ row_mask:0xf bank_mask:0xf",
    "v_mov_b32_dpp v0, v1 row_shr:@ row_mask:0xf bank_mask:0xf",
    "v_mov_b32_dpp v0, v1 row_ror:@ row_mask:0xf bank_mask:0xf",
    "v_mov_b32_dpp v0, v1 row_share:@ row_mask:0xf bank_mask:0xf",
    "v_mov_b32_dpp v0, v1 row_xmask:@ row_mask:0xf bank_mask:0xf",
    "v_mov_b32_dpp v0, v1 row_mirror row_mask:@ bank_mask:0xf",
    "v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:@",
    "v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf bound_ctrl:@",
    "v_mov_b32_dpp v0, v1 row_mirror row_mask:0xf bank_mask:0xf fi:@",
    "v_mov_b32_dpp v0, v1 dpp8:[@,1,2,3,4,5,6,7]",
    "v_mov_b32_dpp v0, v1 dpp8:[0,1,2,3,4,5,6,@]",
    "v_mov_b32_dpp v0, v1 dpp8:[0,1,2,3,4,5,6,7] fi:@",
    "v_pk_add_f16 v0, v1, v2 op_sel:[@,0]",
    "v_pk_add_f16 v0, v1, v2 op_sel_hi:[1,@]",
    "v_pk_add_f16 v0, v1, v2 neg_lo:[@,0]",
    "v_pk_add_f16 v0, v1, v2 neg_hi:[@,0]",
    "v_mad_f16 v0, v1, v2, v3 op_sel:[0,0,0,@]",
    "v_interp_p1_f32_e32 v0, v1, attr@.x",
    "v_mov_b32_e32 v@, v0",
    "s_mov_b64 s[@:1], s[2:3]",
    "s_mov_b64 s[0:@], s[2:3]",
    "exp mrt@ v0, v1, v2, v3",
    "exp param@ v0, v1, v2, v3",
];

/// A text with `@` in a number's place, and what reads the number.
struct Template {
    reads: Reads,
    text: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, PartialOrd, Ord)]
enum Reads {
    /// A source of an encoding family and form.
    Source(Format, Form, Ty),
    Field,
}

/// One for each source operand that is no register alone, and the fields.
fn templates() -> Vec<Template> {
    const MARK: Src = Src::PRIVATE_LIMIT;
    const NAME: &str = "src_private_limit";
    let mut all: Vec<Template> =
        FIELDS.iter().map(|text| Template { reads: Reads::Field, text: text.to_string() }).collect();
    for op in Op::of(GEN) {
        let row = op.row();
        for form in FORMS {
            let Some(plain) = sample(op, form, GEN) else { continue };
            for (n, &ty) in row.src.iter().enumerate().take(4) {
                let ok = legal::accepts(op, form, n, GEN);
                let text = match ty {
                    Ty::Lit32 => {
                        let marked = Instr { literal: 0x1234_5678, ..plain };
                        disasm::text(&marked, GEN, 32).replace("0x12345678", "@")
                    }
                    Ty::Imm16 => without_immediate(&disasm::text(&plain, GEN, 32)),
                    // Names, not numbers.
                    Ty::Param => continue,
                    _ if ok.constant || ok.literal => {
                        let mut marked = plain;
                        marked.src[n] = MARK;
                        disasm::text(&marked, GEN, 32).replacen(NAME, "@", 1)
                    }
                    _ => continue,
                };
                assert_eq!(text.matches('@').count(), 1, "{text}");
                all.push(Template { reads: Reads::Source(row.format, form, ty), text });
            }
        }
    }
    all
}

/// The text with its 16-bit constant, whatever name that has, replaced by `@`.
fn without_immediate(text: &str) -> String {
    let named = ["hwreg(", "sendmsg("].into_iter().find_map(|name| text.find(name));
    match (named, text.split_once(' ')) {
        (Some(from), _) => {
            let to = from + text[from..].find(')').expect("closed") + 1;
            format!("{}@{}", &text[..from], &text[to..])
        }
        (None, Some((name, rest))) if rest.contains("cnt(") || rest.contains("depctr") => format!("{name} @"),
        (None, Some(_)) => format!("{} @", text.rsplit_once(' ').expect("an operand").0),
        (None, None) => format!("{text} @"),
    }
}

fn ours(line: &str) -> Result<String, String> {
    let instr = asm::parse_line(line, GEN, 32).map_err(|e| e.what)?;
    let mut words = Vec::new();
    encode::encode(&instr, GEN, &mut words).map_err(|e| e.what)?;
    Ok(common::hex(&words))
}

/// Why ours and llvm-mc's may differ: everywhere else both give the same bytes, or both refuse.
const VALUE_LOST: &str = "llvm-mc cuts off what does not fit";
const FLOAT_AS_INTEGER: &str = "llvm-mc takes the low bits of a double for a whole number";
const DOUBLE_LOST: &str = "llvm-mc drops the lower half of a double, with a warning";
const FLOAT_IN_HALF: &str = "llvm-mc writes an f32 where 16 bits of it are read";
const SDWA_LITERAL: &str = "llvm-mc puts a literal behind SDWA, which has none";
const SDWA_CLASS: &str = "llvm-mc loses the mask of v_cmp_class_f16_sdwa";
const LDEXP: &str = "llvm-mc takes 32 bits for the 16 of v_ldexp_f16's exponent, and writes them as an f16";
const DISASSEMBLED: &str = "llvm-mc prints it and does not read it back";
const REASONS: [&str; 8] =
    [VALUE_LOST, FLOAT_AS_INTEGER, DOUBLE_LOST, FLOAT_IN_HALF, SDWA_LITERAL, SDWA_CLASS, LDEXP, DISASSEMBLED];

/// The reason of a difference, if it is a known one.
fn reason(t: &Template, value: &str, ours: bool, theirs: bool) -> Option<&'static str> {
    use Reads::{Field, Source};
    let float = FLOATS.contains(&value);
    let cut = ["offset:@", "dmask:@", "s_atc_probe @", "fi:@", "row_mask:@", "bank_mask:@", "sendmsg(MSG_"];
    let has = |parts: &[&str]| parts.iter().any(|part| t.text.contains(part));
    Some(match (t.reads, ours, theirs) {
        (Source(Format::Vop2, Form::E64, Ty::I16), _, true) => LDEXP,
        (Source(_, Form::Sdwa, Ty::B32), true, true) if has(&["v_cmp_class_f16", "v_cmpx_class_f16"]) => SDWA_CLASS,
        (Source(_, Form::Sdwa, Ty::I16 | Ty::U16), true, false) if value.starts_with("0.15915494") => DISASSEMBLED,
        (Source(_, Form::Sdwa, Ty::I16 | Ty::U16), true, false) if value.starts_with("0.15915493") => DISASSEMBLED,
        (Source(_, _, Ty::Mix) | Source(Format::Vop2, _, Ty::Lit32), true, false) if !float => DISASSEMBLED,
        (Field, true, false) if has(&["attr@"]) => DISASSEMBLED,
        (Source(_, Form::Sdwa, Ty::I16 | Ty::U16), false, true) if !float => SDWA_LITERAL,
        (Source(_, _, Ty::I16 | Ty::U16 | Ty::B16), false, true) if float => FLOAT_IN_HALF,
        (Source(_, _, Ty::F64), false, true) if float => DOUBLE_LOST,
        (Source(_, _, Ty::Imm16) | Source(Format::Sopk, _, Ty::Lit32) | Field, false, true) if float => {
            FLOAT_AS_INTEGER
        }
        (Source(Format::Sopp, _, Ty::Imm16) | Source(Format::Sopk, _, Ty::Lit32), false, true) => VALUE_LOST,
        (Field, false, true) if has(&cut) => VALUE_LOST,
        _ => return None,
    })
}

/// Assembles lines here and by llvm-mc. What differs without a reason is printed; how many did not, and for which reasons
/// others may.
#[derive(Default)]
struct Comparison {
    lines: usize,
    assembled: usize,
    excused: BTreeMap<&'static str, usize>,
    wrong: BTreeMap<String, (usize, String)>,
}

impl Comparison {
    fn add(
        &mut self,
        line: &str,
        theirs: Result<String, String>,
        kind: String,
        reason: impl Fn(bool, bool) -> Option<&'static str>,
    ) {
        let ours = ours(line);
        self.lines += 1;
        self.assembled += usize::from(ours.is_ok() && theirs.is_ok());
        if ours == theirs || ours.is_err() && theirs.is_err() {
            return;
        }
        match reason(ours.is_ok(), theirs.is_ok()) {
            Some(reason) => *self.excused.entry(reason).or_default() += 1,
            None => {
                let entry = self.wrong.entry(kind).or_insert((0, format!("{line}: {ours:?}, llvm-mc {theirs:?}")));
                entry.0 += 1;
            }
        }
    }

    fn finish(&self) {
        for (kind, (count, example)) in &self.wrong {
            println!("{count:5} of {kind}: {example}");
        }
        println!("{} lines, {} assembled by both; apart from llvm-mc: {:#?}", self.lines, self.assembled, self.excused);
        assert!(self.wrong.is_empty(), "{} kinds of difference", self.wrong.len());
    }
}

#[test]
fn constants_of_every_operand() {
    let Some(tool) = common::llvm::llvm_mc() else { return };
    let templates = templates();
    let mut all = Comparison::default();
    for value in INTEGERS.iter().chain(FLOATS) {
        let lines: Vec<String> = templates.iter().map(|t| t.text.replace('@', value)).collect();
        for ((t, line), theirs) in templates.iter().zip(&lines).zip(common::llvm::llvm_lines(&tool, 32, &lines)) {
            all.add(line, theirs, format!("{:?} {value}", t.reads), |ours, theirs| reason(t, value, ours, theirs));
        }
    }
    all.finish();
    assert!(all.lines > 300_000 && all.assembled > 150_000);
    assert_eq!(all.excused.keys().count(), REASONS.len(), "a reason that excuses nothing: {:?}", all.excused);
}

/// Two constants in one instruction: there is one literal.
#[test]
fn pairs_of_constants() {
    let Some(tool) = common::llvm::llvm_mc() else { return };
    const PAIRS: &[(&str, &str)] = &[
        ("0x1234", "0x1234"),
        ("0x1234", "0x1235"),
        ("0x1235", "0x1234"),
        ("64", "0x1234"),
        ("0x1234", "-16"),
        ("100", "0x64"),
        ("1.5", "1.5"),
        ("1.5", "2.5"),
        ("0x3e00", "1.5"),
        ("0x3fc00000", "1.5"),
        ("0x3ff80000", "1.5"),
        ("0xfffffff0", "0xfffffff0"),
        ("0xff9c", "0xffffff9c"),
        ("0xffffff9c", "0xff9c"),
    ];
    const MARKS: [(Src, &str, &str); 2] =
        [(Src::PRIVATE_LIMIT, "src_private_limit", "@"), (Src::SHARED_LIMIT, "src_shared_limit", "#")];
    let mut templates = Vec::new();
    for op in Op::of(GEN) {
        let row = op.row();
        for form in [Form::Base, Form::E64] {
            let Some(plain) = sample(op, form, GEN) else { continue };
            let takes = |n: usize| row.src[n] == Ty::Lit32 || legal::accepts(op, form, n, GEN).literal;
            let of: Vec<usize> = (0..row.src.len().min(4)).filter(|&n| takes(n)).collect();
            for pair in of.windows(2) {
                let mut marked = plain;
                for (&n, (mark, ..)) in pair.iter().zip(MARKS) {
                    marked.src[n] = mark;
                }
                marked.literal = 0x1234_5678;
                let mut text = disasm::text(&marked, GEN, 32);
                for (_, name, sign) in MARKS {
                    text = text.replacen(name, sign, 1);
                }
                // The row's own literal is the one that no mark stands for.
                let sign = if text.contains('@') { "#" } else { "@" };
                templates.push(text.replace("0x12345678", sign));
            }
        }
    }
    let mut all = Comparison::default();
    for (first, second) in PAIRS {
        let lines: Vec<String> = templates.iter().map(|t| t.replace('@', first).replace('#', second)).collect();
        for (line, theirs) in lines.iter().zip(common::llvm::llvm_lines(&tool, 32, &lines)) {
            let kind = format!("{first} and {second}");
            all.add(line, theirs, kind, |ours, theirs| match (ours, theirs) {
                (false, true) if second.contains('.') => Some(FLOAT_IN_HALF),
                (false, true) if line.starts_with("v_ldexp_f16") => Some(LDEXP),
                (true, false) if line.starts_with("v_fma_mix") || first.contains("ff9c") => Some(DISASSEMBLED),
                _ => None,
            });
        }
    }
    all.finish();
    assert!(all.lines > 3_000);
}
