//! Source variables: what a session reads by name is what the shader gave the variable.
//!
//! Random kernels are compiled twice: once as they are, and once with a note of each assignment, variable and value, stored to a buffer. While the
//! first runs, instruction by instruction, all variables are read in all live lanes: one after the other the values must be ones
//! that the second noted, in that order. Nothing that is noted is known to the compiler's table.

use crate::common::Bench;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use wavepipe_compiler::{Checks, Options, compile, reflect};
use wavepipe_hw::code::{CodeObject, WaveSize};
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::launch::{BindingLayout, PipelineLayout, Place, SetLayout, UserData};
use wavepipe_hw::pm4::{Packet, initiator, reg};
use wavepipe_hw::port::GpuPort;
use wavepipe_hw::rsrc::PgmRsrc;
use wavepipe_inspect::{Breakpoint, Inspector, Program, Reason, Seen, Session, Turn, Unit};

/// Work-items of the one work-group, and notes that each may make.
const ITEMS: u32 = 64;
const NOTES: u32 = 400;

fn spirv(source: &str) -> Vec<u32> {
    let module = naga::front::wgsl::parse_str(source).unwrap_or_else(|e| panic!("{}", e.emit_to_string(source)));
    let mut validator = naga::valid::Validator::new(naga::valid::ValidationFlags::all(), Default::default());
    let info = validator.validate(&module).unwrap_or_else(|e| panic!("{e:?}\n{source}"));
    let options = naga::back::spv::Options {
        lang_version: (1, 3),
        flags: naga::back::spv::WriterFlags::DEBUG,
        debug_info: Some(naga::back::spv::DebugInfo {
            source_code: source,
            file_name: "shader.wgsl",
            language: naga::back::spv::SourceLanguage::WGSL,
        }),
        ..Default::default()
    };
    naga::back::spv::write_vec(&module, &info, &options, None).unwrap()
}

/// Compiled with names; the code is the same without.
fn compiled(source: &str, wave: WaveSize) -> CodeObject {
    let words = spirv(source);
    let entry = reflect(&words).unwrap().remove(0);
    let mut layout = PipelineLayout { push_constant_bytes: 128, sets: vec![SetLayout::default()] };
    for r in &entry.resources {
        let set = &mut layout.sets[0];
        let stride = r.kind.bytes().next_multiple_of(16);
        let place = Place::Set(stride * r.binding);
        set.bindings.push(BindingLayout { binding: r.binding, kind: r.kind, count: 1, place, stride });
        set.size = set.size.max(stride * (r.binding + 1));
    }
    let options = Options { wave, checks: Checks::On, ..Options::new(&entry.name, &layout) };
    let plain = compile(&words, &options).unwrap_or_else(|e| panic!("{e}\n{source}"));
    let named = compile(&words, &Options { names: true, ..options }).unwrap_or_else(|e| panic!("{e}\n{source}"));
    assert_eq!(CodeObject { variables: None, ..named.clone() }, plain, "names change nothing\n{source}");
    named
}

/// An inspected machine with a kernel that has a buffer of dwords, launched.
struct Launched {
    bench: Bench,
    session: Session,
    out: u64,
}

fn launched(code: &CodeObject, dwords: u32) -> Launched {
    let inspector = Inspector::new(wavepipe_core::Config::default());
    let mut bench = Bench::on(inspector.gpu().clone());
    let put = |va: u64, words: &[u32]| {
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        bench.gpu.write(va, &bytes).unwrap();
    };
    let va = bench.memory(code.text.len() as u64 + 256);
    bench.gpu.write(va, &code.text).unwrap();
    let (out, set, ring) = (bench.memory(4 * u64::from(dwords)), bench.memory(256), bench.memory(256));
    put(set, &BufferDescriptor::raw(out, 4 * dwords).to_words(code.isa));
    let scratch = code.scratch_bytes_per_wave() * 64;
    if scratch > 0 {
        let memory = bench.memory(scratch.into());
        put(ring, &BufferDescriptor::private(memory, scratch, code.wave.lanes()).to_words(code.isa));
    }
    let mut user = Vec::new();
    for item in &code.user_data {
        match item {
            UserData::DescriptorSet(_) => user.extend([set as u32, (set >> 32) as u32]),
            UserData::ScratchRing => user.extend([ring as u32, (ring >> 32) as u32]),
            other => panic!("{other:?}"),
        }
    }
    let pgm = PgmRsrc::of(code);
    let w32 = if code.wave == WaveSize::W32 { initiator::CS_W32_EN } else { 0 };
    let register = |reg, values| Packet::SetShReg { reg, values };
    let packets = [
        register(reg::COMPUTE_NUM_THREAD_X, code.workgroup.to_vec()),
        register(reg::COMPUTE_PGM_LO, vec![(va >> 8) as u32, (va >> 40) as u32]),
        register(reg::COMPUTE_PGM_RSRC1, vec![pgm.rsrc1, pgm.rsrc2]),
        register(reg::COMPUTE_TMPRING_SIZE, vec![code.tmpring_size(64)]),
        register(reg::COMPUTE_USER_DATA_0, user),
        Packet::DispatchDirect {
            groups: [1; 3],
            initiator: initiator::COMPUTE_SHADER_EN | initiator::FORCE_START_AT_000 | w32,
        },
    ];
    let mut session = inspector.session().unwrap();
    bench.submit(&packets);
    session.add_program(Program::of(code, va));
    assert!(session.next_dispatch().is_some());
    Launched { bench, session, out }
}

