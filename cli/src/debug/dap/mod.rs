//! The Debug Adapter Protocol over standard input and output: threads are waves, a lane of them is chosen.
//!
//! One thread reads requests, and interrupts what runs when one wants that; this one answers them in order.

mod points;
mod show;
pub(crate) mod wire;

use self::show::Handle;
use self::wire::Sender;
use super::desk::{Desk, Happened};
use super::{Opened, Position};
use crate::failure::{Failure, Result};
use crate::job::RunArgs;
use clap::Parser;
use serde_json::{Value, json};
use std::io::{self, Write};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::{iter, thread};
use wavepipe::inspect::session::Frame;
use wavepipe::inspect::{Reason, Turn, Unit};

/// What a launch request's `program` and `args` are read as.
#[derive(Parser)]
#[command(name = "launch", no_binary_name = true)]
struct Line {
    #[command(flatten)]
    run: RunArgs,
}

/// What the reader stops when somebody wants a pause.
type Running = Arc<Mutex<Option<Arc<AtomicBool>>>>;

/// Serves a client until it disconnects. `args`: what to run where a launch request does not say.
pub fn serve(args: Option<&RunArgs>) -> Result<()> {
    let running = Running::default();
    let (send, requests) = channel();
    let reader = running.clone();
    thread::spawn(move || {
        let mut stdin = io::stdin().lock();
        while let Ok(Some(message)) = wire::read(&mut stdin) {
            if matches!(message["command"].as_str(), Some("pause" | "disconnect" | "terminate"))
                && let Some(flag) = &*reader.lock().unwrap_or_else(|e| e.into_inner())
            {
                flag.store(true, SeqCst);
            }
            if send.send(message).is_err() {
                break;
            }
        }
    });
    let mut server = Server { out: Sender::new(io::stdout()), requests, running, lines_from: 1, columns_from: 1 };
    let ended = server.until_launched(args);
    ended.map_err(|e| Failure::Driver(format!("the debugger's client: {e}")))
}

struct Server<W> {
    out: Sender<W>,
    requests: Receiver<Value>,
    running: Running,
    /// What the client calls the first line and column.
    lines_from: i64,
    columns_from: i64,
}

/// A session of debugging.
struct Debugging<'a, W> {
    server: &'a mut Server<W>,
    desk: &'a mut Desk,
    /// What is printed at the end.
    results: &'a dyn Fn() -> Vec<String>,
    /// By what clients call them, since the last stop.
    handles: Vec<(Turn, Handle)>,
    frames: Vec<(Turn, Frame)>,
    points: points::Points,
    stop_on_entry: bool,
    at: Option<Position>,
}

impl<W: Write> Server<W> {
    fn until_launched(&mut self, args: Option<&RunArgs>) -> io::Result<()> {
        while let Ok(request) = self.requests.recv() {
            match request["command"].as_str() {
                Some("initialize") => {
                    let from = |key: &str| i64::from(request["arguments"][key].as_bool() != Some(false));
                    (self.lines_from, self.columns_from) = (from("linesStartAt1"), from("columnsStartAt1"));
                    self.out.answer(&request, Ok(capabilities()))?;
                }
                Some("launch" | "attach") => match launched(&request["arguments"], args) {
                    Ok(run) => {
                        let stop_on_entry = request["arguments"]["stopOnEntry"].as_bool() == Some(true);
                        let mut ended = Ok(());
                        let opened = super::open(&run, |Opened { desk, results, at }| {
                            ended = self.debug(&request, desk, results, stop_on_entry, at);
                        });
                        match opened {
                            Ok(()) => return ended,
                            Err(failure) => self.out.answer(&request, Err(failure.to_string()))?,
                        }
                    }
                    Err(why) => self.out.answer(&request, Err(why))?,
                },
                Some("disconnect" | "terminate") => return self.out.answer(&request, Ok(Value::Null)),
                Some(other) => {
                    self.out.answer(&request, Err(format!("`{other}` comes behind `launch`")))?;
                }
                None => {}
            }
        }
        Ok(())
    }

