//! File tests: a form's text in, a pass, the text out. `compiler/tests/filetests` has one file a case; its ending says which
//! form stands in it: `.ir`, `.mir` or `.s` (the machine form: assembly in blocks).
//!
//! A file begins with directives in comments (`;`, in `.ir` `#`), one a line:
//!
//! ```text
//! ; pass: NAME          one of the passes of the form, as `wavepipe compile --dump` names them, or of those below
//! ; vgprs: 16           how many there are, for `allocate` (default 256)
//! ; scratch: s0 s4      numbers of the registers that hold the scratch ring's V# and the wave's offset in it
//! ; spill: v3 s5        registers for `spill`
//! ; wave: 64            for `select` (default 32)
//! ```
//!
//! Other comments there say what the case shows. The text follows, and behind a line `; ==> expected` what the pass makes of
//! it. `WAVEPIPE_BLESS=1` writes that anew; read the difference before you commit it. What goes in and what comes out is
//! validated, an allocation is checked, and texts must read back as what was printed.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use wavepipe_compiler::analysis::divergence::Divergence;
use wavepipe_compiler::back::calls::Convention;
use wavepipe_compiler::back::machine::{self, Machine};
use wavepipe_compiler::back::{checker, coalesce, liveness, regalloc, select, spill};
use wavepipe_compiler::inspect::{Checks, Form, Inspector, Pass};
use wavepipe_compiler::ir::Kernel;
use wavepipe_compiler::mir::{Func, Part};
use wavepipe_compiler::{Options, opt, pipeline};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::{BindingKind, BindingLayout, PipelineLayout, Place, SetLayout};
use wavepipe_isa::Gen;

/// A case: its directives, what goes in, what shall come out.
struct Case<'a> {
    head: &'a str,
    input: &'a str,
    expected: &'a str,
}

const MARK: &str = " ==> expected\n";

impl<'a> Case<'a> {
    fn new(text: &'a str, comment: &str) -> Result<Case<'a>, String> {
        let (before, expected) = match text.find(&format!("{comment}{MARK}")) {
            Some(at) => (&text[..at], &text[at + comment.len() + MARK.len()..]),
            None => (text, ""),
        };
        let end = before.lines().take_while(|l| l.starts_with(comment)).map(|l| l.len() + 1).sum::<usize>();
        let (head, input) = before.split_at_checked(end).ok_or("no text behind the directives")?;
        Ok(Case { head, input, expected })
    }

    fn directive(&self, name: &str) -> Option<&'a str> {
        self.head.lines().find_map(|l| l[1..].trim().strip_prefix(name)?.strip_prefix(':').map(str::trim))
    }

    fn number(&self, name: &str, default: u32) -> Result<u32, String> {
        let Some(text) = self.directive(name) else { return Ok(default) };
        text.parse().map_err(|_| format!("{name}: {text} is no number"))
    }

    /// Registers named by a directive.
    fn registers(&self, name: &str, f: &Func) -> Result<Vec<Part>, String> {
        let words = self.directive(name).unwrap_or_default().split_whitespace();
        words
            .map(|w| {
                let r: u32 = w[1..].parse().map_err(|_| format!("{name}: {w} is no register"))?;
                let info = f.regs.get(r as usize).ok_or_else(|| format!("{name}: there is no {w}"))?;
                Ok(Part { reg: r, sub: 0, len: info.dwords })
            })
            .collect()
    }
}

/// The text of a form that keeps its rules and reads back.
fn sound<F: Form>(form: &F) -> Result<String, String> {
    form.validate()?;
    form.reads_back()?;
    Ok(form.to_string())
}

fn pass<F: Form>(passes: &[Pass<F>], name: &str, form: &mut F) -> Result<String, String> {
    let pass =
        passes.iter().find(|p| p.name == name).ok_or_else(|| format!("there is no pass `{name}` of {}", F::NAME))?;
    (pass.run)(form);
    sound(form)
}

