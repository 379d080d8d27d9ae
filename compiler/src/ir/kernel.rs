//! An entry point or a function of the IR: what it has besides its body.

use super::named::Named;
use super::types::*;
use wavepipe_hw::code::FloatMode;
use wavepipe_hw::site::Site;
use wavepipe_isa::Gen;

/// What is known of a value besides its definition.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ValueInfo {
    pub width: Width,
}

/// A private array or variable: a byte range of scratch. The constant `offset` of a [`Space::Scratch`] access lies in the
/// local that it touches, and the access stays inside of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Local {
    pub offset: u32,
    pub size: u32,
}

/// Dwords that the parameters of a function have together at most; its results too.
pub const MAX_CALL_DWORDS: u32 = 32;

/// One entry point, ready for the machine-independent passes; or, in [`Kernel::functions`], a function that is called. A
/// function has values and labels of its own, and shares shape, shared memory, constants and modes with its kernel.
#[derive(Clone, PartialEq, Debug)]
pub struct Kernel {
    pub name: String,
    /// Of a function: numbers of 8 to 64 bits, that together have at most [`MAX_CALL_DWORDS`]. A kernel has none.
    pub params: Vec<Value>,
    /// Widths of what the body of a function yields, under the same limits.
    pub results: Vec<Width>,
    /// Functions that a kernel calls. A function calls none but those behind it in this list, so nothing recurs.
    pub functions: Vec<Kernel>,
    /// Bytes at the start of private memory that a kernel and its functions have together; behind them each call has a
    /// frame of its own. The same number in all of them.
    pub shared_scratch: u32,
    pub workgroup: [u32; 3],
    /// Bytes of shared memory.
    pub lds_bytes: u32,
    /// Bytes of private memory of a work-item (arrays with dynamic index only).
    pub scratch_bytes: u32,
    /// The ranges of scratch, sorted, disjoint.
    pub locals: Vec<Local>,
    /// Read-only data of [`Space::Constant`].
    pub constants: Vec<u8>,
    /// The kernel asked for subgroups that are always full (or uses barriers across them).
    pub require_full_subgroups: bool,
    /// The module declares that it knows of subgroups, whose size may then be a constant in it. No part of the text.
    pub knows_subgroups: bool,
    /// Rounding and denormals of its floating-point operations.
    pub mode: FloatMode,
    pub values: Vec<ValueInfo>,
    pub labels: u32,
    pub body: Region,
    pub files: Vec<String>,
    /// What the messages mean of a kernel and its functions; those have an empty list. No part of the text.
    pub sites: Vec<Site>,
    /// No load is to run where the program would not: somebody watches each. No part of the text either.
    pub watched: bool,
    /// The generation that it is for: what that has no instructions for is lowered, what its scalar unit cannot do is the
    /// vector unit's. No part of the text either.
    pub isa: Gen,
    /// Source variables, if somebody wants to know them. No part of the text either.
    pub named: Option<Box<Named>>,
}

impl Kernel {
    /// An empty kernel.
    pub fn new(name: &str, workgroup: [u32; 3]) -> Kernel {
        Kernel {
            name: name.to_string(),
            params: Vec::new(),
            results: Vec::new(),
            functions: Vec::new(),
            shared_scratch: 0,
            workgroup,
            lds_bytes: 0,
            scratch_bytes: 0,
            locals: Vec::new(),
            constants: Vec::new(),
            require_full_subgroups: false,
            knows_subgroups: false,
            mode: FloatMode::VULKAN,
            values: Vec::new(),
            labels: 0,
            body: Region { nodes: Vec::new(), exit: Exit::Yield(Vec::new()) },
            files: Vec::new(),
            sites: Vec::new(),
            watched: false,
            isa: Gen::default(),
            named: None,
        }
    }

    /// A fresh value.
    pub fn value(&mut self, width: Width) -> Value {
        self.values.push(ValueInfo { width });
        Value(self.values.len() as u32 - 1)
    }

    pub fn label(&mut self) -> Label {
        self.labels += 1;
        Label(self.labels - 1)
    }

    pub fn width(&self, v: Value) -> Width {
        self.values[v.0 as usize].width
    }

    /// Whether denormal results and operands of this width count as zero.
    pub fn flushes(&self, w: Width) -> bool {
        self.mode.denormals(w == Width::B32) != 3
    }
}
