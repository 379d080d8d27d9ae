//! `cpu = "…"`: a reference as an expression (or the body of a function) in WGSL or GLSL, of the element's index `i` and the
//! buffers by name, as they were before the run. naga reads it, and [`eval`] computes it on the CPU.

mod eval;
mod math;
mod value;

use self::eval::{Machine, Memory};
use self::value::{Num, Value};
use naga::{Module, ScalarKind};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Language {
    Wgsl,
    Glsl,
}

/// A scalar as references have it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scalar {
    pub kind: ScalarKind,
    /// Bytes.
    pub width: u8,
}

/// Numbers of one type, `lanes` to an element.
#[derive(Clone, PartialEq, Debug)]
pub struct Array {
    pub name: String,
    pub scalar: Scalar,
    pub lanes: usize,
    /// All numbers in order, exact.
    pub numbers: Numbers,
}

/// Floats and integers apart: neither holds all of the other.
#[derive(Clone, PartialEq, Debug)]
pub enum Numbers {
    Floats(Vec<f64>),
    Ints(Vec<i128>),
}

impl Numbers {
    pub fn len(&self) -> usize {
        match self {
            Numbers::Floats(all) => all.len(),
            Numbers::Ints(all) => all.len(),
        }
    }

    fn get(&self, n: usize, scalar: Scalar) -> value::Result<Num> {
        match self {
            Numbers::Floats(all) => Num::F64(all[n]).convert(scalar.kind, scalar.width),
            Numbers::Ints(all) if scalar.kind == ScalarKind::Sint => {
                Num::I64(all[n] as i64).convert(scalar.kind, scalar.width)
            }
            Numbers::Ints(all) => Num::U64(all[n] as u64).convert(scalar.kind, scalar.width),
        }
    }
}

/// A name for a number: a specialization constant or a push constant.
#[derive(Clone, PartialEq, Debug)]
pub struct Constant {
    pub name: String,
    pub text: String,
}

/// What a reference is made of.
pub struct Reference<'a> {
    pub language: Language,
    pub text: &'a str,
    pub arrays: &'a [Array],
    pub constants: &'a [Constant],
    /// The result's type.
    pub scalar: Scalar,
    pub lanes: usize,
}

