//! References as expressions in WGSL and GLSL, beside the same in Rust.

use wavepipe::contents::Contents;
use wavepipe::element::Number;
use wavepipe::view::{Shape, View};
use wavepipe_check::cpu::{Array, Constant, Language, Reference};
use wavepipe_runtime::compiler::spirv;

/// Numbers of a type, one after the other.
fn array(name: &str, shape: &str, numbers: &[f64]) -> Array {
    let view = View::from(shape.parse::<Shape>().unwrap());
    let mut bytes = Vec::new();
    view.leaves().zip(numbers).for_each(|(leaf, n)| leaf.scalar.put(Number::Float(*n), &mut bytes));
    Array { name: name.into(), contents: Contents::buffer(view, bytes) }
}

fn arrays() -> Vec<Array> {
    vec![
        array("x", "f32[4]", &[0.1, 2.0, -3.5, 4.0]),
        array("n", "u32[4]", &[7.0, 0.0, 4_294_967_295.0, 8.0]),
        array("v", "vec3[2]", &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0]),
    ]
}

fn try_run(language: Language, text: &str, shape: &str) -> Result<Vec<Number>, String> {
    let constants = [Constant { name: "TILE".into(), text: "4".into() }];
    let (arrays, own) = (arrays(), array("", shape, &[0.0; 16]));
    let got = Reference { language, text, arrays: &arrays, constants: &constants }.evaluate(&own.contents)?;
    Ok(got.view.leaves().map(|l| l.scalar.get(&got.bytes[l.offset..])).collect())
}

fn floats(language: Language, text: &str, count: usize) -> Vec<f32> {
    let got = try_run(language, text, &format!("f32[{count}]"));
    got.unwrap_or_else(|e| panic!("{text}: {e}")).into_iter().map(|n| n.float() as f32).collect()
}

fn ints(language: Language, text: &str, ty: &str) -> Vec<i128> {
    let got = try_run(language, text, &format!("{ty}[4]"));
    let int = |n| if let Number::Int(i) = n { i } else { panic!("{text}: {n:?}") };
    got.unwrap_or_else(|e| panic!("{text}: {e}")).into_iter().map(int).collect()
}

/// Each row is WGSL, GLSL, and the same in Rust.
#[test]
fn expressions_are_what_rust_computes() {
    let x = [0.1f32, 2.0, -3.5, 4.0];
    type Row = (&'static str, &'static str, fn(f32, usize) -> f32);
    let rows: [Row; 8] = [
        ("2.0 * x[i] + 1.0", "2.0 * x[i] + 1.0", |x, _| 2.0 * x + 1.0),
        ("x[i] / 3.0 - f32(i)", "x[i] / 3.0 - float(i)", |x, i| x / 3.0 - i as f32),
        ("fma(x[i], 0.1, 0.3)", "fma(x[i], 0.1, 0.3)", |x, _| x.mul_add(0.1, 0.3)),
        ("max(x[i], 0.0) * f32(TILE)", "max(x[i], 0.0) * float(TILE)", |x, _| x.max(0.0) * 4.0),
        ("select(-1.0, 1.0, x[i] > 1.0)", "x[i] > 1.0 ? 1.0 : -1.0", |x, _| if x > 1.0 { 1.0 } else { -1.0 }),
        ("sqrt(abs(x[i]))", "sqrt(abs(x[i]))", |x, _| x.abs().sqrt()),
        ("floor(x[i]) % 2.0", "floor(x[i]) - 2.0 * trunc(floor(x[i]) / 2.0)", |x, _| x.floor() % 2.0),
        ("clamp(x[i], -1.0, 3.0)", "clamp(x[i], -1.0, 3.0)", |x, _| x.clamp(-1.0, 3.0)),
    ];
    for (wgsl, glsl, rust) in rows {
        let wanted: Vec<f32> = x.iter().enumerate().map(|(i, x)| rust(*x, i)).collect();
        assert_eq!(floats(Language::Wgsl, wgsl, 4), wanted, "{wgsl}");
        assert_eq!(floats(Language::Glsl, glsl, 4), wanted, "{glsl}");
    }
}

