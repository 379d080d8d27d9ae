//! A job's kernel as a page has it, compiled or run.

use crate::failure::Result;
use crate::profile::Profile;
use crate::shader::Special;
use crate::work::Work;
use std::path::Path;
use std::sync::Arc;
use wavepipe_page::{Input, Run, Sheet, SourceText};
use wavepipe_runtime::compiler::{self, Options};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::hw::file;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::simple::{self, Session};
use wavepipe_runtime::{Config, Trace};

/// Bytes of a source file that is shown, at most.
const SOURCE_BYTES: u64 = 16 << 20;

/// A kernel of a job.
pub struct Kernel<'a> {
    pub work: &'a Work,
    /// Which of its dispatches.
    pub at: usize,
    pub code: &'a CodeObject,
    pub machine: &'a Arc<Machine>,
    pub run: Option<Run>,
    pub sources: Vec<SourceText>,
}

impl Kernel<'_> {
    pub fn sheet(self) -> Sheet {
        let special = &self.work.specials[self.at];
        let ir = ir(&special.words, &self.work.entries[self.at].name, special, self.code);
        Sheet::new(Input {
            shader: &self.work.job.dispatches[self.at].shader.display().to_string(),
            code: self.code,
            machine: self.machine,
            sources: &self.sources,
            ir: ir.as_deref(),
            run: self.run,
        })
    }
}

/// The code of one of a job's dispatches, and what the clock counted.
pub struct Ran {
    pub code: CodeObject,
    pub machine: Arc<Machine>,
    pub run: Option<Run>,
}

/// Runs a job on the clock of a device of its own.
pub fn run(work: &Work, at: usize, config: Config) -> Result<Ran> {
    let machine = config.machine.clone();
    let (trace, waves) = Trace::kept();
    let session = Session::new(&Config { timing: true, trace: Some(trace), ..config })?;
    let loaded = work.load(&session)?;
    loaded.run(&session)?;
    let pipeline = &loaded.pipelines[at];
    let profile = Profile::of(session.device(), &loaded.pipelines);
    let run = profile.and_then(|p| p.run_of(pipeline.address(), &waves));
    Ok(Ran { code: pipeline.code_object().clone(), machine, run })
}

/// The files that code is of, those that are there.
pub fn sources(code: &CodeObject) -> Vec<SourceText> {
    code.files.iter().filter_map(|name| Some(SourceText { name: name.clone(), text: source(name)? })).collect()
}

/// A source file that code names, if it is there.
pub fn source(name: &str) -> Option<String> {
    // The name comes from the shader: it may be of anything.
    let bytes = file::read(Path::new(name), SOURCE_BYTES).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// The last text of the ir on the way to this code.
fn ir(words: &[u32], entry: &str, special: &Special, code: &CodeObject) -> Option<String> {
    let info = simple::specialized_entry_point(words, Some(entry), &special.spec).ok()?;
    let layout = simple::layout_of(&info).ok()?;
    let options =
        Options { isa: code.isa, wave: code.wave, spec: &special.spec, ..Options::new(entry, layout.layout()) };
    let (_, dumps) = compiler::compile_with_dumps(words, &options);
    dumps.into_iter().rfind(|d| d.form == "ir").map(|d| d.text)
}
