//! The data types of the IR. Construction helpers, printer, parser, validator and passes live in sibling files.

use super::image::Image;
use super::named::Mark;
use wavepipe_hw::launch::BindingKind;

/// Width of a value. `B1` is a boolean (one bit a lane: a lane mask when divergent, SCC or an SGPR when uniform).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Width {
    B1,
    B8,
    B16,
    B32,
    B64,
    /// A V#: only [`Op::Descriptor`] makes one and only buffer accesses take one.
    Desc,
    /// A T#, for [`Op::Image`].
    Image,
    /// An S#, for [`Op::Image`].
    Sampler,
}

impl Width {
    pub const fn bits(self) -> u32 {
        match self {
            Width::B1 => 1,
            Width::B8 => 8,
            Width::B16 => 16,
            Width::B32 => 32,
            Width::B64 => 64,
            Width::Desc | Width::Sampler => 128,
            Width::Image => 256,
        }
    }

    /// No number: made by [`Op::Descriptor`] alone, never computed with.
    pub const fn is_descriptor(self) -> bool {
        matches!(self, Width::Desc | Width::Image | Width::Sampler)
    }
}

/// An SSA value: index into [`Kernel::values`].
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

/// Names a `Loop`, `Block` or `Switch` that a jump leaves or continues. Unique in a kernel.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub struct Label(pub u32);

/// Source position: index into [`Kernel::files`] and a line; line 0 = unknown.
#[derive(Clone, Copy, Debug, Default)]
pub struct Loc {
    pub file: u32,
    pub line: u32,
    /// Where it stands among the changes of variables ([`super::named`]), if they are followed. No part of the text, and equal to any
    /// other: nothing may depend on it.
    pub point: u32,
}

impl PartialEq for Loc {
    fn eq(&self, other: &Loc) -> bool {
        (self.file, self.line) == (other.file, other.line)
    }
}

impl Eq for Loc {}

impl std::hash::Hash for Loc {
    fn hash<H: std::hash::Hasher>(&self, to: &mut H) {
        (self.file, self.line).hash(to);
    }
}

impl Loc {
    /// This position where something says one, else as before; the same of the point.
    pub fn then(self, next: Loc) -> Loc {
        let (file, line) = if next.line != 0 { (next.file, next.line) } else { (self.file, self.line) };
        Loc { file, line, point: if next.point != 0 { next.point } else { self.point } }
    }
}

