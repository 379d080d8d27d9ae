//! Limits on the processor time of processes, which other work on the host does not change. [`crate::host_time`] reads the time of this one.

use crate::host_time::process_time;
use rustix::process::{Pid, Resource, Rlimit, getrlimit, prlimit, setrlimit};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

fn seconds(of: u64) -> Rlimit {
    Rlimit { current: Some(of), maximum: getrlimit(Resource::Cpu).maximum }
}

/// Ends this process when it has used so many seconds more.
pub fn limit(more: u64) {
    setrlimit(Resource::Cpu, seconds(process_time().as_secs() + 1 + more)).expect("a limit on processor time");
}

/// Runs a program to its end, which is SIGXCPU where it uses more than `most` seconds of processors; gives the output.
pub fn output_within(most: u64, command: &mut Command) -> Output {
    let program = command.get_program().to_string_lossy().into_owned();
    let child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap_or_else(|e| panic!("{program}: {e}"));
    prlimit(Some(Pid::from_child(&child)), Resource::Cpu, seconds(most)).expect("a limit on processor time");
    child.wait_with_output().expect("a program that ends")
}

/// Reads what a process has used; `None` where there is none of that number.
pub fn used_by(pid: u32) -> Option<Duration> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // Fields 14 and 15 of proc(5), in user mode and in the kernel; the third comes behind the name.
    let ticks: u64 = stat.rsplit_once(") ")?.1.split(' ').skip(11).take(2).filter_map(|n| n.parse::<u64>().ok()).sum();
    Some(Duration::from_millis(1000 * ticks / rustix::param::clock_ticks_per_second()))
}
