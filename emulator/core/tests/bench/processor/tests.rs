//! The processor in software beside this host's own: what AVX2, FMA and F16C have of its meanings, lane by lane to the bit, and all
//! of them where there is AVX-512, but for NaNs' payloads there.

use super::cpu::{Cpu, Zmm};
use super::step;
use crate::split_mix::split_mix;
use iced_x86::{Code, IcedError, Instruction, MemoryOperand, Register};
use std::arch::asm;

/// Executes an instruction of the host's own: destination, first and second operand, in zmm0 to zmm2 or their lower halves.
type Native = unsafe fn(&mut Zmm, &Zmm, &Zmm);

struct Meaning {
    /// As the emitter has it.
    code: Code,
    operands: u32,
    immediate: Option<i32>,
    native: Native,
}

macro_rules! native {
    ($mov:literal, $r:literal, $($text:expr),+) => {{
        unsafe fn run(d: &mut Zmm, a: &Zmm, b: &Zmm) {
            // SAFETY: whoever calls it has asked for the instructions; the registers are named, the memory is the operands'.
            unsafe {
                asm!(
                    concat!($mov, " ", $r, "0, [{d}]"),
                    concat!($mov, " ", $r, "1, [{a}]"),
                    concat!($mov, " ", $r, "2, [{b}]"),
                    concat!($($text),+),
                    concat!($mov, " [{d}], ", $r, "0"),
                    d = in(reg) d.as_mut_ptr(), a = in(reg) a.as_ptr(), b = in(reg) b.as_ptr(),
                    out("xmm0") _, out("xmm1") _, out("xmm2") _, options(nostack),
                );
            }
        }
        run as Native
    }};
}

macro_rules! rows {
    ($mov:literal, $r:literal: $($code:ident $operands:tt $text:literal $($immediate:literal)?;)+) => {
        vec![$(Meaning {
            code: Code::$code,
            operands: $operands,
            immediate: None$(.or(Some($immediate)))?,
            native: rows!(@ $operands $mov, $r, $text $($immediate)?),
        }),+]
    };
    (@ 2 $mov:literal, $r:literal, $text:literal) => { native!($mov, $r, $text, " ", $r, "0, ", $r, "1") };
    (@ 2 $mov:literal, $r:literal, $text:literal $i:literal) => { native!($mov, $r, $text, " ", $r, "0, ", $r, "1, ", $i) };
    (@ 3 $mov:literal, $r:literal, $text:literal) => { native!($mov, $r, $text, " ", $r, "0, ", $r, "1, ", $r, "2") };
    (@ 3 $mov:literal, $r:literal, $text:literal $i:literal) => {
        native!($mov, $r, $text, " ", $r, "0, ", $r, "1, ", $r, "2, ", $i)
    };
}