impl Scalar {
    fn wgsl(self) -> Option<&'static str> {
        Some(match (self.kind, self.width) {
            (ScalarKind::Sint, 4) => "i32",
            (ScalarKind::Uint, 4) => "u32",
            (ScalarKind::Float, 4) => "f32",
            (ScalarKind::Sint, 8) => "i64",
            (ScalarKind::Uint, 8) => "u64",
            (ScalarKind::Float, 8) => "f64",
            _ => return None,
        })
    }

    fn glsl(self, lanes: usize) -> Option<String> {
        let (one, many) = match (self.kind, self.width) {
            (ScalarKind::Sint, 4) => ("int", "ivec"),
            (ScalarKind::Uint, 4) => ("uint", "uvec"),
            (ScalarKind::Float, 4) => ("float", "vec"),
            (ScalarKind::Float, 8) => ("double", "dvec"),
            _ => return None,
        };
        Some(if lanes == 1 { one.to_owned() } else { format!("{many}{lanes}") })
    }

    fn named(self, lanes: usize, language: Language) -> Result<String, String> {
        let name = match language {
            Language::Wgsl => self.wgsl().map(|s| if lanes == 1 { s.to_owned() } else { format!("vec{lanes}<{s}>") }),
            Language::Glsl => self.glsl(lanes),
        };
        name.filter(|_| (1..=4).contains(&lanes))
            .ok_or_else(|| format!("a reference on the CPU has no {lanes} numbers of {} bytes", self.width))
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

/// Whether `text` names `name`: only what is named is declared, so that a keyword for a buffer's name does no harm.
fn names(text: &str, name: &str) -> bool {
    text.split(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).any(|word| word == name)
}

impl Reference<'_> {
    /// The module, and how many lines stand before the user's text.
    fn source(&self) -> Result<(String, usize), String> {
        let mut out = String::new();
        let used = |name: &str| is_name(name) && names(self.text, name);
        if self.language == Language::Glsl {
            out += "#version 450\nlayout(local_size_x = 1) in;\n";
        }
        for (n, a) in self.arrays.iter().filter(|a| used(&a.name)).enumerate() {
            let ty = a.scalar.named(a.lanes, self.language).map_err(|e| format!("`{}`: {e}", a.name))?;
            let name = &a.name;
            out += &match self.language {
                Language::Wgsl => format!("@group(0) @binding({n}) var<storage> {name}: array<{ty}>;\n"),
                Language::Glsl => {
                    format!("layout(std430, binding = {n}) readonly buffer Block{n} {{ {ty} {name}[]; }};\n")
                }
            };
        }
        for c in self.constants.iter().filter(|c| used(&c.name)) {
            let whole = c.text.trim_start_matches('-').chars().all(|c| c.is_ascii_digit());
            out += &match self.language {
                Language::Wgsl => format!("const {} = {};\n", c.name, c.text),
                Language::Glsl => format!("const {} {} = {};\n", if whole { "int" } else { "float" }, c.name, c.text),
            };
        }
        let ty = self.scalar.named(self.lanes, self.language)?;
        out += &match self.language {
            Language::Wgsl => format!("fn reference(i: u32) -> {ty} {{\n"),
            Language::Glsl => format!("{ty} reference(uint i) {{\n"),
        };
        let before = out.lines().count();
        let body =
            if names(self.text, "return") { self.text.to_owned() } else { format!("return {};", self.text.trim()) };
        out += &format!("{body}\n}}\n");
        out += match self.language {
            Language::Wgsl => "",
            Language::Glsl => "void main() { }\n",
        };
        Ok((out, before))
    }

    fn module(&self) -> Result<Module, String> {
        let (source, before) = self.source()?;
        let told = |message: String, line: Option<u32>| match line {
            Some(line) if line as usize > before => format!("line {} of it: {message}", line as usize - before),
            _ => message,
        };
        match self.language {
            Language::Wgsl => naga::front::wgsl::parse_str(&source)
                .map_err(|e| told(e.message().to_owned(), e.location(&source).map(|l| l.line_number))),
            Language::Glsl => {
                let options = naga::front::glsl::Options::from(naga::ShaderStage::Compute);
                let parsed = super::quietly(|| naga::front::glsl::Frontend::default().parse(&options, &source));
                parsed.ok_or("it cannot be read as GLSL")?.map_err(|all| {
                    let first = all.errors.first();
                    let line = first.map(|e| e.meta.location(&source)).map(|l| l.line_number);
                    told(first.map_or_else(|| "it cannot be read as GLSL".to_owned(), |e| e.kind.to_string()), line)
                })
            }
        }
    }

    /// The reference for elements `from` to `from + count`.
    pub fn evaluate(&self, from: usize, count: usize) -> Result<Numbers, String> {
        let module = self.module()?;
        let function =
            module.functions.iter().find(|(_, f)| f.name.as_deref().is_some_and(|n| n.starts_with("reference")));
        let (_, function) = function.ok_or("it is no expression")?;
        let memory = Buffers(self.arrays);
        let mut machine = Machine::new(&module, &memory);
        let float = self.scalar.kind == ScalarKind::Float;
        let (mut floats, mut ints) = (Vec::new(), Vec::new());
        for i in from..from + count {
            let result = machine.call(function, vec![Value::Scalar(Num::U32(i as u32))]);
            let result = result.and_then(|v| v.ok_or_else(|| "it gives nothing back".to_owned()));
            let result = result.map_err(|e| format!("at element {i}: {e}"))?;
            let numbers = result.nums()?;
            let is = |n: &Num| !matches!(n, Num::Bool(_)) && n.is_float() == float;
            if numbers.len() != self.lanes || !numbers.iter().all(is) {
                let wanted = self.scalar.named(self.lanes, self.language)?;
                return Err(format!("it is no {wanted}, which an element is: convert it"));
            }
            for n in numbers {
                if float { floats.push(n.float()) } else { ints.push(n.int()) }
            }
        }
        Ok(if float { Numbers::Floats(floats) } else { Numbers::Ints(ints) })
    }
}

struct Buffers<'a>(&'a [Array]);

impl Buffers<'_> {
    fn find(&self, name: &str) -> Result<&Array, String> {
        self.0.iter().find(|a| a.name == name).ok_or_else(|| format!("there is no `{name}`"))
    }
}

