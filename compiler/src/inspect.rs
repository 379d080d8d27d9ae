//! What looks at a form of a kernel after each pass: its validator, if checks are on, and the dump, if somebody wants it.

use crate::error::{CompileError, ErrorKind, Result};
use std::fmt;

/// Whether the compiler checks itself: a validator after every pass, and the checker of the register allocation.
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
            form.validate().map_err(|e| broken(pass, e))?;
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

/// What is said of a pass that broke a rule.
pub fn broken(pass: &str, what: impl fmt::Display) -> CompileError {
    CompileError { kind: ErrorKind::Internal, site: None, message: format!("after {pass}: {what}") }
}
