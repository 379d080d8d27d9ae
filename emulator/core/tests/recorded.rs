//! The wave interpreter against recorded results of other machines, for every instruction that RDNA 1 shares with them in
//! meaning; and the table of rows that they speak for, `isa/src/coverage/vectors.txt`.

use crate::records::compare::{PassedOver, Trust, compare};
use crate::records::differences::{DIFFERENCES, Difference, LEFT_OUT, Passed};
use crate::records::machine::{Machine, PlacedCode};
use crate::records::programs::Program;
use crate::records::singles::{self, Single};
use crate::records::translate::{Names, resized};
use crate::records::{self, Case, Source};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::LazyLock;
use wavepipe_hw::code::WaveSize;
use wavepipe_isa::coverage::{self, Witness};
use wavepipe_isa::row::{Control, MemKind, Sem};
use wavepipe_isa::{Gen, Instr, Op, decode, encode};

/// What running all records of a source came to.
#[derive(Default)]
struct Report {
    right: usize,
    wrong: Vec<String>,
    /// Text that gfx1010 has no instruction for, and why.
    left_out: Vec<(String, String)>,
    /// The interpreter refuses.
    refused: BTreeSet<String>,
    confirmed: BTreeSet<Op>,
    /// Differences (by place in their table) without which a record of that row is not met.
    needed: BTreeSet<(usize, Op)>,
}

const SOURCES: [Source; 5] = [Source::Rdna3Programs, Source::Rdna3, Source::Rdna4, Source::Cdna, Source::Gfx900];

/// Every source's report; `None` if a file is missing.
static REPORTS: LazyLock<Option<Vec<(Source, Report)>>> = LazyLock::new(|| {
    let names = Names::read()?;
    let report = |source| match source {
        Source::Rdna3Programs => records::programs::read(&names).map(|p| run_programs(&p)),
        _ => singles::read(source).map(|s| run_singles(source, &s, &names)),
    };
    SOURCES.into_iter().map(|source| Some((source, report(source)?))).collect()
});

/// A record's instruction, placed for one wave size.
struct Job<'a> {
    single: &'a Single,
    instr: Instr,
    code: PlacedCode,
    cases: Vec<Case>,
    wave: WaveSize,
}

