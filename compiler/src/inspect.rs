//! What looks at a form of a kernel after each pass: its validator, if checks are on, and the dump, if somebody wants it.

use crate::error::{CompileError, ErrorKind, Result};
use std::fmt;

/// Whether the compiler checks itself: after every pass, that the form keeps its rules and that its text reads back; and the
/// register allocation by a checker of its own.
///
/// Checks decide about nothing but whether there is an error, so they hash to nothing: code that was compiled with them is
/// the code that is compiled without.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Checks {
    #[default]
    Off,
    On,
}

impl std::hash::Hash for Checks {
    fn hash<H: std::hash::Hasher>(&self, _: &mut H) {}
}

/// The text of an intermediate form after a pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dump {
    /// `ir`, `mir` or `machine`.
    pub form: &'static str,
    pub pass: &'static str,
    pub text: String,
}

/// A form that a kernel has on its way: its display is its text.
pub trait Form: fmt::Display {
    const NAME: &'static str;

    /// # Errors
    /// The first of the form's rules that is broken, and where.
    fn validate(&self) -> std::result::Result<(), String>;

    /// Its text, read back, is the form again.
    ///
    /// # Errors
    /// What the text lost, or why it cannot be read.
    fn reads_back(&self) -> std::result::Result<(), String>;
}

/// What [`Form::reads_back`] finds, given what was read.
pub fn same_text(printed: &str, read: impl fmt::Display) -> std::result::Result<(), String> {
    let read = read.to_string();
    let differs = printed.lines().zip(read.lines()).find(|(a, b)| a != b);
    match differs {
        Some((a, b)) => Err(format!("the text `{}` reads as `{}`", a.trim(), b.trim())),
        None if printed.lines().count() != read.lines().count() => Err("the text loses lines when it is read".into()),
        None => Ok(()),
    }
}

/// A step that rewrites a form.
pub struct Pass<F> {
    pub name: &'static str,
    pub run: fn(&mut F),
}

/// Walks with a kernel through all passes.
#[derive(Default)]
pub struct Inspector<'a> {
    checks: Checks,
    dumps: Option<&'a mut Vec<Dump>>,
}

impl<'a> Inspector<'a> {
    pub fn new(checks: Checks, dumps: Option<&'a mut Vec<Dump>>) -> Inspector<'a> {
        Inspector { checks, dumps }
    }

    /// Whether checks are on.
    pub fn checks(&self) -> bool {
        self.checks == Checks::On
    }

    /// To be called behind every pass.
    ///
    /// # Errors
    /// Checks are on, and the form breaks a rule: that is a bug of `pass`.
    pub fn after<F: Form>(&mut self, pass: &'static str, form: &F) -> Result<()> {
        if let Some(dumps) = &mut self.dumps {
            dumps.push(Dump { form: F::NAME, pass, text: form.to_string() });
        }
        if self.checks() {
            form.validate().and_then(|()| form.reads_back()).map_err(|e| broken(pass, e))?;
        }
        Ok(())
    }

    /// Runs passes one after the other, and looks at what each made.
    ///
    /// # Errors
    /// As of [`Self::after`].
    pub fn run<F: Form>(&mut self, passes: &[Pass<F>], form: &mut F) -> Result<()> {
        for pass in passes {
            (pass.run)(form);
            self.after(pass.name, form)?;
        }
        Ok(())
    }
}

/// What a form's text does not show, from how the form and what was read print in full.
pub fn lost(form: &str, read: &str) -> std::result::Result<(), String> {
    let same = form.bytes().zip(read.bytes()).take_while(|(a, b)| a == b).count();
    if same == form.len() && same == read.len() {
        return Ok(());
    }
    let near = |text: &str| {
        String::from_utf8_lossy(&text.as_bytes()[same.saturating_sub(120)..(same + 40).min(text.len())]).into_owned()
    };
    Err(format!("the text does not show `{}`, which reads as `{}`", near(form), near(read)))
}

/// What is said of a pass that broke a rule.
pub fn broken(pass: &str, what: impl fmt::Display) -> CompileError {
    CompileError { kind: ErrorKind::Internal, site: None, message: format!("after {pass}: {what}") }
}
