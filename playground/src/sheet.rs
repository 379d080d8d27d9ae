//! The kernel of a job's first dispatch as one page, which is a file of its own.

use crate::asked::Shading;
use crate::given;
use crate::source;
use serde_json::{Value, json};
use wavepipe::{Result, sheet};
use wavepipe_page::{SourceText, html};

/// Runs the job, and makes the page of what it did.
pub fn answer(shading: &Shading) -> Result<Value> {
    let work = given::opened(shading)?;
    let sheet::Ran { code, machine, run } = sheet::run(&work, 0, given::run_config(shading)?)?;
    let own = |name: &&String| source::is_own(name, shading.language);
    let text = |name: &String| SourceText { name: name.clone(), text: shading.source.clone() };
    let sources = code.files.iter().filter(own).map(text).collect();
    let kernel = sheet::Kernel { work: &work, at: 0, code: &code, machine: &machine, run, sources };
    Ok(json!({ "name": work.entries[0].name, "html": html::sheet(&kernel.sheet()) }))
}
