//! Cases in parallel, in processes of our own: one that crashes or hangs takes no other with it. A worker takes a case as a line on
//! its standard input and answers with a line; it lives as long as its cases let it.

use serde::{Deserialize, Serialize};
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::os::fd::OwnedFd;
use std::os::unix::net::UnixStream;
use std::path::PathBuf;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use wavepipe_check::act::{self, How};
use wavepipe_check::case::Case;
use wavepipe_check::outcome::{Outcome, Problem, ProblemKind, Status};

/// The flag that makes a process a worker.
pub const FLAG: &str = "--worker";

/// What a case may take beyond its time: the device notices a dispatch that runs too long by itself, and says where it is.
const GRACE: Duration = Duration::from_secs(5);
/// How much of what a worker says on stderr is kept.
const SAID: usize = 4096;

#[derive(Serialize, Deserialize)]
struct Order {
    file: PathBuf,
    label: String,
    line: u32,
    timeout_ms: u64,
    gpu: Option<String>,
    update: bool,
    threads: usize,
    pictures: Option<PathBuf>,
    checks: Option<String>,
    coverage: bool,
}

/// A worker's life: cases from standard input, outcomes to standard output.
pub fn work() -> ExitCode {
    for line in std::io::stdin().lock().lines() {
        let Ok(line) = line else { break };
        let Ok(order) = serde_json::from_str::<Order>(&line) else { return ExitCode::from(2) };
        let timeout = Duration::from_millis(order.timeout_ms);
        let case = Case { file: order.file, label: order.label, line: order.line, timeout, gpu: order.gpu };
        let how = How {
            update: order.update,
            threads: order.threads,
            pictures: order.pictures,
            checks: order.checks,
            coverage: order.coverage,
            commands: true,
            clocked: false,
        };
        let ran = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| act::run(&case, &how)));
        let outcome = ran.unwrap_or_else(|panic| {
            let said = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
            let text = format!("wavepipe panicked, which is a bug of its own: {}", said.unwrap_or("without a word"));
            Outcome::with(Status::Failed, Problem::new(ProblemKind::Crash, text))
        });
        let text = serde_json::to_string(&outcome).unwrap_or_default();
        let mut out = std::io::stdout().lock();
        if writeln!(out, "{text}").and_then(|()| out.flush()).is_err() {
            break;
        }
    }
    ExitCode::SUCCESS
}

/// A process that runs cases.
pub struct Worker {
    pub child: Child,
    /// A socket: to write into a pipe that nobody reads any more would end this process, too.
    input: Option<UnixStream>,
    pub answers: Receiver<String>,
    said: Arc<Mutex<Vec<u8>>>,
}

impl Worker {
    fn start() -> std::io::Result<Worker> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["test", FLAG]);
        Worker::of(command)
    }

    pub fn of(mut command: Command) -> std::io::Result<Worker> {
        let (ours, theirs) = UnixStream::pair()?;
        command.stdin(OwnedFd::from(theirs)).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn()?;
        let (send, answers) = channel();
        let out = child.stdout.take();
        std::thread::spawn(move || {
            for line in out.into_iter().flat_map(|out| BufReader::new(out).lines()) {
                let Ok(line) = line else { break };
                if send.send(line).is_err() {
                    break;
                }
            }
        });
        let said = Arc::new(Mutex::new(Vec::new()));
        let (err, keep) = (child.stderr.take(), said.clone());
        std::thread::spawn(move || {
            let Some(mut err) = err else { return };
            let mut piece = [0; 1024];
            while let Ok(n @ 1..) = err.read(&mut piece) {
                let mut said = keep.lock().unwrap_or_else(|e| e.into_inner());
                said.extend_from_slice(&piece[..n]);
                let more = said.len().saturating_sub(SAID);
                said.drain(..more);
            }
        });
        Ok(Worker { child, input: Some(ours), answers, said })
    }

    /// What it said since last asked.
    fn said(&self) -> String {
        let mut said = self.said.lock().unwrap_or_else(|e| e.into_inner());
        String::from_utf8_lossy(&std::mem::take(&mut *said)).trim().to_owned()
    }

    pub fn tell(&mut self, line: &str) {
        if let Some(input) = &mut self.input {
            let _ = writeln!(input, "{line}").and_then(|()| input.flush());
        }
    }

    pub fn stop(mut self) -> String {
        drop(self.input.take());
        let _ = self.child.kill();
        let ended = self.child.wait();
        ended.map_or_else(|e| e.to_string(), |status| status.to_string())
    }
}