impl Memory for Buffers<'_> {
    fn element(&self, name: &str, index: usize) -> Result<Value, String> {
        let array = self.find(name)?;
        let has = array.numbers.len() / array.lanes;
        if index >= has {
            return Err(format!("{name}[{index}] is past its {has} elements"));
        }
        let mut nums = [Num::U32(0); 4];
        for (lane, num) in nums[..array.lanes].iter_mut().enumerate() {
            *num = array.numbers.get(index * array.lanes + lane, array.scalar)?;
        }
        if array.lanes == 1 { Ok(Value::Scalar(nums[0])) } else { Ok(Value::Vector(array.lanes as u8, nums)) }
    }

    fn length(&self, name: &str) -> Result<usize, String> {
        self.find(name).map(|a| a.numbers.len() / a.lanes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const F32: Scalar = Scalar { kind: ScalarKind::Float, width: 4 };
    const U32: Scalar = Scalar { kind: ScalarKind::Uint, width: 4 };
    const I32: Scalar = Scalar { kind: ScalarKind::Sint, width: 4 };

    fn arrays() -> Vec<Array> {
        vec![
            Array { name: "x".into(), scalar: F32, lanes: 1, numbers: Numbers::Floats(vec![0.1, 2.0, -3.5, 4.0]) },
            Array { name: "n".into(), scalar: U32, lanes: 1, numbers: Numbers::Ints(vec![7, 0, 4_294_967_295, 8]) },
            Array {
                name: "v".into(),
                scalar: F32,
                lanes: 3,
                numbers: Numbers::Floats((0..6).map(f64::from).collect()),
            },
        ]
    }

    fn try_run(language: Language, text: &str, scalar: Scalar, lanes: usize, count: usize) -> Result<Numbers, String> {
        let constants = [Constant { name: "TILE".into(), text: "4".into() }];
        let reference = Reference { language, text, arrays: &arrays(), constants: &constants, scalar, lanes };
        reference.evaluate(0, count)
    }

    fn floats(language: Language, text: &str, count: usize) -> Vec<f32> {
        match try_run(language, text, F32, 1, count) {
            Ok(Numbers::Floats(all)) => all.into_iter().map(|f| f as f32).collect(),
            other => panic!("{text}: {other:?}"),
        }
    }

    fn ints(language: Language, text: &str, scalar: Scalar) -> Vec<i128> {
        match try_run(language, text, scalar, 1, 4) {
            Ok(Numbers::Ints(all)) => all,
            other => panic!("{text}: {other:?}"),
        }
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
        assert_eq!(ints(Wgsl, "n[i] + 1u", U32), [8, 1, 0, 9]);
        assert_eq!(ints(Glsl, "n[i] * n[i]", U32), [49, 0, 1, 64]);
        assert_eq!(ints(Wgsl, "(n[i] >> 1u) ^ 3u", U32), [0, 3, 0x7fff_fffc, 7]);
        assert_eq!(ints(Wgsl, "countOneBits(n[i])", U32), [3, 0, 32, 1]);
        assert_eq!(ints(Wgsl, "i32(x[i])", I32), [0, 2, -3, 4]);
        assert_eq!(ints(Glsl, "int(n[i]) >> 1", I32), [3, 0, -1, 4]);
        assert_eq!(ints(Wgsl, "n[i] / 0u", U32), [7, 0, 4_294_967_295, 8]);
        assert_eq!(ints(Wgsl, "u32(firstLeadingBit(n[i]) + 1u)", U32), [3, 0, 32, 4]);
        assert_eq!(ints(Wgsl, "extractBits(n[i], 1u, 2u)", U32), [3, 0, 3, 0]);
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
        let vector = try_run(Language::Wgsl, "v[i].zyx * 2.0", F32, 3, 2).unwrap();
        assert_eq!(vector, Numbers::Floats(vec![4.0, 2.0, 0.0, 10.0, 8.0, 6.0]));
    }

    #[test]
    fn what_is_wrong_is_said() {
        let says = |text: &str| try_run(Language::Wgsl, text, F32, 1, 4).unwrap_err();
        assert_eq!(says("x[i + 2u]"), "at element 2: x[4] is past its 4 elements");
        assert!(says("y[i]").contains("no definition in scope for identifier: `y`"), "{}", says("y[i]"));
        assert!(says("\n  x[i] +").starts_with("line "), "{}", says("\n  x[i] +"));
        assert_eq!(says("loop { } return 1.0;"), "at element 0: it runs without an end");
        assert!(try_run(Language::Glsl, "x[i] + nothing", F32, 1, 4).is_err());
        assert_eq!(says("x[i] > 1.0"), "it is no f32, which an element is: convert it");
        assert_eq!(says("n[i]"), "it is no f32, which an element is: convert it");
        assert_eq!(says("v[0]"), "it is no f32, which an element is: convert it");
    }
}