/// Pure arithmetic on values. Operands and result have the same width unless said otherwise. Names follow SPIR-V and
/// NIR: `F` float, `I` either signedness, `S` signed, `U` unsigned.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Alu {
    // Integers, wrapping.
    IAdd,
    ISub,
    IMul,
    /// High half of the product.
    UMulHi,
    SMulHi,
    /// Division by zero gives an undefined value, never a fault.
    UDiv,
    SDiv,
    UMod,
    /// Sign of the dividend.
    SRem,
    /// Sign of the divisor.
    SMod,
    /// 2³²/d, never more, and so little less that ⌊n·z/2³²⌋ is at most 2 less than ⌊n/d⌋ for any n: 32 bits, unsigned.
    URcp,
    INeg,
    IAbs,
    ISign,
    SMin,
    SMax,
    UMin,
    UMax,
    And,
    Or,
    Xor,
    Not,
    /// Shift count (second operand) is 32 bits wide; counts ≥ width are undefined in SPIR-V, taken modulo width here.
    Shl,
    UShr,
    SShr,
    /// (value, offset:32, count:32)
    UBfe,
    SBfe,
    /// (base, insert, offset:32, count:32)
    Bfi,
    BitReverse,
    /// Result 32 bits for operands of any width.
    BitCount,
    /// Lowest set bit, or −1. Result 32 bits.
    FindLsb,
    /// Highest bit that differs from the sign, or −1.
    FindSMsb,
    FindUMsb,
    /// Carry out of a + b as 0 or 1, same width.
    UAddCarry,
    /// Borrow out of a − b as 0 or 1.
    USubBorrow,
    // Comparisons: result B1. Integer ones also take B1 operands for IEq/INe.
    IEq,
    INe,
    ULt,
    ULe,
    SLt,
    SLe,
    /// Ordered comparisons are false, unordered ones true, if an operand is NaN.
    FOrdEq,
    FOrdNe,
    FOrdLt,
    FOrdLe,
    FOrdGt,
    FOrdGe,
    FUnordEq,
    FUnordNe,
    FUnordLt,
    FUnordLe,
    FUnordGt,
    FUnordGe,
    FIsNan,
    FIsInf,
    // Floats.
    FAdd,
    FSub,
    FMul,
    FDiv,
    /// Sign of the dividend (OpFRem); FMod has the sign of the divisor.
    FRem,
    FMod,
    FNeg,
    FAbs,
    /// 1, −1, or a zero as it is; 1 for a NaN.
    FSign,
    FFloor,
    FCeil,
    FTrunc,
    FRoundEven,
    FFract,
    FSqrt,
    FRsq,
    FRcp,
    FExp2,
    FLog2,
    /// Argument in radians.
    FSin,
    FCos,
    /// a·b + c, one rounding.
    FFma,
    /// IEEE minNum/maxNum: a NaN operand is ignored.
    FMin,
    FMax,
    /// Clamp to [0, 1], NaN gives 0.
    FSat,
    /// (significand:float, exponent:32)
    FLdexp,
    /// Significand in [0.5, 1).
    FFrexpMant,
    /// Result 32-bit integer.
    FFrexpExp,
    // Conversions: the result's width is that of the result value.
    /// Zero extension or truncation.
    UConvert,
    /// Sign extension or truncation.
    SConvert,
    /// Between float widths, rounded as [`Kernel::mode`] says.
    FConvert,
    /// To a narrower float, rounded to nearest even, or towards zero, whatever the mode.
    FConvertRte,
    FConvertRtz,
    /// Float to integer, towards zero, saturating, NaN gives 0.
    FToU,
    FToS,
    UToF,
    SToF,
    /// Two 32-bit words to 64 (low, high), and back.
    Pack64,
    Lo32,
    Hi32,
    /// f32 pair to packed 2×f16 in 32 bits (round to nearest even), and its halves back to f32.
    PackHalf2x16,
    UnpackHalfLo,
    UnpackHalfHi,
    /// What a direction (x, y, z: f32) meets of a cube map: the face as a number 0 to 5, the coordinates on it before they
    /// are divided, and twice the coordinate of the major axis, with its sign.
    CubeId,
    CubeSc,
    CubeTc,
    CubeMa,
    /// (condition B1, if true, if false)
    Select,
    /// B1 to 0/1 of the result's width.
    BoolToInt,
    /// Same bits; used where a name must change.
    Copy,
}

/// Read-modify-write operations on memory. Result: the value before.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Atomic {
    Add,
    Sub,
    SMin,
    SMax,
    UMin,
    UMax,
    And,
    Or,
    Xor,
    Exchange,
    /// Two data operands: (new value, comparator).
    CompareExchange,
    /// A load or store that other work-items may race with: performed as one access, past incoherent caches.
    Load,
    Store,
    /// The machine has it for f32 in shared memory; elsewhere it is a loop of compare-and-exchange.
    FAdd,
    FMin,
    FMax,
}

/// How the work-items of a subgroup combine their values.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ReduceOp {
    IAdd,
    FAdd,
    IMul,
    FMul,
    SMin,
    UMin,
    FMin,
    SMax,
    UMax,
    FMax,
    And,
    Or,
    Xor,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum ReduceKind {
    Reduce,
    InclusiveScan,
    ExclusiveScan,
}