/// What hosts with AVX2 have in 256 bits.
fn of_avx2() -> Vec<Meaning> {
    rows! { "vmovdqu", "ymm":
        EVEX_Vaddps_zmm_k1z_zmm_zmmm512b32_er 3 "vaddps";
        EVEX_Vsubps_zmm_k1z_zmm_zmmm512b32_er 3 "vsubps";
        EVEX_Vmulps_zmm_k1z_zmm_zmmm512b32_er 3 "vmulps";
        EVEX_Vdivps_zmm_k1z_zmm_zmmm512b32_er 3 "vdivps";
        EVEX_Vminps_zmm_k1z_zmm_zmmm512b32_sae 3 "vminps";
        EVEX_Vmaxps_zmm_k1z_zmm_zmmm512b32_sae 3 "vmaxps";
        EVEX_Vsqrtps_zmm_k1z_zmmm512b32_er 2 "vsqrtps";
        EVEX_Vcvtdq2ps_zmm_k1z_zmmm512b32_er 2 "vcvtdq2ps";
        EVEX_Vcvttps2dq_zmm_k1z_zmmm512b32_sae 2 "vcvttps2dq";
        EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae 2 "vroundps" 0;
        EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae 2 "vroundps" 1;
        EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae 2 "vroundps" 2;
        EVEX_Vrndscaleps_zmm_k1z_zmmm512b32_imm8_sae 2 "vroundps" 3;
        EVEX_Vfmadd213ps_zmm_k1z_zmm_zmmm512b32_er 3 "vfmadd213ps";
        EVEX_Vfmadd231ps_zmm_k1z_zmm_zmmm512b32_er 3 "vfmadd231ps";
        EVEX_Vfmsub213ps_zmm_k1z_zmm_zmmm512b32_er 3 "vfmsub213ps";
        EVEX_Vfmsub231ps_zmm_k1z_zmm_zmmm512b32_er 3 "vfmsub231ps";
        EVEX_Vfnmadd213ps_zmm_k1z_zmm_zmmm512b32_er 3 "vfnmadd213ps";
        EVEX_Vfnmadd231ps_zmm_k1z_zmm_zmmm512b32_er 3 "vfnmadd231ps";
        EVEX_Vfnmsub213ps_zmm_k1z_zmm_zmmm512b32_er 3 "vfnmsub213ps";
        EVEX_Vfnmsub231ps_zmm_k1z_zmm_zmmm512b32_er 3 "vfnmsub231ps";
        EVEX_Vaddpd_zmm_k1z_zmm_zmmm512b64_er 3 "vaddpd";
        EVEX_Vmulpd_zmm_k1z_zmm_zmmm512b64_er 3 "vmulpd";
        EVEX_Vfmadd213pd_zmm_k1z_zmm_zmmm512b64_er 3 "vfmadd213pd";
        EVEX_Vsqrtpd_zmm_k1z_zmmm512b64_er 2 "vsqrtpd";
        EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae 2 "vroundpd" 0;
        EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae 2 "vroundpd" 1;
        EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae 2 "vroundpd" 2;
        EVEX_Vrndscalepd_zmm_k1z_zmmm512b64_imm8_sae 2 "vroundpd" 3;
        EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32 3 "vpaddd";
        EVEX_Vpsubd_zmm_k1z_zmm_zmmm512b32 3 "vpsubd";
        EVEX_Vpmulld_zmm_k1z_zmm_zmmm512b32 3 "vpmulld";
        EVEX_Vpmuludq_zmm_k1z_zmm_zmmm512b64 3 "vpmuludq";
        EVEX_Vpmuldq_zmm_k1z_zmm_zmmm512b64 3 "vpmuldq";
        EVEX_Vpandd_zmm_k1z_zmm_zmmm512b32 3 "vpand";
        EVEX_Vpandnd_zmm_k1z_zmm_zmmm512b32 3 "vpandn";
        EVEX_Vpord_zmm_k1z_zmm_zmmm512b32 3 "vpor";
        EVEX_Vpxord_zmm_k1z_zmm_zmmm512b32 3 "vpxor";
        EVEX_Vpminud_zmm_k1z_zmm_zmmm512b32 3 "vpminud";
        EVEX_Vpmaxud_zmm_k1z_zmm_zmmm512b32 3 "vpmaxud";
        EVEX_Vpminsd_zmm_k1z_zmm_zmmm512b32 3 "vpminsd";
        EVEX_Vpmaxsd_zmm_k1z_zmm_zmmm512b32 3 "vpmaxsd";
        EVEX_Vpsllvd_zmm_k1z_zmm_zmmm512b32 3 "vpsllvd";
        EVEX_Vpsrlvd_zmm_k1z_zmm_zmmm512b32 3 "vpsrlvd";
        EVEX_Vpsravd_zmm_k1z_zmm_zmmm512b32 3 "vpsravd";
        EVEX_Vpslld_zmm_k1z_zmmm512b32_imm8 2 "vpslld" 7;
        EVEX_Vpsrld_zmm_k1z_zmmm512b32_imm8 2 "vpsrld" 31;
        EVEX_Vpsrad_zmm_k1z_zmmm512b32_imm8 2 "vpsrad" 40;
        EVEX_Vpsrlq_zmm_k1z_zmmm512b64_imm8 2 "vpsrlq" 32;
        EVEX_Vpunpckldq_zmm_k1z_zmm_zmmm512b32 3 "vpunpckldq";
        EVEX_Vpunpckhdq_zmm_k1z_zmm_zmmm512b32 3 "vpunpckhdq";
        EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8 3 "vshufps" 0x88;
        EVEX_Vshufps_zmm_k1z_zmm_zmmm512b32_imm8 3 "vshufps" 0x6c;
        EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8 2 "vpshufd" 0xd8;
        EVEX_Vpshufd_zmm_k1z_zmmm512b32_imm8 2 "vpshufd" 0x1b;
    }
}