// ---- random kernels ----

struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }
}

/// A kernel's text, with notes or without.
struct Text {
    r: Random,
    text: String,
    notes: bool,
    /// Names with paths, by number.
    ids: Vec<String>,
    function: &'static str,
    depth: usize,
    fresh: u32,
    left: u32,
    /// Values that can be read besides the variables.
    lets: Vec<String>,
}

impl Text {
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}{text}", "  ".repeat(self.depth));
    }

    /// Notes that something has the value of an expression, a u32.
    fn note(&mut self, name: &str, value: &str) {
        let key = format!("{}:{name}", self.function);
        let id = self.ids.iter().position(|n| *n == key).unwrap_or_else(|| {
            self.ids.push(key);
            self.ids.len() - 1
        });
        if self.notes {
            self.line(&format!("note({}u, {value});", id + 1));
        }
    }

    fn number(&mut self, depth: u32) -> String {
        let n = self.r.below(if depth == 0 { 7 } else { 13 });
        let pick = self.r.below(97);
        match n {
            0 | 1 => "a".into(),
            2 => "b".into(),
            3 => "item".into(),
            4 => format!("{pick}u"),
            5 => format!("v.{}", ["x", "y", "z"][pick as usize % 3]),
            6 => match self.lets.is_empty() {
                true => "b".into(),
                false => self.lets[pick as usize % self.lets.len()].clone(),
            },
            7 => format!("q[{} & 3u]", self.number(depth - 1)),
            8 => format!("u32(abs(f)) % {}u", pick + 2),
            9 => format!("select({}, {}, flag)", self.number(depth - 1), self.number(depth - 1)),
            _ => {
                let op = ["+", "*", "^", "-", "&", "|"][pick as usize % 6];
                format!("({} {op} {})", self.number(depth - 1), self.number(depth - 1))
            }
        }
    }

    fn condition(&mut self) -> String {
        match self.r.below(4) {
            0 => "flag".into(),
            1 => format!("({} & {}u) != 0u", self.number(1), 1 << self.r.below(5)),
            2 => format!("f < {}.5", self.r.below(40)),
            _ => format!("{} < {}", self.number(1), self.number(1)),
        }
    }

    fn block(&mut self, statements: u64) {
        self.depth += 1;
        let lets = self.lets.len();
        for _ in 0..statements {
            self.statement();
        }
        self.lets.truncate(lets);
        self.depth -= 1;
    }

    fn statement(&mut self) {
        if self.left == 0 || self.depth > 5 {
            return;
        }
        self.left -= 1;
        self.fresh += 1;
        let n = self.fresh;
        match self.r.below(14) {
            0 | 1 => {
                let value = self.number(2);
                self.line(&format!("a = {value};"));
                self.note("a", "a");
            }
            2 | 3 => {
                let value = self.number(2);
                self.line(&format!("b = {value};"));
                self.note("b", "b");
            }
            4 => {
                let value = self.number(1);
                self.line(&format!("f = f * 0.5 + f32({value} & 255u);"));
                self.note("f", "bitcast<u32>(f)");
            }
            5 => {
                let (value, c) = (self.number(2), ["x", "y", "z"][self.r.below(3) as usize]);
                self.line(&format!("v.{c} = {value};"));
                self.note(&format!("v.{c}"), &format!("v.{c}"));
            }
            6 => {
                let (value, at) = (self.number(1), self.number(1));
                self.line(&format!("q[{at} & 3u] = {value};"));
                for k in 0..4 {
                    self.note(&format!("q[{k}]"), &format!("q[{k}]"));
                }
            }
            7 => {
                let value = self.condition();
                self.line(&format!("flag = {value};"));
                self.note("flag", "select(0u, 1u, flag)");
            }
            8 => {
                let value = self.number(2);
                self.line(&format!("let t{n} = {value};"));
                self.note(&format!("t{n}"), &format!("t{n}"));
                self.lets.push(format!("t{n}"));
            }
            9 | 10 => {
                let condition = self.condition();
                self.line(&format!("if ({condition}) {{"));
                let (then, els) = (1 + self.r.below(3), self.r.below(3));
                self.block(then);
                self.line("} else {");
                self.block(els);
                self.line("}");
            }
            11 => {
                let (most, leaves) = (self.number(1), self.condition());
                self.line(&format!("var i{n} = 0u;"));
                self.note(&format!("i{n}"), &format!("i{n}"));
                self.line(&format!("let most{n} = ({most} & 3u) + 1u;"));
                self.note(&format!("most{n}"), &format!("most{n}"));
                self.line("loop {");
                self.depth += 1;
                self.line(&format!("if (i{n} >= most{n}) {{ break; }}"));
                self.depth -= 1;
                let statements = 1 + self.r.below(3);
                self.block(statements);
                self.depth += 1;
                if self.r.below(2) == 0 {
                    self.line(&format!("if ({leaves}) {{ break; }}"));
                }
                self.line(&format!("i{n} = i{n} + 1u;"));
                self.note(&format!("i{n}"), &format!("i{n}"));
                self.depth -= 1;
                self.line("}");
            }
            12 => {
                let selector = self.number(1);
                self.line(&format!("switch ({selector} & 3u) {{"));
                for case in ["case 0u, 2u", "case 1u", "default"] {
                    self.line(&format!("{case}: {{"));
                    let statements = self.r.below(3);
                    self.block(statements);
                    self.line("}");
                }
                self.line("}");
            }
            _ => {
                let (x, y) = (self.number(1), self.number(1));
                self.line(&format!("b = mixed({x}, {y});"));
                self.note("b", "b");
            }
        }
    }
}

