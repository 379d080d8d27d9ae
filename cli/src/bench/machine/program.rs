//! gfx1010 assembly on an otherwise idle machine, for what no shader's compiler can be made to write.

use crate::failure::{Failure, Result};
use std::sync::Arc;
use wavepipe_runtime::WaveSize;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::hw::port::GpuPort;
use wavepipe_runtime::isa::{Gen, asm};
use wavepipe_runtime::timing::lab::{Kernel, Lab, LabError};
use wavepipe_runtime::timing::{DispatchReport, Options};

/// A machine to run programs on.
pub struct Bench {
    pub lab: Lab,
    hz: f64,
    /// Where programs leave a number.
    result: u64,
}

/// How a program is launched. What it finds in s[0:1]: the address where it may leave a dword; then `user`.
#[derive(Clone)]
pub struct Program<'a> {
    pub text: &'a str,
    pub vgprs: u32,
    pub lds_bytes: u32,
    pub user: Vec<u32>,
    pub workgroup: u32,
    pub groups: u32,
}

impl<'a> Program<'a> {
    /// One wave32 with up to 24 VGPRs.
    pub fn wave(text: &'a str, user: Vec<u32>) -> Program<'a> {
        Program { text, vgprs: 24, lds_bytes: 0, user, workgroup: 32, groups: 1 }
    }
}

impl Bench {
    pub fn new(machine: &Arc<Machine>) -> Result<Bench> {
        let lab = Lab::new(machine.clone(), Options::default(), None)?;
        let result = lab.memory(4096)?;
        Ok(Bench { lab, hz: machine.shader_hz(), result })
    }

    /// Nanoseconds of so many cycles.
    pub fn ns(&self, cycles: f64) -> f64 {
        cycles / self.hz * 1e9
    }

    pub fn run(&mut self, program: &Program<'_>) -> Result<DispatchReport> {
        let words = asm::assemble(program.text, Gen::Gfx1010, 32).map_err(|e| Failure::Driver(e.to_string()))?;
        let mut user_data = vec![self.result as u32, (self.result >> 32) as u32];
        user_data.extend(&program.user);
        let code = self.lab.code(&words)?;
        Ok(self.lab.run(&Kernel {
            code,
            wave: WaveSize::W32,
            vgprs: program.vgprs,
            lds_bytes: program.lds_bytes,
            user_data,
            workgroup: program.workgroup,
            groups: program.groups,
            wgp_mode: true,
        })?)
    }

    /// Runs a program, and reads the number that it left.
    pub fn number(&mut self, program: &Program<'_>) -> Result<u32> {
        self.run(program)?;
        let mut bytes = [0; 4];
        self.lab.gpu().read(self.result, &mut bytes).map_err(LabError::from)?;
        Ok(u32::from_le_bytes(bytes))
    }

    /// Cycles from a program's launch to its end, beyond those of the same program with other user data: what the second
    /// does more.
    pub fn more(&mut self, less: &Program<'_>, more: &Program<'_>) -> Result<f64> {
        // Caches are as full for the one as for the other.
        self.run(less)?;
        let [less, more] = [less, more].map(|p| self.run(p).map(|r| (r.ended - r.launched) as f64));
        Ok(more? - less?)
    }
}

/// Both halves of an address, for user data.
pub fn address(at: u64) -> [u32; 2] {
    [at as u32, (at >> 32) as u32]
}
