//! Host functions of every row, for the host instructions found at start-up.

use super::env::Env;
use super::exact;
use super::op::{MicroOp, OpFn};
use super::scalar;
use super::state::{EXECZ, LDS_DIRECT, M0, VCC, VCCZ, Wave};
use std::mem::offset_of;
use std::sync::{LazyLock, OnceLock};
use wavepipe_isa::alu::{Carry, Compare, Engine, Lane, Wide};
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::row::{Row, Ty};
use wavepipe_lanes::BodyFn;
pub(crate) use wavepipe_lanes::Level;
use wavepipe_lanes::table::BodyTable;

/// What a variant's functions may take for granted of the host ([`crate::memory::rows`]).
macro_rules! host_of {
    (avx512) => {
        // SAFETY: the table names this variant's functions only where AVX-512 was found.
        unsafe { $crate::memory::rows::Avx512::assume() }
    };
    ($other:ident) => {
        $crate::memory::rows::Any
    };
}
pub(crate) use host_of;

/// The variant of a function that this host runs.
macro_rules! by_host {
    ($host:expr, $($f:tt)*) => {
        match $host {
            #[cfg(target_arch = "x86_64")]
            $crate::wave::table::Level::Avx2 => avx2::$($f)*,
            #[cfg(target_arch = "x86_64")]
            $crate::wave::table::Level::Avx512 => avx512::$($f)*,
            _ => baseline::$($f)* as $crate::wave::op::OpFn,
        }
    };
}
pub(crate) use by_host;

/// Calls the variant of a function that this host runs; `f` is in each module that [`wavepipe_lanes::variants`] made.
macro_rules! call_by_host {
    ($f:ident($($argument:expr),*)) => {
        // SAFETY: the level is what was found of this host.
        unsafe {
            match $crate::wave::table::tables().level {
                #[cfg(target_arch = "x86_64")]
                $crate::wave::table::Level::Avx2 => avx2::$f($($argument),*),
                #[cfg(target_arch = "x86_64")]
                $crate::wave::table::Level::Avx512 => avx512::$f($($argument),*),
                $crate::wave::table::Level::Baseline => baseline::$f($($argument),*),
            }
        }
    };
}
pub(crate) use call_by_host;

/// The functions of one row.
#[derive(Clone, Copy)]
pub(crate) struct RowFns {
    /// Vector, round to nearest even with denormals kept: [`Nearest`].
    pub fast: OpFn,
    /// Vector, any MODE: the reference.
    pub exact: OpFn,
    pub scalar: OpFn,
}

/// One entry per row, in [`Op`] order.
pub(crate) struct Tables {
    pub level: Level,
    rows: Vec<RowFns>,
}

impl Tables {
    pub fn of(&self, op: Op) -> &RowFns {
        &self.rows[op.0 as usize]
    }
}

/// Returns the tables for this host, made at the first call.
pub(crate) fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| Tables { level: Level::of_this_host(), rows: insts::instantiate::<Functions>() })
}

/// Returns the function of a vector instruction's body, for this host; `None` if only scalar instructions have the body.
fn body_of<K: 'static>(out: bool) -> Option<OpFn> {
    static BODIES: LazyLock<BodyTable> = LazyLock::new(|| BodyTable::new(Level::of_this_host()));
    BODIES.function_of::<K>(out).map(op_of)
}

/// Returns a body's function as an operation's: its arguments are the beginnings of a wave and of an operation.
fn op_of(body: BodyFn) -> OpFn {
    const { assert!(offset_of!(Wave, registers) == 0 && offset_of!(MicroOp, operands) == 0) };
    // SAFETY: thin pointers and references are passed alike whatever they point at. Wave and MicroOp are `repr(C)` and begin with
    // what the body takes, as the assertion above holds; the third argument is ignored.
    unsafe { std::mem::transmute::<BodyFn, OpFn>(body) }
}

/// Makes the functions of each row.
struct Functions;

impl Functions {
    fn with_body<K: 'static>(out: bool, scalar: OpFn, row: &'static Row) -> RowFns {
        let others = Functions::data(row);
        RowFns { fast: body_of::<K>(out).unwrap_or(others.fast), scalar, ..others }
    }
}

impl Engine for Functions {
    type Out = RowFns;
    fn lane<K: Lane>(row: &'static Row) -> RowFns {
        Functions::with_body::<K>(false, scalar::lane::<K>, row)
    }
    fn exec<K: Lane>(row: &'static Row) -> RowFns {
        Functions::with_body::<K>(false, scalar::save_exec::<K>, row)
    }
    fn compare<K: Compare>(row: &'static Row) -> RowFns {
        Functions::with_body::<K>(false, scalar::compare::<K>, row)
    }
    fn carry<K: Carry>(row: &'static Row) -> RowFns {
        let out = row.dst.iter().any(|ty| matches!(ty, Ty::Vcc | Ty::Mask));
        Functions::with_body::<K>(out, scalar::carry::<K>, row)
    }
    fn wide<K: Wide>(row: &'static Row) -> RowFns {
        Functions::with_body::<K>(false, scalar::wide::<K>, row)
    }
    /// Also rows of 64-bit floats with a condition in (v_div_fmas_f64): rare enough for the reference in every MODE.
    fn data(_: &'static Row) -> RowFns {
        RowFns { fast: exact::run::<false>, exact: exact::run::<false>, scalar: nop }
    }
}

pub(crate) unsafe fn nop(_: &mut Wave, _: &MicroOp, _: &mut Env) -> bool {
    false
}

/// Computes VCCZ, EXECZ and the LDS direct value for an operation that reads them, then runs it.
pub(crate) unsafe fn refresh(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    w.s.0[VCCZ] = u32::from(w.mask(VCC) == 0);
    w.s.0[EXECZ] = u32::from(w.exec64() == 0);
    w.s.0[LDS_DIRECT] = lds_direct(w.s.0[M0], env);
    match &op.ext {
        // SAFETY: the function was resolved for this operation.
        Some(ext) => unsafe { (ext.then)(w, op, env) },
        None => false,
    }
}

/// The value at M0[15:0] in LDS, of the type that M0[18:16] names; zero out of range and for types that do not exist.
fn lds_direct(m0: u32, env: &Env) -> u32 {
    let Some(lds) = env.lds.backing() else { return 0 };
    let at = u64::from(m0 & 0xffff);
    let value = match m0 >> 16 & 7 {
        0 => lds.load8(at).map(u32::from),
        1 => lds.load16(at & !1).map(u32::from),
        2 => lds.load32(at & !3),
        4 => lds.load8(at).map(|v| v as i8 as u32),
        5 => lds.load16(at & !1).map(|v| v as i16 as u32),
        _ => None,
    };
    value.unwrap_or(0)
}
