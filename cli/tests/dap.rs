//! The Debug Adapter Protocol: what is said in a session, each message held to the protocol's own schema.

use crate::common::{PAST, folder, line, turned, wavepipe, with_turn};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::OnceLock;
use wavepipe_cli::tested::debug::Times;
use wavepipe_cli::tested::wire::{Sender, read};

/// The protocol's schema: it comes with debugpy, which is a debug adapter for Python.
const DEBUGPY: &str = "debugpy==1.8.22";
const SCHEMA: &str = "debugpy/_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json";

/// `None`, said by name, where it cannot be had.
fn schema() -> Option<&'static Value> {
    static MADE: OnceLock<Option<Value>> = OnceLock::new();
    let made = MADE.get_or_init(|| {
        let home = Path::new(env!("CARGO_TARGET_TMPDIR")).join(DEBUGPY);
        let file = home.join(SCHEMA);
        let done = |command: &mut Command| command.output().is_ok_and(|o| o.status.success());
        // Each test is a process: the first fetches it, and the others wait until the whole of it is there.
        let turn = std::fs::File::create(home.with_extension("lock")).expect("cargo's folder can be written to");
        turn.lock().expect("nobody keeps the lock but while fetching");
        if !file.exists() {
            let (venv, wheels) = (home.join("venv"), home.join("wheels"));
            let python = venv.join("bin/python");
            let _ = done(Command::new("python3").args(["-m", "venv"]).arg(&venv))
                && done(
                    Command::new(&python)
                        .args(["-m", "pip", "download", "-q", "--no-deps", DEBUGPY, "-d"])
                        .arg(&wheels),
                );
            let wheel = std::fs::read_dir(&wheels).ok().into_iter().flatten().flatten().map(|e| e.path()).next();
            let _ = wheel.is_some_and(|w| done(Command::new(&python).args(["-m", "zipfile", "-e"]).arg(w).arg(&home)));
        }
        std::fs::read(&file).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok())
    });
    if made.is_none() {
        println!("SKIP debugpy");
        assert!(std::env::var_os("CI").is_none(), "{DEBUGPY} has the protocol's schema and cannot be had");
    }
    made.as_ref()
}

/// What of a value is not as a schema wants it. Of JSON Schema it knows what the protocol's uses, and refuses what else there is.
fn wrong(schema: &Value, all: &Value, value: &Value, at: &str) -> Vec<String> {
    let mut out = Vec::new();
    for (key, rule) in schema.as_object().expect("a schema is an object") {
        match key.as_str() {
            "$ref" => {
                let name = rule.as_str().unwrap().strip_prefix("#/definitions/").unwrap();
                out.extend(wrong(&all["definitions"][name], all, value, at));
            }
            "allOf" => out.extend(rule.as_array().unwrap().iter().flat_map(|s| wrong(s, all, value, at))),
            "anyOf" | "oneOf" => {
                if !rule.as_array().unwrap().iter().any(|s| wrong(s, all, value, at).is_empty()) {
                    out.push(format!("{at}: none of {rule} fits {value}"));
                }
            }
            "type" => {
                let is = |name: &str| match name {
                    "object" => value.is_object(),
                    "array" => value.is_array(),
                    "string" => value.is_string(),
                    "boolean" => value.is_boolean(),
                    "integer" => value.is_i64() || value.is_u64(),
                    "number" => value.is_number(),
                    "null" => value.is_null(),
                    other => panic!("type {other}"),
                };
                let good = match rule {
                    Value::Array(names) => names.iter().any(|n| is(n.as_str().unwrap())),
                    name => is(name.as_str().unwrap()),
                };
                if !good {
                    out.push(format!("{at}: {value} is not {rule}"));
                }
            }
            "enum" => {
                if !rule.as_array().unwrap().contains(value) {
                    out.push(format!("{at}: {value} is not in {rule}"));
                }
            }
            "required" => {
                let missing = rule.as_array().unwrap().iter().filter(|k| value.get(k.as_str().unwrap()).is_none());
                out.extend(missing.map(|k| format!("{at}: {k} is missing")));
            }
            "properties" => {
                for (name, schema) in rule.as_object().unwrap() {
                    if let Some(inside) = value.get(name) {
                        out.extend(wrong(schema, all, inside, &format!("{at}.{name}")));
                    }
                }
            }
            "items" => {
                let items = value.as_array().into_iter().flatten().enumerate();
                out.extend(items.flat_map(|(n, v)| wrong(rule, all, v, &format!("{at}[{n}]"))));
            }
            // Properties that the schema does not name: of a type, if it says so.
            "additionalProperties" if rule.is_object() => {
                let known = schema.get("properties").and_then(|p| p.as_object());
                for (name, inside) in value.as_object().into_iter().flatten() {
                    if known.is_none_or(|k| !k.contains_key(name)) {
                        out.extend(wrong(rule, all, inside, &format!("{at}.{name}")));
                    }
                }
            }
            "description" | "title" | "_enum" | "enumDescriptions" | "default" | "additionalProperties" => {}
            other => panic!("the schema has `{other}`, which this does not know"),
        }
    }
    out
}

