//! STRUCT: structures of numbers, and where their members lie by std140 and std430.

use super::Stop;
use super::types::DataType;
use super::words::{Word, Words};
use crate::layout::Kind;
use wavepipe_runtime::compiler::spirv::{Member, Scalar, ScalarKind, Type};

#[derive(Clone, Debug)]
pub struct Structure {
    pub name: String,
    line: u32,
    /// From one element to the next, where that is said.
    stride: Option<u32>,
    members: Vec<Declared>,
}

/// A member as it is written.
#[derive(Clone, Debug)]
struct Declared {
    line: u32,
    name: String,
    ty: DataType,
    /// Elements, of an array.
    array: Option<u32>,
    offset: Option<u32>,
    array_stride: Option<u32>,
    matrix_stride: Option<u32>,
}

/// A type with its place in memory.
#[derive(Clone, Debug)]
pub struct Laid {
    pub ty: Type,
    /// To the next one of an array.
    pub stride: u64,
    align: u64,
}

/// `name[3]`, `type[]`: what stands in front of the brackets, and how many there are.
fn sized<'t>(word: &Word<'t>) -> Result<(&'t str, Option<u32>), Stop> {
    let Some((name, rest)) = word.text.split_once('[') else { return Ok((word.text, None)) };
    let count = rest.strip_suffix(']').and_then(|n| if n.is_empty() { Some(1) } else { n.parse().ok() });
    match count {
        Some(n) if n > 0 => Ok((name, Some(n))),
        _ => Err(Stop::Wrong(word.line, format!("`{}`: the number of elements is [N]", word.text))),
    }
}

/// The type that a word names: a structure, or one of AmberScript's own.
pub fn named(text: &str, line: u32, known: &[Structure]) -> Result<(DataType, bool), Stop> {
    let (name, array) = text.strip_suffix("[]").map_or((text, false), |name| (name, true));
    match known.iter().position(|s| s.name == name) {
        Some(n) => Ok((DataType::Structure(n), array)),
        None => DataType::parse(text).map_err(|e| e.stop(line)),
    }
}

pub fn parse(words: &mut Words<'_>, known: &[Structure]) -> Result<Structure, Stop> {
    let line = words.line();
    let name = match words.here() {
        Some(word) if word.text != "STRIDE" => word,
        _ => return Err(Stop::Wrong(line, "the name of a STRUCT is missing".into())),
    };
    if known.iter().any(|s| s.name == name.text) {
        return Err(Stop::Wrong(line, format!("there is a STRUCT {} already", name.text)));
    }
    let mut out = Structure { name: name.text.to_owned(), line, stride: None, members: Vec::new() };
    while let Some(word) = words.here() {
        match word.text {
            "STRIDE" => out.stride = Some(words.number("STRIDE")?),
            other => return Err(Stop::Wrong(word.line, format!("`{other}` behind the name of a STRUCT"))),
        }
    }
    loop {
        let word = words.need("END of STRUCT")?;
        if word.text == "END" {
            break;
        }
        let member = member(words, word, &out.name, known)?;
        if out.members.iter().any(|m| m.name == member.name) {
            return Err(Stop::Wrong(member.line, format!("{} has two members {}", out.name, member.name)));
        }
        out.members.push(member);
    }
    if out.members.is_empty() {
        return Err(Stop::Wrong(line, format!("STRUCT {} has no members", out.name)));
    }
    Ok(out)
}

fn member(words: &mut Words<'_>, word: Word<'_>, within: &str, known: &[Structure]) -> Result<Declared, Stop> {
    let line = word.line;
    let (ty, of_type) = sized(&word)?;
    if ty == within {
        return Err(Stop::Wrong(line, format!("{within} cannot hold itself")));
    }
    let (ty, _) = named(ty, line, known)?;
    if let DataType::Texel(_) = ty {
        return Err(Stop::Wrong(line, format!("`{}` is a format of images, and no member's type", word.text)));
    }
    let none = || Stop::Wrong(line, format!("the name of a member of {within} is missing"));
    let (name, of_name) = sized(&words.here().ok_or_else(none)?)?;
    let array = of_type.or(of_name);
    let mut out =
        Declared { line, name: name.to_owned(), ty, array, offset: None, array_stride: None, matrix_stride: None };
    let matrix = ty.kind().is_some_and(|k| k.columns > 1);
    while let Some(word) = words.here() {
        let only = |of: &str| Stop::Wrong(line, format!("{} is for {of}, and {name} is none", word.text));
        match word.text {
            "OFFSET" => out.offset = Some(words.number("OFFSET")?),
            "ARRAY_STRIDE" if array.is_none() => return Err(only("arrays")),
            "ARRAY_STRIDE" => out.array_stride = Some(words.number("ARRAY_STRIDE")?),
            "MATRIX_STRIDE" if !matrix => return Err(only("matrices")),
            "MATRIX_STRIDE" => out.matrix_stride = Some(words.number("MATRIX_STRIDE")?),
            other => return Err(Stop::Wrong(line, format!("`{other}` behind a member of a STRUCT"))),
        }
    }
    Ok(out)
}

