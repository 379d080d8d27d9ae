//! `wavepipe test --debug`: a case on a machine that is held, where it goes wrong if it does.

use crate::debug;
use crate::failure::{Failure, Result};
use std::sync::Arc;
use wavepipe::bind::Prepared;
use wavepipe::held::{self, Uploaded};
use wavepipe::inspect::program::Space;
use wavepipe::inspect::{Session, Thing};
use wavepipe_check::act::Loaded;
use wavepipe_check::case::{Case, Stopped};
use wavepipe_check::play::{Do, Play};
use wavepipe_runtime::{Config, Device};

/// Opens the case in the debugger: where there is a fault or a finding, else in front of its first instruction.
pub fn run(case: &Case, checks: Option<&str>) -> Result<()> {
    let ready = case.ready(checks).map_err(|stopped| match stopped {
        Stopped::Refused(text) => Failure::Unsupported(text),
        Stopped::Wrong(text) => Failure::Usage(text),
    })?;
    let mut at = None;
    begun(&ready.play, &debug::stopping(&ready.config), true, |held, device, _| {
        at = debug::found(held, device);
        Ok(())
    })?;
    let config = Config { timeout: None, ..ready.config };
    begun(&ready.play, &config, false, |held, device, codes| debug::launched(held, device, codes, at))
}

/// The case's dispatches, submitted to a machine that is held: up to what the host does between them, which it would have to wait for.
fn begun(
    play: &Play,
    config: &Config,
    checked: bool,
    f: impl FnOnce(Session, &Arc<Device>, &[Uploaded]) -> Result<()>,
) -> Result<()> {
    let (session, mut held) = held::machine(config, checked)?;
    let mut loaded = Loaded::on(play, session)?;
    for act in &play.acts {
        match &act.what {
            Do::Dispatch(d) => loaded.dispatch(d)?,
            _ if !loaded.waiting.is_empty() && matches!(act.what, Do::Copy { .. } | Do::Write { .. }) => {
                eprintln!("wavepipe: line {}: the host writes between dispatches; those before are debugged", act.line);
                break;
            }
            Do::Copy { from, to } => loaded.copy(*from, *to)?,
            Do::Write { resource, at, bytes } => loaded.write(*resource, *at, bytes)?,
            Do::Expect(_) => {}
        }
    }
    let codes: Vec<Uploaded> =
        loaded.pipelines.iter().map(|p| (p.address(), Arc::new(p.code_object().clone()))).collect();
    held::add_programs(&mut held, &codes);
    for (resource, made) in play.resources.iter().zip(&loaded.made) {
        if let (Prepared::Buffer { view, .. }, Some((at, bytes))) = (&resource.prepared, made.memory()) {
            let form = held::form_of(view.uniform());
            held.add_name(resource.name.clone(), Thing { space: Space::Memory, at, bytes, form });
        }
    }
    let submitted = loaded.session.begin_steps(&std::mem::take(&mut loaded.waiting))?;
    let ended = f(held, loaded.session.device(), &codes);
    drop(submitted);
    ended
}
