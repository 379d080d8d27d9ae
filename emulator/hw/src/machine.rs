//! Machine descriptions: every figure of a card, as data, each with where it comes from.
//!
//! A description is a TOML file of sections; a figure is `{ value, unit, source, note }`. It may name a `base`, another
//! description, whose figures it then has where it gives none of its own. [`Machine::builtin`] has the cards that ship with
//! wavepipe, [`Machine::parse`] reads any other. The emulator's placement, the timing model and what the driver reports read
//! the same figures, so none stands twice.

pub(crate) mod check;
mod named;
mod read;
mod rows;

pub use check::{least, most};
pub use named::{Names, generation};
pub use rows::{FigureRow, Value};

use serde::{Deserialize, Serialize};

/// Where a figure comes from, in falling order of trust.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// A document of the maker: whitepaper, ISA manual, driver source.
    Documented,
    /// Follows from other figures by arithmetic; the note has it.
    Derived,
    /// Somebody else measured it on a card.
    Measured,
    /// A cost table of a shipping compiler or of a published simulator.
    Modelled,
    /// Nobody says; chosen to fit what is said.
    Assumed,
}

/// One figure.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Figure<T> {
    pub value: T,
    #[serde(default)]
    pub unit: String,
    pub source: Source,
    /// The place in the source, the arithmetic, or why this value was assumed.
    #[serde(default)]
    pub note: String,
    /// The description that gives it, where that is a base.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub inherited: Option<String>,
}

/// A whole number: a count, bytes or cycles.
pub type Count = Figure<u64>;
/// A number with a fraction: a clock, a bandwidth, a time.
pub type Real = Figure<f64>;

