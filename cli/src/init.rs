//! `wavepipe init`: a shader, a test of it, and a file for continuous integration, which pass as they are.

use std::path::{Path, PathBuf};
use wavepipe::failure::{Failure, Result, write_file};

/// Write a shader, a test of it and a workflow that runs the test
#[derive(clap::Args, Debug)]
#[command(after_help = "\
Examples:
  wavepipe init
  wavepipe init --language glsl project && wavepipe test project")]
pub struct InitArgs {
    /// Where to
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// The shading language
    #[arg(long, default_value = "wgsl", value_parser = ["wgsl", "glsl"])]
    language: String,
}

const WGSL: &str = include_str!("init/scale.wgsl");
const GLSL: &str = include_str!("init/scale.comp");
const TEST: &str = include_str!("init/scale.test.toml");
const WORKFLOW: &str = include_str!("init/shaders.yml");

pub fn run(args: &InitArgs) -> Result<()> {
    let (shader, text) = if args.language == "wgsl" { ("scale.wgsl", WGSL) } else { ("scale.comp", GLSL) };
    let files = [
        (Path::new("shaders").join(shader), text.to_owned()),
        (Path::new("shaders").join("scale.test.toml"), TEST.to_owned()),
        (Path::new(".github/workflows").join("shaders.yml"), WORKFLOW.to_owned()),
    ];
    let there = files.iter().map(|(name, _)| args.folder.join(name)).find(|path| path.exists());
    if let Some(path) = there {
        return Err(Failure::usage(format!("{} is there already, and nothing was written", path.display())));
    }
    for (name, text) in files {
        let path = args.folder.join(name);
        let folder = path.parent().unwrap_or(Path::new("."));
        let made = std::fs::create_dir_all(folder);
        made.map_err(|source| Failure::File { verb: "make", path: folder.to_owned(), source })?;
        write_file(&path, text.as_bytes())?;
        println!("wrote {}", path.display());
    }
    let shaders = args.folder.join("shaders");
    println!("in .github/workflows/shaders.yml, OWNER stands for whose repository of wavepipe it is");
    println!("now: wavepipe test {}", shaders.strip_prefix(".").unwrap_or(&shaders).display());
    Ok(())
}
