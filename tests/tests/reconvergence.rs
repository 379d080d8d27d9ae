//! Maximal reconvergence (SPV_KHR_maximal_reconvergence), which holds subgroup-uniform control flow too: the work-items that
//! entered a construct are together again behind it, those that continue a loop are together in its next round, and those
//! that returned from a function behind its call. Random programs write down at many places who is with them (a ballot);
//! a plain model walks the tree with a mask of work-items and says who should be.

use std::fmt::Write as _;
use std::process::Command;
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_runtime::{Config, WaveSize};
use wavepipe_tests::random::{Random, seeds};
use wavepipe_tests::{installed, run, scratch, show, skip};

const ITEMS: usize = 64;
/// Notes that a work-item can make.
const NOTES: usize = 384;
/// Words of a note: two of the ballot, and the place.
const WORDS: usize = 3;

/// True for a work-item whose bit (`bit` + the rounds of all loops around) of its number is set.
type Bit = usize;

enum Statement {
    /// Writes down who is here.
    Note(u32),
    If(Bit, Vec<Statement>, Vec<Statement>),
    /// As many rounds as two bits of the work-item's number say, from `Bit` on.
    For(Bit, Vec<Statement>),
    /// At least one round, and more while the bit is set, at most four.
    DoWhile(Bit, Vec<Statement>),
    /// By two bits of the work-item's number; the last case is the default. True: it falls into the next one, where it meets
    /// who enters there.
    Switch(Bit, Vec<(Vec<Statement>, bool)>),
    Break(Bit),
    Continue(Bit),
    Return(Bit),
    /// A function of its own.
    Call(Vec<Statement>),
}
use Statement::*;

struct Generator {
    random: Random,
    places: u32,
    /// Notes that are left, of a program that takes every path as often as it can.
    left: usize,
}

#[derive(Clone, Copy, PartialEq)]
enum Around {
    Nothing,
    Loop,
    /// A switch, in a loop or not: what breaks here leaves the switch.
    Switch {
        in_loop: bool,
    },
}

impl Generator {
    /// `rounds`: how often the block runs at most.
    fn block(&mut self, depth: usize, rounds: usize, around: Around) -> Vec<Statement> {
        let mut block = vec![];
        self.note(&mut block, rounds);
        for _ in 0..1 + self.random.below(3) {
            let bit = self.random.below(32);
            let inner = depth > 0;
            match self.random.below(if inner { 12 } else { 4 }) {
                0 if around == Around::Loop => block.push(Break(bit)),
                0 if matches!(around, Around::Switch { .. }) => block.push(Break(bit)),
                1 if matches!(around, Around::Loop | Around::Switch { in_loop: true }) => block.push(Continue(bit)),
                2 if self.random.one_in(3) => block.push(Return(bit)),
                4..=6 => {
                    let then = self.block(depth - 1, rounds, around);
                    let other = if self.random.one_in(2) { vec![] } else { self.block(depth - 1, rounds, around) };
                    block.push(If(bit, then, other));
                }
                7 | 8 => block.push(For(bit, self.block(depth - 1, 3 * rounds, Around::Loop))),
                9 => block.push(DoWhile(bit, self.block(depth - 1, 4 * rounds, Around::Loop))),
                10 => {
                    let in_loop = !matches!(around, Around::Nothing | Around::Switch { in_loop: false });
                    let cases = (0..2 + self.random.below(3))
                        .map(|_| (self.block(depth - 1, rounds, Around::Switch { in_loop }), self.random.one_in(3)))
                        .collect();
                    block.push(Switch(bit, cases));
                }
                11 => block.push(Call(self.block(depth - 1, rounds, Around::Nothing))),
                _ => {}
            }
            self.note(&mut block, rounds);
        }
        block
    }

    fn note(&mut self, block: &mut Vec<Statement>, rounds: usize) {
        if self.left >= rounds {
            self.left -= rounds;
            self.places += 1;
            block.push(Note(self.places));
        }
    }
}

