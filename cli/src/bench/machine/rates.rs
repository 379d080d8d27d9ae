//! How often a machine does a thing: instructions by kind, LDS, loads that hit L0, launches, copies.

use super::peaks::{Job, seconds};
use super::program::{Bench, Program};
use super::{Measured, PublishedRow, Wanted};
use crate::failure::{Failure, Result};
use std::path::Path;
use std::sync::Arc;
use wavepipe::shader;
use wavepipe_runtime::WaveSize;
use wavepipe_runtime::hw::descriptor::BufferDescriptor;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::timing::sequence;

const CARD: &str = "rx5700xt";

/// The rows of this room, if the card is wanted.
pub fn rows(wanted: &Wanted<'_>) -> Result<Vec<PublishedRow>> {
    let Some(machine) = wanted(CARD)? else {
        return Ok(Vec::new());
    };
    let mut rows = instructions(&machine)?;
    rows.extend(lds(&machine)?);
    rows.extend(launches(&machine)?);
    rows.extend(loads(&machine)?);
    rows.push(copy(&machine)?);
    Ok(rows)
}

fn row(name: &str, unit: &'static str, published: f64, measured: f64, source: &'static str) -> PublishedRow {
    Measured { card: CARD, unit, published, measured, source }.row(name.into(), "")
}

/// Cycles from one repetition of some instructions to the next; `@` stands for a register that no other repetition has,
/// `@1` for the one after it.
fn spacing(machine: &Arc<Machine>, wave: WaveSize, text: &str) -> Result<f64> {
    const REPEATS: usize = 16;
    let numbered =
        |i: usize| text.replace("@1", &(33 + 4 * i).to_string()).replace('@', &(32 + 4 * i).to_string()) + "\n";
    let list: String = (0..=REPEATS).map(numbered).collect();
    let timeline = sequence::timeline(&list, wave, machine.clone()).map_err(|e| Failure::Driver(e.to_string()))?;
    let each = timeline.issues.len() / (REPEATS + 1);
    let first = |i: usize| timeline.issues[i * each].passes[0] as f64;
    Ok((first(REPEATS) - first(0)) / REPEATS as f64)
}

fn instructions(machine: &Arc<Machine>) -> Result<Vec<PublishedRow>> {
    const WHITEPAPER: &str = "RDNA whitepaper";
    const ACO: &str = "Mesa ACO's cost table";
    let w32 = |text| spacing(machine, WaveSize::W32, text);
    let fma = "v_fma_f32 v@, v1, v2, v3";
    let one = w32(fma)?;
    let hidden = format!("v_rcp_f32 v@, v1\n{}", "v_fma_f32 v4, v1, v2, v3\n".repeat(3));
    let packed = w32("v_pk_fma_f16 v@, v1, v2, v3")?;
    let list = [
        ("FP32, a dependent chain", 5.0, w32("v_fma_f32 v4, v1, v2, v4")?, WHITEPAPER),
        ("scalar, a dependent chain", 2.0, w32("s_add_i32 s8, s8, 1")?, WHITEPAPER),
        ("FP32, independent", 1.0, one, WHITEPAPER),
        ("FP32, independent, wave64", 2.0, spacing(machine, WaveSize::W64, fma)?, WHITEPAPER),
        ("cross-lane (DPP)", 1.0, w32("v_mov_b32_dpp v@, v1 row_shr:1 row_mask:0xf bank_mask:0xf")?, WHITEPAPER),
        ("transcendental", 4.0, w32("v_rcp_f32 v@, v1")?, WHITEPAPER),
        ("transcendental and three FP32", 4.0, w32(&hidden)?, WHITEPAPER),
        ("FP64", 16.0, w32("v_fma_f64 v[@:@1], v[2:3], v[4:5], v[6:7]")?, "AMD's product page: 1/16 of FP32"),
        ("32-bit multiply", 4.0, w32("v_mul_lo_u32 v@, v1, v2")?, ACO),
    ];
    let mut rows: Vec<PublishedRow> =
        list.into_iter().map(|(name, p, m, source)| row(name, "cycles", p, m, source)).collect();
    rows.push(row("packed FP16 for one FP32", "operations", 2.0, 2.0 * one / packed, WHITEPAPER));
    Ok(rows)
}

/// A round of 32 times `body`, in a loop of s2 rounds; `start` comes before.
fn looped(start: &str, body: &str, end: &str) -> String {
    let body = format!("{body}\n").repeat(32);
    format!("{start}\nround:\n{body}{end}\ns_sub_i32 s2, s2, 1\ns_cmp_lg_u32 s2, 0\ns_cbranch_scc1 round\ns_endpgm\n")
}

