//! Whether a machine can be made of a description: figures that others divide by, count with or allocate by.

use super::{Cache, Machine, MachineError};
use crate::pipe;
use std::ops::RangeInclusive;
use wavepipe_isa::Gen;

/// What compiled code counts on, on every machine of its generation: it fits its registers to these.
pub mod least {
    use super::Gen;

    /// Of a work-group processor, or of a compute unit that is none's part.
    pub const SIMDS_PER_WGP: u64 = 4;

    /// Registers of a SIMD, each of one lane: 1,024 rows of 32 lanes, or 256 of 64.
    pub fn vgpr_file(generation: Gen) -> u64 {
        if generation.caps().wave32 { 1024 * 32 } else { 256 * 64 }
    }
}

/// What no machine has more of.
pub mod most {
    pub const WORKGROUP_ITEMS: u64 = 1024;
    /// Bytes of LDS of a work-group.
    pub const WORKGROUP_LDS: u64 = 65536;
    /// SIMDs of a machine: the timing engine's agenda has room for them and for its front end.
    pub const SIMDS: u64 = 511;
}

/// Architectures whose cards can be described, and the generation whose code runs on them: of RDNA 1 some have instructions
/// besides.
const ISAS: &[(&str, Gen)] = &[
    ("gfx600", Gen::Gfx600),
    ("gfx701", Gen::Gfx701),
    ("gfx900", Gen::Gfx900),
    ("gfx1010", Gen::Gfx1010),
    ("gfx1011", Gen::Gfx1010),
    ("gfx1012", Gen::Gfx1010),
    ("gfx1013", Gen::Gfx1010),
    ("gfx1030", Gen::Gfx1030),
];

/// What the emulator is built for, by figure.
pub const BOUNDS: &[(&str, RangeInclusive<f64>)] = &[
    ("identity.pci_device", 0.0..=65535.0),
    ("clock.shader_mhz", 1.0..=100e3),
    // A tick of at least a nanosecond.
    ("clock.reference_mhz", 1.0..=1000.0),
    ("shape.shader_engines", 1.0..=32.0),
    ("shape.arrays_per_engine", 1.0..=8.0),
    ("shape.wgps_per_array", 1.0..=32.0),
    ("shape.cus_per_wgp", 1.0..=4.0),
    ("shape.simds_per_cu", 1.0..=4.0),
    ("shape.cus_per_cluster", 1.0..=16.0),
    ("simd.lanes", 16.0..=32.0),
    ("simd.wave_slots", 1.0..=64.0),
    ("simd.vgpr_rows", 1.0..=65536.0),
    // Passes are halves of a wave64, or all of it.
    ("simd.row_lanes", 32.0..=64.0),
    // What instructions can name.
    ("simd.vgprs_per_wave", 256.0..=256.0),
    ("simd.sgprs_per_wave", 102.0..=128.0),
    ("simd.sgpr_file", 102.0..=65536.0),
    ("simd.sgpr_granule", 1.0..=128.0),
    ("simd.vgpr_granule_w32", 1.0..=64.0),
    ("simd.vgpr_granule_w64", 1.0..=64.0),
    ("simd.workgroups_per_wgp", 2.0..=256.0),
    ("simd.barriers_per_wgp", 1.0..=256.0),
    // A wave's number in its work-group has five bits of HW_ID; Vulkan asks for 128.
    ("simd.workgroup_items", 128.0..=most::WORKGROUP_ITEMS as f64),
    // Every wave has one.
    ("fetch.buffer_bytes", 0.0..=65536.0),
    ("issue.turns", 1.0..=4.0),
    ("issue.width", 1.0..=16.0),
    ("issue.vector", 1.0..=16.0),
    ("issue.scalar", 1.0..=16.0),
    ("issue.memory", 1.0..=16.0),
    ("issue.branch", 1.0..=16.0),
    ("issue.memory_queue", 1.0..=64.0),
    ("issue.scalar_dwords", 1.0..=64.0),
    ("launch.waves_per_cycle", 0.001..=64.0),
    ("launch.save_bytes_per_cycle", 1.0..=65536.0),
    // Of the port's pipes.
    ("command.aces", 1.0..=pipe::ACES as f64),
    ("command.queues_per_ace", 1.0..=pipe::QUEUES as f64),
    ("command.poll", 1.0..=MOST),
    ("lds.arrays", 1.0..=2.0),
    ("lds.banks", 1.0..=64.0),
    ("lds.latency", 1.0..=MOST),
    // LDS_SIZE and addresses of DS instructions reach 64 KiB; Vulkan asks for 16.
    ("lds.bytes", 16384.0..=262144.0),
    ("lds.workgroup_bytes", 16384.0..=most::WORKGROUP_LDS as f64),
    ("lds.operands", 1.0..=1024.0),
    ("lds.simd_operands", 1.0..=1024.0),
    ("l2.instances", 1.0..=64.0),
    ("vector.load_lanes", 1.0..=1024.0),
    ("vector.scattered_lanes", 1.0..=1024.0),
    ("vector.store_lanes", 1.0..=1024.0),
    ("vector.tag_banks", 1.0..=64.0),
    ("vector.data_banks", 0.0..=64.0),
    ("vector.store_bytes", 1.0..=1024.0),
    ("vector.return_bytes", 1.0..=1024.0),
    ("vector.filter_lanes", 1.0..=1024.0),
    ("mall.bytes", 1024.0..=4294967296.0),
    ("mall.ways", 1.0..=64.0),
    ("mall.line", 32.0..=128.0),
    ("mall.slices", 1.0..=64.0),
    ("mall.bytes_per_cycle", 16.0..=1024.0),
    ("mall.mhz", 1.0..=100e3),
    ("memory.channels", 1.0..=64.0),
    ("memory.bus_bits", 1.0..=65536.0),
    ("memory.gbit_per_pin", 0.1..=1000.0),
    ("memory.burst", 16.0..=128.0),
    ("memory.write_batch", 1.0..=65536.0),
    ("memory.refresh_interval_ns", 100.0..=MOST),
    ("memory.atomics_per_cycle", 1.0..=1024.0),
    ("tlb.page", 4096.0..=MOST),
    ("tlb.l1_entries", 1.0..=1024.0),
    ("tlb.l2_entries", 1.0..=65536.0),
    ("pcie.gbytes_per_second", 0.001..=1e6),
];

