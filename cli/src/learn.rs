//! `wavepipe learn`: the course's puzzles, which of them are solved, and whether this one is.

mod folder;

use self::folder::Folder;
use crate::failure::{Failure, Result, write_file};
use crate::test;
use std::path::PathBuf;
use wavepipe::course::{CHAPTERS, Puzzle, puzzles};
use wavepipe_check::puzzle::Tried;

const EXAMPLES: &str = "\
Examples:
  wavepipe learn                     the puzzles, and which are solved
  wavepipe learn --start gpu-course  puts them into a folder, to be solved there
  wavepipe learn 3.1                 what is to be done, and whether the shader does it
  wavepipe learn 3.1 --reset         the shader as it was
  wavepipe learn 3.1 --json

Each puzzle is a shader to write, and a test of it (docs/testing.md): of its answer, and of its goal, such as no bank
conflicts or a number of cycles. The chapters that lead to them are in docs/. A puzzle is found from the folder of the course
and from the folders in it.

Exit codes: 0 solved, or listed; 1 not solved yet; 2 there is no such puzzle, no folder of the course, or the shader does not
compile.";

/// The puzzles of the course: list them, begin, and have a shader tested
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct LearnArgs {
    /// A puzzle, such as 3.1
    #[arg(value_name = "PUZZLE")]
    puzzle: Option<String>,
    /// Put the puzzles into this folder
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["puzzle", "folder"])]
    start: Option<PathBuf>,
    /// The folder of the course; this one or one around it by default
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
    /// Bring back the shader with which the puzzle begins
    #[arg(long, requires = "puzzle")]
    reset: bool,
    /// One JSON object
    #[arg(long)]
    json: bool,
}

pub fn run(args: &LearnArgs) -> Result<()> {
    let all = puzzles()?;
    if let Some(folder) = &args.start {
        let folder = Folder::start(folder)?;
        println!("{} puzzles are in {}", all.len(), folder.path().display());
        println!("now: cd {} && wavepipe learn 1.1", folder.path().display());
        return Ok(());
    }
    let folder = Folder::find(args.folder.as_deref())?;
    let Some(name) = &args.puzzle else {
        return list(&all, folder.as_ref(), args.json);
    };
    let Some(puzzle) = all.iter().find(|p| p.name() == *name) else {
        return Err(Failure::usage(format!("there is no puzzle {name}: `wavepipe learn` lists them")));
    };
    let Some(mut folder) = folder else {
        return Err(Failure::usage(
            "the course is not in this folder: `wavepipe learn --start FOLDER` puts it into one",
        ));
    };
    if args.reset {
        let path = folder.file(puzzle.shader);
        write_file(&path, puzzle.shader.text.as_bytes())?;
        println!("{} is as it was", folder::shown(&path).display());
        return Ok(());
    }
    try_it(puzzle, &mut folder, args.json)
}

fn list(all: &[Puzzle], folder: Option<&Folder>, json: bool) -> Result<()> {
    let solved = |p: &Puzzle| folder.is_some_and(|f| f.is_solved(&p.name()));
    if json {
        let row = |p: &Puzzle| serde_json::json!({ "puzzle": p.name(), "title": p.title, "about": p.about, "shader": p.shader.path, "solved": solved(p) });
        println!("{}", serde_json::Value::from_iter(all.iter().map(row)));
        return Ok(());
    }
    for (chapter, title) in (1..).zip(CHAPTERS) {
        println!("{chapter:>2}  {title}");
        for p in all.iter().filter(|p| p.number.0 == chapter) {
            let mark = if solved(p) { "x" } else { " " };
            println!("    [{mark}] {:<5} {}", p.name(), p.title);
        }
    }
    match folder {
        Some(_) => println!("\n{} of {} solved", all.iter().filter(|p| solved(p)).count(), all.len()),
        None => println!("\nwavepipe learn --start FOLDER puts them into a folder"),
    }
    Ok(())
}

/// Tests the student's shader, and tells.
fn try_it(puzzle: &Puzzle, folder: &mut Folder, json: bool) -> Result<()> {
    let (test, shader) = (folder.file(puzzle.test), folder.file(puzzle.shader));
    let tried = Tried(test::outcomes(&folder::shown(&test))?);
    let solved = tried.solved();
    let fresh = folder::text(&shader)? == puzzle.shader.text;
    if json {
        println!("{:#}", tried.json(puzzle));
    } else {
        print!("{}", told(puzzle, &tried, fresh));
        if !solved {
            println!("the shader: {}", folder::shown(&shader).display());
        }
    }
    if solved {
        folder.solve(&puzzle.name())?;
        return Ok(());
    }
    let name = puzzle.name();
    Err(match tried.wrong() {
        true => Failure::usage(format!("{name} does not compile, or its test is damaged")),
        false => Failure::Check(format!("{name} is not solved yet")),
    })
}

fn told(puzzle: &Puzzle, tried: &Tried, fresh: bool) -> String {
    let mut out = format!("{} {}\n", puzzle.name(), puzzle.title);
    if fresh {
        out += "\n";
        puzzle.about.lines().for_each(|line| out += &format!("{line}\n"));
        out += "\n";
    }
    let failed = tried.failed();
    for problem in failed.iter().flat_map(|o| &o.problems) {
        let place = match (&problem.file, problem.line) {
            (Some(file), Some(line)) if problem.check.is_some() => format!("{file}:{line}: "),
            _ => String::new(),
        };
        format!("{place}{}", problem.text).lines().for_each(|line| out += &format!("  {line}\n"));
    }
    for hint in failed.iter().filter_map(|o| o.hint.as_ref()) {
        hint.lines().enumerate().for_each(|(n, line)| {
            out += if n == 0 { "  hint: " } else { "        " };
            out += line;
            out += "\n";
        });
    }
    if tried.solved() {
        out += &format!("  solved: {}\n", tried.figures().join("; "));
    }
    out
}
