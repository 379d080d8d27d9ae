//! What others measured on cards, for tests and benchmarks to stand beside.

/// Nanoseconds of a step of a pointer chase on an RX 5500 XT, by bytes of the region: NaviSim's authors (Bao and others, PACT
/// 2022), OpenCL on ROCm 5.0, one work-item, a random cycle of 8-byte cells.
pub const RX5500XT_CHASE: [(u64, f64); 21] = [
    (32, 63.56),
    (64, 63.56),
    (128, 63.56),
    (256, 63.56),
    (512, 63.55),
    (1 << 10, 63.54),
    (2 << 10, 63.54),
    (4 << 10, 63.54),
    (8 << 10, 63.54),
    (16 << 10, 63.54),
    (32 << 10, 74.71),
    (64 << 10, 76.87),
    (128 << 10, 84.59),
    (256 << 10, 104.49),
    (512 << 10, 114.40),
    (1 << 20, 148.83),
    (2 << 20, 438.32),
    (4 << 20, 478.83),
    (8 << 20, 635.97),
    (16 << 20, 723.15),
    (32 << 20, 762.27),
];