#[test]
fn integers_wrap_shift_and_convert() {
    use Language::{Glsl, Wgsl};
    assert_eq!(ints(Wgsl, "n[i] + 1u", "u32"), [8, 1, 0, 9]);
    assert_eq!(ints(Glsl, "n[i] * n[i]", "u32"), [49, 0, 1, 64]);
    assert_eq!(ints(Wgsl, "(n[i] >> 1u) ^ 3u", "u32"), [0, 3, 0x7fff_fffc, 7]);
    assert_eq!(ints(Wgsl, "countOneBits(n[i])", "u32"), [3, 0, 32, 1]);
    assert_eq!(ints(Wgsl, "i32(x[i])", "i32"), [0, 2, -3, 4]);
    assert_eq!(ints(Glsl, "int(n[i]) >> 1", "i32"), [3, 0, -1, 4]);
    assert_eq!(ints(Wgsl, "n[i] / 0u", "u32"), [7, 0, 4_294_967_295, 8]);
    assert_eq!(ints(Wgsl, "u32(firstLeadingBit(n[i]) + 1u)", "u32"), [3, 0, 32, 4]);
    assert_eq!(ints(Wgsl, "extractBits(n[i], 1u, 2u)", "u32"), [3, 0, 3, 0]);
}

#[test]
fn bodies_have_loops_variables_and_vectors() {
    let sum = "var s = 0.0; for (var k = 0u; k <= i; k++) { s += x[k]; } return s;";
    assert_eq!(floats(Language::Wgsl, sum, 4), [0.1, 2.1, -1.4000001, 2.6]);
    let sum = "float s = 0.0; for (uint k = 0; k <= i; k++) { if (k == 2) continue; s += x[k]; } return s;";
    assert_eq!(floats(Language::Glsl, sum, 4), [0.1, 2.1, 2.1, 6.1]);
    assert_eq!(floats(Language::Wgsl, "dot(v[i], vec3(1.0, 2.0, 3.0)) + v[i].y", 2), [9.0, 30.0]);
    assert_eq!(floats(Language::Wgsl, "f32(arrayLength(&x))", 1), [4.0]);
    assert_eq!(floats(Language::Glsl, "float(x.length())", 1), [4.0]);
    let vector = try_run(Language::Wgsl, "v[i].zyx * 2.0", "vec3[2]").unwrap();
    assert_eq!(vector, [4.0, 2.0, 0.0, 10.0, 8.0, 6.0].map(Number::Float));
}

#[test]
fn what_is_wrong_is_said() {
    let says = |text: &str| try_run(Language::Wgsl, text, "f32[4]").unwrap_err();
    assert_eq!(says("x[i + 2u]"), "at element 2: x[4] is past its 4 elements");
    assert!(says("y[i]").contains("no definition in scope for identifier: `y`"), "{}", says("y[i]"));
    assert!(says("\n  x[i] +").starts_with("line "), "{}", says("\n  x[i] +"));
    assert_eq!(says("loop { } return 1.0;"), "at element 0: it runs without an end");
    assert!(try_run(Language::Glsl, "x[i] + nothing", "f32[4]").is_err());
    assert_eq!(says("x[i] > 1.0"), "it is no f32, which an element is: convert it");
    assert_eq!(says("n[i]"), "it is no f32, which an element is: convert it");
    assert_eq!(says("v[0]"), "it is no f32, which an element is: convert it");
}

const F32: spirv::Scalar = spirv::Scalar { kind: spirv::ScalarKind::Float, bytes: 4 };

/// `{ uint n; Part parts[2]; }`, where a Part is `{ vec3 at; float w; mat2x3 m; uint16 k[2]; }`, with gaps.
fn particles() -> Array {
    use spirv::{Member, Scalar, ScalarKind, Type};
    use wavepipe::view::{Types, Walk};
    let member = |name: &str, offset, ty| Member { name: name.to_owned(), offset, ty };
    let vector = |n| Type::Vector { scalar: F32, n, stride: 4 };
    let half = Type::Scalar(Scalar { kind: ScalarKind::Unsigned, bytes: 2 });
    let members = [
        member("at", 0, vector(3)),
        member("w", 12, Type::Scalar(F32)),
        member("m", 16, Type::Matrix { column: vector(3).into(), n: 2, stride: 16 }),
        member("k", 44, Type::Array { element: half.into(), n: Some(2), stride: 2, bytes: 2 }),
    ];
    let element = Type::Struct { name: "Part".into(), members: members.into() };
    let head = vec![member("n", 0, Type::Scalar(Scalar { kind: ScalarKind::Unsigned, bytes: 4 }))];
    let (mut walk, mut first) = (Walk::default(), Walk::default());
    walk.add(&element, 0).unwrap();
    head.iter().for_each(|m| first.add(&m.ty, m.offset as usize).unwrap());
    let types = Types { head, element, array: "parts".into(), whole: false };
    let view = View {
        head: first.leaves,
        at: 16,
        element: walk.leaves,
        stride: 48,
        count: 2,
        bytes: 112,
        label: "Part[2]".into(),
        types: Some(types.into()),
    };
    let mut bytes = vec![0xee; 112];
    for (k, leaf) in view.leaves().enumerate() {
        let mut out = Vec::new();
        leaf.scalar.put(Number::Int(k as i128), &mut out);
        bytes[leaf.offset..leaf.offset + out.len()].copy_from_slice(&out);
    }
    Array { name: "buf".into(), contents: Contents::buffer(view, bytes) }
}