/// What only hosts with AVX-512 have.
fn of_avx512() -> Vec<Meaning> {
    rows! { "vmovdqu32", "zmm":
        EVEX_Vcvttps2udq_zmm_k1z_zmmm512b32_sae 2 "vcvttps2udq";
        EVEX_Vcvtudq2ps_zmm_k1z_zmmm512b32_er 2 "vcvtudq2ps";
        EVEX_Vscalefps_zmm_k1z_zmm_zmmm512b32_er 3 "vscalefps";
        EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae 3 "vrangeps" 4;
        EVEX_Vrangeps_zmm_k1z_zmm_zmmm512b32_imm8_sae 3 "vrangeps" 5;
        EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8 3 "vpternlogd" 0x55;
        EVEX_Vpternlogd_zmm_k1z_zmm_zmmm512b32_imm8 3 "vpternlogd" 0xca;
        EVEX_Vprord_zmm_k1z_zmmm512b32_imm8 2 "vprord" 9;
        EVEX_Vplzcntd_zmm_k1z_zmmm512b32 2 "vplzcntd";
        EVEX_Vpermd_zmm_k1z_zmm_zmmm512b32 3 "vpermd";
        EVEX_Vpermi2d_zmm_k1z_zmm_zmmm512b32 3 "vpermi2d";
        EVEX_Vpermt2d_zmm_k1z_zmm_zmmm512b32 3 "vpermt2d";
        EVEX_Vpermt2q_zmm_k1z_zmm_zmmm512b64 3 "vpermt2q";
        EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8 3 "vshufi64x2" 0x4e;
        EVEX_Vshufi64x2_zmm_k1z_zmm_zmmm512b64_imm8 3 "vshufi64x2" 0xd8;
        EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8 3 "valignd" 1;
        EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8 3 "valignd" 15;
    }
}

fn instruction(row: &Meaning) -> Result<Instruction, IcedError> {
    let [d, a, b] = [Register::ZMM0, Register::ZMM1, Register::ZMM2];
    match (row.operands, row.immediate) {
        (2, None) => Instruction::with2(row.code, d, a),
        (2, Some(i)) => Instruction::with3(row.code, d, a, i),
        (_, None) => Instruction::with3(row.code, d, a, b),
        (_, Some(i)) => Instruction::with4(row.code, d, a, b, i),
    }
}

fn state(of: [Zmm; 3]) -> Cpu {
    let mut state = Cpu::entered(&mut [0; 4], 0);
    state.zmm[..3].copy_from_slice(&of);
    state
}

/// Floats at their edges, small numbers, and anything.
fn word(random: &mut u64) -> u32 {
    const EDGES: [u32; 24] = [
        0,
        1,
        2,
        31,
        32,
        33,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_ffff,
        0x007f_ffff,
        0x0080_0000,
        0x3f80_0000,
        0xbf00_0000,
        0x3fc0_0000,
        0x4b00_0001,
        0x4eff_ffff,
        0x4f00_0000,
        0xcf00_0000,
        0x7f7f_ffff,
        0x7f80_0000,
        0xff80_0000,
        0x7fc0_1234,
        0x7f80_0001,
    ];
    let r = split_mix(random);
    match r % 4 {
        0 | 1 => EDGES[(r >> 8) as usize % EDGES.len()],
        2 => 0x3f00_0000 + ((r >> 32) as u32 & 0x01ff_ffff),
        _ => (r >> 32) as u32,
    }
}

fn is_nan(x: u32) -> bool {
    f32::from_bits(x).is_nan()
}

/// Holds rows against the host, in so many lanes.
fn hold(rows: &[Meaning], lanes: usize, payloads: bool) {
    let mut random = 0x5eedu64;
    for row in rows {
        let i = instruction(row).expect("an instruction of these operands");
        for _ in 0..500 {
            let [d, a, b]: [Zmm; 3] = std::array::from_fn(|_| std::array::from_fn(|_| word(&mut random)));
            let mut native = d;
            // SAFETY: whoever gave the rows has asked whether the host has them.
            unsafe { (row.native)(&mut native, &a, &b) };
            let mut state = state([d, a, b]);
            // SAFETY: registers only.
            unsafe { step(&mut state, &i) };
            for n in 0..lanes {
                let (is, was) = (state.zmm[0][n], native[n]);
                let same = is == was || !payloads && is_nan(is) && is_nan(was);
                assert!(same, "{i}, lane {n} of {d:x?}, {a:x?}, {b:x?}: {is:#x}, and the host says {was:#x}");
            }
        }
    }
}