/// `stackTrace` is `StackTraceResponse` there.
fn definition(message: &Value) -> String {
    let (name, kind) = match message["type"].as_str() {
        Some("event") => (&message["event"], "Event"),
        _ if message["success"] == false => return "ErrorResponse".into(),
        _ => (&message["command"], "Response"),
    };
    let name = name.as_str().unwrap();
    format!("{}{}{kind}", name[..1].to_uppercase(), &name[1..])
}

/// A client: it asks, and holds every message to the schema.
struct Client {
    child: Child,
    to: ChildStdin,
    from: BufReader<ChildStdout>,
    last: u64,
    events: Vec<Value>,
}

impl Client {
    fn start(folder: &Path, args: &[&str]) -> Client {
        let mut command = wavepipe(folder);
        command.args(["debug", "--dap"]).args(args).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let (to, from) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Client { child, to, from, last: 0, events: Vec::new() }
    }

    fn send(&mut self, command: &str, arguments: Value) {
        self.last += 1;
        let text =
            json!({ "seq": self.last, "type": "request", "command": command, "arguments": arguments }).to_string();
        write!(self.to, "Content-Length: {}\r\n\r\n{text}", text.len()).unwrap();
        self.to.flush().unwrap();
    }

    fn read(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            assert!(self.from.read_line(&mut line).unwrap() > 0, "the adapter has ended; {:?}", self.events);
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(n) => length = n.parse().unwrap(),
                None if line == "\r\n" => break,
                None => panic!("{line}"),
            }
        }
        let mut bytes = vec![0; length];
        self.from.read_exact(&mut bytes).unwrap();
        let message: Value = serde_json::from_slice(&bytes).unwrap();
        if let Some(schema) = schema() {
            let name = definition(&message);
            let rule = &schema["definitions"][&name];
            assert!(rule.is_object(), "{name} is nothing of the protocol");
            assert_eq!(wrong(rule, schema, &message, &name), Vec::<String>::new(), "{message}");
        }
        message
    }

    /// The answer, whichever it is; events on the way are kept.
    fn asked(&mut self, command: &str, arguments: Value) -> Value {
        self.send(command, arguments);
        loop {
            let message = self.read();
            if message["type"] == "event" {
                self.events.push(message);
                continue;
            }
            assert_eq!((&message["request_seq"], &message["command"]), (&json!(self.last), &json!(command)));
            return message;
        }
    }

    /// The body of an answer that is good.
    fn ask(&mut self, command: &str, arguments: Value) -> Value {
        let message = self.asked(command, arguments);
        assert_eq!(message["success"], true, "{message}");
        message["body"].clone()
    }

    fn refused(&mut self, command: &str, arguments: Value) -> String {
        let message = self.asked(command, arguments);
        assert_eq!(message["success"], false, "{message}");
        message["message"].as_str().unwrap().to_owned()
    }

    /// The body of the next event of a kind, of those that have come and will come.
    fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(n) = self.events.iter().position(|e| e["event"] == name) {
                return self.events.remove(n)["body"].clone();
            }
            let message = self.read();
            assert_eq!(message["type"], "event", "{message}");
            self.events.push(message);
        }
    }

    /// Lets it go, and gives where and why it stops.
    fn go(&mut self, command: &str, arguments: Value) -> Value {
        self.ask(command, arguments);
        self.event("stopped")
    }

    fn launch(&mut self, arguments: Value) {
        let capabilities = self.ask("initialize", json!({ "adapterID": "wavepipe", "linesStartAt1": true }));
        assert_eq!(capabilities["supportsStepBack"], true);
        self.ask("launch", arguments);
        self.event("initialized");
    }

    /// The innermost frame of a thread.
    fn frame(&mut self, thread: &Value) -> Value {
        self.ask("stackTrace", json!({ "threadId": thread }))["stackFrames"][0].clone()
    }

    /// The variables of a scope, by name.
    fn scope(&mut self, frame: &Value, name: &str) -> Value {
        let scopes = self.ask("scopes", json!({ "frameId": frame["id"] }));
        let scope = scopes["scopes"].as_array().unwrap().iter().find(|s| s["name"].as_str().unwrap().starts_with(name));
        scope.unwrap_or_else(|| panic!("{name} in {scopes}")).clone()
    }

    fn inside(&mut self, reference: &Value) -> Vec<Value> {
        self.ask("variables", json!({ "variablesReference": reference }))["variables"].as_array().unwrap().clone()
    }

    fn value(&mut self, expression: &str) -> String {
        self.ask("evaluate", json!({ "expression": expression }))["result"].as_str().unwrap().to_owned()
    }

    fn end(mut self) {
        self.ask("disconnect", json!({}));
        assert!(self.child.wait().unwrap().success());
    }
}

