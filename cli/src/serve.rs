//! `wavepipe serve`: the playground's page, with this machine behind it.

use crate::failure::{Failure, Result};
use wavepipe_playground::server::Server;

const EXAMPLES: &str = "\
Examples:
  wavepipe serve                 then open the address that it prints
  wavepipe serve --port 8080

The page compiles shaders as they are typed, runs them on the emulated card's clock and steps them. It is served to browsers of this
machine alone, and asks nothing of any other. ./scripts/playground builds the same page with the engine in it, for file hosts.";

#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ServeArgs {
    /// Port of this machine to listen on; 0 is any that is free
    #[arg(long, value_name = "N", default_value_t = 8037)]
    port: u16,
}

pub fn run(args: &ServeArgs) -> Result<()> {
    let busy = |e: std::io::Error| {
        Failure::usage(format!("port {}: {e}; choose another with --port N, or --port 0 for any", args.port))
    };
    let server = Server::bind(args.port).map_err(busy)?;
    println!("http://{}/ is the playground; Ctrl+C ends it", server.address().map_err(busy)?);
    server.run().map_err(busy)
}
