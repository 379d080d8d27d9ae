//! The IR by itself: the value of operations on constants, the identities that building applies, its laws, its text form.

use Width::*;
use wavepipe_compiler::ir::build::Builder;
use wavepipe_compiler::ir::fold::{fold, half};
use wavepipe_compiler::ir::parse::ParseError;
use wavepipe_compiler::ir::validate::validate;
use wavepipe_compiler::ir::{Alu, Builtin, Exit, Kernel, Node, Op, Value, Width};
use wavepipe_compiler::tested::ALUS;

#[test]
fn integers() {
    let f32_ = |a, args: &[u64]| fold(a, args, B32, B32);
    assert_eq!(f32_(Alu::IAdd, &[0xffff_ffff, 2]), Some(1));
    assert_eq!(f32_(Alu::SMod, &[(-7i32) as u32 as u64, 3]), Some(2));
    assert_eq!(f32_(Alu::SRem, &[(-7i32) as u32 as u64, 3]), Some(0xffff_ffff));
    assert_eq!(f32_(Alu::UDiv, &[1, 0]), None);
    assert_eq!(f32_(Alu::SMulHi, &[0xffff_ffff, 2]), Some(0xffff_ffff));
    assert_eq!(f32_(Alu::UMulHi, &[0xffff_ffff, 2]), Some(1));
    assert_eq!(f32_(Alu::SBfe, &[0xf0, 4, 4]), Some(0xffff_ffff));
    assert_eq!(f32_(Alu::UBfe, &[0xf0, 4, 4]), Some(0xf));
    assert_eq!(f32_(Alu::Bfi, &[0xffff, 0, 4, 4]), Some(0xff0f));
    assert_eq!(f32_(Alu::FindSMsb, &[0xffff_ffff]), Some(0xffff_ffff));
    assert_eq!(f32_(Alu::BitReverse, &[1]), Some(0x8000_0000));
    assert_eq!(fold(Alu::SConvert, &[0x80], B8, B32), Some(0xffff_ff80));
}

#[test]
fn floats() {
    let b = |x: f32| u64::from(x.to_bits());
    assert_eq!(fold(Alu::FFma, &[b(2.0), b(3.0), b(1.0)], B32, B32), Some(b(7.0)));
    assert_eq!(fold(Alu::FUnordLt, &[b(f32::NAN), b(1.0)], B32, B1), Some(1));
    assert_eq!(fold(Alu::FToS, &[b(-1.5)], B32, B32), Some(0xffff_ffff));
    assert_eq!(fold(Alu::FToU, &[b(-1.5)], B32, B32), Some(0));
    assert_eq!(fold(Alu::FDiv, &[b(0.0), b(0.0)], B32, B32), None);
    assert_eq!(fold(Alu::FAdd, &[0x3c00, 0x4000], B16, B16), Some(0x4200));
}

/// Every f16 comes back through f32, and halfway cases go to even.
#[test]
fn halves() {
    for bits in 0..0x1_0000u64 {
        match fold(Alu::FConvert, &[bits], B16, B32) {
            Some(wide) => assert_eq!(fold(Alu::FConvert, &[wide], B32, B16), Some(bits), "{bits:#x}"),
            None => assert!(bits & 0x7fff > 0x7c00, "{bits:#x}"),
        }
    }
    let value = |half| f64::from(f32::from_bits(fold(Alu::FConvert, &[half], B16, B32).unwrap() as u32));
    for bits in (0..0x7bffu64).step_by(2) {
        let middle = (value(bits) + value(bits + 1)) / 2.0;
        assert_eq!(half(middle), bits);
        assert_eq!(half(-f64::from_bits(middle.to_bits() + 1)), 0x8000 | (bits + 1));
    }
    assert_eq!((half(65519.999), half(65520.0)), (0x7bff, 0x7c00));
}

/// Evaluates the arithmetic of a kernel with `x` for its only builtin.
fn evaluate(k: &Kernel, v: Value, x: u64) -> u64 {
    let mut values = vec![0; k.values.len()];
    k.body.for_each_inst(&mut |i| {
        let r = i.results[0].0 as usize;
        values[r] = match &i.op {
            Op::Const(c) => *c,
            Op::Builtin(_) => x,
            Op::Alu(a) => {
                let args: Vec<u64> = i.args.iter().map(|v| values[v.0 as usize]).collect();
                fold(*a, &args, k.width(i.args[0]), k.width(i.results[0])).unwrap()
            }
            _ => unreachable!(),
        }
    });
    values[v.0 as usize]
}

