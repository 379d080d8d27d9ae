//! Kernels that each ask for one thing of a device, for `wavepipe bench kernels`. All count in whole numbers, those of floats
//! too, so that any two devices that are right give the same bits.

mod reference;

use std::process::ExitCode;
use wavepipe_samples::{
    Answer, Binding, Error, Host, Kernel, Sample, Shader, Step, Tolerance, Work, data, main_of_kernels, spirv,
};

/// Words of the table that is gathered from, and of the ring that is chased through.
const TABLE: usize = 1 << 20;
const RING: usize = 1 << 22;

/// A kernel by its functions, with a full size and a small one to try it.
macro_rules! kernel {
    ($name:ident, $about:literal, $size:literal, $small:literal, $work:expr) => {
        [
            kernel!(@ $name, $about, $size, $work),
            kernel!(@ $name, $about, $small, $work),
        ]
    };
    (@ $name:ident, $about:literal, $size:literal, $work:expr) => {
        Kernel {
            sample: Sample {
                name: stringify!($name),
                about: $about,
                run: $name::<$size>,
                reference: reference::$name::<$size>,
                tolerance: Tolerance::Words,
            },
            work: $work($size),
        }
    };
}

fn main() -> ExitCode {
    let no_work = |_: u64| None;
    main_of_kernels([
        kernel!(fma_chains, "eight chains of 4096 multiply-adds an item", 128, 1, |groups: u64| Some(Work::Fmas(
            groups * 256 * 32768
        ))),
        kernel!(hash, "512 rounds of MurmurHash3's finaliser an item", 256, 2, no_work),
        kernel!(collatz, "steps of Collatz sequences", 512, 4, no_work),
        kernel!(lds_loop, "256 rounds of a ring in shared memory", 128, 2, no_work),
        kernel!(gather, "16 words an item from a table of 4 MB", 1024, 4, no_work),
        kernel!(scatter, "8 words an item to anywhere", 1024, 4, no_work),
        kernel!(stream_copy, "a copy", 16384, 64, |groups: u64| Some(Work::Bytes(2 * groups * 256 * 16))),
        kernel!(lds_histogram, "counts of bytes by atomics in shared memory", 512, 4, no_work),
        kernel!(tiled_matmul, "a product of square matrices", 320, 64, |side: u64| Some(Work::Fmas(side.pow(3)))),
        kernel!(pointer_chase, "512 steps an item through 16 MB", 32, 2, no_work),
    ])
}

/// One pipeline and one dispatch of it.
fn dispatch(
    host: &mut dyn Host,
    spirv: &[u8],
    buffers: &[wavepipe_samples::BufferId],
    push: &[u32],
    groups: [u32; 3],
) -> Result<Step, Error> {
    let pipeline = host.pipeline(&Shader {
        spirv,
        entry: "main",
        bindings: &vec![Binding::Storage; buffers.len()],
        push_bytes: 4 * push.len() as u32,
        spec: &[],
    })?;
    Ok(Step::dispatch(pipeline, buffers, bytemuck::cast_slice(push), groups))
}

/// A kernel that writes a word an item and reads nothing.
fn computed(host: &mut dyn Host, spirv: &[u8], push: &[u32], groups: usize) -> Result<Answer, Error> {
    let result = host.zeros(groups * 256)?;
    let step = dispatch(host, spirv, &[result], push, [groups as u32, 1, 1])?;
    host.run(&[step])?;
    Ok(Answer::bytes(host.read(result)?))
}

fn fma_chains<const GROUPS: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    computed(host, spirv!("fma_chains"), &[1.0f32.to_bits()], GROUPS)
}

fn hash<const GROUPS: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    computed(host, spirv!("hash"), &[], GROUPS)
}

fn collatz<const GROUPS: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    computed(host, spirv!("collatz"), &[], GROUPS)
}

fn lds_loop<const GROUPS: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    computed(host, spirv!("lds_loop"), &[], GROUPS)
}

fn gather<const GROUPS: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    let table = host.upload(&data::noise_words(TABLE))?;
    let sums = host.zeros(GROUPS * 256)?;
    let step = dispatch(host, spirv!("gather"), &[table, sums], &[], [GROUPS as u32, 1, 1])?;
    host.run(&[step])?;
    Ok(Answer::bytes(host.read(sums)?))
}

fn scatter<const GROUPS: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    let words = GROUPS * 256 * 8;
    let places = host.zeros(words)?;
    let step = dispatch(host, spirv!("scatter"), &[places], &[words as u32 - 1], [GROUPS as u32, 1, 1])?;
    host.run(&[step])?;
    Ok(Answer::bytes(host.read(places)?))
}

fn stream_copy<const GROUPS: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    let words = GROUPS * 256 * 4;
    let from = host.upload(&data::noise_words(words))?;
    let to = host.zeros(words)?;
    let step = dispatch(host, spirv!("stream_copy"), &[from, to], &[], [GROUPS as u32, 1, 1])?;
    host.run(&[step])?;
    Ok(Answer::bytes(host.read(to)?))
}

fn lds_histogram<const GROUPS: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    let words = host.upload(&data::noise_words(GROUPS * 256 * 16))?;
    let bins = host.zeros(256)?;
    let step = dispatch(host, spirv!("lds_histogram"), &[words, bins], &[], [GROUPS as u32, 1, 1])?;
    host.run(&[Step::Fill { buffer: bins, word: 0 }, step])?;
    Ok(Answer::bytes(host.read(bins)?))
}

fn tiled_matmul<const SIDE: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    let a = host.upload(&reference::small_floats(SIDE * SIDE, 1))?;
    let b = host.upload(&reference::small_floats(SIDE * SIDE, 2))?;
    let c = host.zeros(SIDE * SIDE)?;
    let groups = [SIDE as u32 / 64, SIDE as u32 / 64, 1];
    let step = dispatch(host, spirv!("tiled_matmul"), &[a, b, c], &[SIDE as u32], groups)?;
    host.run(&[step])?;
    Ok(Answer::bytes(host.read(c)?))
}

fn pointer_chase<const GROUPS: usize>(host: &mut dyn Host) -> Result<Answer, Error> {
    let ring = host.upload(&reference::ring())?;
    let ends = host.zeros(GROUPS * 64)?;
    let step = dispatch(host, spirv!("pointer_chase"), &[ring, ends], &[], [GROUPS as u32, 1, 1])?;
    host.run(&[step])?;
    Ok(Answer::bytes(host.read(ends)?))
}
