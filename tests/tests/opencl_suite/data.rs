//! What buffers hold before a launch, made by seed, and how they are compared after it.

use wavepipe_tests::random::Random;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Type {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    I64,
    U64,
    F16,
    F32,
    F64,
}

/// Name, bytes, and of floats the bits of the mantissa.
const TYPES: [(Type, &str, usize, u32); 11] = [
    (Type::I8, "i8", 1, 0),
    (Type::U8, "u8", 1, 0),
    (Type::I16, "i16", 2, 0),
    (Type::U16, "u16", 2, 0),
    (Type::I32, "i32", 4, 0),
    (Type::U32, "u32", 4, 0),
    (Type::I64, "i64", 8, 0),
    (Type::U64, "u64", 8, 0),
    (Type::F16, "f16", 2, 10),
    (Type::F32, "f32", 4, 23),
    (Type::F64, "f64", 8, 52),
];

impl Type {
    pub fn parse(name: &str) -> Option<Type> {
        TYPES.iter().find(|row| row.1 == name).map(|row| row.0)
    }

    fn row(self) -> (Type, &'static str, usize, u32) {
        TYPES[self as usize]
    }

    pub fn name(self) -> &'static str {
        self.row().1
    }

    pub fn bytes(self) -> usize {
        self.row().2
    }

    /// Bits of a float's mantissa; `None` of an integer.
    fn mantissa(self) -> Option<u32> {
        Some(self.row().3).filter(|&bits| bits > 0)
    }

    fn bits(self) -> u32 {
        8 * self.bytes() as u32
    }

    fn mask(self) -> u64 {
        u64::MAX >> (64 - self.bits())
    }

    /// The bits of 2^exponent * (1 + fraction / 2^mantissa); normal numbers only.
    fn float(self, negative: bool, exponent: i32, fraction: u64) -> u64 {
        let mantissa = self.mantissa().unwrap_or(0);
        let bias = (1 << (self.bits() - mantissa - 2)) - 1;
        let exponent = (exponent + bias).clamp(1, 2 * bias) as u64;
        u64::from(negative) << (self.bits() - 1) | exponent << mantissa | fraction & ((1 << mantissa) - 1)
    }

    fn is_nan(self, bits: u64) -> bool {
        self.mantissa().is_some_and(|m| {
            let infinity = (self.mask() >> (m + 1)) << m;
            bits & (self.mask() >> 1) > infinity
        })
    }

    /// The value as a double; of f16 too, whose denormals scale by 2^-24.
    fn value(self, bits: u64) -> f64 {
        match self {
            Type::F64 => f64::from_bits(bits),
            Type::F32 => f32::from_bits(bits as u32).into(),
            Type::F16 => {
                let (exponent, fraction) = (bits >> 10 & 31, (bits & 1023) as f64);
                let magnitude = match exponent {
                    0 => fraction * 2f64.powi(-24),
                    31 if fraction == 0.0 => f64::INFINITY,
                    31 => f64::NAN,
                    e => (1024.0 + fraction) * 2f64.powi(e as i32 - 25),
                };
                if bits >> 15 == 1 { -magnitude } else { magnitude }
            }
            Type::I8 | Type::I16 | Type::I32 | Type::I64 => {
                let unused = 64 - self.bits();
                ((bits << unused) as i64 >> unused) as f64
            }
            _ => bits as f64,
        }
    }
}

/// What a buffer holds before the launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fill {
    Zero,
    /// All bits set: -1.
    Minus,
    /// 0, 1, 2, …
    Iota,
    /// Integers of any bits; floats of either sign and moderate size.
    Rand,
    /// Where arithmetic has corners, and any bits.
    Edge,
    /// Integers from 0 to 999.
    Small,
    /// Floats from 0 to 1, 1 excluded.
    Unit,
    /// Floats above 0, from 2^-20 to 2^20.
    Positive,
}

impl Fill {
    pub fn parse(text: &str) -> Option<Fill> {
        Some(match text {
            "" | ":zero" => Fill::Zero,
            ":minus" => Fill::Minus,
            ":iota" => Fill::Iota,
            ":rand" => Fill::Rand,
            ":edge" => Fill::Edge,
            ":small" => Fill::Small,
            ":unit" => Fill::Unit,
            ":positive" => Fill::Positive,
            _ => return None,
        })
    }
}

