//! The check of numbers, value by value: each line of these shaders says behind `//=` what is to be found there, and where nothing stands
//! nothing is. `tests/planted/num` has programs.

use std::collections::BTreeMap;
use wavepipe_runtime::hw::finding::Check;
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_runtime::{Config, GuestChecks, WaveSize};
use wavepipe_tests::{glslc, installed, skip};

/// `f`, `d`, `h`, `i` and `u` are made of a buffer, so that nothing is known of them before.
const SHADER: &str = "#version 450
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer B { uint b[]; };
layout(set = 0, binding = 1) buffer O { uint o[]; };
float f(float x) { return uintBitsToFloat(floatBitsToUint(x) + b[0]); }
double d(double x) { return packDouble2x32(unpackDouble2x32(x) + uvec2(b[0])); }
float16_t h(float x) { return unpackFloat2x16(packHalf2x16(vec2(f(x), 0)) + b[0]).x; }
int i(int x) { return x + int(b[0]); }
uint u(uint x) { return x + b[0]; }
uint sum = 0;
void take(uint x) { sum += x; }
void take(int x) { sum += uint(x); }
void take(float x) { sum += floatBitsToUint(x); }
void take(vec2 x) { sum += floatBitsToUint(x.x) + floatBitsToUint(x.y); }
void take(double x) { sum += unpackDouble2x32(x).x; }
void main() {
    take(i(7) / i(0)); //= division by zero: 7 / 0
    take(u(7) % u(0)); //= division by zero: 7 % 0
    take(i(7) / i(-1));
    take(i(-2147483647 - 1) / i(-1)); //= a quotient that the type does not have: -2147483648 / -1
    take(u(0x80000000) / u(0xffffffff));
    take(f(1) / f(0)); //= division by zero: 1.0 / 0.0 is inf
    take(f(0) / f(-0.0)); //= division by zero: 0.0 / -0.0 is NaN
    take(f(1) / f(3));
    take(f(1) / (f(1e30) * f(1e30))); //= infinity of finite numbers: 1e30 * 1e30 is inf
    take(f(3e38) + f(2e38)); //= infinity of finite numbers: 3e38 + 2e38 is inf
    float inf = uintBitsToFloat(u(0x7f800000));
    take(inf - inf);
    take(inf * f(2));
    take(sqrt(inf) + log(inf));
    take(sqrt(f(-4))); //= NaN of finite numbers: sqrt(-4.0) is NaN
    take(sqrt(f(4)) + sqrt(f(-0.0)));
    take(log2(f(0))); //= infinity of finite numbers: log2(0.0) is -inf
    take(log(f(-1))); //= NaN of finite numbers: log(-1.0) is NaN
    take(inversesqrt(f(0))); //= infinity of finite numbers: inversesqrt(0.0) is inf
    take(exp(f(100))); //= infinity of finite numbers: exp(100.0) is inf
    take(exp(f(-1000)));
    take(pow(f(-2), f(2))); //= outside of what it is defined for: pow(-2.0, 2.0)
    take(pow(f(0), f(0))); //= outside of what it is defined for: pow(0.0, 0.0)
    take(pow(f(10), f(50))); //= infinity of finite numbers: pow(10.0, 50.0) is inf
    take(pow(f(0), f(2)) + pow(f(2), f(-3)));
    take(acos(f(1.5))); //= outside of what it is defined for: acos(1.5)
    take(acos(f(-1)) + asin(f(1)));
    take(atan(f(0), f(0))); //= outside of what it is defined for: atan(0.0, 0.0)
    take(atan(f(0), f(-1)));
    take(smoothstep(f(2), f(2), f(1))); //= outside of what it is defined for: smoothstep(2.0, 2.0, 1.0)
    take(clamp(f(1), f(4), f(2))); //= a least value above the greatest: clamp(1.0, 4.0, 2.0)
    take(clamp(i(1), i(4), i(-4))); //= a least value above the greatest: clamp(1, 4, -4)
    take(clamp(u(1), u(4), u(0xfffffffc)));
    take(u(1) << u(32)); //= a shift by no less than the 32 bits that there are: 1 << 32
    take(i(1) >> i(-1)); //= a shift by no less than the 32 bits that there are: 1 >> -1
    take(u(1) << u(31));
    take(bitfieldExtract(u(7), i(30), i(4))); //= a bit field that is not inside of its 32 bits: bitfieldExtract(7, 30, 4)
    take(bitfieldExtract(u(7), i(28), i(4)));
    take(int(f(2147483648.0))); //= a number that the type does not have: int32(2147483600.0)
    take(int(f(2147483520.0)) + int(f(-2147483648.0)));
    take(int(f(-2147483904.0))); //= a number that the type does not have: int32(-2147484000.0)
    take(uint(f(-1))); //= a number that the type does not have: uint32(-1.0)
    take(uint(f(-0.5)) + uint(f(4294967040.0)));
    take(int(uintBitsToFloat(u(0x7fc00000)))); //= a number that the type does not have: int32(NaN)
    take(int(d(2147483647.5)) + int(d(-2147483648.5)));
    take(int(d(2147483648.0))); //= a number that the type does not have: int32(2147483648.0)
    take(d(1) / d(0)); //= division by zero: 1.0 / 0.0 is inf
    take(float(h(60000) * h(2))); //= infinity of finite numbers: 60000.0 * 2.0 is inf
    take(uint(int8_t(f(-128.9))));
    take(uint(int8_t(f(-129)))); //= a number that the type does not have: int8(-129.0)
    take(vec2(f(1), f(2)) / vec2(f(4), f(0))); //= division by zero: (1.0, 2.0) / (4.0, 0.0) is (0.25, inf)
    take(normalize(vec2(f(3), f(4))));
    take(packHalf2x16(vec2(f(1), f(70000)))); //= infinity of finite numbers: packHalf2x16((1.0, 70000.0)) is 2080390144
    if (gl_LocalInvocationIndex == 37) take(i(5) / i(0)); //= division by zero: 5 / 0
    if (b[0] != 0) take(i(6) / i(0));
    o[gl_LocalInvocationIndex] = sum;
}
";

