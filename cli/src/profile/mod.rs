//! What the machine's clock counted of a run, printed: in all, by source line, by instruction.

mod json;
mod listing;
mod summary;

use wavepipe::profile::Profile;

/// How much of it is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, clap::ValueEnum)]
pub enum View {
    /// Where the time went
    Summary,
    /// That, and what each source line cost
    Lines,
    /// That, and the machine code with what each instruction cost
    Isa,
}

pub fn text(profile: &Profile, view: View) -> String {
    let mut out: String = profile.dispatches().iter().map(|d| summary::text(profile.machine(), d)).collect();
    match view {
        View::Summary => {}
        View::Lines => out += &listing::lines(profile),
        View::Isa => out += &listing::instructions(profile),
    }
    out
}

pub fn json(profile: &Profile) -> serde_json::Value {
    json::value(profile)
}