fn launched(name: &str) -> (PathBuf, Client) {
    let folder = with_turn(name);
    let mut client = Client::start(&folder, &[]);
    client.launch(json!({ "program": "turn.wgsl", "cwd": folder, "args": ["--buffer", "y=[128]", "--groups", "2"] }));
    (folder, client)
}

fn variable<'a>(all: &'a [Value], name: &str) -> &'a Value {
    all.iter().find(|v| v["name"] == name).unwrap_or_else(|| panic!("{name} in {all:?}"))
}

#[test]
fn a_session_from_end_to_end() {
    let (folder, mut c) = launched("dap_session");
    let source = json!({ "path": folder.join("turn.wgsl") });
    let (branch, store) = (line("+= 100u"), line("y[at] = "));
    // Line 3 has no code: the next that has takes it.
    let set = c.ask(
        "setBreakpoints",
        json!({ "source": source, "breakpoints": [{ "line": 3 }, { "line": branch }, { "line": 99 }] }),
    );
    let points = set["breakpoints"].as_array().unwrap();
    assert!(points[0]["line"].as_u64().unwrap() > 3 && points[1]["line"] == branch, "{set}");
    assert_eq!(points[2]["verified"], false);
    let id = &c.ask("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": branch }] }))["breakpoints"]
        [0]["id"]
        .clone();
    let lines = c.ask("breakpointLocations", json!({ "source": source, "line": 1, "endLine": 99 }));
    assert!(lines["breakpoints"].as_array().unwrap().contains(&json!({ "line": store })), "{lines}");
    c.ask("setExceptionBreakpoints", json!({ "filters": ["fault"] }));

    let stop = c.go("configurationDone", json!({}));
    assert_eq!((&stop["reason"], &stop["hitBreakpointIds"]), (&json!("breakpoint"), &json!([id])));
    let thread = stop["threadId"].clone();
    let threads = c.ask("threads", json!({}))["threads"].as_array().unwrap().clone();
    // Two waves of the first work-group.
    assert_eq!(threads.len(), 2);
    assert_eq!(threads[0]["id"], thread);
    assert!(threads[0]["name"].as_str().unwrap().starts_with("work-group 0,0,0 wave 0"));
    let frame = c.frame(&thread);
    assert_eq!((&frame["line"], &frame["name"]), (&json!(branch), &json!("main")));
    assert_eq!(frame["source"]["name"], "turn.wgsl");

    // EXEC as a strip, and a lane of it.
    let wave = c.scope(&frame, "Wave");
    let registers = c.inside(&wave["variablesReference"]);
    let strip: String = (0..32).map(|n| if n % 3 == 0 { '#' } else { '.' }).collect();
    assert_eq!(variable(&registers, "exec")["value"], strip.as_str());
    assert_eq!(c.value("exec"), strip);
    let lane = c.scope(&frame, "Lane 0");
    let set =
        c.ask("setVariable", json!({ "variablesReference": lane["variablesReference"], "name": "lane", "value": "5" }));
    assert_eq!(set["value"], "5");
    let lane = c.scope(&frame, "Lane 5");
    let values = c.inside(&lane["variablesReference"]);
    assert_eq!(variable(&values, "global invocation")["value"], "5, 0, 0");
    assert_eq!(variable(&values, "live")["value"], "false");
    assert_eq!(c.value("lane = 9"), "lane 9");
    assert!(c.refused("evaluate", json!({ "expression": "lane = 32" })).contains("0 to 31"));
    assert!(c.refused("evaluate", json!({ "expression": "sun" })).contains("nothing is called sun"));

    // LDS has what both waves wrote before the barrier, memory what was read of it.
    let lds = c.scope(&frame, "LDS");
    // LDS is given in pieces of 512 bytes.
    assert_eq!(lds["indexedVariables"], 128);
    let words = c.ask(
        "variables",
        json!({ "variablesReference": lds["variablesReference"], "filter": "indexed", "start": 40, "count": 2 }),
    );
    assert_eq!(words["variables"][1]["value"], format!("{:#x}", 41 * 3));
    let memory = c.scope(&frame, "Memory");
    let buffers = c.inside(&memory["variablesReference"]);
    let y = variable(&buffers, "y").clone();
    assert_eq!(c.inside(&y["variablesReference"])[3]["value"], "6");
    assert_eq!(c.value("y[3] == 6 && lds[4] == 3"), "1");
    assert!(c.value("picture exec").starts_with("1 0 0 1 0 0 1 0\n0 1 0 0 1 0 0 1\n"), "{}", c.value("picture exec"));

    // A data breakpoint stops behind the store, if its condition holds there, and as often as is asked for.
    let info = c.ask("dataBreakpointInfo", json!({ "variablesReference": y["variablesReference"], "name": "[3]" }));
    let set = |points: Value| json!({ "breakpoints": points });
    let wrong = json!([{ "dataId": info["dataId"], "condition": "sun == 1" }, { "dataId": "sun" },
        { "dataId": info["dataId"], "hitCondition": "often" }]);
    let answers = c.ask("setDataBreakpoints", set(wrong))["breakpoints"].clone();
    for (n, why) in ["nothing is called sun", "no data that can be watched", "no count of hits"].iter().enumerate() {
        assert!(answers[n]["message"].as_str().unwrap().contains(why), "{answers}");
        assert_eq!(answers[n]["verified"], false);
    }
    let (id, other) = (&info["dataId"], turned(3) + 1);
    let never = [
        json!({ "dataId": id, "condition": format!("y[3] == {other}") }),
        json!({ "dataId": id, "hitCondition": "2" }),
    ];
    c.ask("setDataBreakpoints", set(json!([never[0], never[1], { "dataId": id, "condition": "y[3] > 6" }])));
    c.ask("setBreakpoints", json!({ "source": source, "breakpoints": [] }));
    let stop = c.go("continue", json!({ "threadId": thread }));
    assert_eq!(stop["reason"], "data breakpoint");
    assert!(stop["text"].as_str().unwrap().contains(&format!("changed from 0x6 to {:#x}", turned(3))), "{stop}");
    let read = c.ask("readMemory", json!({ "memoryReference": y["memoryReference"], "offset": 12, "count": 4 }));
    assert_eq!(read["data"], "agAAAA==", "106 in base64");
    let all = c.ask("readMemory", json!({ "memoryReference": y["memoryReference"], "count": 4096 * 1024 }));
    assert!(all["unreadableBytes"].as_u64().unwrap() > 0);
    c.ask("setDataBreakpoints", json!({ "breakpoints": [] }));

    // Backwards the store is not done.
    c.go("stepBack", json!({ "threadId": thread, "granularity": "instruction" }));
    assert_eq!(c.value("y[3]"), "6");
    assert_eq!(c.go("reverseContinue", json!({ "threadId": thread }))["reason"], "entry");
    let stop = c.go("stepIn", json!({ "threadId": thread }));
    assert_eq!(stop["reason"], "step");

    // By instruction.
    let frame = c.frame(&thread);
    let at = frame["instructionPointerReference"].clone();
    let code = c.ask("disassemble", json!({ "memoryReference": at, "instructionOffset": -2, "instructionCount": 8 }));
    let code = code["instructions"].as_array().unwrap().clone();
    assert_eq!((code.len(), &code[2]["address"]), (8, &at));
    let third = code[5]["address"].clone();
    let set = c.ask("setInstructionBreakpoints", json!({ "breakpoints": [{ "instructionReference": third }] }));
    assert_eq!(set["breakpoints"][0]["verified"], true);
    assert_eq!(c.go("continue", json!({ "threadId": thread }))["reason"], "instruction breakpoint");
    assert_eq!(c.frame(&thread)["instructionPointerReference"], third);
    c.ask("setInstructionBreakpoints", json!({ "breakpoints": [] }));

    c.ask("continue", json!({ "threadId": thread }));
    assert_eq!(c.event("exited")["exitCode"], 0);
    c.event("terminated");
    let printed = c.event("output")["output"].as_str().unwrap().to_owned();
    let words: Vec<&str> = printed.split_whitespace().collect();
    assert!(words.join(" ").contains("u32[128] 103 0 9 106"), "{printed}");
    c.end();
}