/// Cycles of one LDS instruction of a wave32, where eight waves of a work-group do nothing else.
fn lds(machine: &Arc<Machine>) -> Result<Vec<PublishedRow>> {
    let mut bench = Bench::new(machine)?;
    let mut cycles = |shift: u32, body: &str| {
        let start = format!("v_and_b32 v0, 31, v0\nv_lshlrev_b32 v1, {shift}, v0\nv_mov_b32 v2, 0");
        let text = looped(&start, body, "s_waitcnt lgkmcnt(0)");
        let program = |rounds| Program { lds_bytes: 1 << 16, workgroup: 256, ..Program::wave(&text, vec![rounds]) };
        Ok::<f64, Failure>(bench.more(&program(8), &program(40))? / f64::from(32 * 8 * 32))
    };
    const MANUAL: &str = "RDNA ISA manual: 32 banks of dwords, conflicts serialise, equal addresses broadcast";
    const PORT: &str = "Chips and Cheese: 128 bytes a cycle to a pair of SIMDs";
    Ok(vec![
        row("LDS dword, stride 1", "cycles", 1.0, cycles(2, "ds_read_b32 v4, v1")?, MANUAL),
        row("LDS dword, stride 2", "cycles", 2.0, cycles(3, "ds_read_b32 v4, v1")?, MANUAL),
        row("LDS dword, stride 32", "cycles", 32.0, cycles(7, "ds_read_b32 v4, v1")?, MANUAL),
        row("LDS dword, all lanes one", "cycles", 1.0, cycles(2, "ds_read_b32 v4, v2")?, MANUAL),
        row("LDS four dwords", "cycles", 4.0, cycles(4, "ds_read_b128 v[4:7], v1")?, PORT),
        row("LDS atomic, all lanes one", "cycles", 32.0, cycles(2, "ds_add_u32 v2, v0")?, MANUAL),
    ])
}

/// Cycles from one work-group's start to the next, of an empty kernel.
fn launches(machine: &Arc<Machine>) -> Result<Vec<PublishedRow>> {
    let mut bench = Bench::new(machine)?;
    let mut cycles = |waves: u32| {
        let program = |groups| Program { workgroup: 32 * waves, groups, ..Program::wave("s_endpgm", vec![]) };
        Ok::<f64, Failure>(bench.more(&program(1000), &program(3000))? / 2000.0)
    };
    const NAVISIM: &str = "NaviSim's dispatcher, fitted to empty kernels";
    Ok(vec![
        row("launch of a work-group, one wave", "cycles", 4.0, cycles(1)?, NAVISIM),
        row("launch of a work-group, eight waves", "cycles", 8.0, cycles(8)?, NAVISIM),
    ])
}

/// A load of sebbbi's perftest, as it is written there: `value += data[(start + i) | mask]`, 256 times.
struct Load {
    name: &'static str,
    /// Of 30 dispatches of 1024 x 1024 work-items.
    milliseconds: f64,
    /// Makes v1, where a work-item starts, of its number v0.
    start: &'static str,
    /// The load into v8.. of the element whose number is in v2.
    load: &'static str,
    dwords: u32,
    format: u8,
    why: &'static str,
}

/// BUF_FORMAT_32_FLOAT, _32_32_FLOAT, _32_32_32_32_FLOAT.
const FLOATS: [u8; 3] = [22, 64, 77];
const LINEAR: &str = "v_mov_b32 v1, v0";
const FIVE: &str = "the card takes a cycle more for a raw load of four dwords than for a typed one; not modelled";

const LOADS: [Load; 8] = [
    Load {
        name: "Buffer<R32f>.Load uniform",
        milliseconds: 4.818,
        start: "v_mov_b32 v1, 0",
        load: "buffer_load_format_x v8, v2, s[4:7], 0 idxen",
        dwords: 1,
        format: FLOATS[0],
        why: "",
    },
    Load {
        name: "Buffer<R32f>.Load linear",
        milliseconds: 4.697,
        start: LINEAR,
        load: "buffer_load_format_x v8, v2, s[4:7], 0 idxen",
        dwords: 1,
        format: FLOATS[0],
        why: "",
    },
    Load {
        name: "Buffer<R32f>.Load random",
        milliseconds: 4.771,
        start: "v_mul_u32_u24 v1, 7, v0\nv_and_b32 v1, 15, v1",
        load: "buffer_load_format_x v8, v2, s[4:7], 0 idxen",
        dwords: 1,
        format: FLOATS[0],
        why: "",
    },
    Load {
        name: "Buffer<RG32f>.Load linear",
        milliseconds: 6.223,
        start: LINEAR,
        load: "buffer_load_format_xy v[8:9], v2, s[4:7], 0 idxen",
        dwords: 2,
        format: FLOATS[1],
        why: "",
    },
    Load {
        name: "Buffer<RGBA32f>.Load linear",
        milliseconds: 13.312,
        start: LINEAR,
        load: "buffer_load_format_xyzw v[8:11], v2, s[4:7], 0 idxen",
        dwords: 4,
        format: FLOATS[2],
        why: "",
    },
    Load {
        name: "StructuredBuffer<float4>.Load linear",
        milliseconds: 12.948,
        start: LINEAR,
        load: "buffer_load_dwordx4 v[8:11], v2, s[4:7], 0 idxen",
        dwords: 4,
        format: FLOATS[2],
        why: "",
    },
    Load {
        name: "ByteAddressBuffer.Load linear",
        milliseconds: 6.361,
        start: LINEAR,
        load: "v_lshlrev_b32 v2, 2, v2\nbuffer_load_dword v8, v2, s[4:7], 0 offen",
        dwords: 1,
        format: FLOATS[0],
        why: "",
    },
    Load {
        name: "ByteAddressBuffer.Load4 linear",
        milliseconds: 16.076,
        start: LINEAR,
        load: "v_lshlrev_b32 v2, 4, v2\nbuffer_load_dwordx4 v[8:11], v2, s[4:7], 0 offen",
        dwords: 4,
        format: FLOATS[0],
        why: FIVE,
    },
];

