//! `wavepipe bench --aco TOOL`: our code beside what Mesa's ACO makes of the same SPIR-V for a chip of the machine's generation.
//!
//! TOOL is a program that is called as `TOOL SHADER.spv FAMILY WAVE ENTRY` and prints `stat NAME VALUE` lines with RADV's
//! statistic names (`Instructions`, `VGPRs`, `Spilled SGPRs`, `Spilled VGPRs`, `Code size`). RADV rounds VGPRs up to the allocation granule; so do we here.

use crate::compile;
use crate::failure::{Failure, Result, write_file};
use std::path::{Path, PathBuf};
use std::process::Command;
use wavepipe::shader;
use wavepipe_runtime::{Config, WaveSize, isa, simple};

/// A chip of each generation by Mesa's name, and in how many VGPRs registers are allotted to a wave of 64; twice as many to one of 32.
const FAMILIES: &[(isa::Gen, &str, u32)] = &[
    (isa::Gen::Gfx600, "TAHITI", 4),
    (isa::Gen::Gfx701, "HAWAII", 4),
    (isa::Gen::Gfx900, "VEGA10", 4),
    (isa::Gen::Gfx1010, "NAVI10", 4),
    (isa::Gen::Gfx1030, "NAVI21", 8),
];

#[derive(serde::Serialize)]
struct AcoRow {
    name: String,
    instructions: u32,
    aco_instructions: u32,
    instruction_ratio: f64,
    vgprs: u32,
    aco_vgprs: u32,
    vgpr_ratio: f64,
    /// SGPRs and VGPRs together.
    spills: u32,
    aco_spills: u32,
    code_bytes: u32,
    aco_code_bytes: u32,
}

/// The statistic `name` of the tool's output.
fn stat(text: &str, name: &str) -> Option<u32> {
    let line = text.lines().filter_map(|l| l.strip_prefix("stat ")).find(|l| l.starts_with(name))?;
    line[name.len()..].trim().parse().ok()
}

fn row(tool: &Path, file: &Path, isa: isa::Gen, wave: WaveSize) -> Result<Vec<AcoRow>> {
    let family = FAMILIES.iter().find(|(g, ..)| *g == isa);
    let &(_, family, granule) =
        family.ok_or_else(|| Failure::usage(format!("--aco: no chip of {} is known", isa.name())))?;
    let granule = granule * 64 / wave.lanes();
    let words = shader::load(file)?;
    let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
    let name = file.file_stem().map_or_else(String::new, |s| s.to_string_lossy().into_owned());
    let spirv = std::env::temp_dir().join(format!("wavepipe-aco-{}-{name}.spv", std::process::id()));
    write_file(&spirv, &bytes)?;
    let mut rows = Vec::new();
    for entry in wavepipe_runtime::compiler::reflect(&words).map_err(wavepipe_runtime::Error::from)? {
        let output = Command::new(tool)
            .arg(&spirv)
            .args([family, &wave.lanes().to_string(), &entry.name])
            .output()
            .map_err(|e| Failure::Driver(format!("{}: {e}", tool.display())))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let stats = ["Instructions", "VGPRs", "Spilled SGPRs", "Spilled VGPRs", "Code size"].map(|s| stat(&text, s));
        let [Some(aco_instructions), Some(aco_vgprs), Some(sgpr_spills), Some(vgpr_spills), Some(aco_code_bytes)] =
            stats
        else {
            return Err(Failure::Driver(format!(
                "{} gave no statistics for {name}: {}",
                tool.display(),
                String::from_utf8_lossy(&output.stderr).trim_end()
            )));
        };
        let layout = simple::layout_of(&entry)?;
        let code = compile::code(&words, &entry.name, isa, wave, &[], layout.layout())?;
        let counts = compile::count(&code)?;
        let instructions: u32 = counts.values().sum();
        let vgprs = code.vgprs.max(1).next_multiple_of(granule);
        rows.push(AcoRow {
            name: name.clone(),
            instructions,
            aco_instructions,
            instruction_ratio: f64::from(instructions) / f64::from(aco_instructions),
            vgprs,
            aco_vgprs,
            vgpr_ratio: f64::from(vgprs) / f64::from(aco_vgprs),
            spills: code.stats.spilled_sgprs + code.stats.spilled_vgprs,
            aco_spills: sgpr_spills + vgpr_spills,
            code_bytes: code.text.len() as u32,
            aco_code_bytes,
        });
    }
    // A file left in the temporary folder harms nobody.
    let _ = std::fs::remove_file(&spirv);
    Ok(rows)
}

fn geometric_mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    let n = values.clone().count().max(1) as f64;
    (values.map(f64::ln).sum::<f64>() / n).exp()
}

/// Prints the table for `files`; a shader that only one side can compile is named and left out of the means.
pub fn run(tool: &Path, files: &[PathBuf], config: &Config, json: bool) -> Result<()> {
    let (isa, wave) = (config.isa(), config.wave_size(None)?);
    let mut rows = Vec::new();
    for file in files {
        match row(tool, file, isa, wave) {
            Ok(some) => rows.extend(some),
            Err(e) => eprintln!("left out: {}: {e}", file.display()),
        }
    }
    let instructions = geometric_mean(rows.iter().map(|r| r.instruction_ratio));
    let vgprs = geometric_mean(rows.iter().map(|r| r.vgpr_ratio));
    let [spills, aco_spills] =
        [|r: &AcoRow| r.spills, |r: &AcoRow| r.aco_spills].map(|count| rows.iter().map(count).sum::<u32>());
    if json {
        let value = serde_json::json!({
            "isa": isa.name(), "wave": wave.lanes(), "instruction_ratio": instructions, "vgpr_ratio": vgprs,
            "spills": spills, "aco_spills": aco_spills, "rows": rows,
        });
        println!("{value}");
        return Ok(());
    }
    println!(
        "{:<16} {:>6} {:>6} {:>6}   {:>5} {:>5} {:>6}   {:>6} {:>5}",
        "shader", "ours", "ACO", "ratio", "VGPRs", "ACO", "ratio", "spills", "ACO"
    );
    for r in &rows {
        println!(
            "{:<16} {:>6} {:>6} {:>6.2}   {:>5} {:>5} {:>6.2}   {:>6} {:>5}",
            r.name,
            r.instructions,
            r.aco_instructions,
            r.instruction_ratio,
            r.vgprs,
            r.aco_vgprs,
            r.vgpr_ratio,
            r.spills,
            r.aco_spills
        );
    }
    println!(
        "{:<16} {:>20.2}   {:>18.2}   {:>6} {:>5}",
        "mean, spills in all", instructions, vgprs, spills, aco_spills
    );
    Ok(())
}