#[test]
fn conditions_counts_and_messages() {
    let (folder, mut c) = launched("dap_conditions");
    let source = json!({ "path": folder.join("turn.wgsl") });
    let branch = line("+= 100u");
    let set = c.ask(
        "setBreakpoints",
        json!({ "source": source, "breakpoints": [
            { "line": branch, "condition": "exec & 1" },
            { "line": branch, "hitCondition": "4" },
            { "line": branch, "logMessage": "exec is {exec}, {sun}" },
            { "line": branch, "condition": "v0 >" },
            { "line": branch, "hitCondition": "many" },
        ] }),
    );
    let verified: Vec<bool> =
        set["breakpoints"].as_array().unwrap().iter().map(|b| b["verified"].as_bool().unwrap()).collect();
    assert_eq!(verified, [true, true, true, false, false]);
    assert!(set["breakpoints"][4]["message"].as_str().unwrap().contains("no count of hits"), "{set}");
    // Lane 0 is live there in the first waves of both work-groups; the fourth wave is the last.
    let mut stop = c.go("configurationDone", json!({}));
    let mut seen = Vec::new();
    for n in 0..3 {
        seen.push((stop["threadId"].as_u64().unwrap(), stop["hitBreakpointIds"][0].clone()));
        if n < 2 {
            stop = c.go("continue", json!({ "threadId": 1 }));
        }
    }
    let id = |n: usize| set["breakpoints"][n]["id"].clone();
    // Work-groups are 64 threads apart.
    assert_eq!(seen, [(1, id(0)), (65, id(0)), (66, id(1))]);
    let said = c.event("output")["output"].as_str().unwrap().to_owned();
    let strip: String = (0..32).map(|n| if n % 3 == 0 { '#' } else { '.' }).collect();
    assert_eq!(said, format!("exec is {strip}, {{sun}}\n"));
    c.end();
}

