//! What debugPrintfEXT prints: a format as the Vulkan guide describes it, and arguments whose types are known.
//!
//! A specifier is `%`, flags (`-`, `+`, space, `#`, `0`), width, `.` and precision, for a vector `v` and its size, perhaps `l`, and
//! one of `d i o u x X a A e E f F g G`, or `ul`. `%%` is a percent sign. What does not fit is said in its place:
//! `%!d(float=1.5)`, `%!f(missing)`, `%!s(no such conversion)`, `%!(extra int=3)`.

use std::fmt::Write as _;
use wavepipe_hw::site::{Argument, ScalarKind};

/// A conversion as the format asks for it.
#[derive(Clone, Copy, Debug, Default)]
struct Spec {
    left: bool,
    plus: bool,
    space: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    precision: Option<usize>,
    /// Components of a vector; 0 = a scalar.
    vector: u32,
    conversion: char,
}

/// Longest field, which a format of few bytes could make of any size.
pub const MAX_FIELD: usize = 1 << 10;

/// An argument's component: how it is typed, and its bits.
#[derive(Clone, Copy)]
struct Component {
    scalar: ScalarKind,
    bits: u32,
    value: u64,
}

/// The text of a message: `payload` has the components of the arguments one after the other.
pub fn text(format: &str, arguments: &[Argument], payload: &[u32]) -> String {
    let mut out = String::with_capacity(format.len() + 16 * arguments.len());
    let mut values = components(arguments, payload).into_iter().zip(arguments);
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        out.push_str(&rest[..at]);
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            out.push('%');
            rest = behind;
            continue;
        }
        let (spec, behind) = parse(rest);
        let written = &rest[..rest.len() - behind.len()];
        rest = behind;
        if !"dioxXuaAeEfFgG".contains(spec.conversion) {
            let _ = match written {
                "" => write!(out, "%!(no conversion)"),
                _ => write!(out, "%!{written}(no such conversion)"),
            };
            continue;
        }
        let Some((parts, argument)) = values.next() else {
            let _ = write!(out, "%!{written}(missing)");
            continue;
        };
        let float = argument.scalar == ScalarKind::Float;
        let fits = parts.len() == spec.vector.max(1) as usize && float != "dioxXu".contains(spec.conversion);
        if !fits {
            let _ = write!(out, "%!{written}({})", typed(argument, &parts));
            continue;
        }
        for (n, &part) in parts.iter().enumerate() {
            out.push_str(if n == 0 { "" } else { ", " });
            out.push_str(&spec.field(part));
        }
    }
    out.push_str(rest);
    for (parts, argument) in values {
        let _ = write!(out, "%!(extra {})", typed(argument, &parts));
    }
    out
}

/// The components of each argument.
fn components(arguments: &[Argument], payload: &[u32]) -> Vec<Vec<Component>> {
    let mut dwords = payload.iter().copied();
    let mut next = || u64::from(dwords.next().unwrap_or(0));
    let one = |a: &Argument| {
        let mut component = || {
            let low = next();
            let value = if a.bits == 64 { low | next() << 32 } else { low };
            Component { scalar: a.scalar, bits: a.bits, value }
        };
        (0..a.components).map(|_| component()).collect()
    };
    arguments.iter().map(one).collect()
}

/// An argument with its type, for what does not fit.
fn typed(argument: &Argument, parts: &[Component]) -> String {
    let kind = match (argument.scalar, argument.bits) {
        _ if parts.is_empty() => return "no number".into(),
        (ScalarKind::Bool, _) => "bool",
        (ScalarKind::Int, 64) => "int64",
        (ScalarKind::Int, _) => "int",
        (ScalarKind::Uint, 64) => "uint64",
        (ScalarKind::Uint, _) => "uint",
        (ScalarKind::Float, 64) => "double",
        (ScalarKind::Float, _) => "float",
    };
    let values: Vec<String> = parts.iter().map(|p| p.plain()).collect();
    match parts.len() {
        1 => format!("{kind}={}", values[0]),
        n => format!("vector of {n} {kind}={}", values.join(", ")),
    }
}

