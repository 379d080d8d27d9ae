//! What the header of a kernel's source says: how to compile it, and each launch with its arguments.
//!
//! ```text
//! // flags: OPTION ...                          for the device's compiler
//! // from: PROCESSOR/WHY                       the oldest one that LLVM compiles the file for
//! // launch: KERNEL grid=X[,Y[,Z]] block=X[,Y[,Z]] [finding=CHECK/KIND] [from=PROCESSOR/WHY]
//! //   ARGUMENT ...                             in the kernel's order
//! ```
//! An argument is `TYPE[N][:FILL][~BOUND]` (a buffer, as [`data`] fills and compares it), `TYPE=VALUE`, `local=BYTES` or
//! `bytes(C_TYPE)=HEX`. WHY is what it comes to on the processor before, a word of [`Before`].

pub mod data;

use data::Type;

/// What a kernel comes to on the processor before its oldest one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Before {
    /// LLVM compiles the file not at all.
    Refused,
    /// The code object has no such kernel.
    Absent,
    /// The device stops it.
    Stopped,
    /// It gives other numbers.
    Differs,
}

/// The oldest processor.
#[derive(Clone, Debug, PartialEq)]
pub struct Oldest {
    pub processor: String,
    pub before: Before,
}

impl Oldest {
    fn read(text: &str) -> Option<Oldest> {
        let (processor, why) = text.split_once('/')?;
        let before = match why {
            "refused" => Before::Refused,
            "absent" => Before::Absent,
            "stopped" => Before::Stopped,
            "differs" => Before::Differs,
            _ => return None,
        };
        Some(Oldest { processor: processor.to_owned(), before })
    }
}

/// One launch of a kernel.
#[derive(Clone, Debug, PartialEq)]
pub struct Launch {
    pub kernel: String,
    pub grid: [u32; 3],
    pub block: [u32; 3],
    /// The one that it is told of, and has to be.
    pub finding: Option<String>,
    /// The oldest processor that has the instructions that it asks for by name, or that LLVM compiles it right for.
    pub from: Option<Oldest>,
    pub arguments: Vec<Argument>,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Argument {
    Buffer {
        ty: Type,
        count: usize,
        fill: data::Fill,
        bound: data::Bound,
    },
    /// A type's name and a value that C and `wavepipe launch` both read.
    Scalar {
        ty: Type,
        value: String,
    },
    /// Memory of the group.
    Local {
        bytes: u32,
    },
    /// A structure by value: its C name, and its bytes.
    Bytes {
        name: String,
        bytes: Vec<u8>,
    },
}

/// A source's header.
#[derive(Clone, Debug, Default)]
pub struct Header {
    pub flags: Vec<String>,
    pub from: Option<Oldest>,
    pub launches: Vec<Launch>,
}

pub fn parse(source: &str) -> Result<Header, String> {
    let mut header = Header::default();
    let mut in_launch = false;
    for line in source.lines().take_while(|line| line.starts_with("//")) {
        let wrong = |why: &str| format!("header line `{line}`: {why}");
        if let Some(flags) = line.strip_prefix("// flags: ") {
            header.flags.extend(flags.split_whitespace().map(str::to_owned));
            in_launch = false;
        } else if let Some(from) = line.strip_prefix("// from: ") {
            header.from = Some(Oldest::read(from).ok_or_else(|| wrong("write PROCESSOR/WHY"))?);
            in_launch = false;
        } else if let Some(launch) = line.strip_prefix("// launch: ") {
            header.launches.push(parse_launch(launch).map_err(|why| wrong(&why))?);
            in_launch = true;
        } else if let (Some(arguments), true) = (line.strip_prefix("//   "), in_launch) {
            let launch = header.launches.last_mut().ok_or_else(|| wrong("no launch before it"))?;
            for text in arguments.split_whitespace() {
                launch.arguments.push(parse_argument(text).ok_or_else(|| wrong(&format!("what is `{text}`?")))?);
            }
        } else {
            in_launch = false;
        }
    }
    match header.launches.iter().find(|launch| launch.arguments.is_empty()) {
        Some(launch) => Err(format!("{} has no arguments, so nothing would be compared", launch.kernel)),
        None if header.launches.is_empty() => Err("no launch: write `// launch: KERNEL grid=… block=…`".into()),
        None => Ok(header),
    }
}

fn parse_launch(text: &str) -> Result<Launch, String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let &[kernel, grid, block, ref rest @ ..] = words.as_slice() else {
        return Err("write KERNEL grid=… block=…".into());
    };
    let (mut finding, mut from) = (None, None);
    for word in rest {
        let of = |name: &str| word.strip_prefix(name).map(str::to_owned);
        match (of("finding="), of("from=")) {
            (Some(id), _) if finding.is_none() => finding = Some(id),
            (_, Some(oldest)) if from.is_none() => {
                from = Some(Oldest::read(&oldest).ok_or("write from=PROCESSOR/WHY")?)
            }
            _ => return Err("write finding=CHECK/KIND or from=PROCESSOR/WHY, each once".into()),
        }
    }
    let size = |text: &str, name: &str| -> Option<[u32; 3]> {
        let mut out = [1; 3];
        let numbers: Vec<&str> = text.strip_prefix(name)?.split(',').collect();
        for (to, number) in out.get_mut(..numbers.len())?.iter_mut().zip(numbers) {
            *to = number.parse().ok()?;
        }
        Some(out)
    };
    Ok(Launch {
        kernel: kernel.to_owned(),
        grid: size(grid, "grid=").ok_or("what is the grid?")?,
        block: size(block, "block=").ok_or("what is the block?")?,
        finding,
        from,
        arguments: Vec::new(),
    })
}