fn ir(case: &Case<'_>, name: &str) -> Result<String, String> {
    let mut k: Kernel = case.input.parse().map_err(|e| format!("{e}"))?;
    sound(&k)?;
    let isa = match case.directive("isa") {
        Some(name) => Gen::named(name).ok_or(format!("isa: there is no {name}"))?,
        None => Gen::default(),
    };
    k.each(&mut |k| k.isa = isa);
    match name {
        "select" => {
            let least = WaveSize::least(isa);
            let wave = if case.number("wave", least.lanes())? == 64 { WaveSize::W64 } else { WaveSize::W32 };
            let divergence = Divergence::of_all(&k);
            let layout = layout();
            let options = Options { isa, wave, ..Options::new("k", &layout) };
            let all = select::select_all(&k, &divergence, &options, false).map_err(|e| e.to_string())?;
            all.funcs.iter().map(sound).collect()
        }
        "lower" => {
            opt::lower(&mut k, &mut Inspector::new(Checks::On, None)).map_err(|e| e.to_string())?;
            sound(&k)
        }
        "optimise" => {
            opt::optimise(&mut k, &mut Inspector::new(Checks::On, None)).map_err(|e| e.to_string())?;
            sound(&k)
        }
        name => pass(opt::OPTIMISE, name, &mut k),
    }
}

/// Set 0 with eight storage buffers.
fn layout() -> PipelineLayout {
    let kind = BindingKind::StorageBuffer;
    let binding = |b| BindingLayout { binding: b, kind, count: 1, place: Place::Set(16 * b), stride: 16 };
    PipelineLayout {
        sets: vec![SetLayout { bindings: (0..8).map(binding).collect(), size: 128 }],
        push_constant_bytes: 64,
    }
}

fn mir(case: &Case<'_>, name: &str) -> Result<String, String> {
    let mut f: Func = case.input.parse().map_err(|e| format!("{e}"))?;
    sound(&f)?;
    let scratch = match case.registers("scratch", &f)?[..] {
        [] => None,
        [ring, wave] => Some((ring, wave)),
        _ => return Err("scratch: wants the ring and the offset".into()),
    };
    let mut slots = spill::Slots::default();
    match name {
        "coalesce" => {
            let classes = coalesce::coalesce(&f, &liveness::Liveness::new(&f));
            let mut out = sound(&f)?;
            for (r, &(root, at)) in classes.place.iter().enumerate().filter(|&(r, p)| p.0 != r as u32) {
                let _ = writeln!(out, "; register {r} is {root}[{at}]");
            }
            Ok(out)
        }
        "spill" => {
            let regs = case.registers("spill", &f)?.iter().map(|p| p.reg).collect();
            spill::spill(&mut f, &regalloc::Spill { regs }, &mut slots, scratch)?;
            sound(&f)
        }
        "allocate" => {
            let (vgprs, convention) = (case.number("vgprs", 256)?, Convention::default());
            let room = regalloc::Room { vgprs, convention: &convention, functions: &[] };
            let before = f.clone();
            let mut inspector = Inspector::new(Checks::On, None);
            let assignment =
                pipeline::allocate(&mut f, &room, &mut slots, scratch, &mut inspector).map_err(|e| e.to_string())?;
            let scratch_bytes = (0, slots.scratch_bytes);
            let after = checker::Allocated { func: &f, assignment: &assignment, scratch, scratch_bytes, room: &room };
            checker::check(&before, &after).map_err(|e| e.to_string())?;
            let text = sound(&regalloc::Assigned { func: &f, assignment: &assignment })?;
            let spill::Slots { spilled_sgprs, spilled_vgprs, scratch_bytes, .. } = slots;
            let (sgprs, vgprs) = (assignment.sgprs, assignment.vgprs);
            Ok(format!(
                "{text}; {sgprs} SGPRs, {vgprs} VGPRs; spilled {spilled_sgprs} and {spilled_vgprs}, scratch {scratch_bytes}\n"
            ))
        }
        "machine" => {
            let assignment = regalloc::Assignment::fixed(&f).ok_or("a register has no place: write it as %v1@v0")?;
            sound(&machine::lower(&f, &assignment, 0)?)
        }
        name => pass(pipeline::SELECTED, name, &mut f),
    }
}

