//! What can be told of a compiled kernel: figures, and its forms on the way to machine code.

use crate::disasm::disassembly;
use wavepipe_compiler::Dump;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::machine::Machine;
use wavepipe_isa::decode;

/// One figure of a kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Statistic {
    pub name: &'static str,
    pub description: &'static str,
    pub value: u64,
}

impl Statistic {
    /// Of a kernel on a machine.
    pub fn of(code: &CodeObject, machine: &Machine) -> Vec<Statistic> {
        let row = |name, description, value: u32| Statistic { name, description, value: value.into() };
        let bytes = 4 * code.code_words().len() as u32;
        vec![
            row("SGPRs", "Scalar registers of a wave, VCC not counted", code.sgprs),
            row("VGPRs", "Vector registers of a wave", code.vgprs),
            row("Spilled SGPRs", "Scalar values that found no register", code.stats.spilled_sgprs),
            row("Spilled VGPRs", "Vector values that found no register", code.stats.spilled_vgprs),
            row("LDS size", "Bytes of shared memory of a work-group", code.lds_bytes),
            row("Scratch size", "Bytes of private memory of a lane", code.scratch_bytes),
            row("Code size", "Bytes of machine code", bytes),
            row("Instructions", "Machine instructions", instructions(code)),
            row("Waves per SIMD", "Waves that a SIMD can hold at once", wavepipe_core::waves_per_simd(machine, code)),
        ]
    }
}

/// Machine instructions of a kernel; the padding behind the last one is none.
pub fn instructions(code: &CodeObject) -> u32 {
    let words = code.code_words();
    let (mut at, mut n) = (0, 0);
    while at < words.len() {
        at += decode::decode(&words[at..], code.isa).map_or(1, |(_, size)| size);
        n += 1;
    }
    n
}

/// A kernel's text in one form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Representation {
    pub name: &'static str,
    pub description: &'static str,
    pub text: String,
}

impl Representation {
    /// The last state of each intermediate form, and the machine code; nothing if nothing was captured.
    pub(crate) fn of(dumps: &[Dump], code: &CodeObject) -> Vec<Representation> {
        if dumps.is_empty() {
            return Vec::new();
        }
        let last = |form: &str| dumps.iter().rfind(|d| d.form == form).map_or(String::new(), |d| d.text.clone());
        vec![
            Representation { name: "ir", description: "Structured SSA, optimised", text: last("ir") },
            Representation { name: "mir", description: "Machine IR with registers", text: last("mir") },
            Representation { name: "ISA", description: "Machine code", text: disassembly(code) },
        ]
    }
}
