//! The sets of host instructions that loops over lanes are compiled for.
//!
//! A module that has such loops names them once, in a macro that makes a module of functions for each set:
//!
//! ```text
//! macro_rules! variant {
//!     ($name:ident $(, $features:literal)?) => {
//!         mod $name {
//!             $(#[target_feature(enable = $features)])?
//!             pub unsafe fn load(..) { super::load(..) }
//!         }
//!     };
//! }
//! wavepipe_lanes::variants!(variant);
//! ```

use std::sync::OnceLock;

/// A set of host instructions, the least first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Level {
    /// What every host of this architecture has.
    Baseline,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

/// Calls `$m!(baseline)`, then `$m!(name, "features")` for each set of host instructions that is worth compiling for.
#[macro_export]
macro_rules! variants {
    ($m:ident) => {
        $m!(baseline);
        #[cfg(target_arch = "x86_64")]
        $m!(avx2, "avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt");
        #[cfg(target_arch = "x86_64")]
        $m!(avx512, "avx512f,avx512bw,avx512dq,avx512vl,avx512cd,avx512vpopcntdq,avx2,fma,f16c,bmi1,bmi2,lzcnt,popcnt");
    };
}

impl Level {
    /// Returns the best set that this host has, found at the first call.
    pub fn of_this_host() -> Level {
        static LEVEL: OnceLock<Level> = OnceLock::new();
        *LEVEL.get_or_init(find)
    }
}

#[cfg(target_arch = "x86_64")]
fn find() -> Level {
    let avx2 = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("popcnt");
    let avx512 = is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512bw")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512cd")
        && is_x86_feature_detected!("avx512vpopcntdq");
    match (avx2, avx512) {
        (true, true) => Level::Avx512,
        (true, false) => Level::Avx2,
        _ => Level::Baseline,
    }
}

#[cfg(not(target_arch = "x86_64"))]
fn find() -> Level {
    Level::Baseline
}
