//! How words are printed.

/// How dwords are printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Form {
    #[default]
    Hex,
    U32,
    I32,
    F32,
}

impl Form {
    pub fn named(name: &str) -> Option<Form> {
        Some(match name {
            "hex" | "x" => Form::Hex,
            "u32" | "u" => Form::U32,
            "i32" | "i" => Form::I32,
            "f32" | "f" => Form::F32,
            _ => return None,
        })
    }

    /// A dword as text.
    pub fn text(self, word: u32) -> String {
        match self {
            Form::Hex => format!("{word:#x}"),
            Form::U32 => word.to_string(),
            Form::I32 => (word as i32).to_string(),
            Form::F32 => f32::from_bits(word).to_string(),
        }
    }
}