#[test]
fn division_by_constants_is_exact() {
    let samples = [
        0u32,
        1,
        2,
        3,
        5,
        6,
        7,
        9,
        10,
        99,
        100,
        101,
        12345,
        65535,
        65536,
        0x7fff_fffe,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_fffe,
        0xffff_ffff,
        0x5555_5555,
        0xaaaa_aaab,
        0xcccc_cccd,
    ];
    for d in (1..200).chain([
        255,
        256,
        257,
        641,
        1000,
        10_000,
        65_535,
        65_537,
        0x7fff_ffff,
        0x8000_0000,
        0x8000_0001,
        0xffff_ffff,
    ]) {
        for alu in [Alu::UDiv, Alu::UMod, Alu::SDiv, Alu::SRem, Alu::SMod] {
            let mut b = Builder::new(Kernel::new("t", [1; 3]));
            let x = b.builtin(Builtin::SubgroupId);
            let k = b.u32(d);
            let v = b.alu(alu, Width::B32, &[x, k]);
            let kernel = b.finish(Exit::Yield(vec![]));
            for &s in samples.iter().chain(&[d, d.wrapping_sub(1), d.wrapping_mul(3), d.wrapping_neg()]) {
                let wanted = fold(alu, &[u64::from(s), u64::from(d)], Width::B32, Width::B32);
                assert_eq!(Some(evaluate(&kernel, v, u64::from(s))), wanted, "{alu:?} {s} {d}");
            }
        }
    }
}

#[test]
fn identities() {
    let mut b = Builder::new(Kernel::new("t", [1; 3]));
    let x = b.builtin(Builtin::SubgroupId);
    let (zero, one, four) = (b.u32(0), b.u32(1), b.u32(4));
    assert_eq!(b.iadd(zero, x), x);
    assert_eq!(b.imul(x, one), x);
    let p = b.iadd(x, four);
    let q = b.iadd(p, four);
    let eight = b.u32(8);
    assert_eq!(b.iadd(x, eight), q);
    let lt = b.alu(Alu::ULt, Width::B1, &[x, four]);
    let not = b.alu(Alu::Not, Width::B1, &[lt]);
    assert_eq!(b.alu(Alu::ULe, Width::B1, &[four, x]), not);
}

fn check(body: &str) -> Result<(), String> {
    let text =
        format!("kernel \"t\" workgroup 1 1 1 lds 0 scratch 0 {{\n%0:b32 = const 1\n%1:b1 = ult %0 %0\n{body}\n}}");
    validate(&text.parse::<Kernel>().unwrap()).map_err(|v| v.message)
}

#[test]
fn laws() {
    assert_eq!(check("yield"), Ok(()));
    assert_eq!(check("%2:b32 = iadd %0 %0\nyield"), Ok(()));
    for (body, message) in [
        ("%2:b32 = iadd %0 %1\nyield", "wrong widths: [B32, B1] -> [B32]"),
        ("%2:b32 = iadd %0\nyield", "2 operands: [B32] -> [B32]"),
        ("%0:b32 = const 2\nyield", "%0 is defined twice"),
        (
            "if %1 {\n%2:b32 = iadd %0 %0\nyield\n} else {\nyield\n}\n%3:b32 = iadd %2 %0\nyield",
            "%2 is not visible here",
        ),
        ("%2:b32 = if %1 {\nyield %0\n} else {\nyield\n}\nyield", "gives [], the target takes [B32]"),
        ("loop @0 () {\nyield\n}\nyield", "a loop's body cannot yield"),
        ("block @0 {\ncontinue @0\n}\nyield", "no enclosing loop @0"),
        ("switch @0 %1 {\ncase default () {\nyield\n}\n}\nyield", "the selector %1 is not b32"),
        ("switch @0 %0 {\ncase 0x1 () {\nyield\n}\n}\nyield", "one case must be the default"),
        ("switch @0 %0 {\ncase 0x1 () {\nyield\n}\ncase 0x1 default () {\nyield\n}\n}\nyield", "two cases have 0x1"),
        (
            "switch @0 %0 {\ncase 0x1 () {\nyield\n}\ncase default (%2:b32 = %0) {\nyield\n}\n}\nyield",
            "gives [], the target takes [B32]",
        ),
        (
            "switch @0 %0 {\ncase 0x1 (%2:b32 = %0) {\nyield\n}\ncase default () {\nbreak @0 %2\n}\n}\nyield",
            "%2 is not visible here",
        ),
        ("%2:b1 = const 2\nyield", "bits beyond the width: [] -> [B1]"),
    ] {
        assert_eq!(check(body), Err(message.to_string()), "{body}");
    }
}