/// A scalar, a vector or a matrix; `stride` is that of its columns, where it is said.
fn numbers(kind: Kind, stride: Option<u32>, std140: bool, m: &Declared) -> Result<(Type, u64, u64), Stop> {
    let bytes = kind.scalar.bytes() as u32;
    let of = match kind.scalar {
        s if s.is_float() => ScalarKind::Float,
        s if s.name().starts_with('i') => ScalarKind::Signed,
        _ => ScalarKind::Unsigned,
    };
    let scalar = Scalar { kind: of, bytes };
    let rows = kind.rows as u32;
    let vector = match rows {
        1 => Type::Scalar(scalar),
        n => Type::Vector { scalar, n, stride: bytes },
    };
    let size = bytes * rows;
    // Three lie as four.
    let align = bytes * if rows == 3 { 4 } else { rows };
    if kind.columns == 1 {
        return Ok((vector, size.into(), align.into()));
    }
    let align = if std140 { align.next_multiple_of(16) } else { align };
    let stride = stride.unwrap_or(align);
    if stride < size {
        let message = format!("MATRIX_STRIDE {stride}: a column of {} has {size} bytes", m.name);
        return Err(Stop::Wrong(m.line, message));
    }
    let n = kind.columns as u32;
    Ok((Type::Matrix { column: vector.into(), n, stride }, u64::from(stride) * u64::from(n), align.into()))
}

/// All structures up to and with the last, by the rules of a buffer: each may hold those before it.
pub fn layouts(all: &[Structure], std140: bool) -> Result<Vec<Laid>, Stop> {
    let mut done: Vec<Laid> = Vec::new();
    for s in all {
        let laid = layout(s, &done, std140)?;
        done.push(laid);
    }
    Ok(done)
}

fn layout(s: &Structure, known: &[Laid], std140: bool) -> Result<Laid, Stop> {
    let (mut members, mut end, mut most) = (Vec::new(), 0u64, 1u64);
    for m in &s.members {
        let small = |n: u64| {
            let large = || Stop::Wrong(m.line, format!("{}: {} ends past 4 GiB", s.name, m.name));
            u32::try_from(n).map_err(|_| large())
        };
        let (mut ty, mut size, mut align) = match m.ty {
            DataType::Structure(n) => (known[n].ty.clone(), known[n].stride, known[n].align),
            ty => {
                numbers(ty.kind().unwrap_or(Kind::scalar(wavepipe::element::Scalar::U8)), m.matrix_stride, std140, m)?
            }
        };
        if let Some(n) = m.array {
            align = if std140 { align.next_multiple_of(16) } else { align };
            let stride = m.array_stride.map_or(size.next_multiple_of(align), u64::from);
            if stride < size {
                let message = format!("ARRAY_STRIDE {stride}: an element of {} has {size} bytes", m.name);
                return Err(Stop::Wrong(m.line, message));
            }
            let bytes = small(size)?;
            ty = Type::Array { element: ty.into(), n: Some(n), stride: small(stride)?, bytes };
            size = stride * u64::from(n);
        }
        let offset = m.offset.map_or(end.next_multiple_of(align), u64::from);
        if offset < end {
            let message = format!("OFFSET {offset}: the member before {} ends at byte {end}", m.name);
            return Err(Stop::Wrong(m.line, message));
        }
        end = offset + size;
        small(end)?;
        most = most.max(align);
        members.push(Member { name: m.name.clone(), offset: small(offset)?, ty });
    }
    let align = if std140 { most.next_multiple_of(16) } else { most };
    let stride = s.stride.map_or(end.next_multiple_of(align), u64::from);
    if stride < end {
        return Err(Stop::Wrong(s.line, format!("STRIDE {stride}: the members of {} have {end} bytes", s.name)));
    }
    Ok(Laid { ty: Type::Struct { name: s.name.clone(), members: members.into() }, stride, align })
}