#[test]
fn meanings_are_those_of_the_hosts_halves() {
    assert!(is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma"), "this host has no avx2");
    hold(&of_avx2(), 8, true);
}

#[test]
fn meanings_are_those_of_a_host_with_avx512() {
    if !(is_x86_feature_detected!("avx512dq") && is_x86_feature_detected!("avx512cd")) {
        return println!("SKIP avx512-beside-software");
    }
    hold(&of_avx512(), 16, false);
}

#[test]
fn halves_are_the_hosts() {
    assert!(is_x86_feature_detected!("f16c"), "this host has no f16c");
    let mut random = 7u64;
    let bits = (0..1u32 << 16).chain((0..200_000).map(|_| word(&mut random)));
    for x in bits {
        let (wide, nearest, cut): (u32, u32, u32);
        // SAFETY: the host has F16C.
        unsafe {
            asm!(
                "vmovd xmm0, {x:e}", "vcvtph2ps xmm1, xmm0", "vmovd {w:e}, xmm1", "vcvtps2ph xmm1, xmm0, 0", "vmovd {n:e}, xmm1",
                "vcvtps2ph xmm1, xmm0, 3", "vmovd {c:e}, xmm1",
                x = in(reg) x, w = out(reg) wide, n = out(reg) nearest, c = out(reg) cut,
                out("xmm0") _, out("xmm1") _, options(nostack, nomem),
            );
        }
        assert_eq!(super::floats::widened(x & 0xffff), wide, "{x:#x} from a half");
        assert_eq!(super::floats::narrowed(x, 0), nearest & 0xffff, "{x:#x} to the nearest half");
        assert_eq!(super::floats::narrowed(x, 3), cut & 0xffff, "{x:#x} to a half toward zero");
    }
}

#[test]
fn comparisons_are_the_hosts() {
    macro_rules! host {
        ($($predicate:literal)+) => { [$(native!("vmovdqu", "ymm", "vcmpps ymm0, ymm1, ymm2, ", $predicate)),+] };
    }
    let natives = host!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31);
    let mut random = 3u64;
    for (predicate, native) in natives.into_iter().enumerate() {
        let code = Code::EVEX_Vcmpps_kr_k1_zmm_zmmm512b32_imm8_sae;
        let i = Instruction::with4(code, Register::K1, Register::ZMM1, Register::ZMM2, predicate as u32);
        let i = i.expect("a comparison");
        for _ in 0..200 {
            let [mut d, a, b]: [Zmm; 3] = std::array::from_fn(|_| std::array::from_fn(|_| word(&mut random)));
            let mut state = state([d, a, b]);
            // SAFETY: the host has AVX; registers only.
            unsafe {
                native(&mut d, &a, &b);
                step(&mut state, &i);
            }
            for n in 0..8 {
                assert_eq!(state.k[1] >> n & 1, u64::from(d[n] & 1), "{i}: {:#x}, {:#x}", a[n], b[n]);
            }
        }
    }
}

#[test]
fn masks_keep_lanes_or_make_them_zero() {
    let mut i =
        Instruction::with3(Code::EVEX_Vpaddd_zmm_k1z_zmm_zmmm512b32, Register::ZMM0, Register::ZMM1, Register::ZMM2)
            .expect("a sum");
    i.set_op_mask(Register::K3);
    for zeroing in [false, true] {
        i.set_zeroing_masking(zeroing);
        let mut state = state([[9; 16], [1; 16], [2; 16]]);
        state.k[3] = 0x00f1;
        // SAFETY: registers only.
        unsafe { step(&mut state, &i) };
        let other = if zeroing { 0 } else { 9 };
        let wanted: Zmm = std::array::from_fn(|n| if 0xf1 >> n & 1 != 0 { 3 } else { other });
        assert_eq!(state.zmm[0], wanted);
    }
}