/// Sections of a cache, and the bounds of their figures: a set of a line's bytes has 128 bits, and caches are allocated whole.
pub const CACHES: &[&str] = &["fetch", "scalar_cache", "l0", "l1", "l2"];
pub const CACHE_BOUNDS: &[(&str, RangeInclusive<f64>)] = &[
    ("bytes", 1024.0..=67108864.0),
    ("ways", 1.0..=64.0),
    ("line", 32.0..=128.0),
    ("banks", 1.0..=64.0),
    ("bytes_per_cycle", 16.0..=1024.0),
    ("outstanding", 1.0..=65536.0),
];

/// Line sizes and the like, of which addresses are cut.
pub const POWERS: &[&str] = &[
    "simd.lanes",
    "simd.row_lanes",
    "fetch.line",
    "scalar_cache.line",
    "l0.line",
    "l1.line",
    "l2.line",
    "mall.line",
    "lds.banks",
    "lds.granule",
    "vector.tag_banks",
    "tlb.page",
];

/// The most of any figure: what a whole machine's bytes may be, and cycles that cannot overflow when they are added.
const MOST: f64 = (1u64 << 40) as f64;

impl Machine {
    /// The generation whose code it runs.
    pub fn generation(&self) -> Gen {
        ISAS.iter().find(|(name, _)| *name == self.isa).map_or(Gen::default(), |(_, generation)| *generation)
    }

    /// Whether there may be a machine that runs this generation's code.
    pub fn runs(isa: Gen) -> bool {
        ISAS.iter().any(|(_, generation)| *generation == isa)
    }

    /// Architectures that descriptions may name.
    pub(super) fn architectures() -> String {
        ISAS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
    }

    /// Whether a description may be of a card of this generation.
    pub fn executes(generation: Gen) -> bool {
        ISAS.iter().any(|(_, of)| *of == generation)
    }

