//! What is to be added, in the words of whom it is told.

/// How a job is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spoken {
    /// On a command line.
    #[default]
    Flags,
    /// By [`crate::Test`]'s methods.
    Rust,
    /// By the arguments of Python's `run`.
    Python,
    /// As the keys of a test's file.
    File,
}

impl Spoken {
    /// An image that is written to, or whose texels come from a file.
    pub fn image(self, key: &str, written: bool) -> String {
        match (self, written) {
            (Spoken::Flags, true) => format!("add --image {key}=[WxH]"),
            (Spoken::Flags, false) => format!("add --image {key}:FILE.png, or {key}=[WxH]"),
            (Spoken::Rust, true) => format!("add .image(\"{key}\", &[W, H])"),
            (Spoken::Rust, false) => format!("add .picture(\"{key}\", FILE), or .texels(\"{key}\", &[W, H], &TEXELS)"),
            (Spoken::Python, true) => format!("add {}wavepipe.Image(size=(W, H))", argument(key)),
            (Spoken::Python, false) => format!("add {}wavepipe.Image(file=FILE)", argument(key)),
            (Spoken::File, true) => format!("add [[image]] with {} and size = \"WxH\"", entry(key)),
            (Spoken::File, false) => format!("add [[image]] with {} and file = FILE, or size = \"WxH\"", entry(key)),
        }
    }

    /// A buffer of as many elements as are wanted.
    pub fn buffer(self, key: &str) -> String {
        match self {
            Spoken::Flags => format!("add --buffer {key}=[N], or {key}:1,2,3"),
            Spoken::Rust => format!("add .zeroed(\"{key}\", N), or .buffer(\"{key}\", &NUMBERS)"),
            Spoken::Python => format!("add {}N, or an array", argument(key)),
            Spoken::File => format!("add [[buffer]] with {} and type = \"[N]\", or values = [1, 2, 3]", entry(key)),
        }
    }

    /// A buffer of numbers of its own types.
    pub fn numbers(self, key: &str) -> String {
        match self {
            Spoken::Flags => format!("add --buffer {key}:NUMBERS"),
            Spoken::Rust => format!("add .buffer(\"{key}\", &NUMBERS)"),
            Spoken::Python => format!("add {}an array", argument(key)),
            Spoken::File => format!("add [[buffer]] with {} and values = NUMBERS", entry(key)),
        }
    }

    /// A buffer of bytes.
    pub fn bytes(self, key: &str, count: u32) -> String {
        match self {
            Spoken::Flags => format!("add --buffer {key}=u8[{count}]"),
            Spoken::Rust => format!("add .buffer(\"{key}\", &[0u8; {count}])"),
            Spoken::Python => format!("add {}bytes({count})", argument(key)),
            Spoken::File => format!("add [[buffer]] with {} and type = \"u8[{count}]\"", entry(key)),
        }
    }

    pub fn groups(self) -> &'static str {
        match self {
            Spoken::Flags => "add --groups X,Y,Z",
            Spoken::Rust => "add .groups([X, Y, Z])",
            Spoken::Python => "add groups=(X, Y, Z)",
            Spoken::File => "add groups = [X, Y, Z]",
        }
    }

    pub fn push(self, name: &str) -> String {
        match self {
            Spoken::Flags => format!("add --push {name}=VALUE"),
            Spoken::Rust => format!("add .push(\"{name}\", VALUE)"),
            Spoken::Python => format!("add push={{\"{name}\": VALUE}}"),
            Spoken::File => format!("add {name} = VALUE to push"),
        }
    }

    /// A specialization constant, and its type.
    pub fn spec(self, name: &str, ty: &str) -> String {
        match self {
            Spoken::Flags => format!("add --spec {name}={ty}"),
            Spoken::Rust => format!("add .spec(\"{name}\", VALUE), of {ty}"),
            Spoken::Python => format!("add spec={{\"{name}\": VALUE}}, of {ty}"),
            Spoken::File => format!("add {name} = VALUE, of {ty}, to spec"),
        }
    }
}

/// `x=`, or an entry of a dictionary for what is no keyword.
fn argument(key: &str) -> String {
    let word =
        key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') && !key.starts_with(|c: char| c.is_ascii_digit());
    if word { format!("{key}=") } else { format!("to the dictionary \"{key}\": ") }
}

/// The keys of a table that say which resource it is of.
fn entry(key: &str) -> String {
    let (named, element) = match key.strip_suffix(']').and_then(|k| k.split_once('[')) {
        Some((named, element)) => (named, format!(", element = {element}")),
        None => (key, String::new()),
    };
    let number = |text: &str| text.parse::<u32>().is_ok();
    let named = match named.split_once(':') {
        Some((set, binding)) if number(set) && number(binding) => format!("set = {set}, binding = {binding}"),
        _ if number(named) => format!("binding = {named}"),
        _ => format!("name = \"{named}\""),
    };
    named + &element
}
