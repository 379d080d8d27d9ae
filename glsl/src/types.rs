//! GLSL's types, and which of them become which by themselves.

use std::rc::Rc;

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Scalar {
    Bool,
    /// Of so many bits.
    Int(u8),
    Uint(u8),
    Float(u8),
}

pub const INT: Scalar = Scalar::Int(32);
pub const UINT: Scalar = Scalar::Uint(32);
pub const FLOAT: Scalar = Scalar::Float(32);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Dim {
    D1,
    D2,
    D3,
    Cube,
    Rect,
    Buffer,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Image {
    pub scalar: Scalar,
    pub dim: Dim,
    pub arrayed: bool,
    pub samples: bool,
    pub shadow: bool,
    /// Read and written without a sampler.
    pub storage: bool,
    /// SPIR-V's number of it; 0: unknown.
    pub format: u32,
}

impl Image {
    /// Components of a place in a level of it.
    pub fn size(&self) -> u8 {
        let plain = match self.dim {
            Dim::D1 | Dim::Buffer => 1,
            Dim::D2 | Dim::Rect | Dim::Cube => 2,
            Dim::D3 => 3,
        };
        plain + u8::from(self.arrayed)
    }

    /// Components of what it is sampled at, or read at if it is storage.
    pub fn coordinates(&self) -> u8 {
        match (self.dim, self.storage) {
            (Dim::Cube, true) => 3,
            (Dim::Cube, false) => 3 + u8::from(self.arrayed),
            _ => self.size(),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Len {
    Fixed(u32),
    /// The id of a specialization constant, and its default.
    Spec(u32, u32),
    Runtime,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    Void,
    Scalar(Scalar),
    Vector(Scalar, u8),
    /// Scalar, columns, rows.
    Matrix(Scalar, u8, u8),
    Array(Rc<Ty>, Len),
    /// Of the list of structures.
    Struct(usize),
    Image(Image),
    /// An image with a sampler.
    Sampled(Image),
    Sampler(bool),
    /// A pointer to the block of that number in the list of structures.
    Reference(usize),
}

impl Ty {
    pub fn scalar(&self) -> Option<Scalar> {
        match self {
            Ty::Scalar(s) | Ty::Vector(s, _) | Ty::Matrix(s, ..) => Some(*s),
            _ => None,
        }
    }

    /// Components of a scalar or a vector.
    pub fn lanes(&self) -> Option<u8> {
        match self {
            Ty::Scalar(_) => Some(1),
            Ty::Vector(_, n) => Some(*n),
            _ => None,
        }
    }

    /// The same shape of another scalar.
    pub fn of(&self, scalar: Scalar) -> Ty {
        match self {
            Ty::Vector(_, n) => Ty::Vector(scalar, *n),
            Ty::Matrix(_, c, r) => Ty::Matrix(scalar, *c, *r),
            _ => Ty::Scalar(scalar),
        }
    }

    pub fn opaque(&self) -> bool {
        match self {
            Ty::Image(_) | Ty::Sampled(_) | Ty::Sampler(_) => true,
            Ty::Array(of, _) => of.opaque(),
            _ => false,
        }
    }
}

pub fn vector(scalar: Scalar, lanes: u8) -> Ty {
    if lanes == 1 { Ty::Scalar(scalar) } else { Ty::Vector(scalar, lanes) }
}

impl Scalar {
    pub fn bits(self) -> u8 {
        match self {
            Scalar::Bool => 32,
            Scalar::Int(n) | Scalar::Uint(n) | Scalar::Float(n) => n,
        }
    }

    pub fn is_int(self) -> bool {
        matches!(self, Scalar::Int(_) | Scalar::Uint(_))
    }

    pub fn is_float(self) -> bool {
        matches!(self, Scalar::Float(_))
    }

    /// Whether a value of it becomes one of `to` where that is wanted.
    pub fn becomes(self, to: Scalar) -> bool {
        use Scalar::{Float, Int, Uint};
        self == to
            || match (self, to) {
                (Int(a), Int(b)) | (Uint(a), Uint(b)) | (Uint(a), Int(b)) | (Float(a), Float(b)) => a < b,
                (Int(a), Uint(b)) => a <= b,
                (Int(a) | Uint(a), Float(b)) => a <= b || a < 32,
                _ => false,
            }
    }

    /// What both become; the first wins where each becomes the other.
    pub fn common(self, other: Scalar) -> Option<Scalar> {
        if other.becomes(self) {
            Some(self)
        } else if self.becomes(other) {
            Some(other)
        } else {
            None
        }
    }

    fn name(self) -> String {
        match self {
            Scalar::Bool => "bool".to_owned(),
            INT => "int".to_owned(),
            UINT => "uint".to_owned(),
            FLOAT => "float".to_owned(),
            Scalar::Float(64) => "double".to_owned(),
            Scalar::Int(n) => format!("int{n}_t"),
            Scalar::Uint(n) => format!("uint{n}_t"),
            Scalar::Float(n) => format!("float{n}_t"),
        }
    }
}

/// As GLSL writes it, for messages.
pub fn name(ty: &Ty) -> String {
    let prefix = |s: Scalar| match s {
        Scalar::Bool => "b".to_owned(),
        INT => "i".to_owned(),
        UINT => "u".to_owned(),
        FLOAT => String::new(),
        Scalar::Float(64) => "d".to_owned(),
        Scalar::Int(n) => format!("i{n}"),
        Scalar::Uint(n) => format!("u{n}"),
        Scalar::Float(n) => format!("f{n}"),
    };
    match ty {
        Ty::Void => "void".to_owned(),
        Ty::Scalar(s) => s.name(),
        Ty::Vector(s, n) => format!("{}vec{n}", prefix(*s)),
        Ty::Matrix(s, c, r) if c == r => format!("{}mat{c}", prefix(*s)),
        Ty::Matrix(s, c, r) => format!("{}mat{c}x{r}", prefix(*s)),
        Ty::Array(of, Len::Fixed(n)) => format!("{}[{n}]", name(of)),
        Ty::Array(of, _) => format!("{}[]", name(of)),
        Ty::Struct(_) => "structure".to_owned(),
        Ty::Image(_) => "image".to_owned(),
        Ty::Sampled(_) => "sampler".to_owned(),
        Ty::Sampler(_) => "sampler".to_owned(),
        Ty::Reference(_) => "buffer reference".to_owned(),
    }
}

fn scalar_of(prefix: &str) -> Option<Scalar> {
    Some(match prefix {
        "" => FLOAT,
        "b" => Scalar::Bool,
        "i" => INT,
        "u" => UINT,
        "d" => Scalar::Float(64),
        "i8" => Scalar::Int(8),
        "u8" => Scalar::Uint(8),
        "i16" => Scalar::Int(16),
        "u16" => Scalar::Uint(16),
        "i32" => INT,
        "u32" => UINT,
        "i64" => Scalar::Int(64),
        "u64" => Scalar::Uint(64),
        "f16" => Scalar::Float(16),
        "f32" => FLOAT,
        "f64" => Scalar::Float(64),
        _ => return None,
    })
}

/// The type of that name, if GLSL has one.
pub fn builtin(word: &str) -> Option<Ty> {
    let digit = |text: &str| text.parse::<u8>().ok().filter(|n| text.len() == 1 && (2..=4).contains(n));
    let plain = match word {
        "void" => return Some(Ty::Void),
        "bool" => Scalar::Bool,
        "int" | "int32_t" => INT,
        "uint" | "uint32_t" => UINT,
        "float" | "float32_t" => FLOAT,
        "double" | "float64_t" => Scalar::Float(64),
        "int8_t" => Scalar::Int(8),
        "uint8_t" => Scalar::Uint(8),
        "int16_t" => Scalar::Int(16),
        "uint16_t" => Scalar::Uint(16),
        "int64_t" => Scalar::Int(64),
        "uint64_t" => Scalar::Uint(64),
        "float16_t" => Scalar::Float(16),
        "sampler" => return Some(Ty::Sampler(false)),
        "samplerShadow" => return Some(Ty::Sampler(true)),
        _ => {
            if let Some((prefix, lanes)) = word.split_once("vec") {
                return Some(Ty::Vector(scalar_of(prefix)?, digit(lanes)?));
            }
            if let Some((prefix, size)) = word.split_once("mat") {
                let (columns, rows) = size.split_once('x').unwrap_or((size, size));
                let scalar = scalar_of(prefix).filter(|s| s.is_float())?;
                return Some(Ty::Matrix(scalar, digit(columns)?, digit(rows)?));
            }
            return image(word);
        }
    };
    Some(Ty::Scalar(plain))
}

fn image(word: &str) -> Option<Ty> {
    let (prefix, kind, rest) = ["image", "sampler", "texture"].into_iter().find_map(|kind| {
        let (prefix, rest) = word.split_once(kind)?;
        Some((prefix, kind, rest))
    })?;
    let scalar =
        scalar_of(prefix).filter(|s| matches!(prefix, "" | "i" | "u" | "i64" | "u64" | "f16") && *s != Scalar::Bool)?;
    let (rest, shadow) = match rest.strip_suffix("Shadow") {
        Some(rest) => (rest, kind == "sampler"),
        None => (rest, false),
    };
    let (rest, arrayed) = rest.strip_suffix("Array").map_or((rest, false), |rest| (rest, true));
    let (rest, samples) = rest.strip_suffix("MS").map_or((rest, false), |rest| (rest, true));
    let dim = match rest {
        "1D" => Dim::D1,
        "2D" => Dim::D2,
        "3D" => Dim::D3,
        "Cube" => Dim::Cube,
        "2DRect" => Dim::Rect,
        "Buffer" => Dim::Buffer,
        _ => return None,
    };
    let image = Image { scalar, dim, arrayed, samples, shadow, storage: kind == "image", format: 0 };
    Some(if kind == "sampler" { Ty::Sampled(image) } else { Ty::Image(image) })
}