/// The lines that steps from the store on end at, with a message at the branch or without.
fn stepped(message: bool) -> Vec<u64> {
    let (folder, mut c) = launched("dap_message");
    let source = json!({ "path": folder.join("turn.wgsl") });
    c.ask("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": line("y[at] = ") }] }));
    let thread = c.go("configurationDone", json!({}))["threadId"].clone();
    let at = json!({ "line": line("if i % 3u"), "logMessage": "here" });
    c.ask("setBreakpoints", json!({ "source": source, "breakpoints": if message { vec![at] } else { vec![] } }));
    let mut lines = Vec::new();
    for _ in 0..6 {
        let stop = c.go("next", json!({ "threadId": thread }));
        assert_eq!((&stop["reason"], &stop["threadId"]), (&json!("step"), &thread));
        lines.push(c.frame(&thread)["line"].as_u64().unwrap());
    }
    if message {
        assert_eq!(c.event("output")["output"], "here\n");
    }
    c.end();
    lines
}

#[test]
fn a_step_ends_where_a_message_is_said() {
    let lines = stepped(false);
    assert!(lines[..5].contains(&u64::from(line("if i % 3u"))), "{lines:?}");
    assert_eq!(stepped(true), lines);
}

#[test]
fn the_clocks_order_and_the_machine() {
    let folder = with_turn("dap_clock");
    for (flag, how) in [(Some("--timing"), ", of the card's clock"), (None, ", one for each instruction")] {
        let mut c = Client::start(&folder, &[]);
        let args: Vec<&str> = ["--buffer", "y=[128]", "--groups", "2"].into_iter().chain(flag).collect();
        c.launch(json!({ "program": "turn.wgsl", "cwd": folder, "args": args }));
        let source = json!({ "path": folder.join("turn.wgsl") });
        c.ask("setBreakpoints", json!({ "source": source, "breakpoints": [{ "line": line("+= 100u") }] }));
        let stop = c.go("configurationDone", json!({}));
        let threads = c.ask("threads", json!({}))["threads"].to_string();
        // Both work-groups are on the card at once.
        assert_eq!(threads.matches("work-group 1,0,0").count(), if flag.is_some() { 2 } else { 0 }, "{threads}");
        assert_eq!(threads.contains("cycles)") || threads.contains("issues)"), flag.is_some(), "{threads}");
        let frame = c.frame(&stop["threadId"]);
        let machine = c.scope(&frame, "Machine");
        let all = c.inside(&machine["variablesReference"]);
        let cycle = variable(&all, "cycle")["value"].as_str().unwrap().to_owned();
        assert!(cycle.contains(how) && !cycle.starts_with("0,"), "{cycle}");
        assert!(variable(&all, "queue 0")["value"].as_str().unwrap().contains("whose dispatch this is"), "{all:?}");
        assert_eq!(all.iter().any(|v| v["name"] == "L2"), flag.is_some(), "{all:?}");
        c.end();
    }
}