fn program(seed: u64) -> Vec<Statement> {
    let mut generator = Generator { random: Random(seed), places: 0, left: NOTES };
    let mut all = generator.block(4, 1, Around::Nothing);
    generator.left = generator.left.max(1);
    generator.note(&mut all, 1);
    all
}

/// The tree as GLSL; each call's function comes before who calls it. `r` sums the rounds of all loops around.
struct Printer {
    functions: String,
    names: usize,
}

impl Printer {
    fn block(&mut self, out: &mut String, block: &[Statement]) {
        for statement in block {
            match statement {
                Note(place) => {
                    let _ = writeln!(out, "note({place}u);");
                }
                If(bit, then, other) => {
                    let _ = writeln!(out, "if (bit({bit}u + r)) {{");
                    self.block(out, then);
                    if !other.is_empty() {
                        out.push_str("} else {\n");
                        self.block(out, other);
                    }
                    out.push_str("}\n");
                }
                For(bit, body) => {
                    let n = self.name();
                    let _ = writeln!(
                        out,
                        "uint r{n} = r;\nfor (uint n{n} = 0u; n{n} < two({bit}u + r{n}); n{n}++, r++) {{"
                    );
                    self.block(out, body);
                    // The rounds of this loop are not around what comes behind it.
                    let _ = writeln!(out, "}}\nr = r{n};");
                }
                DoWhile(bit, body) => {
                    let n = self.name();
                    let _ = writeln!(out, "uint r{n} = r;\nuint n{n} = 0u;\ndo {{");
                    self.block(out, body);
                    let _ = writeln!(out, "}} while (more(n{n}, {bit}u));\nr = r{n};");
                }
                Switch(bit, cases) => {
                    let _ = writeln!(out, "switch (two({bit}u + r)) {{");
                    for (n, (case, falls)) in cases.iter().enumerate() {
                        let label = if n + 1 == cases.len() { "default".into() } else { format!("case {n}u") };
                        let _ = writeln!(out, "{label}: {{");
                        self.block(out, case);
                        // GLSL wants something behind the last label; behind its block comes the end.
                        out.push_str(if *falls && n + 1 < cases.len() { "}\n" } else { "} break;\n" });
                    }
                    out.push_str("}\n");
                }
                Break(bit) => {
                    let _ = writeln!(out, "if (bit({bit}u + r)) break;");
                }
                Continue(bit) => {
                    let _ = writeln!(out, "if (bit({bit}u + r)) continue;");
                }
                Return(bit) => {
                    let _ = writeln!(out, "if (bit({bit}u + r)) return;");
                }
                Call(body) => {
                    let n = self.name();
                    let mut text = String::new();
                    self.block(&mut text, body);
                    let _ = writeln!(self.functions, "void f{n}(uint r) {{\n{text}}}");
                    let _ = writeln!(out, "f{n}(r);");
                }
            }
        }
    }

    fn name(&mut self) -> usize {
        self.names += 1;
        self.names
    }
}

fn glsl(program: &[Statement]) -> String {
    let mut printer = Printer { functions: String::new(), names: 0 };
    let mut main = String::new();
    printer.block(&mut main, program);
    format!(
        "#version 460
#extension GL_KHR_shader_subgroup_ballot : require
layout(local_size_x = {ITEMS}) in;
layout(binding = 0) buffer Out {{ uint outs[]; }};
layout(binding = 1) readonly buffer In {{ uint ins[]; }};
uint x;
uint notes = 0u;
bool bit(uint n) {{ return (x >> (n & 31u) & 1u) != 0u; }}
uint two(uint n) {{ return x >> (n & 31u) & 3u; }}
void note(uint place) {{
    uvec4 here = subgroupBallot(true);
    uint at = (gl_LocalInvocationIndex * {NOTES}u + notes++) * {WORDS}u;
    outs[at] = here.x;
    outs[at + 1u] = here.y;
    outs[at + 2u] = place;
}}
#define more(n, b) (n++, r++, n < 4u && bit(b + r))
{}void main() {{
x = ins[gl_LocalInvocationIndex];
uint r = 0u;
{main}}}
",
        printer.functions
    )
}