#[test]
fn parts_are_the_hosts() {
    assert!(is_x86_feature_detected!("avx2"), "this host has no avx2");
    macro_rules! rows {
        ($($code:ident $from:ident $text:literal;)+) => { [$((Code::$code, Register::$from, native!("vmovdqu", "ymm", $text))),+] };
    }
    let rows = rows! {
        EVEX_Vpmovzxbd_zmm_k1z_xmmm128 XMM1 "vpmovzxbd ymm0, xmm1";
        EVEX_Vpmovsxbd_zmm_k1z_xmmm128 XMM1 "vpmovsxbd ymm0, xmm1";
        EVEX_Vpmovzxwd_zmm_k1z_ymmm256 YMM1 "vpmovzxwd ymm0, xmm1";
        EVEX_Vpmovsxwd_zmm_k1z_ymmm256 YMM1 "vpmovsxwd ymm0, xmm1";
    };
    let mut random = 11u64;
    for (code, from, native) in rows {
        let own = Instruction::with2(code, Register::ZMM0, from).expect("of a register");
        let at = MemoryOperand::with_base(Register::RAX);
        let mut loaded = Instruction::with2(code, Register::ZMM0, at).expect("of memory");
        loaded.set_op_mask(Register::K1);
        loaded.set_zeroing_masking(true);
        for _ in 0..200 {
            let a: Zmm = std::array::from_fn(|_| word(&mut random));
            let (mut d, mut state) = (a, state([a; 3]));
            // SAFETY: the host has AVX2; memory is what RAX is at.
            unsafe {
                native(&mut d, &a, &a);
                step(&mut state, &own);
                let all = state.zmm[0];
                assert_eq!(all[..8], d[..8], "{own} of {a:x?}");
                state.set(Register::RAX, a.as_ptr().expose_provenance() as u64);
                state.k[1] = word(&mut random).into();
                step(&mut state, &loaded);
                let live = state.k[1];
                let wanted: Zmm = std::array::from_fn(|n| if live >> n & 1 != 0 { all[n] } else { 0 });
                assert_eq!(state.zmm[0], wanted, "{loaded} of {a:x?}");
            }
        }
    }
}

#[test]
fn low_ends_and_lanes_further_up() {
    let a: Zmm = std::array::from_fn(|n| 0x0101_0000 * n as u32 + 0x8000 + n as u32);
    let b: Zmm = std::array::from_fn(|n| 100 + n as u32);
    let end = Instruction::with2(Code::EVEX_Vpmovdb_xmmm128_k1z_zmm, Register::XMM0, Register::ZMM1).expect("bytes");
    let mut low = state([b, a, b]);
    // SAFETY: registers only.
    unsafe { step(&mut low, &end) };
    let bytes: [u8; 16] = std::array::from_fn(|n| a[n] as u8);
    assert_eq!((bytemuck::cast_slice::<u32, u8>(&low.zmm[0][..4]), &low.zmm[0][4..]), (&bytes[..], &[0; 12][..]));
    for by in 0..16 {
        let (code, [d, x, y]) =
            (Code::EVEX_Valignd_zmm_k1z_zmm_zmmm512b32_imm8, [Register::ZMM0, Register::ZMM1, Register::ZMM2]);
        let i = Instruction::with4(code, d, x, y, by as i32).expect("a shift of lanes");
        let mut shifted = state([b, a, b]);
        // SAFETY: as above.
        unsafe { step(&mut shifted, &i) };
        let both = [b, a].concat();
        assert_eq!(shifted.zmm[0], both[by..by + 16], "{i}");
    }
}

#[test]
fn parts_of_general_registers_and_exchanges() {
    let mut state = Cpu::entered(&mut [0; 4], 0);
    for (value, signed) in [(0x1234_5680u64, 0xffff_ff80u64), (0x7f, 0x7f)] {
        state.set(Register::RSI, value);
        let i = Instruction::with2(Code::Movsx_r32_rm8, Register::EAX, Register::SIL).expect("a byte");
        // SAFETY: registers only.
        unsafe { step(&mut state, &i) };
        assert_eq!(state.get(Register::RAX), signed, "{i}");
    }
    for lock in [false, true] {
        for there in [7u32, 8] {
            let mut dword = there;
            let at = MemoryOperand::with_base(Register::RDX);
            let mut i = Instruction::with2(Code::Cmpxchg_rm32_r32, at, Register::ECX).expect("an exchange");
            i.set_has_lock_prefix(lock);
            state.set(Register::RDX, std::ptr::from_mut(&mut dword).expose_provenance() as u64);
            state.set(Register::EAX, 7);
            state.set(Register::ECX, 9);
            // SAFETY: RDX is at the dword.
            unsafe { step(&mut state, &i) };
            let wanted = if there == 7 { (9, 7, Some(true)) } else { (8, 8, Some(false)) };
            // SAFETY: it is there.
            let dword = unsafe { (&raw const dword).read_volatile() };
            assert_eq!((dword, state.get(Register::RAX) as u32, state.flags.zero), wanted, "{i}");
        }
    }
}

#[test]
#[should_panic(expected = "a flag that the instruction before leaves undefined")]
fn what_a_call_leaves_undefined_cannot_be_asked() {
    let mut state = Cpu::entered(&mut [0; 4], 0);
    state.called(1);
    let i = Instruction::with1(Code::Sete_rm8, Register::AL).expect("a question");
    // SAFETY: registers only.
    unsafe { step(&mut state, &i) };
}
