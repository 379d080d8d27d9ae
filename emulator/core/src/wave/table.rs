//! Host functions of every row, for the host instructions found at start-up.

use super::env::Env;
use super::exact;
use super::op::{MicroOp, OpFn};
use super::scalar;
use super::state::{EXECZ, LDS_DIRECT, M0, VCC, VCCZ, Wave};
use super::vector::HostAlu;
use std::sync::OnceLock;
use wavepipe_isa::alu::{Carry, Compare, Engine, Lane, Nearest, Wide};
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::row::{Row, Sem, Ty};

impl HostAlu for Nearest {
    #[inline(always)]
    fn new(_: u32) -> Self {
        Nearest
    }
}

/// Which host instructions functions were compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(all(target_arch = "x86_64", not(any(debug_assertions, test))))]
    Avx512,
}

/// Calls `$m!(name, "features")` for every set of host instructions that is worth compiling for, baseline excepted.
macro_rules! host_variants {
    ($m:ident) => {
        #[cfg(target_arch = "x86_64")]
        $m!(avx2, "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt");
        #[cfg(all(target_arch = "x86_64", not(any(debug_assertions, test))))]
        $m!(avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vpopcntdq,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt");
    };
}
pub(crate) use host_variants;

/// As [`host_variants`], and `$m!(baseline)`.
macro_rules! variants {
    ($m:ident) => {
        $m!(baseline);
        $crate::wave::table::host_variants!($m);
    };
}
pub(crate) use variants;

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
            #[cfg(all(target_arch = "x86_64", not(any(debug_assertions, test))))]
            $crate::wave::table::Level::Avx512 => avx512::$($f)*,
            _ => baseline::$($f)* as $crate::wave::op::OpFn,
        }
    };
}
pub(crate) use by_host;

/// Calls the variant of a function that this host runs; `f` stands in each module that [`variants`] made.
macro_rules! call_by_host {
    ($f:ident($($argument:expr),*)) => {
        // SAFETY: the level is what was found of this host.
        unsafe {
            match $crate::wave::table::tables().level {
                #[cfg(target_arch = "x86_64")]
                $crate::wave::table::Level::Avx2 => avx2::$f($($argument),*),
                #[cfg(all(target_arch = "x86_64", not(any(debug_assertions, test))))]
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

/// The tables for this host, chosen at first use.
pub(crate) fn tables() -> &'static Tables {
    static TABLES: OnceLock<Tables> = OnceLock::new();
    TABLES.get_or_init(|| {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("f16c")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            #[cfg(not(any(debug_assertions, test)))]
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512vpopcntdq");
            #[cfg(not(any(debug_assertions, test)))]
            if avx2 && avx512 {
                return Tables { level: Level::Avx512, rows: insts::instantiate::<Avx512>() };
            }
            if avx2 {
                return Tables { level: Level::Avx2, rows: insts::instantiate::<Avx2>() };
            }
        }
        Tables { level: Level::Baseline, rows: insts::instantiate::<Baseline>() }
    })
}

/// An engine whose vector functions come from `$variant`.
macro_rules! engine {
    ($name:ident, $variant:ident) => {
        struct $name;
        impl Engine for $name {
            type Out = RowFns;
            fn lane<K: Lane>(row: &'static Row) -> RowFns {
                RowFns { fast: $variant::Fns::<Nearest>::lane::<K>(), ..Exact::lane::<K>(row) }
            }
            fn compare<K: Compare>(row: &'static Row) -> RowFns {
                RowFns { fast: $variant::Fns::<Nearest>::compare::<K>(), ..Exact::compare::<K>(row) }
            }
            fn carry<K: Carry>(row: &'static Row) -> RowFns {
                let out = row.dst.iter().any(|ty| matches!(ty, Ty::Vcc | Ty::Mask));
                RowFns { fast: $variant::Fns::<Nearest>::carry::<K>(out), ..Exact::carry::<K>(row) }
            }
            fn wide<K: Wide>(row: &'static Row) -> RowFns {
                RowFns { fast: $variant::Fns::<Nearest>::wide::<K>(), ..Exact::wide::<K>(row) }
            }
            fn data(row: &'static Row) -> RowFns {
                Exact::data(row)
            }
        }
    };
}

/// Vector functions by the reference alone; also what the engines with a `fast` column build on.
struct Exact;
impl Engine for Exact {
    type Out = RowFns;
    fn lane<K: Lane>(row: &'static Row) -> RowFns {
        let scalar: OpFn = match row.sem {
            Sem::SaveExec | Sem::WriteExec => scalar::save_exec::<K, Nearest>,
            _ => scalar::lane::<K, Nearest>,
        };
        RowFns { scalar, ..Exact::data(row) }
    }
    fn compare<K: Compare>(row: &'static Row) -> RowFns {
        RowFns { scalar: scalar::compare::<K, Nearest>, ..Exact::data(row) }
    }
    fn carry<K: Carry>(row: &'static Row) -> RowFns {
        RowFns { scalar: scalar::carry::<K, Nearest>, ..Exact::data(row) }
    }
    fn wide<K: Wide>(row: &'static Row) -> RowFns {
        RowFns { scalar: scalar::wide::<K, Nearest>, ..Exact::data(row) }
    }
    /// Also rows of 64-bit floats with a condition in (v_div_fmas_f64): rare enough for the reference in every MODE.
    fn data(_: &'static Row) -> RowFns {
        RowFns { fast: exact::run::<false>, exact: exact::run::<false>, scalar: nop }
    }
}

// A debug build leaves out what makes no difference to it: its loops are not vectorised. So do the unit tests, which would take as long
// to compile as all of the crate: the tests beside it have every variant.
#[cfg(not(any(debug_assertions, test)))]
use super::vector::baseline;
#[cfg(not(any(debug_assertions, test)))]
engine!(Baseline, baseline);
#[cfg(target_arch = "x86_64")]
use super::vector::avx2;
#[cfg(any(debug_assertions, test))]
use Exact as Baseline;
#[cfg(target_arch = "x86_64")]
engine!(Avx2, avx2);
#[cfg(all(target_arch = "x86_64", not(any(debug_assertions, test))))]
use super::vector::avx512;
#[cfg(all(target_arch = "x86_64", not(any(debug_assertions, test))))]
engine!(Avx512, avx512);

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