/// What stands behind a percent sign, and the rest of the format.
fn parse(format: &str) -> (Spec, &str) {
    let mut s = Spec::default();
    let mut rest = format.chars();
    loop {
        let mut ahead = rest.clone();
        match ahead.next() {
            Some('-') => s.left = true,
            Some('+') => s.plus = true,
            Some(' ') => s.space = true,
            Some('#') => s.alternate = true,
            Some('0') => s.zero = true,
            _ => break,
        }
        rest = ahead;
    }
    let number = |rest: &mut std::str::Chars<'_>| {
        let digits = rest.as_str().len() - rest.as_str().trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let (number, behind) = rest.as_str().split_at(digits);
        let number = if number.is_empty() { 0 } else { number.parse().unwrap_or(MAX_FIELD) };
        *rest = behind.chars();
        number.min(MAX_FIELD)
    };
    s.width = number(&mut rest);
    if let Some(behind) = rest.as_str().strip_prefix('.') {
        rest = behind.chars();
        s.precision = Some(number(&mut rest));
    }
    if let Some(behind) = rest.as_str().strip_prefix('v') {
        rest = behind.chars();
        s.vector = rest.next().and_then(|c| c.to_digit(10)).unwrap_or(u32::MAX);
    }
    while let Some(behind) = rest.as_str().strip_prefix(['l', 'h']) {
        rest = behind.chars();
    }
    s.conversion = rest.next().unwrap_or('\0');
    if s.conversion == 'u' {
        rest = rest.as_str().strip_prefix('l').unwrap_or(rest.as_str()).chars();
    }
    (s, rest.as_str())
}

impl Component {
    fn float(self) -> f64 {
        match self.bits {
            64 => f64::from_bits(self.value),
            _ => f64::from(f32::from_bits(self.value as u32)),
        }
    }

    fn signed(self) -> i64 {
        if self.bits == 64 { self.value as i64 } else { i64::from(self.value as u32 as i32) }
    }

    fn plain(self) -> String {
        match self.scalar {
            ScalarKind::Bool => (self.value != 0).to_string(),
            ScalarKind::Int => self.signed().to_string(),
            ScalarKind::Uint => self.value.to_string(),
            ScalarKind::Float => self.float().to_string(),
        }
    }
}

impl Spec {
    /// A converted number, in its width.
    fn field(&self, c: Component) -> String {
        let (sign, prefix, digits, finite) = match self.conversion {
            'd' | 'i' => {
                let v = c.signed();
                (self.sign(v < 0), "", self.digits(v.unsigned_abs().to_string()), self.precision.is_none())
            }
            'u' => ("", "", self.digits(c.value.to_string()), self.precision.is_none()),
            'o' => {
                let digits = self.digits(format!("{:o}", c.value));
                let prefix = if self.alternate && !digits.starts_with('0') { "0" } else { "" };
                ("", prefix, digits, self.precision.is_none())
            }
            'x' | 'X' => {
                let prefix = if self.alternate && c.value != 0 { "0x" } else { "" };
                ("", prefix, self.digits(format!("{:x}", c.value)), self.precision.is_none())
            }
            _ => {
                let v = c.float();
                let hexadecimal = self.conversion.eq_ignore_ascii_case(&'a') && v.is_finite();
                let sign = self.sign(v.is_sign_negative());
                (sign, if hexadecimal { "0x" } else { "" }, self.float(v.abs()), v.is_finite())
            }
        };
        let length = sign.len() + prefix.len() + digits.len();
        let fill = self.width.saturating_sub(length);
        let text = if self.left {
            format!("{sign}{prefix}{digits}{}", " ".repeat(fill))
        } else if self.zero && finite {
            format!("{sign}{prefix}{}{digits}", "0".repeat(fill))
        } else {
            format!("{}{sign}{prefix}{digits}", " ".repeat(fill))
        };
        if self.conversion.is_ascii_uppercase() { text.to_ascii_uppercase() } else { text }
    }