fn run(words: &[u32], wave: WaveSize, checks: GuestChecks, timing: bool) -> BTreeMap<u32, (String, u32, u32)> {
    let session = Session::new(&Config { guest_checks: checks, timing, ..Config::checked() }).unwrap();
    let buffers = vec![(0, 0, vec![0; 4]), (0, 1, vec![0; 256])];
    let job = Job { words: words.to_vec(), wave: Some(wave), groups: [1; 3], buffers, ..Job::default() };
    session.run(&job).unwrap();
    let found = session.device().take_findings();
    assert_eq!(found.more, 0);
    let mut lines = BTreeMap::new();
    for f in &found.findings {
        assert_eq!((f.check(), f.check().is_error()), (Check::Num, false));
        let line = f.site.source.as_ref().unwrap().line;
        let other = lines.insert(line, (f.message(), f.site.wave, f.site.lane));
        assert!(other.is_none(), "{f}\n{other:?}");
    }
    lines
}

#[test]
fn numbers_without_meaning_are_found_with_their_values() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    let words = glslc("numbers", SHADER);
    let said = |(n, line): (usize, &str)| Some((n as u32 + 1, line.split_once("//= ")?.1.to_owned()));
    let wanted: BTreeMap<u32, String> = SHADER.lines().enumerate().filter_map(said).collect();
    for wave in [WaveSize::W32, WaveSize::W64] {
        for timing in [false, true] {
            let told = run(&words, wave, GuestChecks::NUM, timing);
            let messages: BTreeMap<u32, String> = told.iter().map(|(line, t)| (*line, t.0.clone())).collect();
            assert_eq!(messages, wanted, "{wave:?} {timing}");
            // One lane alone comes to that line; to the others all do.
            let alone = told.values().filter(|t| (t.1, t.2) != (0, 0)).collect::<Vec<_>>();
            let (n, lane) = if wave == WaveSize::W32 { (1, 5) } else { (0, 37) };
            assert_eq!(alone, [&("division by zero: 5 / 0".to_owned(), n, lane)]);
        }
        // Who does not ask is told nothing, and all checks leave it out.
        assert_eq!(run(&words, wave, GuestChecks::empty(), false), BTreeMap::new());
        assert_eq!(run(&words, wave, GuestChecks::ALL, false), BTreeMap::new());
    }
}
