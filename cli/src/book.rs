//! `wavepipe book`: pages of the documentation that are made of tables: the instructions, and the machines' figures.

use crate::failure::{Failure, Result, write_file};
use crate::{explain, machine};
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  wavepipe book docs/reference     instructions.md and machines.md, as the book has them";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct BookArgs {
    /// The folder to write the pages to
    #[arg(value_name = "FOLDER")]
    folder: PathBuf,
}

pub fn run(args: &BookArgs) -> Result<()> {
    let made = std::fs::create_dir_all(&args.folder);
    made.map_err(|source| Failure::File { verb: "make", path: args.folder.clone(), source })?;
    for (name, text) in [("instructions.md", explain::reference()), ("machines.md", machine::reference()?)] {
        let path = args.folder.join(name);
        write_file(&path, text.as_bytes())?;
        println!("wrote {}", path.display());
    }
    Ok(())
}
