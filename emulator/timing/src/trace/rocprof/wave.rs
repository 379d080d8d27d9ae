//! One wave on the machine: its instructions and states as they come, and its file in the end.

use super::json::{self, List};
use super::listing::Listing;
use super::{BUFFER, File};
use crate::reason::Reason;
use std::io;
use std::path::{Path, PathBuf};
use wavepipe_isa::row::Class;

/// Kinds of instructions, as rocprof_trace_decoder's trace_decoder_types.h numbers them, and names for sums.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Category {
    ScalarMemory = 1,
    Scalar,
    VectorMemory,
    Flat,
    Lds,
    Vector,
    Jump,
    Next,
    Immediate,
    Message = 11,
}

const NAMES: [(Category, &str); 10] = [
    (Category::ScalarMemory, "smem"),
    (Category::Scalar, "salu"),
    (Category::VectorMemory, "vmem"),
    (Category::Flat, "flat"),
    (Category::Lds, "lds"),
    (Category::Vector, "valu"),
    (Category::Jump, "jump"),
    (Category::Next, "next"),
    (Category::Immediate, "immed"),
    (Category::Message, "msg"),
];

impl Category {
    /// A branch is a jump until it is known to have gone on.
    fn of(class: Class) -> Category {
        match class {
            Class::Valu | Class::Trans | Class::MulWide | Class::Double => Category::Vector,
            Class::Salu => Category::Scalar,
            Class::Smem => Category::ScalarMemory,
            Class::Vmem | Class::Image => Category::VectorMemory,
            Class::Flat => Category::Flat,
            Class::Lds => Category::Lds,
            Class::Branch => Category::Jump,
            Class::Wait => Category::Immediate,
            Class::Message | Class::Export => Category::Message,
        }
    }
}

/// What a wave does, as the same header numbers it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum WaveActivity {
    Idle = 1,
    Execute,
    Wait,
    Stall,
}

impl WaveActivity {
    /// Of a wave that does not issue, for a reason.
    fn of(reason: Reason) -> WaveActivity {
        match reason {
            Reason::WaitVm | Reason::WaitLgkm | Reason::WaitVs | Reason::Barrier => WaveActivity::Wait,
            Reason::Idle | Reason::Launch => WaveActivity::Idle,
            _ => WaveActivity::Stall,
        }
    }
}

/// Where a wave is: shader engine, work-group processor of it, SIMD of that, slot.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WavePlace {
    pub engine: u64,
    pub wgp: u64,
    pub simd: u64,
    pub slot: u64,
}

/// The instruction that issued last.
struct Last {
    time: u64,
    stall: u64,
    idle: u64,
    waits: WaveActivity,
    issue: u64,
    end: u64,
    pc: u64,
    line: usize,
    category: Category,
}

/// What goes into a wave's file.
struct Record {
    path: PathBuf,
    /// Its number in its slot, and in the dispatch.
    turn: u64,
    number: u64,
    instructions: List,
    timeline: List,
    state: Option<(WaveActivity, u64)>,
    /// By category: instructions, and their stall cycles.
    sums: [(u64, u64); NAMES.len()],
    characters: u64,
}

pub struct Wave {
    pub dispatch: u64,
    pub group: u64,
    pub place: WavePlace,
    pub begin: u64,
    /// The timeline is written up to here.
    pub until: u64,
    last: Option<Last>,
    record: Option<Record>,
}

impl Wave {
    /// `file`: path, number in its slot and in the dispatch, if its instructions are recorded.
    pub fn new(dispatch: u64, group: u64, place: WavePlace, begin: u64, file: Option<(PathBuf, u64, u64)>) -> Wave {
        let record = file.map(|(path, turn, number)| Record {
            turn,
            instructions: List::new(path.with_extension("instructions.part")),
            timeline: List::new(path.with_extension("timeline.part")),
            state: None,
            sums: Default::default(),
            characters: 0,
            number,
            path,
        });
        Wave { dispatch, group, place, begin, until: begin, last: None, record }
    }

    /// The first pass of an instruction issued.
    #[allow(clippy::too_many_arguments)]
    pub fn next(&mut self, issue: u64, stalled: u64, reason: Reason, end: u64, pc: u64, line: usize, class: Class) {
        let waits = WaveActivity::of(reason);
        let stalled = stalled.min(issue - self.begin.min(issue));
        let (stall, idle) = if waits == WaveActivity::Idle { (0, stalled) } else { (stalled, 0) };
        let category = Category::of(class);
        self.last = Some(Last { time: issue - stall, stall, idle, waits, issue, end, pc, line, category });
    }

    /// Another pass of it issued.
    pub fn again(&mut self, end: u64) {
        if let Some(last) = &mut self.last {
            last.end = last.end.max(end);
        }
    }

