//! Host functions of every row, for the host instructions found at start-up.

use super::env::Env;
use super::op::{MicroOp, OpFn};
use super::scalar;
use super::state::{EXECZ, VCC, VCCZ, Wave};
use super::vector::{HostAlu, baseline};
use std::sync::OnceLock;
use wavepipe_isa::alu::{Carry, Compare, Engine, FpMode, Host, Lane, Nearest, Wide, WideCarry};
use wavepipe_isa::insts::{self, Op};
use wavepipe_isa::row::{Format, Row, Sem, Ty};

impl HostAlu for Nearest {
    #[inline(always)]
    fn new(_: u32) -> Self {
        Nearest
    }
}

impl HostAlu for Host {
    #[inline(always)]
    fn new(mode: u32) -> Self {
        Host { mode: FpMode::from_bits(mode) }
    }
}

/// Which host instructions functions were compiled for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Level {
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
    Avx512,
}

/// Calls `$m!(name, features)` for every variant of this host's architecture.
macro_rules! variants {
    ($m:ident) => {
        $m!(baseline);
        #[cfg(target_arch = "x86_64")]
        $m!(avx2, "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt");
        #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
        $m!(avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vpopcntdq,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt");
    };
}
pub(crate) use variants;

/// The variant of a function that this host runs.
macro_rules! by_host {
    ($host:expr, $($f:tt)*) => {
        match $host {
            #[cfg(target_arch = "x86_64")]
            $crate::wave::table::Level::Avx2 => avx2::$($f)*,
            #[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
            $crate::wave::table::Level::Avx512 => avx512::$($f)*,
            _ => baseline::$($f)* as $crate::wave::op::OpFn,
        }
    };
}
pub(crate) use by_host;

/// The functions of one row.
#[derive(Clone, Copy)]
pub(crate) struct RowFns {
    /// Vector, round to nearest even with denormals kept: [`Nearest`].
    pub fast: OpFn,
    /// Vector, any MODE: [`Host`].
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
            #[cfg(not(debug_assertions))]
            let avx512 = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl")
                && is_x86_feature_detected!("avx512cd")
                && is_x86_feature_detected!("avx512vpopcntdq");
            #[cfg(not(debug_assertions))]
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

fn is_scalar(row: &Row) -> bool {
    matches!(row.format, Format::Sop1 | Format::Sop2 | Format::Sopc | Format::Sopk | Format::Sopp)
}

macro_rules! engine {
    ($name:ident, $variant:ident, $alu:ty) => {
        struct $name;
        impl Engine for $name {
            type Out = RowFns;
            fn lane<K: Lane>(row: &'static Row) -> RowFns {
                let scalar: OpFn = match row.sem {
                    Sem::SaveExec | Sem::WriteExec => scalar::save_exec::<K, Nearest>,
                    _ => scalar::lane::<K, Nearest>,
                };
                RowFns { fast: $variant::Fns::<$alu>::lane::<K>(), exact: baseline::Fns::<Host>::lane::<K>(), scalar }
            }
            fn compare<K: Compare>(_: &'static Row) -> RowFns {
                RowFns {
                    fast: $variant::Fns::<$alu>::compare::<K>(),
                    exact: baseline::Fns::<Host>::compare::<K>(),
                    scalar: scalar::compare::<K, Nearest>,
                }
            }
            fn carry<K: Carry>(row: &'static Row) -> RowFns {
                let out = row.dst.iter().any(|ty| matches!(ty, Ty::Vcc | Ty::Mask));
                RowFns {
                    fast: $variant::Fns::<$alu>::carry::<K>(out),
                    exact: baseline::Fns::<Host>::carry::<K>(out),
                    scalar: scalar::carry::<K, Nearest>,
                }
            }
            fn wide<K: Wide>(_: &'static Row) -> RowFns {
                RowFns {
                    fast: $variant::Fns::<$alu>::wide::<K>(),
                    exact: baseline::Fns::<Host>::wide::<K>(),
                    scalar: scalar::wide::<K, Nearest>,
                }
            }
            fn wide_carry<K: WideCarry>(_: &'static Row) -> RowFns {
                // 64-bit floats with a condition in (v_div_fmas_f64): rare, so one function serves every MODE.
                let f = baseline::Fns::<Host>::wide_carry::<K>();
                RowFns { fast: f, exact: f, scalar: nop }
            }
            fn data(row: &'static Row) -> RowFns {
                debug_assert!(!is_scalar(row) || !matches!(row.sem, Sem::Lane | Sem::Wide));
                RowFns { fast: nop, exact: nop, scalar: nop }
            }
        }
    };
}

// A debug build leaves out what makes no difference to it: its loops are not vectorised.
#[cfg(not(debug_assertions))]
engine!(Baseline, baseline, Nearest);
#[cfg(debug_assertions)]
engine!(Baseline, baseline, Host);
#[cfg(target_arch = "x86_64")]
use super::vector::avx2;
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
use super::vector::avx512;
#[cfg(target_arch = "x86_64")]
engine!(Avx2, avx2, Nearest);
#[cfg(all(target_arch = "x86_64", not(debug_assertions)))]
engine!(Avx512, avx512, Nearest);

pub(crate) unsafe fn nop(_: &mut Wave, _: &MicroOp, _: &mut Env) -> bool {
    false
}

/// Computes VCCZ and EXECZ for an operation that reads them as values, then runs it.
pub(crate) unsafe fn refresh_z(w: &mut Wave, op: &MicroOp, env: &mut Env) -> bool {
    w.s.0[VCCZ] = u32::from(w.mask(VCC) == 0);
    w.s.0[EXECZ] = u32::from(w.exec64() == 0);
    match &op.ext {
        // SAFETY: the inner function was resolved for this operation.
        Some(ext) => unsafe { (ext.inner)(w, op, env) },
        None => false,
    }
}