    fn debug(
        &mut self,
        request: &Value,
        desk: &mut Desk,
        results: &dyn Fn() -> Vec<String>,
        stop_on_entry: bool,
        at: Option<Position>,
    ) -> io::Result<()> {
        *self.running.lock().unwrap_or_else(|e| e.into_inner()) = Some(desk.held.interrupt());
        self.out.answer(request, Ok(Value::Null))?;
        self.out.event("initialized", json!({}))?;
        let points = points::Points::default();
        let (handles, frames) = (Vec::new(), Vec::new());
        let mut debugging = Debugging { server: self, desk, results, handles, frames, points, stop_on_entry, at };
        debugging.serve()
    }
}

/// The arguments of a launch: those of the command line, unless the request has some.
fn launched(arguments: &Value, args: Option<&RunArgs>) -> std::result::Result<RunArgs, String> {
    if let Some(folder) = arguments["cwd"].as_str() {
        std::env::set_current_dir(folder).map_err(|e| format!("cwd {folder}: {e}"))?;
    }
    let Some(program) = arguments["program"].as_str() else {
        return args.cloned().ok_or_else(|| "nothing to run: add \"program\": \"SHADER\" to the configuration".into());
    };
    let given = arguments["args"].as_array().map_or(&[][..], |a| a);
    let text = |v: &Value| v.as_str().map_or_else(|| v.to_string(), str::to_owned);
    let line = iter::once(program.to_owned()).chain(given.iter().map(text));
    Line::try_parse_from(line).map(|line| line.run).map_err(|e| e.to_string().trim_end().to_owned())
}

fn capabilities() -> Value {
    let mut out = json!({
        "exceptionBreakpointFilters": [{
            "filter": "fault", "label": "Faults and findings", "default": true,
            "description": "A wave does what no wave may, or a check of --check finds something",
        }],
        "supportedChecksumAlgorithms": [],
    });
    for supported in [
        "ConfigurationDoneRequest",
        "ConditionalBreakpoints",
        "HitConditionalBreakpoints",
        "LogPoints",
        "EvaluateForHovers",
        "StepBack",
        "SetVariable",
        "ReadMemoryRequest",
        "DisassembleRequest",
        "SteppingGranularity",
        "InstructionBreakpoints",
        "DataBreakpoints",
        "ExceptionInfoRequest",
        "TerminateRequest",
        "BreakpointLocationsRequest",
        "LoadedSourcesRequest",
    ] {
        out[format!("supports{supported}")] = true.into();
    }
    out
}

/// What clients call a wave.
fn thread_id(turn: Turn) -> u64 {
    1 + turn.group * 64 + u64::from(turn.wave)
}

fn turn_of(thread: u64) -> Turn {
    let n = thread.saturating_sub(1);
    Turn { group: n / 64, wave: (n % 64) as u32 }
}

type Answer = std::result::Result<Value, String>;