/// Operations across the lanes of a wave. Only active lanes take part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Subgroup {
    /// () → B1, true in the lowest active lane.
    Elect,
    /// (B1) → B1
    All,
    Any,
    /// (value) → B1
    AllEqual,
    /// (B1) → four 32-bit words
    Ballot,
    /// (four words) → B1, this lane's bit.
    InverseBallot,
    /// (value) → the lowest active lane's value.
    BroadcastFirst,
    /// (value, lane:32, uniform in the subgroup) → that lane's value.
    Broadcast,
    /// (value, lane:32)
    Shuffle,
    /// () → what is read of a lane that takes no part, where that is told ([`crate::Instrument::UNDEFINED`]).
    Nobody,
    /// (value, mask:32)
    ShuffleXor,
    /// (value, delta:32)
    ShuffleUp,
    ShuffleDown,
    /// (value); clusters of `cluster` lanes, 0 = the whole subgroup.
    Reduce {
        op: ReduceOp,
        kind: ReduceKind,
        cluster: u32,
    },
}

/// Values that the launch provides. Results are 32 bits.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Builtin {
    LocalInvocationId(u8),
    LocalInvocationIndex,
    WorkGroupId(u8),
    NumWorkGroups(u8),
    /// Lane number.
    SubgroupInvocationId,
    SubgroupId,
    NumSubgroups,
    SubgroupSize,
}

/// Properties of a memory access.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, Default)]
pub struct Access {
    /// Must be seen by, or see, other work-groups (Coherent, Volatile, atomics).
    pub coherent: bool,
    pub volatile: bool,
    /// The memory is never written while the kernel runs (NonWritable without aliasing, or a uniform buffer): the load
    /// may be moved, and done by the scalar unit.
    pub readonly: bool,
    /// Alignment in bytes that the address is known to have (0 = that of the element).
    pub align: u32,
}

/// Where an access goes and what addresses it. Each address is a Value in bytes plus a constant.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Space {
    /// Operands: descriptor (Desc), offset (B32). Range-checked by the descriptor.
    Buffer,
    /// Operand: address (B64). A wild address loses the device.
    Global,
    /// Operand: offset (B32) in the work-group's shared memory.
    Lds,
    /// Operand: offset (B32) in the work-item's private memory.
    Scratch,
    /// Operand: offset (B32) in the push-constant block.
    Push,
    /// Operand: offset (B32) in [`Kernel::constants`], read-only data placed behind the code.
    Constant,
}

impl Space {
    /// Operands before the data operands.
    pub const fn address_operands(self) -> usize {
        match self {
            Space::Buffer => 2,
            _ => 1,
        }
    }
}

/// Scope of a memory barrier or of an execution barrier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash, PartialOrd, Ord)]
pub enum Scope {
    Invocation,
    Subgroup,
    WorkGroup,
    /// QueueFamily and wider.
    Device,
}