/// How cases run beside each other.
pub struct Pool {
    pub jobs: usize,
    pub update: bool,
    pub pictures: Option<PathBuf>,
    pub checks: Option<String>,
    pub coverage: bool,
}

impl Pool {
    /// Runs cases; `done` hears of each as it ends, by its number.
    pub fn run(&self, cases: &[Case], mut done: impl FnMut(usize, Outcome)) {
        let jobs = self.jobs.clamp(1, cases.len().max(1));
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let threads = (cores / jobs).max(1);
        let next = AtomicUsize::new(0);
        let (send, results) = channel();
        std::thread::scope(|scope| {
            for _ in 0..jobs {
                let (send, next) = (send.clone(), &next);
                scope.spawn(move || self.lane(cases, threads, next, &send));
            }
            drop(send);
            for (n, outcome) in results {
                done(n, outcome);
            }
        });
    }

    fn lane(&self, cases: &[Case], threads: usize, next: &AtomicUsize, results: &Sender<(usize, Outcome)>) {
        let mut worker: Option<Worker> = None;
        loop {
            let n = next.fetch_add(1, Ordering::Relaxed);
            let Some(case) = cases.get(n) else { break };
            let outcome = self.one(case, threads, &mut worker);
            if results.send((n, outcome)).is_err() {
                break;
            }
        }
        if let Some(mut worker) = worker {
            drop(worker.input.take());
            let _ = worker.child.wait();
        }
    }

    fn one(&self, case: &Case, threads: usize, worker: &mut Option<Worker>) -> Outcome {
        let order = Order {
            file: case.file.clone(),
            label: case.label.clone(),
            line: case.line,
            timeout_ms: case.timeout.as_millis() as u64,
            gpu: case.gpu.clone(),
            update: self.update,
            threads,
            pictures: self.pictures.clone(),
            checks: self.checks.clone(),
            coverage: self.coverage,
        };
        let failed = |kind, text: String| {
            let text = format!("{}\n  again: {}", text.trim_end(), case.again());
            let problem = Problem::new(kind, text).at(case.file.display().to_string(), Some(case.line));
            Outcome::with(Status::Failed, problem)
        };
        if worker.is_none() {
            match Worker::start() {
                Ok(new) => *worker = Some(new),
                Err(e) => return failed(ProblemKind::Driver, format!("cannot start a process: {e}")),
            }
        }
        let Some(mut now) = worker.take() else { return failed(ProblemKind::Driver, "no process".into()) };
        let line = serde_json::to_string(&order).unwrap_or_default();
        // One that has ended says so by its answers.
        now.tell(&line);
        match now.answers.recv_timeout(case.timeout + GRACE) {
            Ok(answer) => match serde_json::from_str::<Outcome>(&answer) {
                Ok(mut outcome) => {
                    let said = now.said();
                    outcome.printed.extend(said.lines().map(str::to_owned));
                    *worker = Some(now);
                    outcome
                }
                Err(e) => {
                    now.stop();
                    failed(ProblemKind::Crash, format!("its process answered what is no outcome: {e}"))
                }
            },
            Err(RecvTimeoutError::Timeout) => {
                now.stop();
                let text = format!("it ran longer than {} s, and was ended", case.timeout.as_secs_f64());
                failed(ProblemKind::Timeout, text)
            }
            Err(RecvTimeoutError::Disconnected) => {
                let said = now.said();
                let ended = now.stop();
                failed(ProblemKind::Crash, format!("its process ended before its time ({ended})\n{said}"))
            }
        }
    }
}
