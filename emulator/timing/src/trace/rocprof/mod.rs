//! Folders of JSON that ROCprof Compute Viewer reads, as `rocprofv3 --att` leaves them: one for each dispatch.
//!
//! ```text
//! ui_output_agent_1_dispatch_N/
//!   filenames.json      which waves there are, and the machine
//!   code.json           instructions with hits, latency, stall and idle cycles over all waves; snapshots.json: sources
//!   se*_sm*_sl*_wv*.json   a wave: its instructions by time, category, stall and duration, and its states
//!   occupancy.json      when each wave of the dispatch came and went
//!   wstates*.json       waves that execute, wait or are stalled, over time
//!   realtime.json       the shader clock beside the reference clock
//! ```
//! As a card does, it records instructions of one work-group processor of each shader engine: the first that gets a
//! wave of the dispatch; and at most [`BUFFER`] of them. A wave that was suspended is one wave before, and another after.

pub(crate) mod json;
pub(crate) mod listing;
pub(crate) mod wave;

use super::Symbols;
use crate::observe::{Event, Recorder, WaveSlot};
use json::{List, quoted};
use listing::Listing;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wave::{States, Wave, WavePlace};
use wavepipe_core::dispatch::Dispatch;
use wavepipe_hw::machine::Machine;

/// Characters of a dispatch's waves that are written: rocprofv3's default for its trace buffer (--att-buffer-size).
const BUFFER: u64 = 256 << 20;

/// A dispatch that has not ended.
struct Open {
    what: Arc<Dispatch>,
    name: String,
    folder: PathBuf,
    begin: u64,
    pipe: u32,
    listing: Listing,
    states: States,
    /// By shader engine: the work-group processor whose instructions are recorded, and all waves' comings and goings.
    targets: Vec<Option<u64>>,
    occupancy: Vec<List>,
    /// By engine, SIMD and slot: recorded waves, and how many.
    waves: BTreeMap<(u64, u64, u64), (u64, List)>,
    recorded: u64,
    written: u64,
}

pub struct Rocprof {
    folder: PathBuf,
    machine: Arc<Machine>,
    symbols: Box<dyn Symbols>,
    pipes: BTreeMap<usize, u32>,
    open: BTreeMap<u64, Open>,
    /// By slot of the machine.
    slots: Vec<Option<Wave>>,
    /// Waves whose first instruction lies ahead: when, and the slot.
    ahead: BTreeSet<(u64, usize)>,
    failure: Option<String>,
}

impl Rocprof {
    pub fn new(folder: &Path, machine: Arc<Machine>, symbols: Box<dyn Symbols>) -> io::Result<Rocprof> {
        std::fs::create_dir_all(folder)?;
        let slots = (machine.wgps() * machine.simds_per_wgp() * machine.simd.wave_slots.value) as usize;
        Ok(Rocprof {
            folder: folder.to_owned(),
            symbols,
            pipes: BTreeMap::new(),
            open: BTreeMap::new(),
            slots: (0..slots).map(|_| None).collect(),
            ahead: BTreeSet::new(),
            failure: None,
            machine,
        })
    }

    fn slot(&self, at: WaveSlot) -> usize {
        at.simd as usize * self.machine.simd.wave_slots.value as usize + at.slot as usize
    }

    /// Where a slot is, as the hardware counts: work-group processors from 0 in each shader engine.
    fn place(&self, at: WaveSlot) -> WavePlace {
        let per_wgp = self.machine.simds_per_wgp();
        let (wgp, simd) = (u64::from(at.simd) / per_wgp, u64::from(at.simd) % per_wgp);
        let engine_of =
            |wgp: u64| self.machine.array_of_wgp(wgp as usize) as u64 / self.machine.shape.arrays_per_engine.value;
        let engine = engine_of(wgp);
        let before = (0..wgp).filter(|w| engine_of(*w) == engine).count() as u64;
        WavePlace { engine, wgp: before, simd, slot: at.slot.into() }
    }

    fn dispatch_started(&mut self, cycle: u64, number: u64, queue: usize, what: &Arc<Dispatch>) -> io::Result<()> {
        let va = what.launch.code_va;
        let code = self.symbols.code(va).filter(|(at, _)| *at == va);
        let mut listing = Listing::default();
        if code.is_some() {
            listing.line(va, None, &what.launch, &*self.symbols);
        }
        let name = code.map_or_else(|| format!("code at {va:#x}"), |(_, c)| c.name.clone());
        let folder = self.folder.join(format!("ui_output_agent_1_dispatch_{}", number + 1));
        // What an earlier trace left there is of another dispatch.
        match std::fs::remove_dir_all(&folder) {
            Err(e) if e.kind() != io::ErrorKind::NotFound => return Err(e),
            _ => std::fs::create_dir_all(&folder)?,
        }
        let engines = self.machine.shape.shader_engines.value;
        let list = |engine| List::new(folder.join(format!("occupancy{engine}.part")));
        let open = Open {
            what: what.clone(),
            name,
            begin: cycle,
            pipe: self.pipes.get(&queue).copied().unwrap_or(0),
            listing,
            states: States::new(cycle),
            targets: vec![None; engines as usize],
            occupancy: (0..engines).map(list).collect(),
            waves: BTreeMap::new(),
            recorded: 0,
            written: 0,
            folder,
        };
        self.open.insert(number, open);
        Ok(())
    }

