//! The figures of the Radeon RX 5700 XT that the issue model uses, each with where it comes from.

use wavepipe_isa::row::Class;

/// Where a figure comes from, in falling order of trust.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Source {
    /// AMD's RDNA whitepaper.
    Documented,
    /// Cost tables of a shipping compiler for this hardware (Mesa ACO, LLVM's GFX10 model).
    Compiler,
    /// Nobody says; chosen to fit what is said.
    Assumed,
}

/// How one class of instruction uses its unit.
#[derive(Clone, Copy, Debug)]
pub struct Cost {
    /// Cycles from issue until a dependent instruction may issue.
    pub latency: u64,
    /// Cycles for which one wave32 pass keeps its unit.
    pub busy: u64,
    pub source: Source,
}

/// Cost by class. Memory classes give the cost of the issue alone: their data is waited for with counters.
pub const fn cost(class: Class) -> Cost {
    match class {
        // Figure 3: v_mul at 2, its reader at 7; independent v_add right behind it.
        Class::Valu => Cost { latency: 5, busy: 1, source: Source::Documented },
        // Quarter rate, overlapping the main unit (documented); the latency is ACO's.
        Class::Trans => Cost { latency: 10, busy: 4, source: Source::Compiler },
        Class::MulWide => Cost { latency: 8, busy: 4, source: Source::Compiler },
        // 2 lanes of double precision on this product: 16 cycles (documented); the latency is ACO's.
        Class::Double => Cost { latency: 22, busy: 16, source: Source::Compiler },
        // Figure 3: s_add at 0, its vector reader at 2.
        Class::Salu => Cost { latency: 2, busy: 1, source: Source::Documented },
        Class::Smem | Class::Vmem | Class::Flat | Class::Lds | Class::Image => {
            Cost { latency: 1, busy: 1, source: Source::Assumed }
        }
        Class::Branch | Class::Wait | Class::Message | Class::Export => {
            Cost { latency: 1, busy: 1, source: Source::Assumed }
        }
    }
}
