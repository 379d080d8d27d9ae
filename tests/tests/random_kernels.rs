//! Random structured kernels: what the compiled machine code leaves in memory is what the plain interpreter leaves there, of
//! the kernel as it is generated and as the passes leave it.

use std::collections::BTreeMap;
use std::sync::Arc;
use wavepipe_runtime::compiler::inspect::{Checks, Inspector};
use wavepipe_runtime::compiler::ir::{self, Kernel};
use wavepipe_runtime::compiler::{Options, compile_kernel, opt};
use wavepipe_runtime::hw::launch::PipelineLayout as HwLayout;
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_runtime::*;
use wavepipe_tests::ir_interp::{self, Machine};
use wavepipe_tests::ir_random::{self, INPUTS, SLOTS};
use wavepipe_tests::matrix;
use wavepipe_tests::random::{Random, seeds_due};

const GROUPS: u32 = 2;

fn layout() -> Arc<PipelineLayout> {
    let binding = |binding| Binding { binding, kind: BindingKind::StorageBuffer, count: 1 };
    let set = DescriptorSetLayout::new(vec![binding(0), binding(1)]).unwrap();
    PipelineLayout::new(vec![set], 0).unwrap()
}

fn input() -> Vec<u8> {
    let mut r = Random(7);
    (0..INPUTS).flat_map(|i| (if i % 3 == 0 { r.bits() as u32 } else { i }).to_le_bytes()).collect()
}

fn interpreted(kernel: &Kernel, wave: u32, workgroup: u32) -> Vec<u8> {
    let mut m = Machine { groups: [GROUPS, 1, 1], wave, ..Machine::default() };
    m.buffers.insert((0, 0), vec![0; (4 * SLOTS * workgroup * GROUPS) as usize]);
    m.buffers.insert((0, 1), input());
    ir_interp::run(kernel, &mut m);
    m.buffers.remove(&(0, 0)).unwrap()
}

fn executed(
    session: &Session,
    kernel: &Kernel,
    wave: WaveSize,
    workgroup: u32,
) -> std::result::Result<Vec<u8>, String> {
    let layout = layout();
    let hw: &HwLayout = layout.layout();
    let isa = session.device().config().isa();
    let options = Options { isa, wave, checks: Checks::On, ..Options::new(&kernel.name, hw) };
    let code = compile_kernel(kernel.clone(), &options).map_err(|e| e.to_string())?;
    let pipeline = ComputePipeline::from_code_object(session.device(), code, &layout).map_err(|e| e.to_string())?;
    let out = vec![0; (4 * SLOTS * workgroup * GROUPS) as usize];
    let job = Job { groups: [GROUPS, 1, 1], buffers: vec![(0, 0, out), (0, 1, input())], ..Job::default() };
    let run = session.run_pipeline(&pipeline, &job).map_err(|e| e.to_string());
    run.map(|mut buffers| buffers.remove(0)).map_err(|e| format!("{e}\n{}", pipeline.disassembly()))
}

/// How many kernels each pass of the ir changed.
type Changed = BTreeMap<&'static str, u64>;

/// The kernel behind the passes; counts those that changed it.
fn optimised(kernel: &Kernel, changed: &mut Changed) -> Kernel {
    let (mut out, mut dumps) = (kernel.clone(), Vec::new());
    opt::optimise(&mut out, &mut Inspector::new(Checks::On, Some(&mut dumps)))
        .unwrap_or_else(|e| panic!("{e}\n{kernel}"));
    let mut before = kernel.to_string();
    for dump in dumps {
        *changed.entry(dump.pass).or_default() += u64::from(dump.text != before);
        before = dump.text;
    }
    out
}

fn check(seed: u64, subgroups: bool, changed: &mut Changed) {
    let workgroup = [64, 96, 40][seed as usize % 3];
    same(seed, workgroup, ir_random::kernel(seed, workgroup, subgroups), changed);
}

fn check_calls(seed: u64, subgroups: bool) {
    let workgroup = [64, 96, 40][seed as usize % 3];
    same(seed, workgroup, ir_random::kernel_with_functions(seed, workgroup, subgroups), &mut Changed::new());
}

/// Machine code and passes do what the interpreter does with the kernel.
fn same(seed: u64, workgroup: u32, plain: Kernel, changed: &mut Changed) {
    assert_eq!(ir::validate::validate(&plain), Ok(()), "seed {seed}\n{plain}");
    let optimised = optimised(&plain, changed);
    for machine in matrix::of_seed(seed, &matrix::generations()) {
        on(machine, seed, workgroup, &plain, &optimised);
    }
}

fn on(machine: &Arc<hw::machine::Machine>, seed: u64, workgroup: u32, plain: &Kernel, optimised: &Kernel) {
    let isa = machine.generation();
    let session = Session::new(&Config { machine: machine.clone(), ..Config::watched() }).unwrap();
    for wave in [WaveSize::W32, WaveSize::W64].into_iter().filter(|wave| wave.is_of(isa)) {
        let lanes = wave.lanes();
        let expected = interpreted(plain, lanes, workgroup);
        assert_eq!(
            interpreted(optimised, lanes, workgroup),
            expected,
            "seed {seed}: the passes changed what the kernel does\n{plain}\n{optimised}"
        );
        for (name, kernel) in [("plain", plain), ("optimised", optimised)] {
            let got = executed(&session, kernel, wave, workgroup)
                .unwrap_or_else(|e| panic!("seed {seed} {isa:?} {wave:?} {name}: {e}\n{kernel}"));
            if let Some(at) = (0..expected.len()).step_by(4).find(|&i| expected[i..i + 4] != got[i..i + 4]) {
                let word = |b: &[u8]| u32::from_le_bytes(b[at..at + 4].try_into().unwrap());
                let (item, slot) = (at / 4 / SLOTS as usize, at / 4 % SLOTS as usize);
                panic!(
                    "seed {seed} {isa:?} {wave:?} {name}: work-item {item} slot {slot}: machine {:#x}, interpreter {:#x}\n{kernel}",
                    word(&got),
                    word(&expected)
                );
            }
        }
    }
}

/// Passes that need what is not generated here: private variables, functions; `dead contracted` has work only where products fuse twice.
const WITHOUT_WORK: [&str; 3] = ["promote", "effects", "dead contracted"];

fn run(subgroups: bool) {
    let seeds = seeds_due(5000, 300);
    let (count, mut changed) = (seeds.end - seeds.start, Changed::new());
    seeds.for_each(|seed| check(seed, subgroups, &mut changed));
    println!("of {count} kernels, passes changed {changed:?}");
    // Few kernels of one's own choice need not have everything.
    if count >= 100 {
        for pass in opt::OPTIMISE.iter().map(|p| p.name).filter(|p| !WITHOUT_WORK.contains(p)) {
            // Early exits of a block are rarer than the rest.
            let one_in = if pass == "sink" { 40 } else { 10 };
            assert!(changed[pass] * one_in >= count, "{pass} changed {} of {count} kernels", changed[pass]);
        }
    }
}

#[test]
fn divergent_control_flow() {
    run(false);
}

#[test]
fn subgroup_operations_under_divergence() {
    run(true);
}

#[test]
fn calls_under_divergence() {
    seeds_due(5000, 300).for_each(|seed| check_calls(seed, false));
}

#[test]
fn subgroup_operations_in_functions() {
    seeds_due(5000, 300).for_each(|seed| check_calls(seed, true));
}