impl<W: Write> Debugging<'_, W> {
    fn serve(&mut self) -> io::Result<()> {
        while let Ok(request) = self.server.requests.recv() {
            let Some(command) = request["command"].as_str() else { continue };
            let arguments = &request["arguments"];
            if let Some(go) = self.motion(command, arguments) {
                match go {
                    Ok(go) => {
                        let body =
                            if command == "continue" { json!({ "allThreadsContinued": true }) } else { Value::Null };
                        self.server.out.answer(&request, Ok(body))?;
                        go(self);
                        if !self.stopped(command)? {
                            continue;
                        }
                    }
                    Err(why) => self.server.out.answer(&request, Err(why))?,
                }
                continue;
            }
            let answer = match command {
                "setExceptionBreakpoints" => Ok(Value::Null),
                // What runs was interrupted; what stands, stands.
                "pause" => Ok(Value::Null),
                "disconnect" | "terminate" => {
                    self.server.out.answer(&request, Ok(Value::Null))?;
                    if command == "terminate" {
                        self.server.out.event("terminated", json!({}))?;
                        continue;
                    }
                    return Ok(());
                }
                "setBreakpoints" => self.set_breakpoints(arguments),
                "setInstructionBreakpoints" => self.set_instruction_breakpoints(arguments),
                "setDataBreakpoints" => self.set_data_breakpoints(arguments),
                "setFunctionBreakpoints" => Ok(json!({ "breakpoints": [] })),
                "dataBreakpointInfo" => self.data_breakpoint_info(arguments),
                "breakpointLocations" => Ok(self.breakpoint_locations(arguments)),
                "threads" => Ok(self.threads()),
                "stackTrace" => self.stack_trace(arguments),
                "scopes" => self.scopes(arguments),
                "variables" => self.variables(arguments),
                "setVariable" => self.set_variable(arguments),
                "evaluate" => self.evaluate(arguments),
                "source" => Err("sources are files".into()),
                "loadedSources" => Ok(self.loaded_sources()),
                "disassemble" => self.disassemble(arguments),
                "readMemory" => self.read_memory(arguments),
                "exceptionInfo" => self.exception_info(),
                other => Err(format!("`{other}` is not supported")),
            };
            self.server.out.answer(&request, answer)?;
            if command == "setVariable" || command == "evaluate" {
                self.say()?;
            }
        }
        Ok(())
    }

    /// What a request that lets the machine go does. `None`: it is none of those.
    #[allow(clippy::type_complexity)]
    fn motion(
        &mut self,
        command: &str,
        arguments: &Value,
    ) -> Option<std::result::Result<Box<dyn FnOnce(&mut Self)>, String>> {
        let instruction = arguments["granularity"].as_str() == Some("instruction");
        let unit = |line: Unit| if instruction { Unit::Instruction } else { line };
        let forwards = match command {
            "configurationDone" => {
                return Some(Ok(Box::new(|d: &mut Self| match (d.at.take(), d.stop_on_entry) {
                    (Some(at), _) => at.go(d.desk),
                    (None, true) => {}
                    (None, false) => d.desk.start(),
                })));
            }
            "continue" => Some(Unit::Run),
            "next" => Some(unit(Unit::Over)),
            "stepIn" => Some(unit(Unit::Line)),
            "stepOut" => Some(Unit::Out),
            _ => None,
        };
        let backwards = match command {
            "stepBack" => Some(unit(Unit::Over)),
            "reverseContinue" => Some(Unit::Run),
            _ => None,
        };
        let unit = forwards.or(backwards)?;
        if matches!(self.desk.now, Happened::Finished) {
            return Some(Err("all dispatches have ended".into()));
        }
        if unit != Unit::Run
            && let Some(thread) = arguments["threadId"].as_u64()
        {
            let turn = turn_of(thread);
            if self.desk.wave(turn).is_none() {
                return Some(Err(format!("there is no thread {thread}")));
            }
            self.desk.set_focus(turn);
        }
        Some(Ok(Box::new(move |d: &mut Self| match forwards {
            Some(unit) => d.desk.go(unit),
            None => d.desk.back(unit),
        })))
    }

    /// Tells where it stands. `false`: it has come to the end.
    fn stopped(&mut self, command: &str) -> io::Result<bool> {
        self.handles.clear();
        self.frames.clear();
        self.say()?;
        let Some(stop) = self.desk.stop().cloned() else {
            for line in (self.results)() {
                self.server.out.event("output", json!({ "category": "stdout", "output": format!("{line}\n") }))?;
            }
            self.server.out.event("exited", json!({ "exitCode": 0 }))?;
            self.server.out.event("terminated", json!({}))?;
            return Ok(false);
        };
        let reason = match &stop.reason {
            Reason::Stepped if command == "configurationDone" && self.desk.fault_here().is_some() => "exception",
            Reason::Stepped => "step",
            Reason::Breakpoint(id) if self.points.is_instruction(*id) => "instruction breakpoint",
            Reason::Breakpoint(_) => "breakpoint",
            Reason::Watchpoint { .. } => "data breakpoint",
            Reason::Fault(_) | Reason::Overdue => "exception",
            Reason::Interrupted => "pause",
            Reason::Begin | Reason::Ended => "entry",
        };
        let mut body = json!({
            "reason": reason, "description": self.desk.why(), "text": self.desk.why(), "allThreadsStopped": true,
        });
        if let Some(turn) = self.desk.focus() {
            body["threadId"] = thread_id(turn).into();
        }
        let ids: Vec<u32> = std::iter::once(&stop.reason).chain(&stop.also).filter_map(Reason::point).collect();
        if !ids.is_empty() {
            body["hitBreakpointIds"] = ids.into();
        }
        self.server.out.event("stopped", body)?;
        Ok(true)
    }

    /// What programs and breakpoints have printed.
    fn say(&mut self) -> io::Result<()> {
        for line in self.desk.take_said() {
            self.server.out.event("output", json!({ "category": "stdout", "output": format!("{line}\n") }))?;
        }
        Ok(())
    }
}
