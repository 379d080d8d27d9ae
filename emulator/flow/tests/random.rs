//! Numbers, and random code in the ways that compilers handle lanes, with a plain machine that goes through it: EXEC and masks have
//! values, conditions are thrown, and nothing else is computed.

use std::collections::BTreeMap;
use wavepipe_isa::{Gen, asm};

/// Knuth's generator.
pub struct Random(pub u64);

impl Random {
    pub fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    pub fn mask(&mut self) -> u64 {
        [0, self.below(1 << 31) << 32 | self.below(1 << 31), !0][self.below(3) as usize]
    }
}

/// What a line of the code does to masks and control.
#[derive(Clone, Debug)]
pub enum Does {
    Nothing,
    /// A comparison: a thrown mask of lanes that are on.
    Throw(&'static str),
    /// `mask = a op b`.
    Mask(String, char, String, String),
    /// `kept = EXEC; EXEC = src op EXEC`, the operation as in [`Does::Mask`].
    Save(String, char, String),
    BranchIfNone(usize),
    BranchIfSome(usize),
    BranchThrown(usize),
    End,
}

pub struct Line {
    pub text: String,
    pub does: Does,
}

/// Code as it is made.
pub struct Code {
    pub lines: Vec<Line>,
    labels: usize,
    /// Where each label is: the number of the line behind it.
    places: BTreeMap<usize, usize>,
    lanes: u32,
    /// The next pair of SGPRs for a mask.
    masks: u32,
}

pub const GEN: Gen = Gen::Gfx1010;

impl Code {
    pub fn random(random: &mut Random, lanes: u32) -> Code {
        let mut code = Code { lines: Vec::new(), labels: 0, places: BTreeMap::new(), lanes, masks: 20 };
        code.body(random, 3);
        code.push("s_endpgm", Does::End);
        code
    }

    /// Its words, and where each line's instruction begins, in dwords.
    pub fn words(&self) -> (Vec<u32>, Vec<usize>) {
        let mut text = String::new();
        for (n, line) in self.lines.iter().enumerate() {
            for (label, _) in self.places.iter().filter(|(_, at)| **at == n) {
                text += &format!("BB{label}:\n");
            }
            text += &format!("{}\n", line.text);
        }
        let words = asm::assemble(&text, GEN, self.lanes).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let (mut at, mut starts) = (0, Vec::new());
        while at < words.len() {
            starts.push(at);
            at += wavepipe_isa::decode::decode(&words[at..], GEN).unwrap().1;
        }
        assert_eq!(starts.len(), self.lines.len(), "{text}");
        (words, starts)
    }

    /// A walk through it: lines, each with EXEC in front of it; cut off after so many.
    pub fn walk(&self, random: &mut Random, most: usize) -> Vec<(usize, u64)> {
        let all = if self.lanes == 64 { !0 } else { 0xffff_ffff };
        let mut masks: BTreeMap<String, u64> = BTreeMap::new();
        let mut exec: u64 = all;
        let (mut at, mut out) = (0, Vec::new());
        while out.len() < most {
            out.push((at, exec));
            let value = |masks: &BTreeMap<String, u64>, name: &str| match name {
                "exec" => exec,
                "0" => 0,
                "-1" => all,
                name => masks.get(name).copied().unwrap_or(0),
            };
            let join = |op: char, a: u64, b: u64| match op {
                '&' => a & b,
                '|' => a | b,
                '^' => a ^ b,
                '-' => a & !b,
                _ => a,
            };
            let mut next = at + 1;
            match &self.lines[at].does {
                Does::Nothing => {}
                Does::Throw(to) => {
                    masks.insert((*to).into(), random.mask() & exec);
                }
                Does::Mask(to, op, a, b) => {
                    let new = join(*op, value(&masks, a), value(&masks, b));
                    if to == "exec" {
                        exec = new
                    } else {
                        let _ = masks.insert(to.clone(), new);
                    }
                }
                Does::Save(kept, op, src) => {
                    let (old, src) = (exec, value(&masks, src));
                    masks.insert(kept.clone(), old);
                    exec = join(*op, src, old);
                }
                Does::BranchIfNone(to) if exec == 0 => next = self.places[to],
                Does::BranchIfSome(to) if exec != 0 => next = self.places[to],
                Does::BranchThrown(to) if random.below(2) == 0 => next = self.places[to],
                Does::BranchIfNone(_) | Does::BranchIfSome(_) | Does::BranchThrown(_) => {}
                Does::End => break,
            }
            at = next;
        }
        out
    }

    fn push(&mut self, text: impl Into<String>, does: Does) {
        self.lines.push(Line { text: text.into(), does });
    }

    fn label(&mut self) -> usize {
        self.labels += 1;
        self.labels - 1
    }

    fn here(&mut self, label: usize) {
        self.places.insert(label, self.lines.len());
    }

    /// As assembly writes it.
    fn name(&self, mask: &str) -> String {
        match (mask, self.lanes) {
            ("exec", 32) => "exec_lo".into(),
            ("vcc", 32) => "vcc_lo".into(),
            (m, 64) if m.starts_with('s') => {
                let n: u32 = m[1..].parse().unwrap();
                format!("s[{n}:{}]", n + 1)
            }
            (m, _) => m.into(),
        }
    }