    fn sign(&self, negative: bool) -> &'static str {
        match (negative, self.plus, self.space) {
            (true, ..) => "-",
            (_, true, _) => "+",
            (_, _, true) => " ",
            _ => "",
        }
    }

    /// An integer's digits: at least as many as the precision says, none for a zero of precision 0.
    fn digits(&self, digits: String) -> String {
        match self.precision {
            Some(0) if digits == "0" => String::new(),
            Some(n) if n > digits.len() => "0".repeat(n - digits.len()) + &digits,
            _ => digits,
        }
    }

    /// A float without its sign.
    fn float(&self, v: f64) -> String {
        if v.is_nan() {
            return "nan".into();
        }
        if v.is_infinite() {
            return "inf".into();
        }
        let precision = self.precision.unwrap_or(6);
        match self.conversion.to_ascii_lowercase() {
            'f' => self.point(format!("{v:.precision$}")),
            'e' => self.exponential(v, precision),
            'g' => {
                let significant = precision.max(1);
                let rounded = format!("{v:.*e}", significant - 1);
                let exponent: i32 = rounded.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
                let scientific = exponent < -4 || exponent >= significant as i32;
                let text = if scientific {
                    self.exponential(v, significant - 1)
                } else {
                    self.point(format!("{v:.*}", (significant as i32 - 1 - exponent) as usize))
                };
                if self.alternate { text } else { shortened(&text) }
            }
            _ => self.hexadecimal(v),
        }
    }

    /// With a point, if one is asked for even where nothing follows it.
    fn point(&self, text: String) -> String {
        if self.alternate && !text.contains('.') { text + "." } else { text }
    }

    fn exponential(&self, v: f64, precision: usize) -> String {
        let text = format!("{v:.precision$e}");
        let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        let sign = if exponent < 0 { '-' } else { '+' };
        format!("{}e{sign}{:02}", self.point(mantissa.to_string()), exponent.unsigned_abs())
    }

    /// 1.⟨hexadecimal digits⟩p⟨exponent⟩, rounded to nearest even.
    fn hexadecimal(&self, v: f64) -> String {
        const DIGITS: usize = 13;
        let bits = v.to_bits();
        let (mut exponent, mut mantissa) = ((bits >> 52) as i32 & 0x7ff, bits & ((1 << 52) - 1));
        let mut lead = u64::from(exponent != 0);
        exponent = match (exponent, mantissa) {
            (0, 0) => 0,
            (0, _) => -1022,
            (e, _) => e - 1023,
        };
        let kept = self.precision.unwrap_or(DIGITS);
        if kept < DIGITS {
            let dropped = 4 * (DIGITS - kept) as u32;
            let whole = lead << 52 | mantissa;
            let (half, low) = (1u64 << (dropped - 1), whole & ((1u64 << dropped) - 1));
            let up = low > half || low == half && whole >> dropped & 1 != 0;
            let rounded = ((whole >> dropped) + u64::from(up)) << dropped;
            (lead, mantissa) = (rounded >> 52, rounded & ((1 << 52) - 1));
        }
        let mut digits = format!("{mantissa:013x}");
        match self.precision {
            None => digits.truncate(digits.trim_end_matches('0').len()),
            Some(n) => {
                digits.truncate(n);
                digits.extend(std::iter::repeat_n('0', n.saturating_sub(DIGITS)));
            }
        }
        let point = if digits.is_empty() && !self.alternate { "" } else { "." };
        format!("{lead}{point}{digits}p{exponent:+}")
    }
}

/// Without zeros at the end of what follows the point.
fn shortened(text: &str) -> String {
    let (mantissa, exponent) = match text.find('e') {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    let mantissa = match mantissa.contains('.') {
        true => mantissa.trim_end_matches('0').trim_end_matches('.'),
        false => mantissa,
    };
    format!("{mantissa}{exponent}")
}