    fn occupancy(&mut self, cycle: u64, number: u64, group: u64, place: WavePlace, start: bool) -> io::Result<()> {
        let Some(open) = self.open.get_mut(&number) else { return Ok(()) };
        let (start, kernel, group) = (u8::from(start), number + 1, group & 0x7f);
        let WavePlace { engine, wgp, simd, slot } = place;
        let pipe = open.pipe;
        let Some(list) = open.occupancy.get_mut(engine as usize) else { return Ok(()) };
        list.add(format_args!("[{cycle},{wgp},{simd},{slot},{start},{kernel},1,{pipe},1,{group},0]"))
    }

    fn wave_started(&mut self, cycle: u64, number: u64, group: u64, at: WaveSlot) -> io::Result<()> {
        let (slot, place) = (self.slot(at), self.place(at));
        let Some(open) = self.open.get_mut(&number) else { return Ok(()) };
        let target = open.targets[place.engine as usize].get_or_insert(place.wgp);
        let detailed = *target == place.wgp && open.written < BUFFER;
        let file = detailed.then(|| {
            let own = (place.engine, place.simd, place.slot);
            let part = open.folder.join(format!("waves{}_{}_{}.part", own.0, own.1, own.2));
            let (count, _) = open.waves.entry(own).or_insert_with(|| (0, List::new(part)));
            let name = format!("se{}_sm{}_sl{}_wv{count}.json", own.0, own.1, own.2);
            *count += 1;
            open.recorded += 1;
            (open.folder.join(name), *count - 1, open.recorded)
        });
        self.slots[slot] = Some(Wave::new(number, group, place, cycle, file));
        self.ahead.insert((cycle, slot));
        Ok(())
    }

    /// Notes the waves whose first instruction is not ahead any more, in the order of their times.
    fn come_to(&mut self, now: u64) -> io::Result<()> {
        while let Some(&(begin, slot)) = self.ahead.first().filter(|(begin, _)| *begin <= now) {
            self.ahead.pop_first();
            let Some(wave) = &self.slots[slot] else { continue };
            let (number, group, place) = (wave.dispatch, wave.group, wave.place);
            self.occupancy(begin, number, group, place, true)?;
        }
        Ok(())
    }

    fn wave_ended(&mut self, mut cycle: u64, at: WaveSlot) -> io::Result<()> {
        self.come_to(cycle)?;
        let slot = self.slot(at);
        let Some(mut wave) = self.slots[slot].take() else { return Ok(()) };
        // One that was taken off before its first instruction never was there.
        if cycle < wave.begin {
            self.ahead.remove(&(wave.begin, slot));
            return Ok(());
        }
        let (begin, number, place) = (wave.begin, wave.dispatch, wave.place);
        if let Some(open) = self.open.get_mut(&number) {
            wave.retire(None, &mut open.listing, &mut open.states)?;
            cycle = cycle.max(wave.until);
            if let Some(file) = wave.close(cycle, open.pipe)? {
                open.written += file.characters;
                let own = (place.engine, place.simd, place.slot);
                if let Some((_, list)) = open.waves.get_mut(&own) {
                    let File { turn, name, .. } = &file;
                    list.add(format_args!("\"{turn}\":[{},{begin},{cycle}]", quoted(name)))?;
                }
            }
        }
        self.occupancy(cycle, number, wave.group, place, false)
    }

    fn issued(&mut self, cycle: u64, event: &Event<'_>) -> io::Result<()> {
        let Event::Issued { at, pc, instr, class, first, stalled, reason, busy, .. } = event else { return Ok(()) };
        let slot = self.slot(*at);
        let Some(wave) = &mut self.slots[slot] else { return Ok(()) };
        let Some(open) = self.open.get_mut(&wave.dispatch) else { return Ok(()) };
        let end = cycle + (*busy).max(1);
        if !first {
            wave.again(end);
            return Ok(());
        }
        wave.retire(Some(*pc), &mut open.listing, &mut open.states)?;
        let line = open.listing.line(*pc, *instr, &open.what.launch, &*self.symbols);
        wave.next(cycle, *stalled, *reason, end, *pc, line, *class);
        Ok(())
    }

