//! `wavepipe run`: one dispatch, its buffers shown and written.

use crate::data;
use crate::element::{Number, Scalar};
use crate::failure::{Failure, Result};
use crate::job::{BindingSlot, Buffer, Job, RunArgs, Spec};
use crate::profile::{Profile, View};
use crate::{shader, show};
use indicatif::{ProgressBar, ProgressStyle};
use std::time::{Duration, Instant};
use wavepipe_runtime::compiler::error::ErrorKind;
use wavepipe_runtime::compiler::spirv::{EntryInfo, SpecInfo};
use wavepipe_runtime::hw::hsa::HsaError;
use wavepipe_runtime::simple::{self, Session};
use wavepipe_runtime::timing::trace::Detail;
use wavepipe_runtime::{Config, Device, Error, SpecValue, Trace, WaveSize};

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match &error {
            Error::Compile(e) => match e.kind {
                ErrorKind::Unsupported => Failure::Unsupported(error.to_string()),
                ErrorKind::Malformed | ErrorKind::Request | ErrorKind::Resource => Failure::Usage(error.to_string()),
                ErrorKind::Internal => Failure::Driver(error.to_string()),
            },
            Error::CodeObject(HsaError::Unsupported(_)) => Failure::Unsupported(error.to_string()),
            Error::CodeObject(_) => Failure::Usage(error.to_string()),
            Error::Invalid(_) => Failure::Usage(error.to_string()),
            _ => Failure::Driver(error.to_string()),
        }
    }
}

/// The configuration of the environment with the job's wave size.
pub fn config(wave: Option<u32>) -> Config {
    let mut config = Config::from_env();
    // Who runs a shader wants to see it compiled.
    config.cache = None;
    match wave {
        Some(64) => config.wave = WaveSize::W64,
        Some(_) => config.wave = WaveSize::W32,
        None => {}
    }
    config
}

/// Says what the GPU had to say of the program that it ran.
pub fn warn(device: &Device) {
    let found = device.take_findings();
    found.findings.iter().for_each(|finding| eprintln!("wavepipe: warning: {finding}"));
    found.rest().iter().for_each(|rest| eprintln!("wavepipe: warning: {rest}"));
}

/// Specialization values with the module's own types where the job gives none.
pub fn specialization(job: &[Spec], declared: &[SpecInfo]) -> Result<Vec<SpecValue>> {
    let known = || declared.iter().map(|s| format!("{} ({})", s.id, s.name)).collect::<Vec<_>>().join(", ");
    job.iter()
        .map(|spec| {
            let info = declared.iter().find(|s| s.id == spec.id).ok_or_else(|| {
                Failure::usage(format!("the shader has no specialization constant {}; it has: {}", spec.id, known()))
            })?;
            let bytes = if spec.text.contains('=') {
                data::typed_value(&spec.text)?.1
            } else {
                untyped(&spec.text, info.size)?
            };
            if bytes.len() != info.size as usize {
                return Err(Failure::usage(format!(
                    "specialization constant {} has {} bytes, `{}` has {}",
                    spec.id,
                    info.size,
                    spec.text,
                    bytes.len()
                )));
            }
            let mut raw = [0; 8];
            raw[..bytes.len()].copy_from_slice(&bytes);
            Ok(SpecValue { id: spec.id, bits: u64::from_le_bytes(raw), size: info.size })
        })
        .collect()
}

/// `true`, an integer, or a float (which has a point or an exponent) of the constant's size.
fn untyped(text: &str, size: u32) -> Result<Vec<u8>> {
    let mut out = Vec::new();
    match text.trim() {
        "true" => Scalar::U32.put(Number::Int(1), &mut out),
        "false" => Scalar::U32.put(Number::Int(0), &mut out),
        text => {
            let float = !text.starts_with("0x") && text.contains(['.', 'e', 'E']);
            let scalar = match (size, float) {
                (8, true) => Scalar::F64,
                (8, false) if text.starts_with('-') => Scalar::I64,
                (8, false) => Scalar::U64,
                (2, true) => Scalar::F16,
                (2, false) => Scalar::I16,
                (1, _) => Scalar::I8,
                (_, true) => Scalar::F32,
                (_, false) => Scalar::I32,
            };
            scalar.put(scalar.parse(text)?, &mut out);
        }
    }
    Ok(out)
}