#[test]
fn a_finding_is_an_exception() {
    let folder = folder("dap_finding");
    std::fs::write(folder.join("past.comp"), PAST).unwrap();
    let mut c = Client::start(
        &folder,
        &["past.comp", "--buffer", "y=[64]", "--groups", "2", "--check", "mem", "--break-on-fault"],
    );
    c.launch(json!({}));
    let stop = c.go("configurationDone", json!({}));
    assert_eq!(stop["reason"], "exception");
    let info = c.ask("exceptionInfo", json!({ "threadId": stop["threadId"] }));
    assert!(info["description"].as_str().unwrap().starts_with("lane 5: "), "{info}");
    let frame = c.frame(&stop["threadId"]);
    assert_eq!(frame["line"], 10);
    c.scope(&frame, "Lane 5");
    c.end();
}

#[test]
fn endless_loops_are_paused_and_mistakes_told() {
    let folder = folder("dap_mistakes");
    let endless = "\
#version 450
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Y { volatile uint y[]; };
void main() {
    while (y[0] == 0u) y[1] = 1u;
}
";
    std::fs::write(folder.join("endless.comp"), endless).unwrap();
    let mut c = Client::start(&folder, &[]);
    c.ask("initialize", json!({ "adapterID": "wavepipe" }));
    assert!(c.refused("threads", json!({})).contains("comes behind `launch`"));
    assert!(c.refused("launch", json!({})).contains("add \"program\""));
    assert!(c.refused("launch", json!({ "program": "none.comp" })).contains("none.comp"));
    assert!(c.refused("launch", json!({ "program": "endless.comp", "args": ["--wafe", "3"] })).contains("--wafe"));
    c.ask("launch", json!({ "program": "endless.comp", "args": ["--buffer", "y=[2]", "--groups", "1"] }));
    c.event("initialized");
    c.ask("configurationDone", json!({}));
    c.ask("pause", json!({ "threadId": 1 }));
    assert_eq!(c.event("stopped")["reason"], "pause");
    assert!(c.refused("gotoTargets", json!({})).contains("not supported"));
    // What no client sends harms nobody.
    let far = i64::MAX;
    c.ask(
        "disassemble",
        json!({ "memoryReference": "0x0", "instructionOffset": far, "offset": far, "instructionCount": 3 }),
    );
    c.ask("setBreakpoints", json!({ "source": { "path": "endless.comp" }, "breakpoints": [{ "line": far }] }));
    c.ask("dataBreakpointInfo", json!({ "name": format!("y[{far}]") }));
    c.ask("readMemory", json!({ "memoryReference": "0xffffffffffffffff", "offset": far, "count": far }));
    c.refused("variables", json!({ "variablesReference": far }));
    c.refused("scopes", json!({ "frameId": far }));
    assert!(c.refused("stackTrace", json!({ "threadId": 77 })).contains("has ended"));
    c.end();
}