    pub(super) fn check(&self) -> Result<(), MachineError> {
        if !ISAS.iter().any(|(name, _)| *name == self.isa) {
            return Err(MachineError::Isa { isa: self.isa.clone(), line: None });
        }
        let refuse = |figure: String, value: f64, why: String| {
            Err(MachineError::Figure { figure, value: value.to_string(), why, line: None })
        };
        for row in self.rows() {
            let (figure, value) = (format!("{}.{}", row.section, row.name), row.value.real());
            let cache =
                CACHE_BOUNDS.iter().filter(|_| CACHES.contains(&row.section)).find(|(name, _)| *name == row.name);
            let bounds = BOUNDS.iter().find(|(name, _)| *name == figure).or(cache).map(|(_, range)| range.clone());
            let (least, most) = bounds.unwrap_or(0.0..=MOST).into_inner();
            // What is no number is in no range.
            if !(least..=most).contains(&value) {
                let range = if least == most { least.to_string() } else { format!("from {least} to {most}") };
                return refuse(figure, value, format!("must be {range}"));
            }
            if POWERS.contains(&figure.as_str()) && !(value as u64).is_power_of_two() {
                return refuse(figure, value, "must be a power of two".into());
            }
        }
        self.check_shape().or_else(|(figure, value, why)| refuse(figure.into(), value as f64, why))
    }

    /// Figures that must fit each other: which does not, its value, and why.
    fn check_shape(&self) -> Result<(), (&'static str, u64, String)> {
        let (shape, cus) = (&self.shape, self.shape.cus.value);
        let places = self.arrays() * shape.wgps_per_array.value * shape.cus_per_wgp.value;
        if cus == 0 || cus > places || !cus.is_multiple_of(shape.cus_per_wgp.value) {
            return Err(("shape.cus", cus, format!("must be whole work-group processors of {places} places")));
        }
        if self.simds_per_wgp() < least::SIMDS_PER_WGP {
            let why = format!("a work-group processor must have {} SIMDs at least", least::SIMDS_PER_WGP);
            return Err(("shape.simds_per_cu", shape.simds_per_cu.value, why));
        }
        if self.wgps() * self.simds_per_wgp() > most::SIMDS {
            return Err(("shape.cus", cus, format!("must have {} SIMDs at most", most::SIMDS)));
        }
        if !shape.cus_per_cluster.value.is_multiple_of(shape.cus_per_wgp.value) {
            let why = format!("must be whole work-group processors of {}", shape.cus_per_wgp.value);
            return Err(("shape.cus_per_cluster", shape.cus_per_cluster.value, why));
        }
        self.check_simd()?;
        let array = self.lds.bytes.value / self.lds.arrays.value;
        if array > most::WORKGROUP_LDS {
            let message = format!("an array must have {} at most", most::WORKGROUP_LDS);
            return Err(("lds.bytes", self.lds.bytes.value, message));
        }
        if self.workgroup_lds() > array {
            let message = format!("must be an array's {array} at most");
            return Err(("lds.workgroup_bytes", self.workgroup_lds(), message));
        }
        let l1 = self.l1.as_ref().map(|l1| ("l1.instances", &l1.instances, self.arrays(), "shader array"));
        let one_each = [
            ("fetch.instances", &self.fetch.instances, self.clusters(), "cluster of compute units"),
            ("scalar_cache.instances", &self.scalar_cache.instances, self.clusters(), "cluster of compute units"),
            ("l0.instances", &self.l0.instances, cus, "compute unit"),
        ];
        match one_each.into_iter().chain(l1).find(|(_, figure, count, _)| figure.value != *count) {
            Some((name, figure, count, of)) => Err((name, figure.value, format!("must be {count}, one of each {of}"))),
            None => self.check_caches(),
        }
    }

