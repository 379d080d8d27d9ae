//! The command processor's pipes, each with queues of its own: the port's, of which a machine has some (`command` of its description).

/// The graphics and compute front end.
pub const FRONT_END: u32 = 0;
/// The most asynchronous compute engines, as Hawaii has them, and the first one's pipe.
pub const ACES: u32 = 8;
pub const FIRST_ACE: u32 = 1;
/// The DMA engine for transfers. It reads the same packets as the others, where the card's SDMA has its own.
pub const DMA: u32 = FIRST_ACE + ACES;
/// All pipes, and the most queues of each.
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