/// The work-items of a subgroup on their way.
struct Walk<'a> {
    inputs: &'a [u32],
    /// What each wrote down: the ballot and the place.
    notes: Vec<Vec<(u64, u32)>>,
    /// Of the innermost loop or switch: who left it. Of the innermost loop: who is done with the round. Who returned.
    broke: u64,
    continued: u64,
    returned: u64,
}

impl Walk<'_> {
    fn those(&self, active: u64, holds: impl Fn(u32) -> bool) -> u64 {
        (0..self.inputs.len()).filter(|i| active >> i & 1 != 0 && holds(self.inputs[*i])).fold(0, |m, i| m | 1 << i)
    }

    fn with(&self, active: u64, bit: usize) -> u64 {
        self.those(active, |x| x >> (bit & 31) & 1 != 0)
    }

    /// Who comes out at the end of the block.
    fn block(&mut self, block: &[Statement], mut active: u64, rounds: usize) -> u64 {
        for statement in block {
            if active == 0 {
                return 0;
            }
            match statement {
                Note(place) => {
                    let here = (0..self.notes.len()).filter(|i| active >> i & 1 != 0);
                    here.for_each(|i| self.notes[i].push((active, *place)));
                }
                If(bit, then, other) => {
                    let yes = self.with(active, bit + rounds);
                    active = self.block(then, yes, rounds) | self.block(other, active & !yes, rounds);
                }
                For(bit, body) => {
                    let trips = |n: usize| move |x: u32| n < (x >> ((bit + rounds) & 31) & 3) as usize;
                    active = self.repeat(active, |walk, n, on| {
                        let on = walk.those(on, trips(n));
                        (on, walk.block(body, on, rounds + n))
                    });
                }
                DoWhile(bit, body) => {
                    active = self.repeat(active, |walk, n, on| {
                        let on = match n {
                            0 => on,
                            n if n < 4 => walk.with(on, bit + rounds + n),
                            _ => 0,
                        };
                        (on, walk.block(body, on, rounds + n))
                    });
                }
                Switch(bit, cases) => {
                    let outer = std::mem::take(&mut self.broke);
                    let (mut out, mut fell) = (0, 0);
                    for (n, (case, falls)) in cases.iter().enumerate() {
                        let last = n + 1 == cases.len();
                        let chosen = |x: u32| match (x >> ((bit + rounds) & 31) & 3) as usize {
                            value if last => value >= n,
                            value => value == n,
                        };
                        let on = self.those(active, chosen) | fell;
                        let end = self.block(case, on, rounds);
                        (out, fell) = if *falls { (out, end) } else { (out | end, 0) };
                    }
                    active = out | fell | std::mem::replace(&mut self.broke, outer);
                }
                Break(bit) => {
                    let gone = self.with(active, bit + rounds);
                    (self.broke, active) = (self.broke | gone, active & !gone);
                }
                Continue(bit) => {
                    let gone = self.with(active, bit + rounds);
                    (self.continued, active) = (self.continued | gone, active & !gone);
                }
                Return(bit) => {
                    let gone = self.with(active, bit + rounds);
                    (self.returned, active) = (self.returned | gone, active & !gone);
                }
                Call(body) => {
                    let outer = std::mem::take(&mut self.returned);
                    let out = self.block(body, active, rounds);
                    active = out | std::mem::replace(&mut self.returned, outer);
                }
            }
        }
        active
    }

    /// A loop: `round` gives those that start round n, and those at the end of its body.
    fn repeat(&mut self, active: u64, round: impl Fn(&mut Self, usize, u64) -> (u64, u64)) -> u64 {
        let outer = (std::mem::take(&mut self.broke), std::mem::take(&mut self.continued));
        let (mut on, mut out) = (active, 0);
        for n in 0.. {
            let (started, ended) = round(self, n, on);
            out |= on & !started;
            on = ended | std::mem::take(&mut self.continued);
            if on == 0 {
                break;
            }
        }
        out |= self.broke;
        (self.broke, self.continued) = outer;
        out
    }
}