fn of_particles(language: Language, text: &str) -> Result<Vec<f64>, String> {
    let arrays = [particles()];
    let own = array("", "f32[2]", &[0.0; 2]);
    let got = Reference { language, text, arrays: &arrays, constants: &[] }.evaluate(&own.contents)?;
    Ok(got.view.leaves().map(|l| l.scalar.get(&got.bytes[l.offset..]).float()).collect())
}

#[test]
fn structures_have_their_members() {
    use Language::{Glsl, Wgsl};
    // Numbers count up: n is 0, the first element's are 1 to 12, the second one's 13 to 24.
    let rows = [
        (Wgsl, "buf[i].w", [4.0, 16.0]),
        (Wgsl, "buf.parts[i].at.y + f32(buf.n)", [2.0, 14.0]),
        (Wgsl, "f32(arrayLength(&buf.parts)) * buf.parts[0].m[1][0]", [16.0; 2]),
        (Wgsl, "let p = buf[i]; return dot(p.m * vec2(1.0, 0.0), vec3(1.0)) + f32(p.k[1]);", [30.0, 78.0]),
        (Glsl, "parts[i].at.z + float(n)", [3.0, 15.0]),
        (Glsl, "Part p = buf[i]; p.w *= 2.0; return p.w + float(p.k[0]);", [19.0, 55.0]),
        (Glsl, "buf.parts[i].m[1].y", [9.0, 21.0]),
        (Glsl, "float(parts.length()) + parts[i].at.x", [3.0, 15.0]),
    ];
    for (language, text, wanted) in rows {
        assert_eq!(of_particles(language, text), Ok(wanted.to_vec()), "{text}");
    }
    let past = of_particles(Wgsl, "buf.parts[i + 1u].w").unwrap_err();
    assert_eq!(past, "at element 1: buf.parts[2] is past its 2 elements");
    let none = of_particles(Wgsl, "buf[i].mass").unwrap_err();
    assert!(none.contains("mass"), "{none}");
    let mut narrow = particles();
    let types = std::sync::Arc::make_mut(narrow.contents.view.types.as_mut().unwrap());
    let spirv::Type::Struct { members, .. } = &mut types.element else { panic!("no structure") };
    let column = spirv::Type::Vector { scalar: F32, n: 2, stride: 4 }.into();
    std::sync::Arc::get_mut(members).unwrap()[2].ty = spirv::Type::Matrix { column, n: 2, stride: 8 };
    let own = array("", "f32[2]", &[0.0; 2]).contents;
    let of =
        |language| Reference { language, text: "buf[i].w", arrays: &[narrow.clone()], constants: &[] }.evaluate(&own);
    assert!(of(Wgsl).is_ok());
    let said = "`buf`: a reference in GLSL has no matrices of two rows in structures: write it as { wgsl = \"…\" }";
    assert_eq!(of(Glsl).unwrap_err(), said);
}

#[test]
fn a_structure_is_given_back_as_a_whole() {
    let own = particles();
    let made = |language, text: &str| {
        let arrays = [particles()];
        Reference { language, text, arrays: &arrays, constants: &[] }.evaluate(&own.contents)
    };
    let is = |got: Contents| -> Vec<f64> {
        got.view.leaves().map(|l| l.scalar.get(&got.bytes[l.offset..]).float()).collect()
    };
    let wanted = |w: [f64; 2]| {
        let mut all: Vec<f64> = (0..25).map(f64::from).collect();
        (all[4], all[16]) = (w[0], w[1]);
        all
    };
    let wgsl = made(Language::Wgsl, "var p = buf[i]; p.w = 0.5 * p.w; return p;").unwrap();
    // Padding is as it was.
    assert_eq!((wgsl.bytes[4], wgsl.bytes[16 + 28]), (0xee, 0xee));
    assert_eq!(is(wgsl), wanted([2.0, 8.0]));
    let again = "Part(buf[i].at, 1.5, buf[i].m, buf[i].k)";
    assert_eq!(is(made(Language::Wgsl, again).unwrap()), wanted([1.5, 1.5]));
    assert_eq!(is(made(Language::Glsl, again).unwrap()), wanted([1.5, 1.5]));
    assert_eq!(made(Language::Wgsl, "buf[i].w").unwrap_err(), "it is no Part, which an element is: convert it");
}