#[derive(Clone, PartialEq, Eq, Debug, Hash)]
pub enum Op {
    /// The bits, zero-extended to 64.
    Const(u64),
    /// A value nobody may depend on.
    Undef,
    Alu(Alu),
    Builtin(Builtin),
    /// The descriptor of `set`/`binding`, element = operand 0 (B32; dynamically non-uniform allowed). The place comes from
    /// the pipeline layout, and `kind` too, except that a mutable binding holds what the shader declares. The result's width
    /// says which part: a V#, a T#, or an S#, which lies behind the T# of a combined image and sampler.
    Descriptor {
        set: u32,
        binding: u32,
        kind: BindingKind,
    },
    /// NUM_RECORDS of a V#: bytes of a raw buffer, texels of a typed one. Operand: Desc. Result B32.
    DescriptorSize,
    /// Several results of equal width, at consecutive addresses.
    Load {
        space: Space,
        offset: u32,
        access: Access,
    },
    /// Address operands, then one or more data operands of equal width. No result.
    Store {
        space: Space,
        offset: u32,
        access: Access,
    },
    /// Address operands, then data. One result (none for `Store`).
    Atomic {
        op: Atomic,
        space: Space,
        offset: u32,
    },
    /// A texel, sampled texels or a property of an image: [`Image`] says which and lists the operands.
    Image(Image),
    Subgroup(Subgroup),
    /// Orders the memory accesses of this work-item as seen in `memory`; and, if `execution` is WorkGroup, waits for all
    /// work-items of the group.
    Barrier {
        execution: Scope,
        memory: Scope,
        lds: bool,
        buffer: bool,
        image: bool,
    },
    /// A clock read: 64 bits; `realtime` = constant frequency, device scope.
    Clock {
        realtime: bool,
    },
    /// Sends a message to the thread trace, of [`Kernel::sites`]`[site]`: operands (B32) are its payload, of the first active
    /// lane, and it holds for all that are active. No result.
    Trace {
        site: u32,
        /// It tells of something wrong.
        finding: bool,
    },
    /// Counts the active lanes, for [`Kernel::sites`]`[site]`.
    Count {
        site: u32,
    },
    /// Runs [`Kernel::functions`]`[function]` in the active lanes: operands are its parameters, results what its body
    /// yields. `effects` = it does what [`Op::has_effect`] says of an instruction, or might not end.
    Call {
        function: u32,
        effects: bool,
    },
    /// Tells of a source variable; gone once private memory is promoted.
    Mark(Mark),
}

/// One instruction.
#[derive(Clone, PartialEq, Debug)]
pub struct Inst {
    pub op: Op,
    pub args: Vec<Value>,
    pub results: Vec<Value>,
    /// The arithmetic must not be contracted or reassociated (NoContraction, SignedZeroInfNanPreserve).
    pub exact: bool,
    pub loc: Loc,
}

/// How a region ends.
#[derive(Clone, PartialEq, Debug)]
pub enum Exit {
    /// Falls out of the region's end: gives the results of the `If` (or ends the kernel, in its body, with no values).
    /// In a `Loop`'s own body this is not allowed; in a `Block`'s own body it means Break of it. Out of a case of a `Switch`
    /// it falls into the next one.
    Yield(Vec<Value>),
    /// Leaves the named loop, block or switch, which may be several levels out, with its results.
    Break(Label, Vec<Value>),
    /// Goes to the start of the named loop with new parameters.
    Continue(Label, Vec<Value>),
    /// Cannot be reached.
    Unreachable,
}

#[derive(Clone, PartialEq, Debug)]
pub struct Region {
    pub nodes: Vec<Node>,
    pub exit: Exit,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Node {
    Inst(Inst),
    If {
        cond: Value,
        then: Region,
        els: Region,
        /// One per yielded value. A region that ends in a jump contributes nothing.
        results: Vec<Value>,
        loc: Loc,
    },
    Loop {
        label: Label,
        params: Vec<Value>,
        init: Vec<Value>,
        body: Region,
        results: Vec<Value>,
        loc: Loc,
    },
    Block {
        label: Label,
        body: Region,
        results: Vec<Value>,
        loc: Loc,
    },
    /// Control enters at the case that has the selector's value (32 bits), and falls from each case into the next. A `Break`
    /// of the label, or falling out of the last case, gives the results.
    Switch {
        label: Label,
        selector: Value,
        /// In the order in which they fall; one is the default.
        cases: Vec<Case>,
        results: Vec<Value>,
        loc: Loc,
    },
}

/// Where a `Switch` is entered.
#[derive(Clone, PartialEq, Debug)]
pub struct Case {
    /// Values of the selector that enter here.
    pub values: Vec<u32>,
    /// All values that no case names enter here too.
    pub default: bool,
    /// Values that flow in: `init` for work-items that enter here, what the case before yields for those that fall in.
    pub params: Vec<Value>,
    pub init: Vec<Value>,
    /// Its `Yield` gives the next case's parameters.
    pub body: Region,
}