fn assembly(case: &Case<'_>, name: &str) -> Result<String, String> {
    let mut m: Machine = case.input.parse().map_err(|e| format!("{e}"))?;
    sound(&m)?;
    pass(pipeline::MACHINE, name, &mut m)
}

fn run(path: &Path) -> Result<(), String> {
    let text = std::fs::read_to_string(path).map_err(|e| e.to_string())?;
    let form = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
    let comment = if form == "ir" { "#" } else { ";" };
    let case = Case::new(&text, comment)?;
    let name = case.directive("pass").ok_or("no directive `pass`")?;
    let made = match form {
        "ir" => ir(&case, name),
        "mir" => mir(&case, name),
        _ => assembly(&case, name),
    }?;
    if made == case.expected {
        return Ok(());
    }
    if std::env::var_os("WAVEPIPE_BLESS").is_some() {
        let text = format!("{}{}{comment}{MARK}{made}", case.head, case.input);
        return std::fs::write(path, text).map_err(|e| e.to_string());
    }
    Err(format!("`{name}` makes another text (WAVEPIPE_BLESS=1 takes it):\n{}", difference(case.expected, &made)))
}

/// The lines from the first that differs on.
fn difference(expected: &str, made: &str) -> String {
    let same = expected.lines().zip(made.lines()).take_while(|(a, b)| a == b).count();
    let rest =
        |text: &str, sign: &str| text.lines().skip(same).take(12).map(|l| format!("{sign} {l}\n")).collect::<String>();
    format!("line {}:\n{}{}", same + 1, rest(expected, "-"), rest(made, "+"))
}

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests");
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|f| f.unwrap().path()).collect();
    files.retain(|p| p.extension().is_some_and(|e| ["ir", "mir", "s"].iter().any(|x| e == *x)));
    files.sort();
    files
}

#[test]
fn passes_make_what_the_files_expect() {
    let failed: Vec<String> = files()
        .iter()
        .filter_map(|p| run(p).err().map(|e| format!("{}: {e}", p.file_name().unwrap_or_default().to_string_lossy())))
        .collect();
    assert!(failed.is_empty(), "{} files fail\n{}", failed.len(), failed.join("\n"));
}

/// Each pass of each form has a file at least.
#[test]
fn every_pass_has_a_file() {
    let mut tested: Vec<(String, String)> = Vec::new();
    for path in files() {
        let text = std::fs::read_to_string(&path).unwrap();
        let form = path.extension().unwrap().to_string_lossy().into_owned();
        let case = Case::new(&text, if form == "ir" { "#" } else { ";" }).unwrap();
        tested.push((form, case.directive("pass").unwrap_or_default().to_string()));
    }
    // A pass that runs again has the name of what ran before it behind its own.
    let ir = opt::OPTIMISE.iter().map(|p| p.name).filter(|n| !n.contains(' ')).chain(["lower", "select"]);
    let mir = pipeline::SELECTED.iter().map(|p| p.name).chain(["coalesce", "spill", "allocate", "machine"]);
    let machine = pipeline::MACHINE.iter().map(|p| p.name);
    let wanted = ir.map(|n| ("ir", n)).chain(mir.map(|n| ("mir", n))).chain(machine.map(|n| ("s", n)));
    let missing: Vec<(&str, &str)> =
        wanted.filter(|(form, name)| !tested.iter().any(|(f, n)| f == form && n == name)).collect();
    assert!(missing.is_empty(), "no file in tests/filetests runs {missing:?}");
}