    /// Counts and writes the instruction that issued last; the wave is at `pc` now, or has ended.
    pub fn retire(&mut self, pc: Option<u64>, listing: &mut Listing, states: &mut States) -> io::Result<()> {
        let Some(mut last) = self.last.take() else { return Ok(()) };
        const BRANCH_BYTES: u64 = 4;
        if last.category == Category::Jump && pc == Some(last.pc + BRANCH_BYTES) {
            last.category = Category::Next;
        }
        let Last { time, stall, idle, waits, issue, end, line, category, .. } = last;
        listing.count(line, end - time, stall, idle);
        // One that is busy beyond the next one's issue overlaps with it; states do not.
        let (from, issue) = (self.until, issue.max(self.until));
        let past = (issue + 1).max(from);
        states.add(waits, from, issue);
        states.add(WaveActivity::Execute, issue, past);
        self.until = past;
        let Some(record) = self.record.as_mut().filter(|r| r.characters < BUFFER) else { return Ok(()) };
        let place = NAMES.iter().position(|(c, _)| *c == category).unwrap_or(0);
        record.sums[place].0 += 1;
        record.sums[place].1 += stall;
        record.instructions.add(format_args!("[{time},{},{stall},{},{line}]", category as u8, end - time))?;
        // About the characters of an instruction and its states.
        record.characters += 40;
        record.pass(waits, issue - from)?;
        record.pass(WaveActivity::Execute, past - issue)
    }

    /// Writes the wave's file, if it has one.
    pub(super) fn close(&mut self, end: u64, pipe: u32) -> io::Result<Option<File>> {
        let Some(mut record) = self.record.take() else { return Ok(None) };
        record.pass(WaveActivity::Idle, end.saturating_sub(self.until))?;
        record.settle()?;
        let WavePlace { engine, wgp, simd, slot } = self.place;
        let (begin, number, group) = (self.begin, record.number, self.group & 0x7f);
        let sums = NAMES.iter().zip(record.sums).filter(|(_, (n, _))| *n > 0);
        let sums = sums.map(|((_, name), (n, stall))| format!("\"{name}\":{n},\"{name}_stall\":{stall}"));
        let info = sums.collect::<Vec<_>>().join(",");
        let count: u64 = record.sums.iter().map(|s| s.0).sum();
        json::file(&record.path, |out| {
            write!(out, "{{\"name\":\"SE{engine}\",\"duration\":{},\"num_insts\":{count},", end - begin)?;
            write!(out, "\"wave\":{{\"id\":{number},\"cu\":{wgp},\"simd\":{simd},\"slot\":{slot},")?;
            write!(out, "\"begin\":{begin},\"end\":{end},\"me_id\":1,\"pipe_id\":{pipe},\"workgroup_id\":{group},")?;
            write!(out, "\"info\":{{{info}}},\"waitcnt\":[],\n\"timeline\":[")?;
            record.timeline.write(out)?;
            out.write_all(b"],\n\"instructions\":[")?;
            record.instructions.write(out)?;
            out.write_all(b"]}}\n")
        })?;
        let name = record.path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default();
        Ok(Some(File { turn: record.turn, name, characters: record.characters }))
    }
}

impl Record {
    /// The wave is in a state for some more cycles.
    fn pass(&mut self, state: WaveActivity, cycles: u64) -> io::Result<()> {
        match &mut self.state {
            _ if cycles == 0 => {}
            Some((same, sum)) if *same == state => *sum += cycles,
            _ => {
                self.settle()?;
                self.state = Some((state, cycles));
            }
        }
        Ok(())
    }

    fn settle(&mut self) -> io::Result<()> {
        match self.state.take() {
            Some((state, cycles)) => self.timeline.add(format_args!("[{},{cycles}]", state as u8)),
            None => Ok(()),
        }
    }
}

/// How many waves are in each state, over time: in intervals of one width, which doubles when there would be too many.
pub struct States {
    begin: u64,
    width: u64,
    /// Wave-cycles by interval: execute, wait, stall.
    sums: Vec<[u64; 3]>,
}

pub const INTERVALS: usize = 2048;

impl States {
    pub fn new(begin: u64) -> States {
        States { begin, width: 16, sums: Vec::new() }
    }

    pub fn add(&mut self, state: WaveActivity, from: u64, to: u64) {
        let Some(kind) = (state as usize).checked_sub(WaveActivity::Execute as usize) else { return };
        let (mut from, to) = (from.saturating_sub(self.begin), to.saturating_sub(self.begin));
        while to.div_ceil(self.width) > INTERVALS as u64 {
            self.width *= 2;
            let pair = |p: &[[u64; 3]]| std::array::from_fn(|i| p.iter().map(|s| s[i]).sum());
            self.sums = self.sums.chunks(2).map(pair).collect();
        }
        while from < to {
            let (at, end) = ((from / self.width) as usize, to.min((from / self.width + 1) * self.width));
            if self.sums.len() <= at {
                self.sums.resize(at + 1, [0; 3]);
            }
            self.sums[at][kind] += end - from;
            from = end;
        }
    }

    /// Gives the width of intervals, and the wave-cycles of each.
    pub fn intervals(&self) -> (u64, &[[u64; 3]]) {
        (self.width, &self.sums)
    }

    /// Writes wstates2.json, wstates3.json and wstates4.json.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        for kind in 0..3 {
            let name = format!("wstates{}.json", WaveActivity::Execute as usize + kind);
            let join =
                |f: &dyn Fn(usize) -> u64| (0..self.sums.len()).map(|i| f(i).to_string()).collect::<Vec<_>>().join(",");
            let times = join(&|i| self.begin + i as u64 * self.width);
            let waves = join(&|i| (self.sums[i][kind] + self.width / 2) / self.width);
            std::fs::write(folder.join(name), format!("{{\"time\":[{times}],\"state\":[{waves}]}}\n"))?;
        }
        Ok(())
    }
}