fn kernel(seed: u64, notes: bool) -> Text {
    let mut t = Text {
        r: Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15)),
        text: String::new(),
        notes,
        ids: Vec::new(),
        function: "mixed",
        depth: 0,
        fresh: 0,
        left: 26,
        lets: Vec::new(),
    };
    t.line("@group(0) @binding(0) var<storage, read_write> out: array<u32>;");
    t.line("var<private> item: u32;");
    if notes {
        t.line("var<private> noted: u32;");
        t.line("fn note(id: u32, value: u32) {");
        t.line(&format!("  if (noted < {NOTES}u) {{"));
        t.line(&format!("    let to = {ITEMS}u + (item * {NOTES}u + noted) * 2u;"));
        t.line("    out[to] = id; out[to + 1u] = value; noted = noted + 1u;\n  }\n}");
    }
    t.line("fn mixed(x: u32, y: u32) -> u32 {");
    t.note("x", "x");
    t.note("y", "y");
    t.line("  var r = x ^ (y << 3u);");
    t.note("r", "r");
    t.line("  if ((x & 1u) != 0u) {\n    r = r + y;");
    t.note("r", "r");
    t.line("  }\n  if (r > 1000u) { return r % 1000u; }\n  return r * 3u;\n}");
    t.function = "main";
    t.line(&format!("@compute @workgroup_size({ITEMS})"));
    t.line("fn main(@builtin(local_invocation_index) index: u32) {");
    t.depth = 1;
    t.line("item = index;");
    for (name, ty, value, noted) in [
        ("a", "u32", "out[index] + index", "a"),
        ("b", "u32", "index * 7u", "b"),
        ("f", "f32", "f32(index)", "bitcast<u32>(f)"),
        ("flag", "bool", "index > 20u", "select(0u, 1u, flag)"),
    ] {
        t.line(&format!("var {name}: {ty} = {value};"));
        t.note(name, noted);
    }
    t.line("var v = vec3<u32>(a, b, 5u);");
    ["v.x", "v.y", "v.z"].iter().for_each(|p| t.note(p, p));
    t.line("var q = array<u32, 4>(1u, a, 3u, b);");
    ["q[0]", "q[1]", "q[2]", "q[3]"].iter().for_each(|p| t.note(p, p));
    t.depth = 0;
    t.block(12);
    t.line("  out[index] = a + b * 3u + u32(abs(f)) + v.x + v.y * 5u + v.z + q[0] + q[3] + select(0u, 9u, flag);\n}");
    t
}

