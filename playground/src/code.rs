//! Machine code as it is typed: mistakes, or listing, figures and what the shader wants to be given.

use crate::asked::Shading;
use crate::source::{Mistake, mistake, open};
use crate::{given, source};
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use wavepipe::job::{Dispatch, Spoken};
use wavepipe::{Failure, Result, Shader, bind};
use wavepipe_runtime::compiler::spirv::EntryInfo;
use wavepipe_runtime::compiler::{self, Options};
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::{CodeLine, Statistic, code_lines, simple};

/// Mistakes, or the kernel of the job's first dispatch.
pub fn answer(shading: &Shading) -> Value {
    let shader = match open(shading) {
        Ok(shader) => shader,
        Err(wrong) => return json!({ "mistakes": [wrong] }),
    };
    // What is wrong with the job is no reason to hide the code.
    let job = given::job(shading, &shader);
    let drafted = given::draft(&shader).unwrap_or_default();
    let dispatch = job.as_ref().ok().and_then(|job| job.dispatches.first().cloned());
    let dispatch = dispatch.unwrap_or_else(|| Dispatch { repeat: 1, ..Dispatch::default() });
    let compiled = compile(shading, &shader, &dispatch);
    let job_mistake = match (&job, &compiled) {
        (Err(e), _) => Some(e.to_string()),
        (Ok(_), Ok(_)) => given::work(shading, &shader).err().map(|e| said(&e, shading)),
        _ => None,
    };
    match compiled {
        Err(e) => json!({ "mistakes": [mistake(&e, shading.language)], "job": job_mistake, "draft": drafted }),
        Ok(kernel) => json!({
            "mistakes": Vec::<Mistake>::new(),
            "job": job_mistake,
            "draft": drafted,
            "entry": entry(&kernel.entry),
            "wave": kernel.code.wave.lanes(),
            "vgprs": kernel.code.vgprs,
            "sgprs": kernel.code.sgprs,
            "statistics": statistics(&kernel.code, &kernel.machine),
            "code": code_lines(&kernel.code).iter().map(|line| row(line, shading)).collect::<Vec<_>>(),
        }),
    }
}

/// A failure without the shader's name in front, which the page shows by its place.
fn said(failure: &Failure, shading: &Shading) -> String {
    let text = failure.to_string();
    let name = source::name(shading.language);
    text.strip_prefix(name).map_or(text.as_str(), |rest| rest.trim_start_matches([':', ' '])).to_owned()
}

struct Kernel {
    entry: EntryInfo,
    code: CodeObject,
    machine: Arc<Machine>,
}

fn compile(shading: &Shading, shader: &Shader, dispatch: &Dispatch) -> Result<Kernel> {
    let config = given::config(shading)?;
    let special = shader.specialize(&dispatch.spec, &dispatch.spec_flags, Spoken::File)?;
    let entry = special.entry(dispatch.entry.as_deref(), Path::new(source::name(shading.language)))?;
    let layout = simple::layout_of(&entry)?;
    let wave = config.wave_size(None)?;
    let plain = Options::new(&entry.name, layout.layout());
    let options = Options { isa: config.isa(), wave, spec: &special.spec, ..plain };
    let code = compiler::compile(&special.words, &options).map_err(wavepipe_runtime::Error::from)?;
    Ok(Kernel { code, machine: config.machine, entry })
}

fn entry(info: &EntryInfo) -> Value {
    let resource = |r: &compiler::spirv::ResourceInfo| {
        json!({
            "set": r.set, "binding": r.binding, "name": bind::label(r), "type": bind::type_text(r),
            "reads": !r.writeonly, "writes": !r.readonly, "count": r.count,
        })
    };
    json!({
        "name": info.name, "workgroup": info.workgroup,
        "resources": info.resources.iter().map(resource).collect::<Vec<_>>(),
    })
}

fn statistics(code: &CodeObject, machine: &Machine) -> Vec<Value> {
    let row = |s: Statistic| json!({ "name": s.name, "value": s.value, "about": s.description });
    Statistic::of(code, machine).into_iter().map(row).collect()
}

fn row(line: &CodeLine, shading: &Shading) -> Value {
    json!({
        "offset": line.offset,
        "text": line.labelled(),
        "label": line.label,
        "target": line.target,
        "line": line.source.as_deref().and_then(|s| own_line(s, shading)),
        "words": line.words.iter().map(|w| format!("{w:08x}")).collect::<Vec<_>>(),
    })
}

/// The line of the page's text that a `FILE:LINE` is.
pub fn own_line(source: &str, shading: &Shading) -> Option<u32> {
    let (file, line) = source.rsplit_once(':')?;
    source::is_own(file, shading.language).then(|| line.parse().ok())?
}
