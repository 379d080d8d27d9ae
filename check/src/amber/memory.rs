//! BUFFER and IMAGE: memory with a type, and what it holds at first.

use super::Stop;
use super::structure::{Structure, named};
use super::types::DataType;
use super::words::{Word, Words};
use crate::layout::Rules;

#[derive(Clone, Debug)]
pub struct Buffer {
    pub name: String,
    pub ty: DataType,
    pub rules: Rules,
    /// Elements, where that is said.
    pub count: Option<usize>,
    /// Sides, of an image.
    pub image: Option<Vec<u32>>,
    pub init: Init,
    pub line: u32,
}

#[derive(Clone, Debug)]
pub enum Init {
    /// `FORMAT` without contents: as large as what it is compared with.
    Nothing,
    Data(Vec<String>),
    Fill(String),
    Series(String, String),
    /// `TEXT`, `BINARY` or `PNG`, and the name.
    File(String, String),
}

/// Words up to END.
fn data(words: &mut Words<'_>) -> Result<Vec<String>, Stop> {
    let mut out = Vec::new();
    loop {
        match words.need("END of DATA")?.text {
            "END" => return Ok(out),
            value => out.push(value.to_owned()),
        }
    }
}

fn init(words: &mut Words<'_>, word: Word<'_>) -> Result<Option<Init>, Stop> {
    Ok(Some(match word.text {
        "DATA" => Init::Data(data(words)?),
        "FILL" => Init::Fill(words.need("a value")?.text.to_owned()),
        "SERIES_FROM" => {
            let start = words.need("a value")?.text.to_owned();
            words.literal("INC_BY")?;
            Init::Series(start, words.need("a value")?.text.to_owned())
        }
        "FILE" => {
            let kind = words.need("the kind of a FILE")?.text;
            match kind {
                "TEXT" | "BINARY" | "PNG" => Init::File(kind.to_owned(), words.need("a file")?.text.to_owned()),
                // Without a kind it is a picture.
                name => Init::File("PNG".to_owned(), name.to_owned()),
            }
        }
        _ => return Ok(None),
    }))
}

/// A count of levels or samples that is one.
fn one(words: &mut Words<'_>, what: &str) -> Result<(), Stop> {
    match words.number::<u32>(what)? {
        1 => Ok(()),
        n => Err(Stop::Refused(words.line(), format!("{what} {n}: images here have one"))),
    }
}

/// What stands behind BUFFER or IMAGE, as `keyword` says.
pub fn parse(words: &mut Words<'_>, keyword: &str, known: &[Structure]) -> Result<Buffer, Stop> {
    let image = keyword == "IMAGE";
    let name = words.need("its name")?;
    let line = name.line;
    let mut ty = None;
    let mut out = Buffer {
        name: name.text.to_owned(),
        ty: DataType::BYTE,
        rules: Rules::default(),
        count: None,
        image: None,
        init: Init::Nothing,
        line,
    };
    let (mut sides, mut dim) = (Vec::new(), None);
    while let Some(word) = words.here() {
        match word.text {
            "DATA_TYPE" | "FORMAT" => {
                let word = words.need("a type")?;
                ty = Some(named(word.text, word.line, known)?);
            }
            "STD140" if !image => out.rules.std140 = true,
            "STD430" if !image => {}
            "SIZE" if !image => out.count = Some(words.number::<u32>("SIZE")? as usize),
            "DIM_1D" | "DIM_2D" | "DIM_3D" if image => dim = Some(word.text),
            "WIDTH" | "HEIGHT" => sides.push(words.number::<u32>(word.text)?),
            "DEPTH" if image => sides.push(words.number::<u32>("DEPTH")?),
            "MIP_LEVELS" | "SAMPLES" => one(words, word.text)?,
            _ => match init(words, word)? {
                Some(init) => out.init = init,
                None => return Err(Stop::Wrong(word.line, format!("`{}` of {keyword} {}", word.text, out.name))),
            },
        }
    }
    let untyped = || Stop::Wrong(line, format!("{}: its DATA_TYPE or FORMAT is missing", out.name));
    (out.ty, out.rules.array) = ty.ok_or_else(untyped)?;
    let wants = match dim {
        Some("DIM_1D") => 1,
        Some("DIM_3D") => 3,
        Some(_) => 2,
        None => sides.len().max(1),
    };
    if image && sides.len() != wants {
        let names = ["WIDTH", "HEIGHT", "DEPTH"][..wants].join(", ");
        return Err(Stop::Wrong(line, format!("{}: an image of that kind has {names}", out.name)));
    }
    if let (true, DataType::Structure(_)) = (image, out.ty) {
        return Err(Stop::Wrong(line, format!("{}: an image's texels are no structures", out.name)));
    }
    if !sides.is_empty() {
        out.count = Some(sides.iter().map(|n| *n as usize).product());
        out.image = Some(sides);
    }
    // Its contents may begin on a line of their own.
    if matches!(out.init, Init::Nothing)
        && let Some(word) = words.peek().filter(|w| ["DATA", "FILL", "SERIES_FROM"].contains(&w.text))
    {
        words.next();
        out.init = init(words, word)?.unwrap_or(Init::Nothing);
    }
    if let (Init::Series(..), DataType::Structure(_)) = (&out.init, out.ty) {
        return Err(Stop::Wrong(
            line,
            format!("{}: SERIES_FROM is for numbers: a structure has DATA or FILL", out.name),
        ));
    }
    Ok(out)
}