/// What each work-item noted, by name, in order.
fn history(seed: u64, wave: WaveSize) -> Vec<BTreeMap<String, Vec<u32>>> {
    let t = kernel(seed, true);
    let dwords = ITEMS + ITEMS * NOTES * 2;
    let code = compiled(&t.text, wave);
    let Launched { bench, session, out } = launched(&code, dwords);
    drop(session);
    bench.wait();
    let words = bench.words(out, dwords as usize);
    let of = |item: u32| {
        let mut all: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        let from = (ITEMS + item * NOTES * 2) as usize;
        for pair in words[from..][..2 * NOTES as usize].chunks_exact(2).take_while(|pair| pair[0] != 0) {
            all.entry(t.ids[pair[0] as usize - 1].clone()).or_default().push(pair[1]);
        }
        all
    };
    (0..ITEMS).map(of).collect()
}

/// How often a scalar was somewhere, and how often it had a value in the source.
#[derive(Default, Debug)]
struct Tally {
    here: u64,
    all: u64,
}

fn check(seed: u64, wave: WaveSize, tally: &mut Tally) {
    let noted = history(seed, wave);
    let text = kernel(seed, false).text;
    let Launched { bench: _bench, mut session, .. } = launched(&compiled(&text, wave), ITEMS);
    // Where each work-item's variables are in what was noted.
    let mut at: HashMap<(u32, String), usize> = HashMap::new();
    while let Some(turn) = session.turn() {
        for Seen { name, function, parts, .. } in session.variables(turn) {
            for part in &parts {
                let key = format!("{function}:{name}{}", part.path);
                tally.all += 1;
                let Some(lanes) = &part.lanes else { continue };
                tally.here += 1;
                for lane in (0..lanes.len() as u32).filter(|l| part.live >> l & 1 != 0) {
                    let item = turn.wave * wave.lanes() + lane;
                    let Some(values) = noted[item as usize].get(&key) else { continue };
                    let from = at.entry((item, key.clone())).or_default();
                    // A variable begins with zero, in a function each time that it is called.
                    if lanes[lane as usize] == 0 && (*from == 0 || function == "mixed") {
                        continue;
                    }
                    match values[*from..].iter().position(|v| u64::from(*v) == lanes[lane as usize]) {
                        Some(n) => *from += n,
                        // All notes may have been taken.
                        None if noted[item as usize].values().map(Vec::len).sum::<usize>() >= NOTES as usize => {}
                        None => {
                            let mut pc = String::new();
                            let here = session.waves().into_iter().find(|w| w.turn == turn);
                            let _ = write!(pc, "{here:?}");
                            panic!(
                                "seed {seed}, {wave:?}, item {item}, {pc}: {key} is {:#x}, noted were {:x?}, from number {from} on\n{text}",
                                lanes[lane as usize], values
                            );
                        }
                    }
                }
            }
        }
        if let Reason::Ended = session.step(Unit::Instruction).reason {
            break;
        }
    }
}

#[test]
fn variables_have_the_values_that_the_shader_gave_them() {
    let seeds = match std::env::var("WAVEPIPE_SEEDS") {
        Ok(range) => {
            let (from, to) = range.split_once("..").unwrap();
            from.parse().unwrap()..to.parse().unwrap()
        }
        Err(_) => 0..24,
    };
    let mut tally = Tally::default();
    for seed in seeds {
        let wave = if seed % 2 == 0 { WaveSize::W32 } else { WaveSize::W64 };
        check(seed, wave, &mut tally);
    }
    println!("{tally:?}");
    // An optimising compiler keeps no value longer than somebody wants it.
    assert!(tally.all > 50_000 && tally.here * 10 > tally.all * 5, "{tally:?}");
}

// ---- by hand ----

const TYPED: &str = "
struct Ball { centre: vec2<f32>, rate: i32, }
@group(0) @binding(0) var<storage, read_write> out: array<u32>;
var<workgroup> tile: array<f32, 64>;
fn scaled(x: f32, by: f32) -> f32 {
  var doubled = x * 2.0;
  return doubled * by;
}
@compute @workgroup_size(64)
fn main(@builtin(local_invocation_index) index: u32) {
  var ball = Ball(vec2<f32>(f32(index), 0.5), -i32(index));
  var far: array<u32, 40>;
  for (var i = 0u; i < 40u; i = i + 1u) {
    far[(i * 7u + out[0]) % 40u] = i + index;
  }
  tile[index] = f32(index) * 0.25;
  workgroupBarrier();
  var other = tile[63u - index];
  ball.rate = ball.rate - 3;
  var odd = (out[1] + index) % 2u == 1u;
  var big = scaled(other, ball.centre.y + f32(out[2]));
  var sum = u32(big) + u32(ball.centre.x) + u32(abs(ball.rate));
  if (odd) {
    sum = sum + far[(index + out[3]) % 40u];
  }
  out[index] = sum + u32(other);
}
";