/// Every resource has a buffer and every buffer a resource.
fn match_buffers(job: &Job, info: &EntryInfo) -> Result<()> {
    let slot = |r: &wavepipe_runtime::compiler::spirv::ResourceInfo| BindingSlot { set: r.set, binding: r.binding };
    for r in &info.resources {
        if !job.buffers.iter().any(|b| b.slot == slot(r)) {
            return Err(Failure::usage(format!(
                "the shader uses binding {} (`{}`), and no buffer is given for it: add --buffer {}=TYPE[N]",
                slot(r),
                r.name,
                slot(r)
            )));
        }
    }
    for b in &job.buffers {
        if !info.resources.iter().any(|r| slot(r) == b.slot) {
            let has: Vec<String> = info.resources.iter().map(|r| format!("{} (`{}`)", slot(r), r.name)).collect();
            return Err(Failure::usage(format!("the shader has no binding {}; it has: {}", b.slot, has.join(", "))));
        }
    }
    Ok(())
}

/// A spinner on stderr that appears once work takes long, and only on a terminal.
pub fn progress(message: &'static str) -> ProgressBar {
    let bar = ProgressBar::new_spinner().with_message(message);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {msg} {elapsed}") {
        bar.set_style(style);
    }
    bar.enable_steady_tick(Duration::from_millis(250));
    bar
}

pub fn run(args: &RunArgs) -> Result<()> {
    let job = args.resolve()?;
    let words = shader::load(&job.shader)?;
    let info = simple::entry_point(&words, job.entry.as_deref())?;
    match_buffers(&job, &info)?;
    let spec = specialization(&job.spec, &info.spec)?;
    let buffers = job
        .buffers
        .iter()
        .map(|b| Ok((b.slot.set, b.slot.binding, data::fill(b.shape, &b.init, &b.folder)?)))
        .collect::<Result<Vec<_>>>()?;

    let mut config = config(job.wave);
    config.timing |= args.timing.is_some();
    if let Some(path) = &args.trace {
        let mut trace = Trace::at(path).map_err(|e| Failure::usage(format!("--trace {e}")))?;
        if args.trace_detail.as_deref() == Some("instructions") {
            trace.detail = Detail::Instructions;
        }
        config.trace = Some(trace);
    }
    let session = Session::new(&config)?;
    let pipeline = session.pipeline(&words, Some(&info.name), &spec, None)?;
    let request = simple::Job { groups: job.groups, push: job.push.clone(), buffers, ..Default::default() };
    let bar = progress("running");
    let start = Instant::now();
    let result = session.run_pipeline(&pipeline, &request);
    let seconds = start.elapsed().as_secs_f64();
    bar.finish_and_clear();
    let contents = result?;
    warn(session.device());

    for (slot, file) in &job.outputs {
        for (buffer, bytes) in job.buffers.iter().zip(&contents).filter(|(b, _)| b.slot == *slot) {
            show::write_output(file, buffer.shape.element, bytes, job.picture)?;
            eprintln!("wrote {}", file.display());
        }
    }
    if let Some(why) = session.device().trace_failure() {
        return Err(Failure::Driver(why));
    }
    let statistics = session.device().statistics();
    let profile = Profile::of(session.device(), &pipeline);
    if args.json {
        let shown: Vec<serde_json::Value> = job.buffers.iter().zip(&contents).map(|(b, c)| json_buffer(b, c)).collect();
        let mut value = serde_json::json!({
            "shader": job.shader, "entry": info.name, "wave": pipeline.code_object().wave.lanes(),
            "groups": job.groups, "workgroup": info.workgroup, "seconds": seconds,
            "compile_seconds": pipeline.compile_time().as_secs_f64(),
            "wave_instructions": statistics.wave_instructions, "buffers": shown,
        });
        if let Some(profile) = &profile {
            value["timing"] = profile.json();
        }
        println!("{value}");
        return Ok(());
    }
    if !args.quiet {
        table(&job, &contents);
        let [x, y, z] = job.groups;
        let [lx, ly, lz] = info.workgroup;
        println!(
            "{x}x{y}x{z} groups of {lx}x{ly}x{lz}, wave{}: compiled in {:.1} ms, ran {} wave instructions in {:.1} ms",
            pipeline.code_object().wave.lanes(),
            pipeline.compile_time().as_secs_f64() * 1e3,
            statistics.wave_instructions,
            seconds * 1e3
        );
    }
    if let Some(profile) = &profile {
        let space = if args.quiet { "" } else { "\n" };
        print!("{space}{}", profile.text(args.timing.unwrap_or(View::Summary)));
    }
    Ok(())
}

fn table(job: &Job, contents: &[Vec<u8>]) {
    for (buffer, bytes) in job.buffers.iter().zip(contents) {
        println!("{}", show::line(&buffer.slot.to_string(), buffer.shape, bytes));
    }
}

fn json_buffer(buffer: &Buffer, bytes: &[u8]) -> serde_json::Value {
    serde_json::json!({
        "set": buffer.slot.set, "binding": buffer.slot.binding, "type": buffer.shape.element.scalar.name(),
        "lanes": buffer.shape.element.lanes, "count": buffer.shape.count,
        "values": show::json_values(buffer.shape.element.scalar, bytes),
    })
}