fn walked(program: &[Statement], inputs: &[u32]) -> Vec<Vec<(u64, u32)>> {
    let n = inputs.len();
    let mut walk = Walk { inputs, notes: vec![vec![]; n], broke: 0, continued: 0, returned: 0 };
    walk.block(program, u64::MAX >> (64 - n), 0);
    walk.notes
}

fn compile(text: &str) -> Vec<u32> {
    let (source, module) = (scratch("reconvergence.comp"), scratch("reconvergence.spv"));
    std::fs::write(&source, text).unwrap();
    let mut tool = Command::new("glslangValidator");
    let output = run(tool.args(["-V", "--quiet", "--target-env", "vulkan1.3"]).arg(&source).arg("-o").arg(&module));
    let output = output.unwrap();
    assert!(output.status.success(), "{}\n{text}", show(&output));
    let bytes = std::fs::read(&module).unwrap();
    bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
}

#[test]
fn work_items_are_together_where_they_should() {
    if !installed("glslangValidator") {
        return skip("glslangValidator").unwrap();
    }
    let on = |machine| Session::new(&Config { machine, ..Config::watched() }).unwrap();
    let sessions: Vec<_> = wavepipe_tests::matrix::generations().into_iter().map(|m| (m.generation(), on(m))).collect();
    let mut diverged = 0;
    for seed in seeds(0, 40) {
        let program = program(seed);
        let text = glsl(&program);
        let words = compile(&text);
        let mut random = Random(seed ^ 0xabcd);
        // Some numbers are the same for many work-items, so that they stay together for a while.
        let some: Vec<u32> = (0..5).map(|_| random.bits() as u32).collect();
        let inputs: Vec<u32> =
            (0..ITEMS).map(|_| if random.one_in(3) { random.bits() as u32 } else { random.pick(&some) }).collect();
        // In turn on another generation than the default machine's.
        let (isa, session) = &sessions[seed as usize % sessions.len()];
        for wave in [WaveSize::W32, WaveSize::W64].into_iter().filter(|wave| wave.is_of(*isa)) {
            let lanes = wave.lanes() as usize;
            let out = vec![0; 4 * ITEMS * NOTES * WORDS];
            let data = inputs.iter().flat_map(|x| x.to_le_bytes()).collect();
            let job = Job {
                words: words.clone(),
                wave: Some(wave),
                groups: [1; 3],
                buffers: vec![(0, 0, out), (0, 1, data)],
                ..Job::default()
            };
            let out = session.run(&job).unwrap_or_else(|e| panic!("seed {seed} {isa:?}: {e}\n{text}")).remove(0);
            let out: Vec<u32> = out.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect();
            let wanted: Vec<_> = inputs.chunks(lanes).flat_map(|part| walked(&program, part)).collect();
            for (item, wanted) in wanted.iter().enumerate() {
                let notes = out[item * NOTES * WORDS..][..NOTES * WORDS].as_chunks::<WORDS>().0;
                for (n, (mask, place)) in wanted.iter().enumerate() {
                    let [low, high, found] = notes[n];
                    let met = u64::from(high) << 32 | u64::from(low);
                    assert_eq!(
                        (found, format!("{met:#x}")),
                        (*place, format!("{mask:#x}")),
                        "seed {seed}, {isa:?} {wave:?}, work-item {item}, note {n}\n{text}"
                    );
                    diverged += usize::from(mask.count_ones() != lanes as u32);
                }
                assert_eq!(notes[wanted.len().min(NOTES - 1)][2] * u32::from(wanted.len() < NOTES), 0, "seed {seed}");
            }
        }
    }
    assert!(diverged > 20_000, "programs diverge: {diverged}");
}
