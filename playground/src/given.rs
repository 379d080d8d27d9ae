//! Jobs as the page writes them, the files that they name, and machines.

use crate::asked::Shading;
use crate::examples;
use crate::source;
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use serde_json::{Value, json};
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use wavepipe::data::{Init, Input};
use wavepipe::job::file::JobFile;
use wavepipe::job::{Given, Job, Spoken, What};
use wavepipe::{Failure, Result, Shader, bind, picture, work};
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::{Config, WaveSize};

/// Of the host's time, for a run.
const PATIENCE: Duration = Duration::from_secs(600);

/// The configuration that a page's machine and wave size make.
pub fn config(shading: &Shading) -> Result<Config> {
    let gpu = Some(shading.gpu.as_str()).filter(|name| !name.is_empty());
    // A description would be a file of the machine that answers.
    if gpu.is_some_and(|name| Path::new(name).extension().is_some()) {
        return Err(Failure::usage(format!("`{}` is no machine that the page offers", shading.gpu)));
    }
    work::config(gpu, (shading.wave != 0).then_some(shading.wave))
}

/// The same, for a run: a person waits, and can stop it.
pub fn run_config(shading: &Shading) -> Result<Config> {
    Ok(Config { timeout: Some(PATIENCE), timing: true, ..config(shading)? })
}

/// The job of a page: its text, or one that the shader makes likely.
pub fn job(shading: &Shading, shader: &Shader) -> Result<Job> {
    let path = Path::new(source::name(shading.language));
    let drafted;
    let text = match shading.job.trim().is_empty() {
        true => {
            drafted = draft(shader)?;
            &drafted
        }
        false => &shading.job,
    };
    let file: JobFile = toml::from_str(text).map_err(|e| Failure::usage(e.to_string().trim_end()))?;
    if file.dispatch.iter().any(|d| d.shader.is_some()) {
        return Err(Failure::usage("the page has one shader: leave `shader` out of [[dispatch]]"));
    }
    let mut job = file.job(path, Path::new(""))?;
    for given in &mut job.given {
        fill(given, shading)?;
    }
    Ok(Job { gpu: None, wave: None, outputs: Vec::new(), spoken: Spoken::File, ..job })
}

/// The text of a job file for a shader's only entry point.
pub fn draft(shader: &Shader) -> Result<String> {
    let special = shader.specialize(&[], &[], Spoken::File)?;
    Ok(bind::draft(&special.entry(None, shader.path())?))
}

/// Puts a file's contents in the place of its name: nothing is read from where the page is answered.
fn fill(given: &mut Given, shading: &Shading) -> Result<()> {
    let init = match &mut given.what {
        What::Buffer { init, .. } => init,
        What::Image(image) => &mut image.init,
        What::Sampler(_) => return Ok(()),
    };
    let Init::File(name) = init else { return Ok(()) };
    let own = shading.files.get(name.as_str()).map(|text| BASE64.decode(text.trim()));
    let bytes = match (own, examples::file(name)) {
        (Some(Ok(bytes)), _) => bytes,
        (Some(Err(e)), _) => return Err(Failure::usage(format!("{name}: {e}"))),
        (None, Some(bytes)) => bytes.to_vec(),
        (None, None) => {
            return Err(Failure::usage(format!(
                "{}: `{name}` is neither contents (zero, iota, rand, 1,2,3) nor a file of the page: drop it there",
                given.source
            )));
        }
    };
    *init = match Path::new(name.as_str()).extension().and_then(|e| e.to_str()) {
        Some("png") => Init::Given(Input::Picture(picture::decode(&bytes, Path::new(name.as_str()))?, name.clone())),
        Some("json") => {
            let bad = |e: &dyn std::fmt::Display| Failure::usage(format!("{name}: {e}"));
            let value: toml::Value = serde_json::from_slice(&bytes).map_err(|e| bad(&e))?;
            Init::Values(wavepipe::job::file::numbers(&value)?)
        }
        _ => Init::Given(Input::Bytes(bytes, name.clone())),
    };
    Ok(())
}

/// The bytes of a picture for an `<img>`.
pub fn data_url(png: &[u8]) -> String {
    format!("data:image/png;base64,{}", BASE64.encode(png))
}

/// Machines to choose from: name, product, architecture, wave sizes.
pub fn machines() -> Vec<Value> {
    let waves = |m: &Machine| {
        let all = [WaveSize::W32, WaveSize::W64].into_iter().filter(|w| w.is_of(m.generation()));
        all.map(WaveSize::lanes).collect::<Vec<_>>()
    };
    let row = |m: Machine| json!({ "name": m.name, "product": m.product, "isa": m.isa, "waves": waves(&m), "cus": m.shape.cus.value });
    Machine::all().map(row).collect()
}

/// A page's job, held against its shader.
pub fn opened(shading: &Shading) -> Result<work::Work> {
    work(shading, &source::open(shading).map_err(|m| Failure::usage(m.message))?)
}

/// The shader's job held against it.
pub fn work(shading: &Shading, shader: &Arc<Shader>) -> Result<work::Work> {
    let job = job(shading, shader)?;
    let shaders = vec![shader.clone(); job.dispatches.len()];
    work::Work::new(job, &shaders)
}