macro_rules! sections {
    ($($(#[doc = $about:literal])* $name:ident { $($(#[doc = $doc:literal])* $field:ident: $ty:ty,)* })*) => {
        $($(#[doc = $about])*
        #[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
        #[serde(deny_unknown_fields)]
        pub struct $name { $($(#[doc = $doc])* pub $field: $ty,)* }

        impl rows::Part for $name {
            fn rows<'a>(&'a self, _: rows::Label, own: rows::Label, rows: &mut Vec<FigureRow<'a>>) {
                let own = rows::Label { about: concat!($($about),*), ..own };
                $(
                    let field = rows::Label { name: stringify!($field), about: concat!($($doc),*) };
                    rows::Part::rows(&self.$field, own, field, rows);
                )*
            }
        })*
    };
}

sections! {
    /// A whole card.
    Machine {
        /// As `wavepipe machine show` and `WAVEPIPE_MACHINE` name it.
        name: String,
        product: String,
        /// The architecture's LLVM name.
        isa: String,
        identity: Identity,
        clock: Clock,
        shape: Shape,
        simd: Simd,
        issue: Issue,
        latency: Latency,
        launch: Launch,
        command: Command,
        fetch: Fetch,
        scalar_cache: Cache,
        lds: Lds,
        vector: Vector,
        l0: Cache,
        l1: Option<Cache>,
        l2: Cache,
        mall: Option<Mall>,
        memory: Memory,
        tlb: Tlb,
        pcie: Pcie,
    }
    /// What the card calls itself.
    Identity {
        /// Device number on the PCI bus, of AMD's 0x1002.
        pci_device: Count,
    }
    /// Frequencies.
    Clock {
        /// Of shaders and caches.
        shader_mhz: Real,
        /// Of S_MEMREALTIME and timestamps.
        reference_mhz: Real,
    }
    /// How many of what.
    Shape {
        /// Shader engines.
        shader_engines: Count,
        /// Shader arrays of an engine.
        arrays_per_engine: Count,
        /// Work-group processors; the most of any array. `cus` may be less than the product.
        wgps_per_array: Count,
        /// Compute units of a work-group processor.
        cus_per_wgp: Count,
        /// SIMDs of a compute unit.
        simds_per_cu: Count,
        /// Compute units that work.
        cus: Count,
        /// Compute units of an array, one after the other, that share an instruction cache and a scalar cache.
        cus_per_cluster: Count,
    }
    /// One SIMD's resources, and what work-groups share.
    Simd {
        /// Lanes that execute in a cycle.
        lanes: Count,
        /// Waves that it holds.
        wave_slots: Count,
        /// Rows of the register file.
        vgpr_rows: Count,
        /// Lanes of a row, which one pass reads.
        row_lanes: Count,
        /// The most of one wave.
        vgprs_per_wave: Count,
        /// The most SGPRs of one wave, VCC and the trap handler's among them.
        sgprs_per_wave: Count,
        /// SGPRs that its waves share.
        sgpr_file: Count,
        /// SGPRs that are allocated at once.
        sgpr_granule: Count,
        /// Registers of a wave32 that are allocated at once, where there are such waves.
        vgpr_granule_w32: Option<Count>,
        /// Registers of a wave64 that are allocated at once.
        vgpr_granule_w64: Count,
        /// The most work-groups that a work-group processor holds.
        workgroups_per_wgp: Count,
        /// The most work-groups of more than one wave that it holds, each of which has a barrier.
        barriers_per_wgp: Count,
        /// Not 0: transcendentals and double precision have units of their own beside the main ALUs.
        side_units: Count,
        /// The most work-items of a work-group.
        workgroup_items: Count,
    }
    /// The front end of a SIMD: how many instructions of a kind leave it in a cycle, each from another wave.
    Issue {
        /// SIMDs of a compute unit that have the front end in turn, a cycle each; 1: each has its own.
        turns: Count,
        /// Of all kinds together.
        width: Count,
        /// To the vector ALUs.
        vector: Count,
        /// To the scalar ALU.
        scalar: Count,
        /// Vector memory, LDS, scalar memory and export, each.
        memory: Count,
        /// Branches and messages.
        branch: Count,
        /// Instructions that a wave may have waiting for their data path before it stalls; vector memory and LDS each.
        memory_queue: Count,
        /// Dwords of a scalar load for which its wave's way to the scalar cache is busy for a cycle.
        scalar_dwords: Count,
        /// Not 0: waves of the oldest work-group go first, not the oldest waves.
        oldest_group_first: Count,
    }
    /// Cycles from issue until a dependent instruction may issue, and for which a pass, a row of registers, keeps its unit.
    Latency {
        /// A result of the main vector ALUs, until a vector instruction reads it.
        valu: Count,
        /// Results of 64 bits on the main unit.
        valu_wide: Count,
        /// A result of the transcendental unit.
        trans: Count,
        /// For how long a pass keeps the transcendental unit.
        trans_busy: Count,
        /// A product of 32-bit integers.
        mul_wide: Count,
        /// For how long such a pass keeps the main unit.
        mul_wide_busy: Count,
        /// A product of double precision, and whatever else is made of products: quotients, roots.
        double: Count,
        /// For how long such a pass keeps its unit.
        double_busy: Count,
        /// Any other result of double precision: sums, comparisons, conversions.
        double_add: Count,
        /// For how long such a pass keeps its unit.
        double_add_busy: Count,
        /// For how long V_SWAP_B32 keeps the main unit.
        swap_busy: Count,
        /// A scalar result, until a scalar or a vector instruction reads it.
        salu: Count,
        /// A vector result in an SGPR, VCC or EXEC, until a scalar instruction or branch reads it.
        valu_to_sgpr: Count,
        /// As that, of the carry of an integer sum, and of a lane that was read.
        carry_to_sgpr: Count,
        /// What DPP adds.
        dpp: Count,
        /// From a taken branch to the first instruction at its target, which is in the instruction cache.
        branch_taken: Count,
        /// From a branch that is not taken to the instruction behind it.
        branch_not_taken: Count,
        /// What a branch waits besides for SCC, VCC or EXEC of the instruction in front of it.
        branch_condition: Count,
        /// From an instruction that saves EXEC and sets it to the next of its wave.
        save_exec: Count,
        /// From the last arrival at a barrier until its waves may issue.
        barrier: Count,
        /// S_GETREG.
        getreg: Count,
        /// Cycles of one unit of S_SLEEP's operand.
        sleep_unit: Count,
        /// S_SENDMSG.
        message: Count,
    }
    /// Starting waves and work-groups.
    Launch {
        /// Waves that a work-group dispatcher starts in a cycle.
        waves_per_cycle: Real,
        /// The least cycles between two work-groups of a dispatch.
        workgroup: Count,
        /// From the placement of a wave to its first instruction: registers are written.
        wave_setup: Count,
        /// Cycles that a dispatch takes besides its work-groups.
        dispatch: Count,
        /// Bytes a cycle that a compute unit saves or restores registers and LDS with when waves are suspended.
        save_bytes_per_cycle: Count,
        /// From the decision to suspend until a wave's last instruction has issued.
        suspend: Count,
        /// How long work of lower priority is held back without a turn, in which it may write what work that spins waits for.
        patience_ns: Real,
        /// How long such a turn is.
        turn_ns: Real,
    }
    /// The command processor.
    Command {
        /// Asynchronous compute engines, beside the front end.
        aces: Count,
        /// Queues of each.
        queues_per_ace: Count,
        /// Packets other than the ones below.
        packet: Count,
        /// A doorbell until its packets are read.
        doorbell: Count,
        /// ACQUIRE_MEM, besides what the caches take.
        acquire: Count,
        /// RELEASE_MEM, from the last wave's end to the write.
        release: Count,
        /// Between two looks of WAIT_REG_MEM.
        poll: Count,
    }
    /// The instruction cache and a wave's instruction buffer.
    Fetch {
        /// Of the cache of one cluster of compute units.
        bytes: Count,
        /// Lines of a set.
        ways: Count,
        /// Bytes of a line.
        line: Count,
        /// To each front end.
        bytes_per_cycle: Count,
        /// Banks, by line, that serve a request a cycle each.
        banks: Count,
        /// From a fetch that hits to instructions in the buffer.
        hit: Count,
        /// Further cycles to L1 and back.
        miss: Count,
        /// Misses in flight of one cache.
        outstanding: Count,
        /// Cycles of an invalidate of the whole cache.
        invalidate: Count,
        /// Instances in the machine.
        instances: Count,
        /// What a wave's instruction buffer holds.
        buffer_bytes: Count,
        /// Cycles more of an instruction of two dwords that does not begin in the first three dwords of 32 bytes.
        wide: Count,
    }
    /// One level of cache.
    Cache {
        /// Of one instance: a slice of L2, an array's L1.
        bytes: Count,
        /// Lines of a set.
        ways: Count,
        /// Bytes of a line.
        line: Count,
        /// Banks or slices of one instance that serve a request a cycle each.
        banks: Count,
        /// Instances in the machine.
        instances: Count,
        /// Of one bank.
        bytes_per_cycle: Count,
        /// Cycles that a hit here takes from the request's arrival to its data's leaving, on the way of a load.
        hit: Count,
        /// Further cycles to the next level and back.
        miss: Count,
        /// Misses in flight of one instance.
        outstanding: Count,
        /// Cycles of an invalidate of the whole cache.
        invalidate: Count,
    }
    /// A cache in front of memory's channels, for all that goes there.
    Mall {
        /// In all.
        bytes: Count,
        /// Lines of a set.
        ways: Count,
        /// Bytes of a line.
        line: Count,
        /// Parts that each move bytes beside the others.
        slices: Count,
        /// Of one part, in a cycle of `mhz`.
        bytes_per_cycle: Count,
        /// Clock of the fabric between L2 and it.
        mhz: Real,
        /// From L2's miss to the line's arrival at L2, unloaded.
        latency_ns: Real,
    }
    /// Local data share.
    Lds {
        /// Of one work-group processor.
        bytes: Count,
        /// Arrays of it, each with its banks.
        arrays: Count,
        /// Banks of an array, each of which serves a dword a cycle.
        banks: Count,
        /// Bytes that are allocated at once.
        granule: Count,
        /// From issue to the data's return, without conflicts.
        latency: Count,
        /// What an atomic adds to the service of each group of lanes that is served at once.
        atomic: Count,
        /// The most of one work-group.
        workgroup_bytes: Count,
        /// Dwords of addresses and data that come from registers in a cycle.
        operands: Count,
        /// Of those, what one SIMD's bus takes.
        simd_operands: Count,
        /// What a store of two or three dwords at one address adds to the service of 32 lanes.
        uneven_store: Count,
    }
    /// The vector memory path of a compute unit: addresses, coalescing, texture.
    Vector {
        /// From issue to the tags of L0.
        address: Count,
        /// From L0's data to the register, and whatever else a load takes.
        data: Count,
        /// Addresses that the path of loads takes in a cycle.
        load_lanes: Count,
        /// Addresses that either path takes in a cycle where lanes move more than a dword, or dwords that neither follow each
        /// other nor are the same; of atomics always.
        scattered_lanes: Count,
        /// Addresses that the path of stores takes in a cycle.
        store_lanes: Count,
        /// Banks of L0's tags, by line, each of which looks a line up in a cycle.
        tag_banks: Count,
        /// Banks of L0's data, by dword, each of which gives a dword in a cycle; 0: a line gives all of its dwords at once.
        data_banks: Count,
        /// Bytes that leave the registers in a cycle.
        store_bytes: Count,
        /// Bytes that return to the registers in a cycle.
        return_bytes: Count,
        /// Addresses that are filtered in a cycle.
        filter_lanes: Count,
        /// What filtering adds to the latency.
        filter: Count,
    }
    /// Memory behind L2.
    Memory {
        /// In all.
        bytes: Count,
        /// Channels that work side by side.
        channels: Count,
        /// Data pins of all channels.
        bus_bits: Count,
        /// Rate of a data pin.
        gbit_per_pin: Real,
        /// From L2's miss to the line's arrival at L2, unloaded.
        latency_ns: Real,
        /// Bytes of one access.
        burst: Count,
        /// Consecutive bytes that lie in one channel.
        interleave: Count,
        /// From the start of a refresh to the next.
        refresh_interval_ns: Real,
        /// For how long a refresh keeps a channel from serving anything.
        refresh_ns: Real,
        /// Bursts of writes that a channel collects before it turns its bus.
        write_batch: Count,
        /// What turning the bus to writes and back takes.
        turnaround_ns: Real,
        /// Atomics on different dwords of one line that an L2 slice executes in a cycle.
        atomics_per_cycle: Count,
    }
    /// Address translation.
    Tlb {
        /// Bytes that one entry translates.
        page: Count,
        /// Of a compute unit.
        l1_entries: Count,
        /// Of the machine.
        l2_entries: Count,
        /// What a miss of the first level takes that the second knows.
        l2_hit_ns: Real,
        /// What a walk of the tables takes besides.
        walk_ns: Real,
    }
    /// The link to the host.
    Pcie {
        /// In each direction.
        gbytes_per_second: Real,
        /// What a transfer takes besides its bytes.
        latency_ns: Real,
    }
}

/// Why a description cannot be used.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum MachineError {
    /// With the name that may have been meant, and what there is.
    #[error("there is no machine `{name}`, nor a generation of this name.{} {known}", near.map(|n| format!(" Did you mean {n}?")).unwrap_or_default())]
    Unknown { name: String, near: Option<&'static str>, known: Names },
    /// A generation that no machine has.
    #[error("no machine executes {generation} yet; the assembler knows it: `wavepipe asm`, `wavepipe disasm`. {known}")]
    NotExecuted { generation: &'static str, known: Names },
    /// With line, column and the words there.
    #[error("{0}")]
    Syntax(String),
    #[error("line {line}: there is no machine `{name}` to be the base; there are {}", .known.join(", "))]
    Base { line: usize, name: String, known: Vec<&'static str> },
    #[error("line {line}: `inherited` is said of figures that a description leaves to its base; take it out")]
    Inherited { line: usize },
    #[error("{}{figure} = {value}: {why}", place(*.line))]
    Figure { figure: String, value: String, why: String, line: Option<usize> },
    #[error("{}isa = {isa}: wavepipe runs the code of {}", place(*.line), Machine::architectures())]
    Isa { isa: String, line: Option<usize> },
    #[error("{file}: {why}")]
    File { file: String, why: String },
}

fn place(line: Option<usize>) -> String {
    line.map(|line| format!("line {line}: ")).unwrap_or_default()
}

impl Machine {
    /// Shader arrays.
    pub fn arrays(&self) -> u64 {
        self.shape.shader_engines.value * self.shape.arrays_per_engine.value
    }

    /// Work-group processors that work.
    pub fn wgps(&self) -> u64 {
        self.shape.cus.value / self.shape.cus_per_wgp.value
    }

    /// Shader array of a work-group processor: consecutive ones share an array, and no array has two more than another, as where
    /// one of each pair of arrays has a work-group processor turned off.
    pub fn array_of_wgp(&self, wgp: usize) -> usize {
        let (wgps, arrays) = (self.wgps() as usize, self.arrays() as usize);
        (wgp * arrays / wgps).min(arrays - 1)
    }

    /// SIMDs of a work-group processor.
    pub fn simds_per_wgp(&self) -> u64 {
        self.shape.cus_per_wgp.value * self.shape.simds_per_cu.value
    }

    /// Clusters of compute units that share an instruction cache and a scalar cache.
    pub fn clusters(&self) -> u64 {
        self.cluster_of_wgp(self.wgps() as usize - 1) as u64 + 1
    }

    /// Cluster of a work-group processor: consecutive ones of an array share it.
    pub fn cluster_of_wgp(&self, wgp: usize) -> usize {
        let array = |w: usize| self.array_of_wgp(w);
        let size = (self.shape.cus_per_cluster.value / self.shape.cus_per_wgp.value).max(1) as usize;
        let first =
            |w: usize| (0..w).rev().take_while(|before| array(*before) == array(w)).count().is_multiple_of(size);
        (1..=wgp).filter(|w| first(*w)).count()
    }

    /// Passes of a wave of `lanes`: rows of registers.
    pub fn passes(&self, lanes: u32) -> u64 {
        u64::from(lanes).div_ceil(self.simd.row_lanes.value)
    }

    /// Cycles that the main ALUs take for a pass.
    pub fn pass_cycles(&self) -> u64 {
        self.simd.row_lanes.value.div_ceil(self.simd.lanes.value)
    }

    /// The most LDS that a work-group can have, in bytes, whichever mode it is in.
    pub fn workgroup_lds(&self) -> u64 {
        self.lds.workgroup_bytes.value
    }

    /// Ticks a second of S_MEMREALTIME and timestamps.
    pub fn reference_hz(&self) -> u64 {
        (self.clock.reference_mhz.value * 1e6).round() as u64
    }

    /// Nanoseconds as shader cycles, rounded to the nearest.
    pub fn cycles(&self, ns: f64) -> u64 {
        (ns * self.clock.shader_mhz.value / 1000.0).round() as u64
    }

    /// The first shader cycle in which the reference clock has reached a tick.
    pub fn cycle_of_tick(&self, tick: u64) -> u64 {
        let mut cycle = (tick as f64 * self.clock.shader_mhz.value / self.clock.reference_mhz.value) as u64;
        while self.ticks(cycle) < tick {
            cycle += 1;
        }
        cycle
    }

    /// Shader cycles since power-on as ticks of the reference clock.
    pub fn ticks(&self, cycle: u64) -> u64 {
        (cycle as f64 * self.clock.reference_mhz.value / self.clock.shader_mhz.value) as u64
    }

    /// Cycles of the shader clock in a second.
    pub fn shader_hz(&self) -> f64 {
        self.clock.shader_mhz.value * 1e6
    }

    /// Floating-point operations a second: a fused multiply-add of single precision, two operations, on each lane.
    pub fn peak_flops(&self) -> f64 {
        let lanes = self.shape.cus.value * self.shape.simds_per_cu.value * self.simd.lanes.value;
        2.0 * lanes as f64 * self.shader_hz()
    }

    /// The same of double precision.
    pub fn peak_flops_double(&self) -> f64 {
        self.peak_flops() * self.pass_cycles() as f64 / self.latency.double_busy.value as f64
    }

    /// Bytes a second of all banks of all LDS.
    pub fn lds_bandwidth(&self) -> f64 {
        (self.wgps() * self.lds.arrays.value * self.lds.banks.value * 4) as f64 * self.shader_hz()
    }

    /// Bytes a second of all vector L0 caches.
    pub fn l0_bandwidth(&self) -> f64 {
        (self.shape.cus.value * self.l0.bytes_per_cycle.value) as f64 * self.shader_hz()
    }

    /// Bytes a second of all banks of all L1 caches, if there are any.
    pub fn l1_bandwidth(&self) -> Option<f64> {
        let l1 = self.l1.as_ref()?;
        Some((self.arrays() * l1.banks.value * l1.bytes_per_cycle.value) as f64 * self.shader_hz())
    }

    /// Bytes a second of the cache in front of memory, if there is one.
    pub fn mall_bandwidth(&self) -> Option<f64> {
        let mall = self.mall.as_ref()?;
        Some((mall.slices.value * mall.bytes_per_cycle.value) as f64 * mall.mhz.value * 1e6)
    }

    /// Bytes of all slices of L2.
    pub fn l2_bytes(&self) -> u64 {
        self.l2.instances.value * self.l2.bytes.value
    }

    /// Bytes a second of all slices of L2.
    pub fn l2_bandwidth(&self) -> f64 {
        (self.l2.instances.value * self.l2.bytes_per_cycle.value) as f64 * self.shader_hz()
    }

    /// Bytes a second of memory.
    pub fn memory_bandwidth(&self) -> f64 {
        self.memory.bus_bits.value as f64 * self.memory.gbit_per_pin.value * 1e9 / 8.0
    }
}

impl Cache {
    /// Sets of one instance.
    pub fn sets(&self) -> u64 {
        self.bytes.value / self.line.value / self.ways.value
    }
}
