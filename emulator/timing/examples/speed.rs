//! Prints how fast the clock runs on kernels that fill the machine: `cargo run --release -p wavepipe-timing --example speed`.

use std::sync::Arc;
use std::time::Instant;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::machine::Machine;
use wavepipe_isa::{Gen, asm};
use wavepipe_timing::Options;
use wavepipe_timing::lab::{Kernel, Lab};

const KERNELS: &[(&str, &str)] = &[
    (
        "fma",
        "v_fma_f32 v2, v2, 0.5, v1\nv_fma_f32 v3, v3, 0.5, v1\nv_fma_f32 v4, v4, 0.5, v1\nv_fma_f32 v5, v5, 0.5, v1",
    ),
    (
        "chain",
        "v_fma_f32 v2, v2, 0.5, v1\nv_fma_f32 v2, v2, 0.5, v1\nv_fma_f32 v2, v2, 0.5, v1\nv_fma_f32 v2, v2, 0.5, v1",
    ),
    ("load", "global_load_dword v4, v3, s[0:1]\ns_waitcnt vmcnt(0)\nv_add_nc_u32 v5, v4, v5\nv_add_nc_u32 v6, v4, v6"),
    ("LDS", "ds_read_b32 v4, v3\ns_waitcnt lgkmcnt(0)\nv_add_nc_u32 v5, v4, v5\nv_add_nc_u32 v6, v4, v6"),
    ("double", "v_fma_f64 v[2:3], v[2:3], 0.5, v[4:5]\nv_fma_f64 v[6:7], v[6:7], 0.5, v[4:5]"),
];

fn main() {
    for (name, body) in KERNELS {
        for waves in [4, 16] {
            let mut lab = Lab::new(Arc::new(Machine::default()), Options::default(), None).expect("a machine");
            let data = lab.memory(1 << 24).expect("memory");
            let text = format!(
                "s_mov_b32 s9, 0\nv_lshlrev_b32 v3, 2, v0\nagain:\n{}\ns_add_u32 s9, s9, 1\ns_cmp_lt_u32 s9, 100\ns_cbranch_scc1 again\ns_endpgm",
                [*body; 4].join("\n")
            );
            let words = asm::assemble(&text, Gen::Gfx1010, 32).expect("assembly");
            let kernel = Kernel {
                code: lab.code(&words).expect("memory"),
                wave: WaveSize::W32,
                vgprs: 32,
                lds_bytes: 4096,
                user_data: vec![data as u32, (data >> 32) as u32],
                workgroup: 256,
                groups: 10 * waves,
                wgp_mode: true,
            };
            let begin = Instant::now();
            let report = lab.run(&kernel).expect("a run");
            let (n, seconds) = (report.counters.instructions, begin.elapsed().as_secs_f64());
            let cycles = report.ended - report.launched;
            println!(
                "{name:8} {waves:2} waves a SIMD: {:6.2} M/s, IPC {:.2}",
                n as f64 / seconds / 1e6,
                n as f64 / cycles as f64 / 80.0
            );
        }
    }
}
