//! Whether a machine can be made of a description: figures that others divide by, count with or allocate by.

use super::{Machine, MachineError};
use crate::pipe;
use std::ops::RangeInclusive;
use wavepipe_isa::Gen;

/// What compiled code counts on, on every machine: it fits its registers to these.
pub mod least {
    pub const SIMDS_PER_WGP: u64 = 4;
    pub const VGPR_ROWS: u64 = 1024;
}

/// What no machine has more of.
pub mod most {
    pub const WORKGROUP_ITEMS: u64 = 1024;
    /// Bytes of LDS of a work-group.
    pub const WORKGROUP_LDS: u64 = 65536;
    /// SIMDs of a machine: the timing engine numbers them, and its front end, in a byte.
    pub const SIMDS: u64 = 255;
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
const BOUNDS: &[(&str, RangeInclusive<f64>)] = &[
    ("identity.pci_device", 0.0..=65535.0),
    ("clock.shader_mhz", 1.0..=100e3),
    // A tick of at least a nanosecond.
    ("clock.reference_mhz", 1.0..=1000.0),
    ("shape.shader_engines", 1.0..=32.0),
    ("shape.arrays_per_engine", 1.0..=8.0),
    ("shape.wgps_per_array", 1.0..=32.0),
    ("shape.cus_per_wgp", 1.0..=4.0),
    ("shape.simds_per_cu", 1.0..=4.0),
    // A row of a register is 32 words.
    ("simd.lanes", 32.0..=32.0),
    ("simd.wave_slots", 1.0..=64.0),
    ("simd.vgpr_rows", least::VGPR_ROWS as f64..=65536.0),
    // What instructions can name.
    ("simd.vgprs_per_wave", 256.0..=256.0),
    ("simd.sgprs_per_wave", 128.0..=128.0),
    ("simd.vgpr_granule_w32", 1.0..=64.0),
    ("simd.vgpr_granule_w64", 1.0..=64.0),
    ("simd.workgroups_per_wgp", 2.0..=256.0),
    // A wave's number in its work-group has five bits of HW_ID; Vulkan asks for 128.
    ("simd.workgroup_items", 128.0..=most::WORKGROUP_ITEMS as f64),
    // Every wave has one.
    ("fetch.buffer_bytes", 0.0..=65536.0),
    ("issue.width", 1.0..=16.0),
    ("issue.vector", 1.0..=16.0),
    ("issue.scalar", 1.0..=16.0),
    ("issue.memory", 1.0..=16.0),
    ("issue.branch", 1.0..=16.0),
    ("issue.memory_queue", 1.0..=64.0),
    ("launch.waves_per_cycle", 0.001..=64.0),
    ("launch.save_bytes_per_cycle", 1.0..=65536.0),
    // The port's pipes.
    ("command.aces", pipe::ACES as f64..=pipe::ACES as f64),
    ("command.queues_per_ace", pipe::QUEUES as f64..=pipe::QUEUES as f64),
    ("command.poll", 1.0..=MOST),
    ("lds.arrays", 1.0..=2.0),
    ("lds.banks", 1.0..=64.0),
    ("lds.latency", 1.0..=MOST),
    // LDS_SIZE and addresses of DS instructions reach 64 KiB; Vulkan asks for 16.
    ("lds.bytes", 16384.0..=262144.0),
    ("l2.instances", 1.0..=64.0),
    ("vector.load_lanes", 1.0..=1024.0),
    ("vector.store_lanes", 1.0..=1024.0),
    ("vector.store_bytes", 1.0..=1024.0),
    ("vector.return_bytes", 1.0..=1024.0),
    ("vector.filter_lanes", 1.0..=1024.0),
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
const CACHES: &[&str] = &["fetch", "scalar_cache", "l0", "l1", "l2"];
const CACHE_BOUNDS: &[(&str, RangeInclusive<f64>)] = &[
    ("bytes", 1024.0..=67108864.0),
    ("ways", 1.0..=64.0),
    ("line", 32.0..=128.0),
    ("banks", 1.0..=64.0),
    ("bytes_per_cycle", 16.0..=1024.0),
    ("outstanding", 1.0..=65536.0),
];

/// Line sizes and the like, of which addresses are cut.
const POWERS: &[&str] =
    &["fetch.line", "scalar_cache.line", "l0.line", "l1.line", "l2.line", "lds.banks", "lds.granule", "tlb.page"];

/// The most of any figure: what a whole machine's bytes may be, and cycles that cannot overflow when they are added.
const MOST: f64 = (1u64 << 40) as f64;

impl Machine {
    /// The generation whose code it runs.
    pub fn generation(&self) -> Gen {
        ISAS.iter().find(|(name, _)| *name == self.isa).map_or(Gen::default(), |(_, generation)| *generation)
    }

    /// Architectures that descriptions may name.
    pub(super) fn architectures() -> String {
        ISAS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", ")
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
        if self.workgroup_lds() > most::WORKGROUP_LDS {
            let message = format!("an array must have {} at most", most::WORKGROUP_LDS);
            return Err(("lds.bytes", self.lds.bytes.value, message));
        }
        let one_each = [
            ("scalar_cache.instances", &self.scalar_cache.instances, self.wgps(), "work-group processor"),
            ("l0.instances", &self.l0.instances, cus, "compute unit"),
            ("l1.instances", &self.l1.instances, self.arrays(), "shader array"),
        ];
        match one_each.into_iter().find(|(_, figure, count, _)| figure.value != *count) {
            Some((name, figure, count, of)) => Err((name, figure.value, format!("must be {count}, one of each {of}"))),
            None => self.check_caches(),
        }
    }

    /// As [`Machine::check_shape`], of caches and memory.
    fn check_caches(&self) -> Result<(), (&'static str, u64, String)> {
        let (fetch, memory) = (&self.fetch, &self.memory);
        let line = self.l1.line.value;
        let caches = [
            ("fetch.bytes", &fetch.bytes, &fetch.line, &fetch.ways),
            ("scalar_cache.bytes", &self.scalar_cache.bytes, &self.scalar_cache.line, &self.scalar_cache.ways),
            ("l0.bytes", &self.l0.bytes, &self.l0.line, &self.l0.ways),
            ("l1.bytes", &self.l1.bytes, &self.l1.line, &self.l1.ways),
            ("l2.bytes", &self.l2.bytes, &self.l2.line, &self.l2.ways),
        ];
        for (name, bytes, line, ways) in caches {
            let set = line.value * ways.value;
            if !bytes.value.is_multiple_of(set) || !(bytes.value / set).is_power_of_two() {
                return Err((name, bytes.value, format!("must be a power of two of sets, which have {set} bytes")));
            }
        }
        let same = [("l0.line", &self.l0.line), ("l2.line", &self.l2.line)];
        if let Some((name, figure)) = same.into_iter().find(|(_, figure)| figure.value != line) {
            return Err((name, figure.value, format!("must be L1's line, {line}")));
        }
        let parts = [("fetch.line", &fetch.line), ("scalar_cache.line", &self.scalar_cache.line)];
        if let Some((name, figure)) = parts.into_iter().find(|(_, figure)| figure.value > line) {
            return Err((name, figure.value, format!("must be L1's line, {line}, or less")));
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_of_figures_that_exist() {
        let machine = Machine::default();
        let rows = machine.rows();
        let caches = CACHES.iter().flat_map(|c| CACHE_BOUNDS.iter().map(move |(name, _)| format!("{c}.{name}")));
        let others = BOUNDS.iter().map(|(name, _)| name).chain(POWERS).map(|name| name.to_string());
        for figure in others.chain(caches) {
            assert!(rows.iter().any(|r| format!("{}.{}", r.section, r.name) == figure), "{figure}");
        }
    }

    #[test]
    fn a_figure_out_of_bounds_is_refused_by_name_and_line() {
        for (figure, range) in BOUNDS {
            let (section, name) = figure.split_once('.').unwrap();
            for value in [(range.start() - 1.0).floor(), (range.end() + 1.0).ceil()].into_iter().filter(|v| *v >= 0.0) {
                let head = "name = 'n'\nproduct = 'p'\nbase = 'rx5700xt'\n";
                let text = format!("{head}[{section}]\n{name} = {{ value = {value}, source = 'assumed' }}\n");
                let error = Machine::parse(&text).unwrap_err().to_string();
                assert!(error.contains("line 5") && error.contains(figure) && error.contains("must be"), "{error}");
            }
        }
    }
}
