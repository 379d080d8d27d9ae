//! The `wavepipe` program, as a library that `main.rs` and the tests share. Each subcommand is a module; this one parses the command
//! line and maps failures to exit codes.

mod across;
mod asm;
mod bench;
mod book;
mod compare;
mod compile;
mod debug;
mod doctor;
mod driver;
mod engines;
mod exec;
mod explain;
mod failure;
mod findings;
mod gpu;
mod icd;
mod init;
mod isa;
mod job;
mod launch;
mod learn;
mod machine;
mod papers;
mod profile;
mod progress;
mod run;
mod seeds;
mod serve;
mod test;
#[doc(hidden)]
pub mod tested;
mod timing;
mod tunnel;
mod view;
mod watch;

use clap::{CommandFactory as _, Parser, Subcommand};
use std::process::ExitCode;

const EXAMPLES: &str = "\
Examples:
  wavepipe run samples/mandelbrot/mandelbrot.wgsl -o mandelbrot.png
  wavepipe run samples/reduction/reduction.wgsl --quiet --timing=lines
  wavepipe run samples/reduction/reduction.wgsl --gpu all
  wavepipe run scale.wgsl --buffer x:1,2,3,4 --buffer y=[4] --out y=-
  wavepipe debug scale.wgsl --buffer x:1,2,3,4 --buffer y=[4]
  wavepipe init && wavepipe test
  wavepipe view samples/reduction/reduction.wgsl -o reduction.html
  wavepipe isa samples/reduction/reduction.wgsl
  wavepipe compile samples/reduction/reduction.wgsl --stats --wave 64
  wavepipe launch saxpy.co --grid 1024 --block 64 --arg f32[1024]:iota --arg f32[1024] --arg f32=2 --out 1=y.csv
  wavepipe exec -- ./a-vulkan-program
  wavepipe exec --check all -- ./a-vulkan-program
  wavepipe exec --many-seeds 0..20 -- ./a-vulkan-program
  wavepipe serve
  wavepipe doctor
  wavepipe machine show rx5700xt
  wavepipe disasm 060a0501
  wavepipe explain v_mul_lo_u32
  wavepipe tunnel -o tunnel.svg
  wavepipe learn --start gpu-course
  echo 'v_add_f32 v0, v1, v2' | wavepipe asm -
  wavepipe timing kernel.s --wave 64

Exit codes:
  0  good
  1  a check failed: there are findings, a comparison does not hold, or seeds or machines differ
  2  wrong command line, job file or input file
  3  the device was lost, the driver or the Vulkan loader failed, or doctor found a fault
  4  unsupported; the message names what

Environment:
  WAVEPIPE_MACHINE=NAME    the card: a machine (`wavepipe machine list`; rx5700xt by default), a generation such as gfx1010, or
                           FILE.toml; another name is an error. --gpu NAME wins
  WAVEPIPE_WAVE=32|64      wavefront size, for Vulkan programs too; by default the smallest that the card has, or 64 for
                           pipelines of Vulkan programs that cannot tell (docs/environment.md)
  WAVEPIPE_TIMEOUT=TIME    how long a dispatch may run before the device is lost: 60s (default), 500ms, off
  WAVEPIPE_THREADS=N       host threads of the emulated GPU; all cores by default
  WAVEPIPE_JIT=WHAT        host code on hosts with AVX-512: on (default: for what runs often), always, off
  WAVEPIPE_TIMING=1        the machine runs on its clock: timestamps are emulated time, and run prints where it went
  WAVEPIPE_SEED=N          waves, work-groups and queues go in the order of this seed, an instruction at a time
  WAVEPIPE_LDS=WHAT        an access outside of a work-group's LDS: fault (default), or ignore (reads 0, drops writes)
  WAVEPIPE_CHECK=LIST      comma list of checks: mem (accesses stay in their buffers, images and arrays), init (nothing
                           depends on what was never written), race (what invocations do to the same memory is ordered), wait
                           (machine code waits for results before it uses them), sync (what commands do to the same memory is
                           ordered, all of a work-group comes to its barriers), num (numbers have meaningful results), all
                           (but num); stop: a finding is a fault
  WAVEPIPE_TUNNEL=POLICY   what HIGH and REALTIME queues do to others: share (nothing), limit (hold back new work-groups),
                           tunnel (suspend); by default HIGH limits and REALTIME tunnels
  WAVEPIPE_RESERVE_CUS=N   compute units that each REALTIME queue has for itself; 0 by default
  WAVEPIPE_TRACE=PATH      what happens when, in emulated time: FILE.pftrace for Perfetto, FOLDER/ for ROCprof Compute Viewer
  WAVEPIPE_TRACE_DETAIL=WHAT  of a Perfetto trace: waves (default), or instructions too
  WAVEPIPE_ENGINES=WHAT    programs that are shown more than the device has: off, or FILE.toml (wavepipe engines --help)
  WAVEPIPE_DEBUG=LIST      comma list of api, isa, packets, fault (to print), checks (the compiler checks its
                           every pass); an unknown one is reported";