#[test]
fn messages_come_and_go() {
    let mut out = Vec::new();
    Sender::new(&mut out).event("stopped", json!({ "reason": "ä" })).unwrap();
    let back = read(&mut &out[..]).unwrap().unwrap();
    assert_eq!((&back["seq"], &back["body"]["reason"]), (&json!(1), &json!("ä")));
    assert_eq!(read(&mut &b""[..]).unwrap(), None);
    for wrong in ["Content-Length: x\r\n\r\n", "Content-Length: 99999999999\r\n\r\n", "Content-Length: 3\r\n\r\n{]}"] {
        assert!(read(&mut wrong.as_bytes()).is_err(), "{wrong}");
    }
}

#[test]
fn counts_of_hits() {
    let holds = |text: &str| {
        let times = Times::parse(text).unwrap();
        (1..=6).filter(|n| times.hold(*n)).collect::<Vec<u64>>()
    };
    assert_eq!(holds("3"), [3]);
    assert_eq!(holds("== 3"), [3]);
    assert_eq!(holds(">= 5"), [5, 6]);
    assert_eq!(holds("> 5"), [6]);
    assert_eq!(holds("%2"), [2, 4, 6]);
    for wrong in ["", "x", "3x", "% 0", "< 3"] {
        assert!(Times::parse(wrong).is_err(), "{wrong}");
    }
}