    fn dispatch_ended(&mut self, cycle: u64, number: u64) -> io::Result<()> {
        let Some(mut open) = self.open.remove(&number) else { return Ok(()) };
        let folder = open.folder.clone();
        open.listing.write(&folder)?;
        open.states.write(&folder)?;
        json::file(&folder.join("occupancy.json"), |out| open.write_occupancy(number + 1, out))?;
        json::file(&folder.join("filenames.json"), |out| open.write_names(out))?;
        let hz = self.machine.reference_hz();
        let points = [open.begin, cycle].map(|c| format!("[{c},{}]", self.machine.ticks(c))).join(",");
        let engines = (0..self.machine.shape.shader_engines.value).map(|e| format!(",\"SE{e}\":[{points}]"));
        let text = format!("{{\"metadata\":{{\"frequency\":{hz}}}{}}}\n", engines.collect::<String>());
        std::fs::write(folder.join("realtime.json"), text)
    }

    fn take(&mut self, done: io::Result<()>) {
        if let Err(e) = done {
            self.failure = Some(format!("trace {}: {e}; the rest of it is missing", self.folder.display()));
        }
    }
}

/// A wave's file.
struct File {
    turn: u64,
    name: String,
    characters: u64,
}

impl Open {
    fn write_occupancy(&mut self, number: u64, out: &mut dyn io::Write) -> io::Result<()> {
        let fields = "\"time\",\"cu\",\"simd\",\"wave_id\",\"start\",\"kernel_id\",\"me_id\",\"pipe_id\",\"is_ext\",\
                      \"workgroup_id\",\"cluster_id\"";
        let name = quoted(&self.name);
        write!(out, "{{\"version\":\"3.1.0\",\"occupancy_fields\":[{fields}],\"dispatches\":{{\"{number}\":{name}}}")?;
        let (launch, [x, y, z]) = (&self.what.launch, self.what.launch.workgroup);
        let (time, pipe, va) = (self.begin, self.pipe, launch.code_va);
        let event = format!(
            "{{\"kind\":\"dispatch\",\"time\":{time},\"me_id\":1,\"pipe_id\":{pipe},\"kernel_id\":{number},\
             \"kernel_name\":{name},\"entry_point\":{{\"address\":{va},\"code_object_id\":1}},\"vgprs\":{},\"lds_size\":{},\
             \"thread_dim_x\":{x},\"thread_dim_y\":{y},\"thread_dim_z\":{z}}}",
            launch.vgprs, launch.lds_bytes
        );
        let first = self.occupancy.iter().position(|list| !list.is_empty()).unwrap_or(0);
        write!(out, ",\"events\":{{\"{first}\":[{event}]}}")?;
        for (engine, list) in self.occupancy.iter_mut().enumerate().filter(|(_, list)| !list.is_empty()) {
            write!(out, ",\n\"{engine}\":[")?;
            list.write(out)?;
            out.write_all(b"]")?;
        }
        out.write_all(b"}\n")
    }

    fn write_names(&mut self, out: &mut dyn io::Write) -> io::Result<()> {
        let head = "\"version\":\"3.0.0\",\"gfxip\":10,\"gfxv\":\"navi\",\"thread_trace\":true,\"pc_sampling\":false,\
                    \"is_pcs_stochastic\":false,\"counter_names\":[]";
        write!(out, "{{{head},\"global_begin_time\":{},\"wave_filenames\":{{", self.begin)?;
        let mut last: Option<(u64, u64)> = None;
        for ((engine, simd, slot), (_, list)) in &mut self.waves {
            let (new_engine, new_simd) = match last {
                None => (true, true),
                Some((e, s)) => (e != *engine, e != *engine || s != *simd),
            };
            if last.is_some() {
                out.write_all(if new_engine {
                    b"}},"
                } else if new_simd {
                    b"},"
                } else {
                    b","
                })?;
            }
            if new_engine {
                write!(out, "\n\"{engine}\":{{")?;
            }
            if new_simd {
                write!(out, "\"{simd}\":{{")?;
            }
            write!(out, "\"{slot}\":{{")?;
            list.write(out)?;
            out.write_all(b"}")?;
            last = Some((*engine, *simd));
        }
        out.write_all(if last.is_some() { b"}}}}\n" } else { b"}}\n" })
    }
}

impl Recorder for Rocprof {
    fn instructions(&self) -> bool {
        true
    }

    fn event(&mut self, cycle: u64, event: &Event<'_>) {
        if self.failure.is_some() {
            return;
        }
        let done = match event {
            Event::Queue { queue, pipe, .. } => {
                self.pipes.insert(*queue, *pipe);
                Ok(())
            }
            Event::DispatchStarted { dispatch, queue, what } => self.dispatch_started(cycle, *dispatch, *queue, what),
            Event::DispatchEnded { dispatch } => self.dispatch_ended(cycle, *dispatch),
            Event::WaveStarted { dispatch, group, at, .. } => self.wave_started(cycle, *dispatch, *group, *at),
            Event::WaveEnded { at, .. } => self.wave_ended(cycle, *at),
            Event::Issued { .. } => self.issued(cycle, event),
            Event::Packet { .. }
            | Event::Waits { .. }
            | Event::Standing { .. }
            | Event::Sample { .. }
            | Event::Accessed { .. } => Ok(()),
        };
        self.take(done);
    }

    fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }
}