/// The bytes of a buffer.
pub fn fill(ty: Type, count: usize, fill: Fill, seed: u64) -> Vec<u8> {
    let mut random = Random(seed);
    let element = |i: usize| element(ty, i as u64, fill, &mut random).to_le_bytes();
    (0..count).map(element).flat_map(|bytes| bytes.into_iter().take(ty.bytes())).collect()
}

fn element(ty: Type, i: u64, fill: Fill, random: &mut Random) -> u64 {
    let any = random.bits();
    let whole = |number: u64| match ty.mantissa() {
        None => number,
        Some(_) if number == 0 => 0,
        Some(m) => {
            let log = number.ilog2();
            ty.float(false, log as i32, (number << (63 - log) << 1) >> (64 - m))
        }
    };
    match (fill, ty.mantissa()) {
        (Fill::Zero, _) => 0,
        (Fill::Minus, _) => u64::MAX,
        (Fill::Iota, _) => whole(i),
        (Fill::Small, _) => whole(any % 1000),
        (Fill::Rand, None) | (Fill::Unit | Fill::Positive, None) => any,
        (Fill::Rand, Some(_)) => ty.float(any >> 63 == 1, (random.bits() % 10) as i32 - 4, any),
        (Fill::Positive, Some(_)) => ty.float(false, (random.bits() % 40) as i32 - 20, any),
        // A multiple of 2^-m is below 1 as it is made: as 1 + f, less 1.
        (Fill::Unit, Some(m)) => whole(any >> (64 - m)).wrapping_sub((any >> (64 - m)).min(1) * (u64::from(m) << m)),
        (Fill::Edge, None) => integer_edge(ty, any, random),
        (Fill::Edge, Some(m)) => float_edge(ty, m, any, random),
    }
}

fn integer_edge(ty: Type, any: u64, random: &mut Random) -> u64 {
    let top = 1u64 << (ty.bits() - 1);
    match random.bits() % 8 {
        0 => [0, 1, 2, 3, 7, 10][(any % 6) as usize],
        1 => [top, top - 1, top + 1, top.wrapping_neg(), top | top >> 1][(any % 5) as usize],
        2 => [u64::MAX, u64::MAX - 1, u64::MAX - 2, u64::MAX - 9][(any % 4) as usize],
        3 => 1 << (random.bits() % u64::from(ty.bits())),
        4 => [0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa, 0xff00_ff00_ff00_ff00][(any % 3) as usize],
        5 => (1 << (random.bits() % u64::from(ty.bits()))) - 1,
        // Any number of leading zeros, so that quotients have every size.
        6 => any & ty.mask() >> (random.bits() % u64::from(ty.bits())),
        _ => any,
    }
}

fn float_edge(ty: Type, m: u32, any: u64, random: &mut Random) -> u64 {
    let infinity = (ty.mask() >> (m + 1)) << m;
    let sign = (any >> 63) << (ty.bits() - 1);
    let one = ty.float(false, 0, 0);
    let magnitude = match random.bits() % 10 {
        0 => [0, infinity, infinity | 1 << (m - 1) | 5, infinity - 1, one][(any % 5) as usize],
        // Denormals, the least normal number and its neighbours.
        1 => [1, 2, (1 << m) - 1, 1 << m, (1 << m) + 1, any & ((1 << m) - 1)][(any % 6) as usize],
        2 => [one - 1, one + 1, one + (1 << (m - 1)), ty.float(false, 1, 1 << (m - 2))][(any % 4) as usize],
        // Where integers end, and halves between integers.
        3 => ty.float(false, [7, 8, 15, 16, 31, 32, 63, 64][(any % 8) as usize], 0) - (any >> 8 & 1),
        4 => ty.float(false, (random.bits() % u64::from(m)) as i32, (any | 1) << (m - 5)),
        5 => ty.float(false, m as i32 - 1, any),
        6 | 7 => ty.float(false, (random.bits() % 24) as i32 - 12, any),
        _ => any & ty.mask() >> 1,
    };
    // Signalling NaNs have no meaning in C.
    sign | if ty.is_nan(magnitude) { magnitude | 1 << (m - 1) } else { magnitude }
}

