//! Man pages and shell completions, made of the command line's own description.

use crate::failure::{Failure, Result};
use clap_complete::Shell;
use std::path::PathBuf;

#[derive(clap::Args, Debug)]
pub struct ManArgs {
    /// The folder to write the pages to: wavepipe.1, and one for each command
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

#[derive(clap::Args, Debug)]
pub struct CompletionsArgs {
    /// The shell that is to complete
    shell: Shell,
}

/// `program` is the whole command line.
pub fn man(program: clap::Command, args: &ManArgs) -> Result<()> {
    let failed = |source| Failure::File { verb: "write to", path: args.folder.clone(), source };
    std::fs::create_dir_all(&args.folder).map_err(failed)?;
    clap_mangen::generate_to(program, &args.folder).map_err(failed)
}

pub fn completions(mut program: clap::Command, args: &CompletionsArgs) {
    let name = program.get_name().to_owned();
    clap_complete::generate(args.shell, &mut program, name, &mut std::io::stdout());
}
