//! What a page about shaders asks, and the answers, as JSON: [`Bench::answer`]. In a browser a worker asks it as WebAssembly
//! (`scripts/playground`); behind `wavepipe serve` the same page asks a server.
//!
//! ```text
//! {"do": "about"}                                 machines, examples, versions
//! {"do": "code",  SHADER}                         mistakes at their places; machine code with lines, figures, what the shader wants
//! {"do": "run",   SHADER, "beside": "limit"}      what it wrote, where its cycles went, findings
//! {"do": "page",  SHADER}                         all of it as one HTML file, as `wavepipe view` makes it
//! {"do": "puzzles"}                               the course's
//! {"do": "check", "puzzle": "3.1", "source": …}   whether the text solves it
//! {"do": "begin", SHADER}  {"do": "step", …}      a dispatch by instruction, line, wave: registers, EXEC, LDS
//! ```
//!
//! SHADER is [`asked::Shading`]: a text, a job file as `wavepipe run` takes it, a machine, a wave size.
//!
//! - [`asked`]: what can be asked. [`source`]: texts of shaders, and mistakes in them. [`given`]: jobs and files.
//! - [`code`], [`run`], [`sheet`], [`stepping`], [`puzzles`]: the answers. [`examples`]: shaders to begin with. [`page`]: the page's own files.
//! `server`: both over HTTP.

pub mod asked;
pub mod code;
pub mod examples;
pub mod given;
pub mod page;
pub mod puzzles;
pub mod run;
#[cfg(not(target_family = "wasm"))]
pub mod server;
pub mod sheet;
pub mod source;
pub mod stepping;

#[cfg(target_family = "wasm")]
mod exports;

use asked::Asked;
use serde_json::{Value, json};
use stepping::Stepping;

/// Who answers. It keeps the dispatch that is being stepped.
#[derive(Default)]
pub struct Bench {
    stepping: Option<Stepping>,
}

/// Whether the answer to a question depends on what was asked before.
pub fn is_kept(question: &str) -> bool {
    let asked = serde_json::from_str::<Asked>(question);
    asked.is_ok_and(|asked| matches!(asked, Asked::Begin(_) | Asked::Step(_) | Asked::End))
}

/// What there is instead of an answer.
pub(crate) fn refusal(why: impl std::fmt::Display) -> Value {
    json!({ "error": why.to_string() })
}

impl Bench {
    /// The answer to a question, both JSON. What cannot be answered is `{"error": …}`.
    pub fn answer(&mut self, question: &str) -> String {
        let answer = match serde_json::from_str(question) {
            Ok(asked) => self.reply(asked),
            Err(e) => refusal(format!("a question that is none: {e}")),
        };
        answer.to_string()
    }

    fn reply(&mut self, asked: Asked) -> Value {
        match asked {
            Asked::About => about(),
            Asked::Code(shading) => code::answer(&shading),
            Asked::Run(asked) => run::answer(&asked).unwrap_or_else(refusal),
            Asked::Puzzles => puzzles::list().unwrap_or_else(refusal),
            Asked::Check(asked) => puzzles::check(&asked).unwrap_or_else(refusal),
            Asked::Page(shading) => sheet::answer(&shading).unwrap_or_else(refusal),
            Asked::Begin(asked) => {
                self.stepping = None;
                match Stepping::begin(&asked) {
                    Ok(stepping) => self.stepping.insert(stepping).shown(&asked.seen),
                    Err(e) => refusal(e),
                }
            }
            Asked::Step(step) => match &mut self.stepping {
                Some(stepping) => stepping.step(&step).unwrap_or_else(refusal),
                None => refusal("nothing is being stepped"),
            },
            Asked::End => {
                self.stepping = None;
                json!({})
            }
        }
    }
}

fn about() -> Value {
    json!({
        "version": env!("CARGO_PKG_VERSION"),
        "machines": given::machines(),
        "examples": examples::all().map(|e| e.json()).collect::<Vec<_>>(),
    })
}
