//! Performance counters: blocks of the GPU, whose registers choose what is counted, and hold the counts.
//!
//! A select register is written with SET_UCONFIG_REG, its counter read with COPY_DATA. Addresses and numbers are gfx10's, as
//! Mesa's ac_perfcounter.c and radv_perfcounter.c use them. Real counters are per instance and start at an event; these are of
//! the whole machine, count from power-on, and are read through the same registers.

/// Byte address of the first UCONFIG register.
const UCONFIG_BASE: u32 = 0x30000;

/// A part of the GPU that counts.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Block {
    /// Graphics register bus manager.
    Grbm,
    /// Instruction sequencers.
    Sq,
    /// Vector L0 caches.
    Tcp,
    /// L1 caches.
    Gl1c,
    /// Slices of L2.
    Gl2c,
}

impl Block {
    pub const ALL: [Block; 5] = [Block::Grbm, Block::Sq, Block::Tcp, Block::Gl1c, Block::Gl2c];
    /// The most counters of any block.
    pub const MOST: usize = 16;

    /// Byte addresses of the first counter, of which each is eight bytes, and of every counter's select.
    fn addresses(self) -> (u32, &'static [u32]) {
        match self {
            Block::Grbm => (0x34100, &[0x36100, 0x36104]),
            Block::Sq => (
                0x34700,
                &[
                    0x36700, 0x36704, 0x36708, 0x3670c, 0x36710, 0x36714, 0x36718, 0x3671c, 0x36720, 0x36724, 0x36728,
                    0x3672c, 0x36730, 0x36734, 0x36738, 0x3673c,
                ],
            ),
            Block::Tcp => (0x34d00, &[0x36d00, 0x36d08, 0x36d10, 0x36d14]),
            Block::Gl1c => (0x34e80, &[0x36e80, 0x36e88, 0x36e8c, 0x36e90]),
            Block::Gl2c => (0x34e00, &[0x36e00, 0x36e08, 0x36e10, 0x36e14]),
        }
    }

    /// Counters that it has.
    pub fn counters(self) -> usize {
        self.addresses().1.len()
    }
}

/// One counter of a block.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Counter {
    pub block: Block,
    pub index: u8,
}

impl Counter {
    pub fn all() -> impl Iterator<Item = Counter> {
        Block::ALL.into_iter().flat_map(|block| (0..block.counters() as u8).map(move |index| Counter { block, index }))
    }

    /// Its select, as SET_UCONFIG_REG numbers registers.
    pub fn select(self) -> u16 {
        let selects = self.block.addresses().1;
        ((selects[usize::from(self.index) % selects.len()] - UCONFIG_BASE) / 4) as u16
    }

    /// The dword address of its low half, as COPY_DATA takes it.
    pub fn register(self) -> u32 {
        self.block.addresses().0 / 4 + 2 * u32::from(self.index)
    }

    /// The counter that a UCONFIG register selects for.
    pub fn of_select(register: u16) -> Option<Counter> {
        Counter::all().find(|c| c.select() == register)
    }

    pub fn of_register(register: u32) -> Option<Counter> {
        Counter::all().find(|c| c.register() == register)
    }
}

macro_rules! events {
    ($($(#[doc = $doc:literal])* $event:ident = $block:ident $select:literal;)*) => {
        /// What can be counted.
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
        #[repr(usize)]
        pub enum Event { $($(#[doc = $doc])* $event),* }

        impl Event {
            pub const ALL: [Event; EVENTS] = [$(Event::$event),*];

            pub fn block(self) -> Block {
                match self { $(Event::$event => Block::$block),* }
            }

            /// The value of a select register that chooses it.
            pub fn select(self) -> u32 {
                match self { $(Event::$event => $select),* }
            }
        }

        pub const EVENTS: usize = [$($select as u32),*].len();
    };
}

events! {
    /// Cycles since power-on.
    Active = Grbm 0x2;
    /// Waves started.
    Waves = Sq 0x4;
    Instructions = Sq 0x31;
    LdsInstructions = Sq 0x3b;
    ScalarInstructions = Sq 0x3c;
    ScalarMemoryInstructions = Sq 0x3d;
    VectorInstructions = Sq 0x40;
    /// Vector memory instructions that return something; that return nothing.
    VectorLoads = Sq 0x45;
    VectorStores = Sq 0x46;
    /// Cycles that vector ALUs were busy, summed over SIMDs.
    VectorCycles = Sq 0x75;
    /// Lines asked of vector L0, and those that were not there; the same of L1 and L2.
    L0Requests = Tcp 0x9;
    L0Misses = Tcp 0x12;
    L1Requests = Gl1c 0xe;
    L1Misses = Gl1c 0x12;
    L2Requests = Gl2c 0x3;
    L2Misses = Gl2c 0x23;
    /// Writes of 32 bytes to memory; reads of 128 bytes.
    Writes32 = Gl2c 0x4b;
    Reads128 = Gl2c 0x5c;
}

impl Event {
    /// What a select register's value chooses; `None`: nothing that is counted here.
    pub fn of(block: Block, select: u32) -> Option<Event> {
        Event::ALL.into_iter().find(|e| (e.block(), e.select()) == (block, select & 0x3ff))
    }
}
