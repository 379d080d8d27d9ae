//! The thread trace: what waves send with S_TTRACEDATA, collected until their messages are whole (`wavepipe_hw::site`).

use super::env::Env;
use super::state::Wave;
use crate::config::GuestChecks;
use wavepipe_hw::fault::FaultKind;
use wavepipe_hw::finding::{Finding, FindingKind, Location};
use wavepipe_hw::site::{FINDING, Messages, is_counted, payload_dwords, site_of};

/// Whole messages that are handed on at once, about.
const BATCH: usize = 1 << 12;

/// What the waves of a work-group have sent, and nobody has taken yet.
#[derive(Default)]
pub(crate) struct ThreadTrace {
    /// By wave: a message that is not whole.
    begun: Vec<Begun>,
    whole: Messages,
    /// Address of the kernel.
    code_va: u64,
}

#[derive(Default)]
struct Begun {
    lanes: u64,
    pc: u64,
    sent: Vec<u32>,
}

impl ThreadTrace {
    /// A work-group starts.
    #[inline(always)]
    pub fn start(&mut self, workgroup: [u32; 3], waves: usize, code_va: u64) {
        self.begun.resize_with(waves, Begun::default);
        self.begun.iter_mut().for_each(|b| b.sent.clear());
        self.whole.restart(workgroup);
        self.code_va = code_va;
    }

    /// Whether it is time to take them.
    pub fn is_full(&self) -> bool {
        self.whole.len() >= BATCH
    }

    /// Whole messages, if there are any.
    pub fn take(&mut self) -> Option<Messages> {
        if self.whole.is_empty() {
            return None;
        }
        let next = Messages::of(self.whole.workgroup);
        Some(std::mem::replace(&mut self.whole, next))
    }
}

/// A dword of a wave, sent by the instruction at `pc`. `true`: it was the last one of a finding, at which the wave stops.
pub(super) fn send(w: &mut Wave, env: &mut Env<'_>, pc: u64, data: u32) -> bool {
    let (exec, wave) = (w.exec64(), w.index);
    let Some(trace) = env.trace.as_deref_mut() else { return false };
    let Some(begun) = trace.begun.get_mut(wave as usize) else { return false };
    if begun.sent.is_empty() {
        (begun.lanes, begun.pc) = (exec, pc);
    }
    begun.sent.push(data);
    let first = begun.sent[0];
    if begun.sent.len() <= payload_dwords(first) {
        return false;
    }
    // With no lane left it holds for nobody.
    let lanes = begun.lanes;
    let stops = if lanes == 0 {
        false
    } else if is_counted(first) {
        trace.whole.count(site_of(first), begun.pc, lanes);
        false
    } else if first & FINDING == 0 {
        trace.whole.push(wave, lanes, begun.pc, &begun.sent);
        false
    } else {
        found(w, env)
    };
    if let Some(trace) = env.trace.as_deref_mut() {
        trace.begun[wave as usize].sent.clear();
    }
    stops
}

/// Notes what a wave has told of, if that is checked.
#[cold]
fn found(w: &mut Wave, env: &Env<'_>) -> bool {
    let Some(trace) = env.trace.as_deref().filter(|_| env.device.checks.intersects(GuestChecks::TOLD)) else {
        return false;
    };
    let Begun { lanes, pc, ref sent } = trace.begun[w.index as usize];
    let (site, payload) = (site_of(sent[0]), sent[1..].to_vec());
    let place = Location {
        workgroup: trace.whole.workgroup,
        wave: w.index,
        lane: lanes.trailing_zeros() & 63,
        lanes,
        pc,
        pc_offset: pc.wrapping_sub(trace.code_va),
        disassembly: "s_ttracedata".into(),
        ..Location::default()
    };
    let finding = Finding {
        kind: FindingKind::Told { site, payload },
        kernel: String::new(),
        queue: (0, 0),
        site: place,
        access: None,
        other: None,
        count: 1,
    };
    // The code of one site may stand in several places: loops are unrolled.
    let key = (finding.kind.slug(), trace.code_va, u64::from(site));
    env.passage.findings().note(key, finding.site.order(), || finding.clone());
    env.device.checks.contains(GuestChecks::STOP) && w.fail(FaultKind::Finding(Box::new(finding)), lanes)
}
