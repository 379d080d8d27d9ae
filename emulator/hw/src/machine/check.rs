//! Whether a machine can be made of a description: figures that others divide by, count with or allocate by.

use super::{Machine, MachineError};
use crate::port::pipe;
use std::ops::RangeInclusive;

/// What compiled code counts on, on every machine: it fits its registers to these.
pub mod least {
    pub const SIMDS_PER_WGP: u64 = 4;
    pub const VGPR_ROWS: u64 = 1024;
}

/// What no machine has more of, and so no module can ask for.
pub mod most {
    pub const WORKGROUP_ITEMS: u64 = 1024;
}

/// Architectures that have the instructions of [`Machine::EXECUTES`]: all of RDNA 1.
const ISAS: &[&str] = &["gfx1010", "gfx1011", "gfx1012", "gfx1013"];

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
    ("lds.arrays", 1.0..=4.0),
    // LDS_SIZE and addresses of DS instructions reach 64 KiB; Vulkan asks for 16.
    ("lds.bytes", 16384.0..=262144.0),
];

/// Line sizes and the like, of which addresses are cut.
const POWERS: &[&str] =
    &["fetch.line", "scalar_cache.line", "l0.line", "l1.line", "l2.line", "lds.banks", "lds.granule", "tlb.page"];

/// The most of any figure: what a whole machine's bytes may be, and cycles that cannot overflow when they are added.
const MOST: f64 = (1u64 << 40) as f64;

impl Machine {
    /// The architecture whose code every machine runs.
    pub const EXECUTES: &str = "gfx1010";

    pub(super) fn check(&self) -> Result<(), MachineError> {
        if !ISAS.contains(&self.isa.as_str()) {
            return Err(MachineError::Isa { isa: self.isa.clone(), known: ISAS });
        }
        let refuse = |figure: String, value: f64, why: String| {
            Err(MachineError::Figure { figure, value: value.to_string(), why, line: None })
        };
        for row in self.rows() {
            let (figure, value) = (format!("{}.{}", row.section, row.name), row.value.real());
            let bounds = BOUNDS.iter().find(|(name, _)| *name == figure).map(|(_, range)| range.clone());
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
        if self.workgroup_lds() > 65536 {
            return Err(("lds.bytes", self.lds.bytes.value, "an array must have 65536 at most".into()));
        }
        let one_each = [
            ("scalar_cache.instances", &self.scalar_cache.instances, self.wgps(), "work-group processor"),
            ("l0.instances", &self.l0.instances, cus, "compute unit"),
            ("l1.instances", &self.l1.instances, self.arrays(), "shader array"),
        ];
        match one_each.into_iter().find(|(_, figure, count, _)| figure.value != *count) {
            Some((name, figure, count, of)) => Err((name, figure.value, format!("must be {count}, one of each {of}"))),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_of_figures_that_exist() {
        let machine = Machine::default();
        let rows = machine.rows();
        for figure in BOUNDS.iter().map(|(name, _)| name).chain(POWERS) {
            assert!(rows.iter().any(|r| format!("{}.{}", r.section, r.name) == *figure), "{figure}");
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