#[derive(Parser)]
#[command(name = "wavepipe", version, about = "A GPU in software: compute shaders as AMD machine code on an emulated Radeon", after_help = EXAMPLES)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Run a compute shader and show or write its buffers
    Run(job::RunArgs),
    /// Walk through a compute shader: in a terminal, or for an editor by the Debug Adapter Protocol
    Debug(debug::DebugArgs),
    /// Run tests of compute shaders: .test.toml, .amber, .shader_test
    Test(test::TestArgs),
    /// Write a shader, a test of it, and a workflow that runs the test
    Init(init::InitArgs),
    /// Launch a kernel of an AMD HSA code object (ELF) that another compiler made for the card
    Launch(launch::LaunchArgs),
    /// Compile a shader to machine code of the card; show the code or its statistics
    Compile(compile::CompileArgs),
    /// Disassemble machine code
    Disasm(asm::DisasmArgs),
    /// Assemble machine code
    Asm(asm::AsmArgs),
    /// What an instruction does, with an example that is executed
    Explain(explain::ExplainArgs),
    /// The cycles in which the instructions of a sequence issue on an emulated card
    Timing(timing::TimingArgs),
    /// Urgent work beside a long dispatch under each policy, in a table and a picture
    Tunnel(tunnel::TunnelArgs),
    /// The puzzles of the course: list them, begin, and have a shader tested
    Learn(learn::LearnArgs),
    /// A shader's machine code with live registers, waits and occupancy; or what is known of the table of instructions
    Isa(isa::IsaArgs),
    /// One page of a shader: source, ir and machine code, occupancy, and what the clock counted
    View(view::ViewArgs),
    /// The cards that can be emulated, every figure with its source
    Machine(machine::MachineArgs),
    /// Programs that the driver shows more than the device has, and why
    Engines(engines::EnginesArgs),
    /// Run a Vulkan program on this driver
    Exec(exec::ExecArgs),
    /// Look for what keeps programs from wavepipe: loader, driver, variables, what wgpu, Dawn and Slang demand
    Doctor(doctor::DoctorArgs),
    /// Let every Vulkan program find this driver
    Icd(icd::IcdArgs),
    /// Measure: samples beside lavapipe, instruction rates, compile times, the emulated card on its clock
    Bench(bench::BenchArgs),
    /// Open a page in the browser: shaders compiled as they are typed, run and stepped
    Serve(serve::ServeArgs),
    /// Write the man pages
    Man(papers::ManArgs),
    /// Write the pages of the documentation that are made of tables
    Book(book::BookArgs),
    /// Print what lets a shell complete command lines: source it, or put it where the shell looks
    Completions(papers::CompletionsArgs),
}

/// Runs the subcommand that the command line names; the exit code tells how it ended.
pub fn main() -> ExitCode {
    // A reader that closes its end (`| head`) ends the program, as it ends others.
    sigpipe::reset();
    let cli = Cli::parse();
    let result = match cli.command {
        Command::Run(args) => across::run(&args),
        Command::Debug(args) => debug::run(&args),
        Command::Test(args) => return test::run(&args),
        Command::Init(args) => init::run(&args),
        Command::Launch(args) => launch::run(&args),
        Command::Compile(args) => compile::run(&args),
        Command::Disasm(args) => asm::disasm(&args),
        Command::Asm(args) => asm::asm(&args),
        Command::Explain(args) => explain::run(&args),
        Command::Timing(args) => timing::run(&args),
        Command::Tunnel(args) => tunnel::run(&args),
        Command::Learn(args) => learn::run(&args),
        Command::Isa(args) => isa::run(&args),
        Command::View(args) => view::run(&args),
        Command::Machine(args) => machine::run(&args),
        Command::Engines(args) => engines::run(&args),
        Command::Exec(args) => return exec::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Icd(args) => icd::run(&args),
        Command::Bench(args) => bench::run(&args),
        Command::Serve(args) => serve::run(&args),
        Command::Man(args) => papers::man(Cli::command(), &args),
        Command::Book(args) => book::run(&args),
        Command::Completions(args) => {
            papers::completions(Cli::command(), &args);
            Ok(())
        }
    };
    match result {
        Ok(()) => ExitCode::from(failure::code::GOOD),
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(failure::exit_code(&failure))
        }
    }
}