fn parse_argument(text: &str) -> Option<Argument> {
    if let Some(bytes) = text.strip_prefix("local=") {
        return Some(Argument::Local { bytes: bytes.parse().ok()? });
    }
    if let Some(rest) = text.strip_prefix("bytes(") {
        let (name, hex) = rest.split_once(")=")?;
        let pair = |at: usize| u8::from_str_radix(hex.get(at..at + 2)?, 16).ok();
        let bytes = (0..hex.len()).step_by(2).map(pair).collect::<Option<Vec<u8>>>()?;
        return Some(Argument::Bytes { name: name.to_owned(), bytes });
    }
    if let Some((ty, value)) = text.split_once('=') {
        return Some(Argument::Scalar { ty: Type::parse(ty)?, value: value.to_owned() });
    }
    let (ty, rest) = text.split_once('[')?;
    let (count, rest) = rest.split_once(']')?;
    let (fill, bound) = rest.split_once('~').map_or((rest, None), |(fill, bound)| (fill, Some(bound)));
    Some(Argument::Buffer {
        ty: Type::parse(ty)?,
        count: count.parse().ok()?,
        fill: data::Fill::parse(fill)?,
        bound: bound.map_or(Some(data::Bound::Exact), data::Bound::parse)?,
    })
}

pub fn check_parser() -> Result<(), String> {
    let text = "// About.\n// flags: -a -b\n// launch: k grid=5,6 block=2 finding=a/b from=c/differs\n//   f32[8]:edge~3ulp u8=7\n//   local=16 bytes(s)=0a0B\n\nx";
    let header = parse(text)?;
    let expected = Launch {
        kernel: "k".into(),
        grid: [5, 6, 1],
        block: [2, 1, 1],
        finding: Some("a/b".into()),
        from: Some(Oldest { processor: "c".into(), before: Before::Differs }),
        arguments: vec![
            Argument::Buffer { ty: Type::F32, count: 8, fill: data::Fill::Edge, bound: data::Bound::Ulp(3) },
            Argument::Scalar { ty: Type::U8, value: "7".into() },
            Argument::Local { bytes: 16 },
            Argument::Bytes { name: "s".into(), bytes: vec![10, 11] },
        ],
    };
    if header.flags != ["-a", "-b"] || header.launches != [expected] {
        return Err(format!("{header:?}"));
    }
    let bad = [
        "",
        "// launch: k grid=1\n//   u8[1]",
        "// launch: k grid=1 block=1",
        "// launch: k grid=1 block=1\n//   u9[1]",
        "// launch: k grid=1 block=1 found=a/b\n//   u8[1]",
        "// launch: k grid=1 block=1 from=a/absent from=b/absent\n//   u8[1]",
    ];
    match bad.into_iter().find(|text| parse(text).is_ok()) {
        Some(text) => Err(format!("{text:?} is taken for a header")),
        None => Ok(()),
    }
}