    fn mask(&mut self, to: &str, op: char, a: &str, b: &str) {
        let name = match op {
            '&' => "and",
            '|' => "or",
            '^' => "xor",
            '-' => "andn2",
            _ => "mov",
        };
        let bits = self.lanes;
        let operands = match op {
            '=' => format!("{}, {}", self.name(to), self.name(a)),
            _ => format!("{}, {}, {}", self.name(to), self.name(a), self.name(b)),
        };
        self.push(format!("s_{name}_b{bits} {operands}"), Does::Mask(to.into(), op, a.into(), b.into()));
    }

    fn save(&mut self, kept: &str, op: char, src: &str) {
        let name = match op {
            '&' => "and",
            '|' => "or",
            _ => "andn2",
        };
        let text = format!("s_{name}_saveexec_b{} {}, {}", self.lanes, self.name(kept), self.name(src));
        self.push(text, Does::Save(kept.into(), op, src.into()));
    }

    fn throw(&mut self, random: &mut Random) {
        let (a, b, vcc) = (random.below(8), random.below(8), self.name("vcc"));
        self.push(format!("v_cmp_lt_f32_e32 {vcc}, v{a}, v{b}"), Does::Throw("vcc"));
    }

    fn fresh(&mut self) -> String {
        self.masks += 2;
        format!("s{}", self.masks - 2)
    }

    fn body(&mut self, random: &mut Random, depth: u32) {
        for _ in 0..2 + random.below(4) {
            let [a, b, c] = [random.below(8), random.below(8), random.below(8)];
            let [d, e, f] = [random.below(12), random.below(12), random.below(12)];
            let vcc = self.name("vcc");
            match random.below(if depth == 0 || self.masks > 90 { 6 } else { 11 }) {
                0 | 1 => self.push(format!("v_add_f32_e32 v{a}, v{b}, v{c}"), Does::Nothing),
                2 => self.push(format!("v_mov_b32_e32 v{a}, s{d}"), Does::Nothing),
                3 => self.push(format!("s_add_i32 s{d}, s{e}, s{f}"), Does::Nothing),
                4 => self.push(format!("v_fmac_f32_e32 v{a}, v{b}, v{c}"), Does::Nothing),
                5 => self.push(format!("v_cndmask_b32_e32 v{a}, v{b}, v{c}, {vcc}"), Does::Nothing),
                6 | 7 => self.narrowed(random, depth),
                8 => self.two_sided(random, depth),
                9 => self.looped(random, depth),
                _ => self.uniform(random, depth),
            }
        }
    }

    /// A part for some lanes.
    fn narrowed(&mut self, random: &mut Random, depth: u32) {
        let (end, kept) = (self.label(), self.fresh());
        self.throw(random);
        self.save(&kept, '&', "vcc");
        if random.below(2) == 0 {
            self.push(format!("s_cbranch_execz BB{end}"), Does::BranchIfNone(end));
        }
        self.body(random, depth - 1);
        self.here(end);
        if random.below(2) == 0 {
            self.mask("exec", '|', "exec", &kept);
        } else {
            self.mask("exec", '=', &kept, "0");
        }
    }

    /// Lanes go one way or the other.
    fn two_sided(&mut self, random: &mut Random, depth: u32) {
        let (other, end, kept, rest) = (self.label(), self.label(), self.fresh(), self.fresh());
        self.throw(random);
        self.save(&kept, '&', "vcc");
        let way = random.below(3);
        if way == 2 {
            // As this project's compiler does.
            self.body(random, depth - 1);
            self.mask("exec", '^', &kept, "exec");
            self.body(random, depth - 1);
            self.mask("exec", '=', &kept, "0");
            return;
        }
        if way == 0 {
            // As LLVM does.
            self.mask(&rest, '^', "exec", &kept);
            self.push(format!("s_cbranch_execz BB{other}"), Does::BranchIfNone(other));
            self.body(random, depth - 1);
            self.here(other);
            self.save(&kept, '|', &rest);
            self.mask("exec", '^', "exec", &kept);
            self.mask("exec", '&', &rest, "exec");
            self.mask(&kept, '|', &kept, &rest);
        } else {
            self.mask(&rest, '-', &kept, "exec");
            self.body(random, depth - 1);
            self.mask("exec", '=', &rest, "0");
        }
        self.push(format!("s_cbranch_execz BB{end}"), Does::BranchIfNone(end));
        self.body(random, depth - 1);
        self.here(end);
        self.mask("exec", '|', "exec", &kept);
    }

    /// Lanes leave a loop, each when it is done.
    fn looped(&mut self, random: &mut Random, depth: u32) {
        let (begin, kept) = (self.label(), self.fresh());
        self.mask(&kept, '=', "exec", "0");
        self.here(begin);
        self.body(random, depth - 1);
        self.throw(random);
        self.mask("exec", '-', "exec", "vcc");
        self.push(format!("s_cbranch_execnz BB{begin}"), Does::BranchIfSome(begin));
        self.mask("exec", '=', &kept, "0");
    }

    fn uniform(&mut self, random: &mut Random, depth: u32) {
        let end = self.label();
        self.push("s_cmp_eq_u32 s0, s1", Does::Nothing);
        self.push(format!("s_cbranch_scc0 BB{end}"), Does::BranchThrown(end));
        self.body(random, depth - 1);
        self.here(end);
    }
}