    /// As [`Machine::check_shape`], of one SIMD.
    fn check_simd(&self) -> Result<(), (&'static str, u64, String)> {
        let (simd, generation) = (&self.simd, self.generation());
        let file = simd.vgpr_rows.value * simd.row_lanes.value;
        if file < least::vgpr_file(generation) {
            let rows = least::vgpr_file(generation) / simd.row_lanes.value;
            return Err(("simd.vgpr_rows", simd.vgpr_rows.value, format!("must be {rows} at least")));
        }
        // Passes of a row: a wave32 is one of 32 lanes.
        let (wave32, row) = (generation.caps().wave32, simd.row_lanes.value);
        if wave32 && row != 32 {
            return Err((
                "simd.row_lanes",
                row,
                format!("must be 32 where waves have 32 lanes, as those of {}", self.isa),
            ));
        }
        if simd.lanes.value > row {
            return Err(("simd.lanes", simd.lanes.value, format!("must be a row's {row} at most")));
        }
        if wave32 && simd.vgpr_granule_w32.is_none() {
            return Err(("simd.vgpr_granule_w64", simd.vgpr_granule_w64.value, "vgpr_granule_w32 is missing".into()));
        }
        if simd.sgpr_file.value < simd.sgprs_per_wave.value.next_multiple_of(simd.sgpr_granule.value) {
            return Err(("simd.sgpr_file", simd.sgpr_file.value, "must hold a wave's SGPRs".into()));
        }
        let turns = self.issue.turns.value;
        if turns != 1 && turns != self.shape.simds_per_cu.value {
            return Err(("issue.turns", turns, format!("must be 1 or {}", self.shape.simds_per_cu.value)));
        }
        Ok(())
    }

    /// As [`Machine::check_shape`], of caches and memory.
    fn check_caches(&self) -> Result<(), (&'static str, u64, String)> {
        let (fetch, memory) = (&self.fetch, &self.memory);
        let line = self.l2.line.value;
        let cache = |name, c: &Cache| (name, c.bytes.value, c.line.value, c.ways.value);
        let caches = [
            ("fetch.bytes", fetch.bytes.value, fetch.line.value, fetch.ways.value),
            cache("scalar_cache.bytes", &self.scalar_cache),
            cache("l0.bytes", &self.l0),
            cache("l2.bytes", &self.l2),
        ];
        let l1 = self.l1.as_ref().map(|l1| cache("l1.bytes", l1));
        // It is asked for L2's lines.
        let mall = self.mall.as_ref().map(|m| ("mall.bytes", m.bytes.value, line, m.ways.value));
        for (name, bytes, line, ways) in caches.into_iter().chain(l1).chain(mall) {
            let set = line * ways;
            if !bytes.is_multiple_of(set) || !(bytes / set).is_power_of_two() {
                return Err((name, bytes, format!("must be a power of two of sets, which have {set} bytes")));
            }
        }
        let l1 = self.l1.as_ref().map(|l1| ("l1.line", &l1.line));
        let same = [("l0.line", &self.l0.line)];
        if let Some((name, figure)) = same.into_iter().chain(l1).find(|(_, figure)| figure.value != line) {
            return Err((name, figure.value, format!("must be L2's line, {line}")));
        }
        let mall = self.mall.as_ref().map(|mall| ("mall.line", &mall.line));
        let parts = [("fetch.line", &fetch.line), ("scalar_cache.line", &self.scalar_cache.line)];
        if let Some((name, figure)) = parts.into_iter().chain(mall).find(|(_, figure)| figure.value > line) {
            return Err((name, figure.value, format!("must be L2's line, {line}, or less")));
        }
        if memory.interleave.value < line || !memory.interleave.value.is_multiple_of(line) {
            return Err(("memory.interleave", memory.interleave.value, format!("must be whole lines of {line}")));
        }
        if !line.is_multiple_of(memory.burst.value) {
            return Err(("memory.burst", memory.burst.value, format!("must be a part of a line of {line}")));
        }
        if memory.refresh_ns.value >= memory.refresh_interval_ns.value {
            let why = "must be shorter than memory.refresh_interval_ns".into();
            return Err(("memory.refresh_ns", memory.refresh_ns.value as u64, why));
        }
        let entries = self.tlb.l2_entries.value;
        if !entries.is_power_of_two() {
            return Err(("tlb.l2_entries", entries, "must be a power of two".into()));
        }
        Ok(())
    }
}
