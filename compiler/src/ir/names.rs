//! The spelling of every operation in the text form, once, for the printer and the parser.

use super::image::*;
use super::types::*;
use wavepipe_hw::launch::BindingKind;

macro_rules! spelling {
    ($table:ident, $ty:ty, $($name:literal = $value:expr),+ $(,)?) => {
        pub const $table: &[($ty, &str)] = &[$(($value, $name)),+];
    };
}

spelling!(
    WIDTHS,
    Width,
    "b1" = Width::B1,
    "b8" = Width::B8,
    "b16" = Width::B16,
    "b32" = Width::B32,
    "b64" = Width::B64,
    "desc" = Width::Desc,
    "image" = Width::Image,
    "sampler" = Width::Sampler
);
spelling!(
    SPACES,
    Space,
    "buffer" = Space::Buffer,
    "global" = Space::Global,
    "lds" = Space::Lds,
    "scratch" = Space::Scratch,
    "push" = Space::Push,
    "constant" = Space::Constant
);
spelling!(
    SCOPES,
    Scope,
    "invocation" = Scope::Invocation,
    "subgroup" = Scope::Subgroup,
    "workgroup" = Scope::WorkGroup,
    "device" = Scope::Device
);
spelling!(
    KINDS,
    BindingKind,
    "uniform" = BindingKind::UniformBuffer,
    "storage" = BindingKind::StorageBuffer,
    "uniform_dynamic" = BindingKind::UniformBufferDynamic,
    "storage_dynamic" = BindingKind::StorageBufferDynamic,
    "uniform_texel_buffer" = BindingKind::UniformTexelBuffer,
    "storage_texel_buffer" = BindingKind::StorageTexelBuffer,
    "sampled_image" = BindingKind::SampledImage,
    "storage_image" = BindingKind::StorageImage,
    "sampler" = BindingKind::Sampler,
    "combined_image_sampler" = BindingKind::CombinedImageSampler,
    "inline_uniform_block" = BindingKind::InlineUniformBlock,
    "mutable" = BindingKind::Mutable
);
spelling!(
    ATOMICS,
    Atomic,
    "add" = Atomic::Add,
    "sub" = Atomic::Sub,
    "smin" = Atomic::SMin,
    "smax" = Atomic::SMax,
    "umin" = Atomic::UMin,
    "umax" = Atomic::UMax,
    "and" = Atomic::And,
    "or" = Atomic::Or,
    "xor" = Atomic::Xor,
    "exchange" = Atomic::Exchange,
    "compare_exchange" = Atomic::CompareExchange,
    "load" = Atomic::Load,
    "store" = Atomic::Store,
    "fadd" = Atomic::FAdd,
    "fmin" = Atomic::FMin,
    "fmax" = Atomic::FMax
);
spelling!(
    REDUCE_OPS,
    ReduceOp,
    "iadd" = ReduceOp::IAdd,
    "fadd" = ReduceOp::FAdd,
    "imul" = ReduceOp::IMul,
    "fmul" = ReduceOp::FMul,
    "smin" = ReduceOp::SMin,
    "umin" = ReduceOp::UMin,
    "fmin" = ReduceOp::FMin,
    "smax" = ReduceOp::SMax,
    "umax" = ReduceOp::UMax,
    "fmax" = ReduceOp::FMax,
    "and" = ReduceOp::And,
    "or" = ReduceOp::Or,
    "xor" = ReduceOp::Xor
);
spelling!(
    REDUCE_KINDS,
    ReduceKind,
    "reduce" = ReduceKind::Reduce,
    "inclusive" = ReduceKind::InclusiveScan,
    "exclusive" = ReduceKind::ExclusiveScan
);
spelling!(
    SUBGROUPS,
    Subgroup,
    "elect" = Subgroup::Elect,
    "all" = Subgroup::All,
    "any" = Subgroup::Any,
    "all_equal" = Subgroup::AllEqual,
    "ballot" = Subgroup::Ballot,
    "inverse_ballot" = Subgroup::InverseBallot,
    "broadcast_first" = Subgroup::BroadcastFirst,
    "broadcast" = Subgroup::Broadcast,
    "nobody" = Subgroup::Nobody,
    "shuffle" = Subgroup::Shuffle,
    "shuffle_xor" = Subgroup::ShuffleXor,
    "shuffle_up" = Subgroup::ShuffleUp,
    "shuffle_down" = Subgroup::ShuffleDown
);
spelling!(
    BUILTINS,
    Builtin,
    "local_invocation_id.x" = Builtin::LocalInvocationId(0),
    "local_invocation_id.y" = Builtin::LocalInvocationId(1),
    "local_invocation_id.z" = Builtin::LocalInvocationId(2),
    "local_invocation_index" = Builtin::LocalInvocationIndex,
    "workgroup_id.x" = Builtin::WorkGroupId(0),
    "workgroup_id.y" = Builtin::WorkGroupId(1),
    "workgroup_id.z" = Builtin::WorkGroupId(2),
    "num_workgroups.x" = Builtin::NumWorkGroups(0),
    "num_workgroups.y" = Builtin::NumWorkGroups(1),
    "num_workgroups.z" = Builtin::NumWorkGroups(2),
    "subgroup_invocation_id" = Builtin::SubgroupInvocationId,
    "subgroup_id" = Builtin::SubgroupId,
    "num_subgroups" = Builtin::NumSubgroups,
    "subgroup_size" = Builtin::SubgroupSize
);
spelling!(DIMS, Dim, "1d" = Dim::D1, "2d" = Dim::D2, "3d" = Dim::D3, "cube" = Dim::Cube, "buffer" = Dim::Buffer);
spelling!(
    LEVELS,
    Level,
    "zero" = Level::Zero,
    "lod" = Level::Lod,
    "gradients" = Level::Gradients,
    "implicit" = Level::Implicit,
    "bias" = Level::Bias
);
spelling!(
    IMAGE_OPS,
    ImageOp,
    "load" = ImageOp::Load,
    "store" = ImageOp::Store,
    "sample" = ImageOp::Sample,
    "detail" = ImageOp::Detail,
    "size" = ImageOp::Size,
    "levels" = ImageOp::Levels,
    "samples" = ImageOp::Samples
);
spelling!(
    ALUS,
    Alu,
    "iadd" = Alu::IAdd,
    "isub" = Alu::ISub,
    "imul" = Alu::IMul,
    "umul_hi" = Alu::UMulHi,
    "smul_hi" = Alu::SMulHi,
    "udiv" = Alu::UDiv,
    "sdiv" = Alu::SDiv,
    "umod" = Alu::UMod,
    "srem" = Alu::SRem,
    "smod" = Alu::SMod,
    "urcp" = Alu::URcp,
    "ineg" = Alu::INeg,
    "iabs" = Alu::IAbs,
    "isign" = Alu::ISign,
    "smin" = Alu::SMin,
    "smax" = Alu::SMax,
    "umin" = Alu::UMin,
    "umax" = Alu::UMax,
    "and" = Alu::And,
    "or" = Alu::Or,
    "xor" = Alu::Xor,
    "not" = Alu::Not,
    "shl" = Alu::Shl,
    "ushr" = Alu::UShr,
    "sshr" = Alu::SShr,
    "ubfe" = Alu::UBfe,
    "sbfe" = Alu::SBfe,
    "bfi" = Alu::Bfi,
    "bit_reverse" = Alu::BitReverse,
    "bit_count" = Alu::BitCount,
    "find_lsb" = Alu::FindLsb,
    "find_smsb" = Alu::FindSMsb,
    "find_umsb" = Alu::FindUMsb,
    "uadd_carry" = Alu::UAddCarry,
    "usub_borrow" = Alu::USubBorrow,
    "ieq" = Alu::IEq,
    "ine" = Alu::INe,
    "ult" = Alu::ULt,
    "ule" = Alu::ULe,
    "slt" = Alu::SLt,
    "sle" = Alu::SLe,
    "ford_eq" = Alu::FOrdEq,
    "ford_ne" = Alu::FOrdNe,
    "ford_lt" = Alu::FOrdLt,
    "ford_le" = Alu::FOrdLe,
    "ford_gt" = Alu::FOrdGt,
    "ford_ge" = Alu::FOrdGe,
    "funord_eq" = Alu::FUnordEq,
    "funord_ne" = Alu::FUnordNe,
    "funord_lt" = Alu::FUnordLt,
    "funord_le" = Alu::FUnordLe,
    "funord_gt" = Alu::FUnordGt,
    "funord_ge" = Alu::FUnordGe,
    "fis_nan" = Alu::FIsNan,
    "fis_inf" = Alu::FIsInf,
    "fadd" = Alu::FAdd,
    "fsub" = Alu::FSub,
    "fmul" = Alu::FMul,
    "fdiv" = Alu::FDiv,
    "frem" = Alu::FRem,
    "fmod" = Alu::FMod,
    "fneg" = Alu::FNeg,
    "fabs" = Alu::FAbs,
    "fsign" = Alu::FSign,
    "ffloor" = Alu::FFloor,
    "fceil" = Alu::FCeil,
    "ftrunc" = Alu::FTrunc,
    "fround_even" = Alu::FRoundEven,
    "ffract" = Alu::FFract,
    "fsqrt" = Alu::FSqrt,
    "frsq" = Alu::FRsq,
    "frcp" = Alu::FRcp,
    "fexp2" = Alu::FExp2,
    "flog2" = Alu::FLog2,
    "fsin" = Alu::FSin,
    "fcos" = Alu::FCos,
    "ffma" = Alu::FFma,
    "fmin" = Alu::FMin,
    "fmax" = Alu::FMax,
    "fsat" = Alu::FSat,
    "fldexp" = Alu::FLdexp,
    "ffrexp_mant" = Alu::FFrexpMant,
    "ffrexp_exp" = Alu::FFrexpExp,
    "uconvert" = Alu::UConvert,
    "sconvert" = Alu::SConvert,
    "fconvert" = Alu::FConvert,
    "fconvert_rte" = Alu::FConvertRte,
    "fconvert_rtz" = Alu::FConvertRtz,
    "ftou" = Alu::FToU,
    "ftos" = Alu::FToS,
    "utof" = Alu::UToF,
    "stof" = Alu::SToF,
    "pack64" = Alu::Pack64,
    "lo32" = Alu::Lo32,
    "hi32" = Alu::Hi32,
    "pack_half_2x16" = Alu::PackHalf2x16,
    "unpack_half_lo" = Alu::UnpackHalfLo,
    "unpack_half_hi" = Alu::UnpackHalfHi,
    "cube_id" = Alu::CubeId,
    "cube_sc" = Alu::CubeSc,
    "cube_tc" = Alu::CubeTc,
    "cube_ma" = Alu::CubeMa,
    "select" = Alu::Select,
    "bool_to_int" = Alu::BoolToInt,
    "copy" = Alu::Copy
);

