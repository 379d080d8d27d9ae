//! The kernel of a job's first dispatch as one page, which is a file of its own.

use crate::asked::Shading;
use crate::given;
use crate::source::{self, open};
use serde_json::{Value, json};
use std::time::Duration;
use wavepipe::{Failure, Result, sheet};
use wavepipe_page::{SourceText, html};
use wavepipe_runtime::Config;

/// Runs the job, and makes the page of what it did.
pub fn answer(shading: &Shading) -> Result<Value> {
    let shader = open(shading).map_err(|m| Failure::usage(m.message))?;
    let work = given::work(shading, &shader)?;
    // A person waits, and can stop it.
    let config = Config { timeout: Some(Duration::from_secs(600)), ..given::config(shading)? };
    let sheet::Ran { code, machine, run } = sheet::run(&work, 0, config)?;
    let own = |name: &&String| name.ends_with(source::name(shading.language));
    let text = |name: &String| SourceText { name: name.clone(), text: shading.source.clone() };
    let sources = code.files.iter().filter(own).map(text).collect();
    let kernel = sheet::Kernel { work: &work, at: 0, code: &code, machine: &machine, run, sources };
    Ok(json!({ "name": work.entries[0].name, "html": html::sheet(&kernel.sheet()) }))
}