impl Report {
    fn place<'a>(&mut self, s: &'a Single, source: Source, names: &Names, machine: &mut Machine) -> Vec<Job<'a>> {
        let Some(own) = s.cases.first().map(|c| c.wave) else { return Vec::new() };
        if source == Source::Gfx900 {
            return self.place_as_it_is(s, source, machine).into_iter().collect();
        }
        let other = if own == WaveSize::W32 { WaveSize::W64 } else { WaveSize::W32 };
        let mut jobs = Vec::new();
        for wave in [own, other] {
            let text = if wave == own { Some(s.text.clone()) } else { resized(&s.text, wave) };
            let Some(text) = text else { continue };
            let instr = match names.instruction(&text, source, wave) {
                Ok(instr) => instr,
                Err(why) => {
                    self.left_out.push((text, why));
                    break;
                }
            };
            // What depends on the wave's size keeps its own.
            if wave != own && matches!(instr.op.row().sem, Sem::SaveExec | Sem::WriteExec | Sem::Wave(_)) {
                continue;
            }
            let mut words = Vec::new();
            encode::encode(&instr, Gen::Gfx1010, &mut words).expect("what was assembled encodes");
            if let (true, Some(recorded)) = (wave == own, &s.words)
                && words != *recorded
            {
                self.wrong.push(format!("{text}: {words:08x?}, recorded {recorded:08x?}"));
            }
            let cases = if wave == own { s.cases.clone() } else { singles::resize(&s.cases, s.scalar) };
            jobs.push(Job { single: s, instr, code: machine.single(wave, &words), cases, wave });
        }
        jobs
    }

    /// By the record's own words, if it has some for the source's generation.
    fn place_as_it_is<'a>(&mut self, s: &'a Single, source: Source, machine: &mut Machine) -> Option<Job<'a>> {
        let (words, wave) = (s.words.as_ref()?, s.cases.first()?.wave);
        // EXEC is empty in them, and the mask beside it is not written, whatever is compared.
        if s.text.starts_with("v_cmpx_") {
            self.left_out.push((s.text.clone(), "a wrong record".into()));
            return None;
        }
        match decode::decode(words, source.isa()) {
            Ok((instr, n)) if n == words.len() => {
                let code = machine.single(wave, words);
                Some(Job { single: s, instr, code, cases: s.cases.clone(), wave })
            }
            other => {
                self.wrong.push(format!("{}: {words:08x?} is {other:?}", s.text));
                None
            }
        }
    }

    fn run(&mut self, job: &Job<'_>, source: Source, machine: &mut Machine) {
        let (op, s) = (job.instr.op, job.single);
        let rules: Vec<(usize, &Difference)> =
            DIFFERENCES.iter().enumerate().filter(|(_, d)| d.concerns(op, source, s.variant)).collect();
        let states: Result<Vec<_>, _> = job.cases.iter().map(|c| machine.run(job.code, job.wave, &c.before)).collect();
        let states = match states {
            Ok(states) => states,
            Err(e) if e.contains("Unimplemented") => {
                self.refused.insert(s.text.clone());
                return;
            }
            Err(e) => return self.wrong.push(format!("{:?} {}: {e}", job.wave, s.text)),
        };
        let trust = Trust { sure: s.sure, approximate: s.approximate };
        // Lanes that agree, with some of the differences admitted.
        let judge = |without: Option<usize>| -> Result<u32, String> {
            let admitted = || rules.iter().filter(|(n, _)| Some(*n) != without).map(|(_, d)| d.passed);
            if admitted().any(|p| matches!(p, Passed::Record)) {
                return Ok(0);
            }
            let lanes = |s: &[u64; 4]| admitted().any(|p| matches!(p, Passed::Lanes(f) if f(s)));
            let mask = admitted().any(|p| matches!(p, Passed::Mask));
            let zero_sign = admitted().any(|p| matches!(p, Passed::ZeroSign));
            let upper = admitted().any(|p| matches!(p, Passed::Upper));
            let over = PassedOver { lanes: &lanes, mask, zero_sign, upper };
            job.cases.iter().zip(&states).map(|(c, got)| compare(&job.instr, c, got, trust, &over)).sum()
        };
        match judge(None) {
            Ok(agreed) => {
                self.right += 1;
                // A few lanes that happen to agree say nothing.
                let lanes = job.wave.lanes() * job.cases.len() as u32;
                if agreed > 0 && 4 * agreed >= lanes {
                    self.confirmed.insert(op);
                }
            }
            Err(e) => self.wrong.push(format!("{:?} {:?} {}: {e}", job.wave, s.variant, s.text)),
        }
        let needed = rules.iter().filter(|(n, _)| judge(Some(*n)).is_err()).map(|(n, _)| (*n, op));
        self.needed.extend(needed);
    }
}

fn run_singles(source: Source, singles: &[Single], names: &Names) -> Report {
    let (mut report, mut machine) = (Report::default(), Machine::new(source.isa()));
    let jobs: Vec<_> = singles.iter().flat_map(|s| report.place(s, source, names, &mut machine)).collect();
    for job in &jobs {
        report.run(job, source, &mut machine);
    }
    report
}

fn run_programs(programs: &[Program]) -> Report {
    let (mut report, mut machine) = (Report::default(), Machine::new(Gen::Gfx1010));
    let codes: Vec<PlacedCode> = programs.iter().map(|p| machine.program(&p.words)).collect();
    for (p, code) in programs.iter().zip(codes) {
        if let Some((text, Err(why))) = p.steps.iter().find(|(_, step)| step.is_err()) {
            report.left_out.push((format!("{}: {text}", p.name), why.clone()));
            continue;
        }
        match machine.run_program(code, p.lanes).and_then(|group| p.check(group)) {
            Ok(()) => {
                report.right += 1;
                report.confirmed.extend(
                    p.steps
                        .iter()
                        .filter_map(|(_, step)| Some(step.as_ref().ok()?.op))
                        .filter(|&op| leaves_a_trace(op)),
                );
            }
            Err(e) if e.contains("Unimplemented") => _ = report.refused.insert(p.name.clone()),
            Err(e) => report.wrong.push(format!("{}: {e}", p.name)),
        }
    }
    report
}

