//! When each instruction of a sequence issues, on an otherwise idle SIMD: one wave, its instructions in the buffer, every
//! register ready.

use crate::engine::Options;
use crate::lab::{Kernel, Lab, LabError};
use crate::observe::{Event, Recorder};
use crate::reason::Reason;
use parking_lot::Mutex;
use std::sync::Arc;
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::machine::Machine;
use wavepipe_isa::asm::{self, AsmError};
use wavepipe_isa::disasm::Labels;
use wavepipe_isa::{Gen, insts};

/// One executed instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Issue {
    /// Branches with their labels, which the text has or which are made up.
    pub text: String,
    /// The label in front of it, if a branch goes there.
    pub label: Option<String>,
    /// The cycle of each pass: one, or one for each half of a wave64 that issued.
    pub passes: Vec<u64>,
    /// What kept its first pass from issuing in the cycle after the pass before it, and for how long.
    pub stalled: u64,
    pub reason: Reason,
}

/// The whole sequence, in the order of its execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Timeline {
    pub issues: Vec<Issue>,
    /// One more than the cycle of the last pass, not counting S_ENDPGM.
    pub cycles: u64,
}

/// Why there is no timeline.
#[derive(Debug, thiserror::Error)]
pub enum SequenceError {
    #[error(transparent)]
    Assembler(#[from] AsmError),
    #[error(transparent)]
    Lab(#[from] LabError),
    #[error("the sequence executes more than {0} instructions")]
    Long(usize),
}

/// Most instructions that are shown.
const MOST: usize = 1 << 20;
/// Bytes of memory that a sequence may use.
const DATA: u64 = 1 << 16;
const VGPRS: u32 = 256;

#[derive(Default)]
struct Issues {
    isa: Gen,
    lanes: u32,
    labels: Labels,
    /// Where the code is.
    code: u64,
    /// Of each: its address, and whether it ends the wave.
    list: Vec<(u64, bool, Issue)>,
}

struct Listener(Arc<Mutex<Issues>>);

impl Recorder for Listener {
    fn instructions(&self) -> bool {
        true
    }

    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        let Event::Issued { pc, instr, half, stalled, reason, first, .. } = event else { return };
        let mut issues = self.0.lock();
        if *first && issues.list.len() < MOST {
            let (isa, lanes) = (issues.isa, issues.lanes);
            let dword = pc.wrapping_sub(issues.code) as usize / 4;
            let text = instr.map_or_else(String::new, |i| issues.labels.text(i, dword, isa, lanes));
            let label = issues.labels.at(dword).map(str::to_owned);
            let ends = instr.is_some_and(|i| i.op == insts::S_ENDPGM);
            let issue = Issue { text, label, passes: vec![cycle], stalled: *stalled, reason: *reason };
            issues.list.push((*pc, ends, issue));
        } else if let Some((.., issue)) = issues.list.last_mut() {
            debug_assert_eq!(*half, 1);
            issue.passes.push(cycle);
        }
    }
}

/// Assembles `text` and runs it as one wave: s[0:1] holds the address of 64 KiB of zeroes and s[4:7] their V#; v0 the lane;
/// as much LDS as a work-group can have. S_ENDPGM is added, and not shown. Cycle 0 is the first instruction's.
pub fn timeline(text: &str, wave: WaveSize, machine: Arc<Machine>) -> Result<Timeline, SequenceError> {
    let isa = machine.generation();
    let (mut words, names) = asm::assemble_named(text, isa, wave.lanes())?;
    let end = words.len() as u64 * 4;
    words.extend(asm::assemble("s_endpgm", isa, wave.lanes())?);
    let labels = Labels::of(&words, isa).named(&names);
    let issues = Arc::new(Mutex::new(Issues { isa, lanes: wave.lanes(), labels, ..Issues::default() }));
    let listener = Box::new(Listener(issues.clone()));
    let lds_bytes = machine.workgroup_lds() as u32;
    let mut lab = Lab::new(machine, Options { warm_fetch: true, ..Options::default() }, Some(listener))?;
    let (code, data) = (lab.code(&words)?, lab.memory(DATA)?);
    issues.lock().code = code;
    let mut user_data = vec![0; 8];
    (user_data[0], user_data[1]) = (data as u32, (data >> 32) as u32);
    user_data[4..8].copy_from_slice(&BufferDescriptor::raw(data, DATA as u32).to_words(isa));
    lab.run(&Kernel {
        code,
        wave,
        vgprs: VGPRS,
        lds_bytes,
        user_data,
        workgroup: wave.lanes(),
        groups: 1,
        wgp_mode: true,
    })?;
    let list = std::mem::take(&mut issues.lock().list);
    if list.len() >= MOST {
        return Err(SequenceError::Long(MOST));
    }
    let zero = list.first().map_or(0, |(.., issue)| issue.passes[0]);
    let last = list.iter().filter(|(_, ends, _)| !ends).filter_map(|(.., issue)| issue.passes.last()).max();
    let cycles = last.map_or(0, |last| last - zero + 1);
    let shown = list.into_iter().filter(|(pc, ..)| *pc != code + end);
    let issues = shown.map(|(.., mut issue)| {
        issue.passes.iter_mut().for_each(|p| *p -= zero);
        issue
    });
    Ok(Timeline { issues: issues.collect(), cycles })
}
