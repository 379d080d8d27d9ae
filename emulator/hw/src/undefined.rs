//! Where code for the check of what was never written takes values from that nobody gave: trap temporaries, which no program writes,
//! and which a card reads as zero. Each is the first of a pair.

use wavepipe_isa::Src;

/// A variable's.
pub const VARIABLE: Src = Src::TTMP0;
/// That of a lane which a subgroup operation reads, and which takes no part in it.
pub const LANE: Src = Src::TTMP2;
