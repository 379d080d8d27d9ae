//! The command processor's pipes, each with queues of its own (Navi 10's figures: RDNA whitepaper).

/// The graphics and compute front end.
pub const FRONT_END: u32 = 0;
/// Asynchronous compute engines, and the first one's pipe.
pub const ACES: u32 = 4;
pub const FIRST_ACE: u32 = 1;
/// The DMA engine for transfers. It reads the same packets as the others, where the card's SDMA has its own.
pub const DMA: u32 = FIRST_ACE + ACES;
/// All pipes, and queues of each.
pub const COUNT: u32 = DMA + 1;
pub const QUEUES: u32 = 8;

/// What people call a pipe.
pub fn name(pipe: u32) -> String {
    match pipe {
        FRONT_END => "front end".into(),
        DMA => "DMA engine".into(),
        ace => format!("ACE {}", ace.wrapping_sub(FIRST_ACE)),
    }
}