/// The spelling of `value`.
pub(super) fn spell<T: PartialEq>(table: &[(T, &'static str)], value: T) -> &'static str {
    table.iter().find(|(v, _)| *v == value).map_or("?", |(_, name)| name)
}

/// The value that `name` spells.
pub(super) fn lookup<T: Copy>(table: &[(T, &'static str)], name: &str) -> Option<T> {
    table.iter().find(|(_, n)| *n == name).map(|(v, _)| *v)
}

impl Alu {
    /// Number of operands.
    pub const fn arity(self) -> usize {
        use Alu::*;
        match self {
            URcp | INeg | IAbs | ISign | Not | BitReverse | BitCount | FindLsb | FindSMsb | FindUMsb | FIsNan
            | FIsInf | FNeg | FAbs | FSign | FFloor | FCeil | FTrunc | FRoundEven | FFract | FSqrt | FRsq | FRcp
            | FExp2 | FLog2 | FSin | FCos | FSat | FFrexpMant | FFrexpExp | UConvert | SConvert | FConvert
            | FConvertRte | FConvertRtz | FToU | FToS | UToF | SToF | Lo32 | Hi32 | UnpackHalfLo | UnpackHalfHi
            | BoolToInt | Copy => 1,
            UBfe | SBfe | FFma | Select | CubeId | CubeSc | CubeTc | CubeMa => 3,
            Bfi => 4,
            _ => 2,
        }
    }

    /// The comparison of the same operands that holds where this one does not, if there is one.
    pub const fn opposite(self) -> Option<Alu> {
        use Alu::*;
        Some(match self {
            IEq => INe,
            INe => IEq,
            FOrdEq => FUnordNe,
            FUnordNe => FOrdEq,
            FOrdNe => FUnordEq,
            FUnordEq => FOrdNe,
            FOrdLt => FUnordGe,
            FUnordGe => FOrdLt,
            FOrdLe => FUnordGt,
            FUnordGt => FOrdLe,
            FOrdGt => FUnordLe,
            FUnordLe => FOrdGt,
            FOrdGe => FUnordLt,
            FUnordLt => FOrdGe,
            _ => return None,
        })
    }

    /// The two operands may change places.
    pub const fn commutes(self) -> bool {
        use Alu::*;
        matches!(
            self,
            IAdd | IMul
                | UMulHi
                | SMulHi
                | SMin
                | SMax
                | UMin
                | UMax
                | And
                | Or
                | Xor
                | UAddCarry
                | IEq
                | INe
                | FOrdEq
                | FOrdNe
                | FUnordEq
                | FUnordNe
                | FAdd
                | FMul
                | FMin
                | FMax
        )
    }

    /// Depends on the kernel's rounding or denormals.
    pub const fn reads_mode(self) -> bool {
        use Alu::*;
        matches!(
            self,
            FOrdEq
                | FOrdNe
                | FOrdLt
                | FOrdLe
                | FOrdGt
                | FOrdGe
                | FUnordEq
                | FUnordNe
                | FUnordLt
                | FUnordLe
                | FUnordGt
                | FUnordGe
                | FAdd
                | FSub
                | FMul
                | FDiv
                | FRem
                | FMod
                | FNeg
                | FAbs
                | FSign
                | FFloor
                | FCeil
                | FTrunc
                | FRoundEven
                | FFract
                | FSqrt
                | FRsq
                | FRcp
                | FExp2
                | FLog2
                | FSin
                | FCos
                | FFma
                | FMin
                | FMax
                | FSat
                | FLdexp
                | FFrexpMant
                | FFrexpExp
                | FConvert
                | FConvertRte
                | FConvertRtz
                | UToF
                | SToF
                | PackHalf2x16
                | UnpackHalfLo
                | UnpackHalfHi
        )
    }

    /// Integer or float comparison, or class test: the result is B1.
    pub const fn is_comparison(self) -> bool {
        use Alu::*;
        self.compares_floats() || matches!(self, IEq | INe | ULt | ULe | SLt | SLe)
    }

    /// Comparison of floats, or class test.
    pub const fn compares_floats(self) -> bool {
        use Alu::*;
        let ordered = matches!(self, FOrdEq | FOrdNe | FOrdLt | FOrdLe | FOrdGt | FOrdGe);
        let unordered = matches!(self, FUnordEq | FUnordNe | FUnordLt | FUnordLe | FUnordGt | FUnordGe);
        ordered || unordered || matches!(self, FIsNan | FIsInf)
    }
}