/// Whether a program that comes out right says anything of the row: waits, hints and caches leave no trace.
fn leaves_a_trace(op: Op) -> bool {
    match op.row().sem {
        Sem::Control(c) => matches!(
            c,
            Control::Barrier | Control::BranchVccnz | Control::BranchVccz | Control::BranchScc0 | Control::BranchScc1
        ),
        Sem::Mem(_, kind) => !matches!(kind, MemKind::Invalidate | MemKind::Hint),
        _ => true,
    }
}

#[test]
fn records_are_met() {
    let Some(reports) = &*REPORTS else { return };
    for (source, r) in reports {
        let name = source.name();
        println!("{name}: {} right, {} wrong, {} left out", r.right, r.wrong.len(), r.left_out.len());
        r.refused.iter().for_each(|text| println!("{name}: not executed: {text}"));
        r.wrong.iter().for_each(|text| println!("{name}: WRONG {text}"));
        let least = match source {
            Source::Rdna3Programs => 680,
            // One size of waves, and words of their own.
            Source::Gfx900 => 1000,
            _ => 1900,
        };
        assert!(r.right >= least, "{name} shrank");
    }
    assert!(reports.iter().all(|(_, r)| r.wrong.is_empty()));
}

/// What is left out has no instruction here, or is in the table with its reason.
#[test]
fn what_is_left_out_has_a_reason() {
    let Some(reports) = &*REPORTS else { return };
    let mut used = BTreeSet::new();
    let mut unexplained = Vec::new();
    for (text, why) in reports.iter().flat_map(|(_, r)| &r.left_out) {
        let reason = LEFT_OUT.iter().find(|(part, _)| text.contains(part));
        match reason {
            Some((part, _)) => _ = used.insert(*part),
            None if why.starts_with("no instruction ") => {}
            None => unexplained.push(format!("{text}: {why}")),
        }
    }
    assert!(unexplained.is_empty(), "{}", unexplained.join("\n"));
    let idle: Vec<_> = LEFT_OUT.iter().filter(|(part, _)| !used.contains(part)).collect();
    assert!(idle.is_empty(), "nothing is left out for {idle:?}");
}

#[test]
fn every_difference_is_needed() {
    let Some(reports) = &*REPORTS else { return };
    let needed: BTreeSet<(usize, Op)> = reports.iter().flat_map(|(_, r)| r.needed.iter().copied()).collect();
    let entries = DIFFERENCES.iter().enumerate().flat_map(|(n, d)| d.rows.iter().map(move |&op| (n, op, d.why)));
    let idle: Vec<String> = entries
        .filter(|(n, op, _)| !needed.contains(&(*n, *op)))
        .map(|(_, op, why)| format!("{op:?}: {why}"))
        .collect();
    assert!(idle.is_empty(), "records agree without these:\n{}", idle.join("\n"));
}

/// The committed table names the rows that were confirmed, and by which records: no more and no fewer.
#[test]
fn the_table_of_witnesses_is_what_the_records_confirm() {
    let Some(reports) = &*REPORTS else { return };
    let mut computed: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (source, r) in reports {
        r.confirmed.iter().for_each(|op| computed.entry(op.row().name).or_default().push(source.name()));
    }
    let computed: BTreeMap<&str, String> = computed.into_iter().map(|(name, by)| (name, by.join(" "))).collect();
    let recorded = |op: Op| coverage::evidence(op).iter().find(|e| e.witness == Witness::Vectors);
    let committed: BTreeMap<&str, String> =
        Op::all().filter_map(|op| Some((op.row().name, recorded(op)?.what.to_string()))).collect();
    if committed != computed {
        let file = Path::new(env!("CARGO_TARGET_TMPDIR")).join("vectors.txt");
        let lines: String = computed.iter().map(|(name, by)| format!("{name}: {by}\n")).collect();
        std::fs::write(&file, lines).expect("the target directory is writable");
        panic!("isa/src/coverage/vectors.txt is not what the records confirm; the right table is {}", file.display())
    }
}