const SAMPLE: &str = r#"kernel "ma\"in\r\u{8}" workgroup 64 2 1 lds 16 scratch 8 local 0 8 full_subgroups mode 63 {
  file "a b.comp"
  data 00ff
  %0:b32 = const 0x4
  %1:b32 = builtin local_invocation_id.x
  %2:desc = descriptor set=0 binding=1 kind=storage %0
  %3:b32 %4:b32 = load.buffer offset=8 coherent volatile readonly align=8 %2 %1
  %5:b32 = exact fadd %3 %4 !0:12
  %6:b32 = subgroup.exclusive.fadd cluster=8 %5
  %7:b32 = atomic.lds.compare_exchange offset=4 %0 %1 %3
  barrier execution=workgroup memory=workgroup lds buffer
  trace 7 finding %0 %1
  trace 8
  %13:image = descriptor set=0 binding=2 kind=combined_image_sampler %0
  %14:sampler = descriptor set=0 binding=2 kind=combined_image_sampler %0
  %15:b32 %16:b32 %17:b32 %18:b32 = image.sample dim=2d arrayed offset compare min_lod level=gradients readonly %13 %14 %0 %5 %5 %5 %5 %5 %5 %5 %5 %5
  %19:b32 %20:b32 %21:b32 %22:b32 = image.gather component=2 dim=cube integer level=zero readonly %13 %14 %5 %5 %5
  %23:b32 = image.atomic.compare_exchange dim=2d multisampled level=zero coherent %13 %0 %0 %1 %4 %3
  image.store dim=1d level=zero coherent volatile %13 %0 %3 %4
  %24:b32 %25:b32 = image.size dim=2d level=lod %13 %0
  %9:b32 = loop @0 (%8:b32 = %5, %12:b32 = %0) !0:3 {
    %10:b1 = ult %8 %0
    %11:b32 = if %10 {
      yield %0
    } else {
      break @0 %8
    }
    continue @0 %11 %12
  }
  block @1 {
    break @1
  }
  store.buffer %2 %1 %9
  yield
}
"#;

#[test]
fn round_trip() {
    let kernel: Kernel = SAMPLE.parse().unwrap();
    assert_eq!(kernel.to_string(), SAMPLE);
    assert_eq!(kernel.to_string().parse::<Kernel>().unwrap(), kernel);
    assert_eq!(validate(&kernel), Ok(()));
}

/// Every row of the spelling tables: a name stands for one operation, and each operation has a name.
#[test]
fn spelling_is_a_bijection() {
    for (i, (a, name)) in ALUS.iter().enumerate() {
        let read: Kernel =
            format!("kernel \"t\" workgroup 1 1 1 lds 0 scratch 0 {{\n%0:b32 = {name}\nyield\n}}").parse().unwrap();
        let Node::Inst(inst) = &read.body.nodes[0] else { panic!("{name}") };
        assert_eq!(inst.op, Op::Alu(*a), "{name}");
        assert!(read.to_string().contains(&format!(" = {name}\n")), "{name}: {read}");
        assert!(ALUS[..i].iter().all(|(b, _)| b != a), "{a:?} twice");
    }
    assert_eq!(ALUS.len(), Alu::Copy as usize + 1);
}

#[test]
fn errors_name_the_line() {
    let broken = SAMPLE.replace("fadd %3", "fadd_ %3");
    assert_eq!(
        broken.parse::<Kernel>().unwrap_err(),
        ParseError { line: 8, message: "unknown operation `fadd_`".into() }
    );
    let cut = SAMPLE.rsplit_once("yield").unwrap().0;
    assert!(cut.parse::<Kernel>().unwrap_err().message.contains("ends inside"));
}