/// How far a result may be from the host's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// The same bits, but for a NaN, which equals any NaN.
    Exact,
    /// So many representable numbers away.
    Ulp(u64),
    /// So far, as a real number.
    Absolute(f64),
}

impl Bound {
    pub fn parse(text: &str) -> Option<Bound> {
        match text.strip_suffix("ulp") {
            Some(count) => count.parse().ok().map(Bound::Ulp),
            None => text.parse().ok().map(Bound::Absolute),
        }
    }

    fn holds(self, ty: Type, got: u64, want: u64) -> bool {
        if got == want || ty.is_nan(got) && ty.is_nan(want) {
            return true;
        }
        match self {
            Bound::Exact => false,
            _ if ty.is_nan(got) || ty.is_nan(want) => false,
            Bound::Ulp(most) => {
                // Numbers in order: the negative ones go down from -0, which is beside 0.
                let half = ty.mask() >> 1;
                let place = |bits: u64| if bits > half { -((bits & half) as i128) } else { bits.into() };
                (place(got) - place(want)).unsigned_abs() <= most.into()
            }
            Bound::Absolute(most) => (ty.value(got) - ty.value(want)).abs() <= most,
        }
    }
}

/// Compares element by element; says where the first few differ.
pub fn compare(ty: Type, bound: Bound, got: &[u8], want: &[u8]) -> Result<(), String> {
    if got.len() != want.len() {
        return Err(format!("{} bytes, want {}", got.len(), want.len()));
    }
    let read = |bytes: &[u8]| bytes.iter().rev().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
    let pairs = got.chunks(ty.bytes()).map(read).zip(want.chunks(ty.bytes()).map(read));
    let wrong: Vec<_> = pairs.enumerate().filter(|(_, (got, want))| !bound.holds(ty, *got, *want)).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let digits = 2 * ty.bytes();
    let mut text = format!("{} of {} differ", wrong.len(), got.len() / ty.bytes());
    for (i, (got, want)) in wrong.iter().take(8) {
        let (g, w) = (ty.value(*got), ty.value(*want));
        text += &format!("\n  [{i}]: got 0x{got:0digits$x} ({g:?}), want 0x{want:0digits$x} ({w:?})");
    }
    Err(text)
}

/// That a comparison can fail, and that a bound is what it says.
pub fn check_bounds() -> Result<(), String> {
    let one = 1f32.to_bits();
    let cases = [
        (Bound::Exact, one, one, true),
        (Bound::Exact, one, one + 1, false),
        (Bound::Exact, 0, 1 << 31, false),
        (Bound::Exact, 0x7fc0_0000, 0xffc0_0001, true),
        (Bound::Ulp(2), one - 1, one + 1, true),
        (Bound::Ulp(2), one - 1, one + 2, false),
        (Bound::Ulp(2), 1, 1 << 31 | 1, true),
        (Bound::Ulp(2), 0x7fc0_0000, 0x7f80_0000, false),
        (Bound::Absolute(0.5), 1.25f32.to_bits(), 1.75f32.to_bits(), true),
        (Bound::Absolute(0.5), 1.25f32.to_bits(), 1.76f32.to_bits(), false),
    ];
    for (bound, got, want, good) in cases {
        if compare(Type::F32, bound, &got.to_le_bytes(), &want.to_le_bytes()).is_ok() != good {
            return Err(format!("{bound:?}: 0x{got:x} beside 0x{want:x} should be {good}"));
        }
    }
    let unit = fill(Type::F32, 4000, Fill::Unit, 1);
    let numbers = unit.chunks(4).map(|b| f32::from_le_bytes([b[0], b[1], b[2], b[3]]));
    if !numbers.clone().all(|x| (0.0..1.0).contains(&x)) || numbers.filter(|x| *x > 0.5).count() < 1800 {
        return Err("numbers from 0 to 1 are not".into());
    }
    let iota = fill(Type::F16, 5, Fill::Iota, 1);
    if iota != [0u16, 0x3c00, 0x4000, 0x4200, 0x4400].map(u16::to_le_bytes).concat() {
        return Err(format!("0 to 4 as f16 are {iota:x?}"));
    }
    Ok(())
}