/// The line of [`TYPED`] that has this text.
fn line(text: &str) -> u32 {
    TYPED.lines().position(|l| l.contains(text)).unwrap() as u32 + 1
}

fn at_line(session: &mut Session, text: &str) -> Turn {
    let id = session.add_breakpoint(Breakpoint::line(line(text))).unwrap();
    let stop = session.run();
    assert!(matches!(stop.reason, Reason::Breakpoint(hit) if hit == id), "{:?} at {text}", stop.reason);
    session.remove(id);
    stop.turn.unwrap()
}

#[test]
fn variables_are_typed() {
    for wave in [WaveSize::W32, WaveSize::W64] {
        let code = compiled(TYPED, wave);
        let Launched { bench, mut session, out } = launched(&code, 64);
        let turn = at_line(&mut session, "sum = sum + far");
        let first = turn.wave * wave.lanes();
        let read = |name: &str| session.variable(turn, name).unwrap_or_else(|e| panic!("{name}: {e}"));
        let far = read("far");
        assert_eq!((far.ty.as_str(), far.parts.len(), far.parts[39].path.as_str()), ("array<u32, 40>", 40, "[39]"));
        // Element 7 was written in round 1.
        let lanes = read("far[7]").parts[0].lanes.clone().unwrap();
        let live = far.parts[0].live;
        for lane in (0..wave.lanes()).filter(|l| live >> l & 1 != 0) {
            assert_eq!(lanes[lane as usize], u64::from(first + lane + 1));
        }
        let odd = read("odd");
        assert_eq!(
            (odd.ty.as_str(), odd.parts[0].text(1).as_str(), odd.parts[0].text(0).as_str()),
            ("bool", "true", "-")
        );
        let tile = read("tile[5]");
        assert_eq!((tile.ty.as_str(), tile.parts[0].text(1).as_str()), ("array<f32, 64>", "1.25"));
        let wrong = |name: &str| session.variable(turn, name).unwrap_err().0;
        assert!(wrong("far.x").contains("array<u32, 40>"), "{}", wrong("far.x"));
        assert!(wrong("nobody").contains("nothing is called nobody"), "{}", wrong("nobody"));
        drop(session);
        bench.wait();
        let out = bench.words(out, 64);
        assert_eq!(out.len(), 64);
    }
}

#[test]
fn a_function_that_was_inlined_has_its_own_variables_and_conditions_name_them() {
    let code = compiled(TYPED, WaveSize::W64);
    let table = code.variables.as_ref().unwrap();
    let scope = table.scopes.iter().position(|s| s.function == "scaled").unwrap();
    let call = &table.scopes[scope];
    assert_eq!((call.parent, call.line), (Some(0), line("var big")));
    let Launched { bench: _bench, mut session, .. } = launched(&code, 64);
    let turn = at_line(&mut session, "return doubled");
    let seen = session.variables(turn);
    assert_eq!(seen[0].function, "scaled", "{seen:?}");
    let find = |name: &str| seen.iter().find(|s| s.name == name).unwrap();
    let doubled = find("doubled");
    assert_eq!((doubled.ty.as_str(), doubled.function.as_str()), ("f32", "scaled"));
    if doubled.parts[0].lanes.is_some() {
        assert_eq!(doubled.parts[0].text(3), "30");
    }
    assert_eq!(find("other").function, "main");

    let when = |text: &str| Breakpoint::line(line("out[index] = sum")).when(text.parse().unwrap());
    let Launched { bench: _other, mut session, .. } = launched(&code, 64);
    assert!(session.add_breakpoint(when("nobody > 1")).is_err());
    let id = session.add_breakpoint(when("other > 15.5 && lane == 0")).unwrap();
    let never = session.add_breakpoint(when("other > 15.75")).unwrap();
    let stop = session.run();
    assert!(matches!(stop.reason, Reason::Breakpoint(hit) if hit == id && hit != never), "{:?}", stop.reason);
}
