//! Where a job goes wrong, found once more on a machine that is held; what is there to see; and the command that does it again.

use super::desk::Desk;
use super::{Opened, Position, shown, with_work};
use crate::failure::Result;
use std::fmt::Write as _;
use wavepipe::again;
use wavepipe::held;
use wavepipe::inspect::{Reason, Session, Unit, Value, What};
use wavepipe::work::Work;
use wavepipe_runtime::hw::fault::GpuFault;
use wavepipe_runtime::{Config, Device, GuestChecks};

pub const NOTHING: &str =
    "no wave has a fault, and the checks find nothing in what one does: there is nothing to break on";

/// The configuration, in which a finding is a fault.
pub fn stopping(config: &Config) -> Config {
    Config { guest_checks: config.guest_checks | GuestChecks::STOP, ..config.clone() }
}

/// Runs a job to its first fault, or the first finding of its checks. `None`: it has none, or none of a wave.
pub fn find(work: &Work, config: &Config) -> Result<Option<Position>> {
    let (session, mut held) = held::machine(&stopping(config), true)?;
    let loaded = work.load(&session)?;
    loaded.introduce(&mut held);
    let submitted = loaded.begin(&session)?;
    let at = found(held, session.device());
    drop(submitted);
    Ok(at)
}

/// Runs what was submitted to its first fault, which the driver then hears of: it knows what things are called.
pub fn found(mut held: Session, device: &Device) -> Option<Position> {
    while held.next_dispatch().is_some() {
        let stop = held.step(Unit::Run);
        // In front of the instruction: what it did is not done.
        let (dispatch, executed) = (stop.position.dispatch, stop.position.executed.saturating_sub(1));
        match stop.reason {
            Reason::Fault(_) => drop(held),
            Reason::Overdue => held.give_up(),
            _ => continue,
        }
        let why = device.fault().map_or_else(|| "a fault".to_owned(), |fault| said(&fault));
        return Some(Position { dispatch, executed, why });
    }
    None
}

/// What a fault is, in a line.
fn said(fault: &GpuFault) -> String {
    let first = fault.to_string().lines().next().unwrap_or_default().to_owned();
    let what = first.split_once(": ").map_or(first.clone(), |(_, what)| what.to_owned());
    match &fault.site {
        Some(site) => format!("lane {}: {what}", site.lane),
        None => what,
    }
}

/// `wavepipe run --break-on-fault`: what has gone wrong is opened in the debugger, or told.
pub fn replayed(work: &Work, config: &Config) -> Result<()> {
    let Some(at) = find(work, config)? else {
        eprintln!("wavepipe: {NOTHING}");
        return Ok(());
    };
    let mut ended = Ok(());
    with_work(work, config, (Some(at), false), |mut opened: Opened<'_>| ended = shown(&mut opened, None))?;
    ended
}

/// The command that opens what this one did in the debugger, where it goes wrong.
pub fn command() -> String {
    let mut words = again::variables();
    words.push("wavepipe debug".into());
    let own = std::env::args_os().skip(2).map(|a| a.to_string_lossy().into_owned());
    words.extend(own.filter(|a| a != "--break-on-fault").map(|a| again::quoted(&a)));
    words.push("--break-on-fault".into());
    words.join(" ")
}

/// Registers of a line.
const A_LINE: usize = 4;

/// Where the machine stands, as text.
pub fn state(desk: &Desk) -> String {
    let mut out = String::new();
    let Some(wave) = desk.focused() else { return format!("{}\n", desk.why()) };
    let position = desk.held.position();
    let [x, y, z] = wave.group;
    let place = crate::watch::place_text(&desk.held, wave.pc);
    let why = desk.fault_here().map_or_else(|| desk.why(), str::to_owned);
    let _ = writeln!(out, "{place}: {why}");
    let _ = writeln!(
        out,
        "  work-group {x},{y},{z} wave {}, dispatch {}, {} instructions executed",
        wave.turn.wave, position.dispatch, position.executed
    );
    if desk.held.schedule().is_some() {
        for (name, what) in desk.machine() {
            let _ = writeln!(out, "  {name:<10} {what}");
        }
    }
    if let Some(line) = wave.line {
        let file = desk.held.programs()[line.program as usize].file(line.file);
        if let Some(text) = desk.source(file).and_then(|s| s.get(line.line as usize - 1).cloned()) {
            let _ = writeln!(out, "  {:>4} | {}", line.line, text.trim_end());
        }
    }
    if let Some((listing, n)) = desk.instruction(wave.pc) {
        let _ = writeln!(out, "  {:>4} | {}", format!("+{:#x}", listing.lines[n].offset), listing.lines[n].labelled());
    }
    for frame in desk.held.frames(wave.turn).iter().skip(1) {
        let _ = writeln!(
            out,
            "  called by {} at {}",
            desk.function(frame.entry),
            crate::watch::place_text(&desk.held, frame.pc)
        );
    }
    for name in ["exec", "vcc", "scc"] {
        if let Ok((value, form)) = desk.value(wave.turn, name) {
            let _ = writeln!(out, "  {name:<5} {}", value.text(form));
        }
    }
    let (lane, global) = (desk.lane, desk.global(&wave, desk.lane));
    let _ = writeln!(out, "  lane {lane}, invocation {},{},{}", global[0], global[1], global[2]);
    let (vgprs, sgprs, _) = desk.sizes();
    let vectors = (0..vgprs).filter_map(|n| match desk.held.read_of(wave.turn, &What::Vgpr(n)) {
        Ok(Value::Lanes { words, .. }) => Some(format!("v{n} {:#x}", words.get(lane as usize)?)),
        _ => None,
    });
    let scalars = (0..sgprs).filter_map(|n| match desk.held.read_of(wave.turn, &What::Sgpr(n)) {
        Ok(Value::Word(w)) => Some(format!("s{n} {w:#x}")),
        _ => None,
    });
    for registers in [vectors.collect::<Vec<_>>(), scalars.collect()] {
        for line in registers.chunks(A_LINE) {
            let cells: Vec<String> = line.iter().map(|cell| format!("{cell:<16}")).collect();
            let _ = writeln!(out, "    {}", cells.join("  ").trim_end());
        }
    }
    out
}
