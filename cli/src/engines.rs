//! `wavepipe engines`: which programs the driver shows more than the device has.

use crate::failure::{Failure, Result};
use wavepipe_runtime::engines::{Engines, STANDARD};

const EXAMPLES: &str = "\
Examples:
  wavepipe engines > mine.toml               the table that ships with wavepipe, with the description of its form
  wavepipe engines mine.toml                 checks a file of your own; prints who is shown what where it is laid over that
  WAVEPIPE_ENGINES=mine.toml ./a-vulkan-program
  WAVEPIPE_ENGINES=off ./a-vulkan-program    everybody is told the truth";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct EnginesArgs {
    /// A file as WAVEPIPE_ENGINES takes it
    #[arg(value_name = "FILE.toml")]
    file: Option<String>,
}

pub fn run(args: &EnginesArgs) -> Result<()> {
    let Some(file) = &args.file else {
        print!("{STANDARD}");
        return Ok(());
    };
    let engines = Engines::open(file).map_err(Failure::usage)?;
    engines.programs().iter().for_each(|program| println!("{program} is shown {}: {}", program.shown, program.why));
    Ok(())
}
