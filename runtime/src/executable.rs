//! What can be told of a compiled kernel: figures, and its forms on the way to machine code.

use crate::estimate::{counts, cycles, decoded};
use sha2::{Digest as _, Sha256};
use wavepipe_compiler::Dump;
use wavepipe_flow::listing::disassembly_with_registers;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::machine::Machine;

/// One figure of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    pub name: &'static str,
    pub description: &'static str,
    pub value: u64,
}

impl Statistic {
    /// Of a kernel on a machine: those that RADV has, by its names and in its order.
    ///
    /// Source of the names: Mesa 25, `src/util/shader_stats.xml`, and before that `src/amd/vulkan/radv_pipeline.c` with
    /// `src/amd/compiler/aco_interface.cpp`.
    pub fn of(code: &CodeObject, machine: &Machine) -> Vec<Statistic> {
        let row = |name, description, value: u64| Statistic { name, description, value };
        let instrs = decoded(code);
        let counts = counts(&instrs);
        let waves = wavepipe_core::waves_per_simd(machine, code);
        let (latency, throughput) = cycles(code, &instrs, waves);
        let bytes = 4 * code.code_words().len() as u64;
        let hash = Sha256::digest(&code.text);
        let hash = hash.first_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
        let stats = &code.stats;
        vec![
            row("Driver pipeline hash", "64 bits of a hash of the code, for tools to tell pipelines apart by", hash),
            row("SGPRs", "Scalar registers of a subgroup, VCC not counted", code.sgprs.into()),
            row("VGPRs", "Vector registers of a subgroup", code.vgprs.into()),
            row("Spilled SGPRs", "Scalar values that found no register", stats.spilled_sgprs.into()),
            row("Spilled VGPRs", "Vector values that found no register", stats.spilled_vgprs.into()),
            row("Code size", "Bytes of machine code", bytes),
            row("LDS size", "Bytes of shared memory of a work-group", code.lds_bytes.into()),
            row("Scratch size", "Bytes of private memory of a subgroup", code.scratch_bytes_per_wave().into()),
            row("Subgroups per SIMD", "Subgroups that a SIMD can hold at once", waves.into()),
            row("Combined inputs", "Input slots of the shader: a compute shader has none", 0),
            row("Combined outputs", "Output slots of the shader: a compute shader has none", 0),
            row("Hash", "CRC32 of code and constant data", crc32fast::hash(&code.text).into()),
            row("Instructions", "Machine instructions", counts.instructions),
            row("Copies", "Moves between registers that the allocation left", counts.copies),
            row("Branches", "Branch instructions", counts.branches),
            row("Latency", "Estimated cycles of a subgroup, issuing and waiting", latency),
            row("Inverse Throughput", "Estimated cycles of a SIMD for each 64 work-items", throughput),
            row("VMEM Clause", "Vector memory clauses, those of one instruction included", counts.vmem_clauses),
            row("SMEM Clause", "Scalar memory clauses, those of one instruction included", counts.smem_clauses),
            row(
                "Pre-Sched SGPRs",
                "Scalar registers that are live at once before registers are allocated",
                stats.live_sgprs.into(),
            ),
            row(
                "Pre-Sched VGPRs",
                "Vector registers that are live at once before registers are allocated",
                stats.live_vgprs.into(),
            ),
            row("VALU", "Vector arithmetic instructions", counts.valu),
            row("SALU", "Scalar arithmetic instructions", counts.salu),
            row("VMEM", "Vector memory instructions", counts.vmem),
            row("SMEM", "Scalar memory instructions", counts.smem),
            row("VOPD", "Instructions of two vector operations", counts.vopd),
        ]
    }
}

/// Machine instructions of a kernel; the padding behind the last one is none.
pub fn instructions(code: &CodeObject) -> u32 {
    decoded(code).len() as u32
}

/// A kernel's text in one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Representation {
    pub name: &'static str,
    pub description: &'static str,
    pub text: String,
}

impl Representation {
    /// The module, the last state of each intermediate form, and the machine code; nothing if nothing was captured. What RADV shows is
    /// called as there.
    pub(crate) fn of(words: &[u32], dumps: &[Dump], code: &CodeObject) -> Vec<Representation> {
        if dumps.is_empty() {
            return Vec::new();
        }
        let last = |form: &str| dumps.iter().rfind(|d| d.form == form).map_or(String::new(), |d| d.text.clone());
        vec![
            Representation { name: "SPIR-V", description: "The module, as it was given", text: module(words) },
            Representation { name: "IR", description: "Structured SSA, optimised", text: last("ir") },
            Representation { name: "MIR", description: "Machine IR with registers", text: last("mir") },
            Representation {
                name: "Assembly",
                description: "Machine code with source lines, and the registers that each instruction takes",
                text: disassembly_with_registers(code),
            },
        ]
    }
}

/// The module's assembly, or its words where that has none.
fn module(words: &[u32]) -> String {
    let plain = || words.iter().map(|w| format!("{w:#010x}\n")).collect();
    wavepipe_compiler::spirv::assembly(words).unwrap_or_else(plain)
}