/// Loads that hit L0, in tera-loads of a lane a second.
fn loads(machine: &Arc<Machine>) -> Result<Vec<PublishedRow>> {
    const PERFTEST: &str = "sebbbi, perftest: Direct3D 11";
    let all = 30.0 * 1024.0 * 1024.0 * 256.0;
    LOADS
        .iter()
        .map(|load| {
            let published = all / (load.milliseconds * 1e-3) / 1e12;
            let measured = rate(machine, load)? / 1e12;
            let figure = Measured { card: CARD, unit: "T/s", published, measured, source: PERFTEST };
            Ok(figure.row(load.name.into(), load.why))
        })
        .collect()
}

/// Loads of a lane a second.
fn rate(machine: &Arc<Machine>, load: &Load) -> Result<f64> {
    const AHEAD: u32 = 8;
    const ROUNDS: u32 = 8;
    let text = load_loop(load, AHEAD);
    let mut bench = Bench::new(machine)?;
    let bytes = 16 << 10;
    let at = bench.lab.memory(bytes)?;
    let raw = BufferDescriptor::raw(at, bytes as u32);
    let indexed = load.load.contains("idxen");
    let element = 4 * load.dwords;
    let typed = BufferDescriptor { stride: element, num_records: bytes as u32 / element, oob_select: 0, ..raw };
    let words =
        BufferDescriptor { format: load.format, ..if indexed { typed } else { raw } }.to_words(machine.generation());
    let program = |groups| {
        let user = [vec![ROUNDS, 0], words.to_vec()].concat();
        Program { vgprs: 48, workgroup: 256, groups, ..Program::wave(&text, user) }
    };
    // The machine is full, and then full twice more: launch and the last work-groups' ends are in both.
    let full = machine.wgps() * machine.simds_per_wgp() * machine.simd.wave_slots.value * 32 / 256;
    let [less, more] = [full as u32, 3 * full as u32];
    let cycles = bench.more(&program(less), &program(more))?;
    let loads = u64::from(ROUNDS * AHEAD) * u64::from((more - less) * 256);
    Ok(loads as f64 / cycles * machine.shader_hz())
}

/// The loop with `ahead` loads on their way: s2 rounds, s3 the mask, s[4:7] the V#, s8 the count.
fn load_loop(load: &Load, ahead: u32) -> String {
    let mut text = format!("{}\ns_mov_b32 s8, 0\nround:\n", load.start);
    // Loads write v16, v20, and so on.
    for k in 0..ahead {
        let to = 16 + 4 * k;
        let data = load.load.replace("v[8:9]", &format!("v[{to}:{}]", to + 1));
        let data = data.replace("v[8:11]", &format!("v[{to}:{}]", to + 3)).replace("v8,", &format!("v{to},"));
        text += &format!("v_add_nc_u32 v2, s8, v1\nv_or_b32 v2, s3, v2\n{data}\ns_add_i32 s8, s8, 1\n");
    }
    for k in 0..ahead {
        text += &format!("s_waitcnt vmcnt({})\n", ahead - 1 - k);
        (0..load.dwords).for_each(|d| text += &format!("v_add_f32 v{}, v{}, v{}\n", 4 + d, 4 + d, 16 + 4 * k + d));
    }
    text + "s_and_b32 s8, s8, 0xff\ns_sub_i32 s2, s2, 1\ns_cmp_lg_u32 s2, 0\ns_cbranch_scc1 round\ns_endpgm\n"
}

/// A copy from memory to memory, both counted.
fn copy(machine: &Arc<Machine>) -> Result<PublishedRow> {
    let bytes = 8 * machine.l2_bytes();
    let groups = bytes / 16 / 256;
    let job = Job {
        name: "copy.wgsl",
        words: shader::wgsl(include_str!("copy.wgsl"), Path::new("copy.wgsl"))?,
        buffers: vec![bytes, bytes],
        // The first fills the instruction cache.
        dispatches: vec![(vec![], groups); 2],
    };
    let report = job.run(machine)?.pop();
    let seconds = report.map_or(f64::NAN, |report| seconds(&report, machine));
    let rate = 2.0 * bytes as f64 / seconds / 1e9;
    let measured = Measured { card: CARD, unit: "GB/s", published: 384.1, measured: rate, source: "hipfire, gfx1010" };
    Ok(measured.row("memory, a copy".into(), "the publisher does not say whether the plateau is a copy's"))
}
