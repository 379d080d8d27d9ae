//! Last writers. Every shader here writes values that say who writes them: the invocation's number and the line. So memory itself tells
//! what is to be answered, whoever is last.

use super::{buffer, session};
use std::sync::Arc;
use wavepipe_runtime::simple::{Bound, Descriptor, Step};
use wavepipe_runtime::{Buffer, CommandBuffer, Observe, SubmitInfo, WaveSize, Writer};
use wavepipe_tests::{glslc, installed, skip};

/// Before anybody writes.
const NOBODY: u32 = 0xdead_beef;
const SIZE: [u32; 3] = [20, 3, 1];
const GROUPS: [u32; 3] = [3, 2, 2];
const WORDS: usize = 2048;

/// Name, body of `main`. `me` is the invocation's number times 256; lines add theirs.
const CASES: &[(&str, &str)] = &[
    (
        "lines",
        "b[g] = me + 14;
if (g % 3 == 0) b[g] = me + 15;
if (g % 5 == 0) atomicExchange(b[g], me + 16);
if (g % 7 == 0)
    for (uint k = 0; k < 3; k++) b[900 + g / 7 * 3 + k] = me + 18;",
    ),
    (
        "races",
        "b[g % 17] = me + 14;
b[100 + g % 33] = me + 15;
atomicCompSwap(b[40 + g % 5], 0xdeadbeef, me + 16);
if (g % 2 == 1) atomicCompSwap(b[50], b[50], me + 17);",
    ),
    (
        "wide",
        "v[g] = uvec4(me + 14);
if (g % 4 == 1) v[g].yz = uvec2(me + 15);
if (g % 6 == 1) b[4 * g + 3] = me + 16;",
    ),
    (
        // Three bytes of another's word; the fourth is the first one's.
        "bytes",
        "b[g] = me + 14;
barrier();
if (g % 4 == 2)
    for (uint k = 0; k < 3; k++) c[4 * (g ^ 1) + k] = uint8_t((me + 17) >> (8 * k));",
    ),
    (
        "halves",
        "h[2 * g] = uint16_t(me + 14);
h[2 * g + 1] = uint16_t((me + 15) >> 16);",
    ),
    (
        "LDS and private memory are none",
        "uint p[9]; s[l] = me; p[l % 9] = me; barrier();\nb[g] = me + 15 + 0 * (s[l ^ 1] + p[g % 9]);",
    ),
];

fn text(body: &str) -> String {
    let [x, y, z] = SIZE;
    format!(
        "#version 450
#extension GL_EXT_shader_8bit_storage : require
#extension GL_EXT_shader_16bit_storage : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;
layout(set = 0, binding = 0) buffer B {{ uint b[]; }};
layout(set = 0, binding = 0) buffer V {{ uvec4 v[]; }};
layout(set = 0, binding = 0) buffer C {{ uint8_t c[]; }};
layout(set = 0, binding = 0) buffer H {{ uint16_t h[]; }};
shared uint s[64];
void main() {{ uint l = gl_LocalInvocationIndex;
uvec3 n = gl_NumWorkGroups * gl_WorkGroupSize, i = gl_GlobalInvocationID;
uint g = (i.z * n.y + i.y) * n.x + i.x, me = g << 8;
{body}
}}"
    )
}

/// Whom a value of this text names.
fn named(value: u32, wave: WaveSize) -> ([u32; 3], [u32; 3], u32, u32, u32) {
    let (n, g): ([u32; 3], u32) = (std::array::from_fn(|k| SIZE[k] * GROUPS[k]), value >> 8);
    let invocation = [g % n[0], g / n[0] % n[1], g / n[0] / n[1]];
    let group = std::array::from_fn(|k| invocation[k] / SIZE[k]);
    let local: [u32; 3] = std::array::from_fn(|k| invocation[k] % SIZE[k]);
    let item = (local[2] * SIZE[1] + local[1]) * SIZE[0] + local[0];
    (invocation, group, item / wave.lanes(), item % wave.lanes(), value & 255)
}

fn check(name: &str, body: &str, wave: WaveSize, timing: bool) {
    let session = session(Observe::WRITERS, 4, timing);
    let pipeline = session
        .pipeline(&glslc(&format!("observed-{}", name.replace(' ', "-")), &text(body)), None, &[], Some(wave))
        .unwrap();
    let words = buffer(&session, &[NOBODY.to_le_bytes(); WORDS].concat());
    session.device().watch_writes(words.address(), 4 * WORDS as u64);
    // The last dwords of what is wide are beyond the descriptor's end, so not written.
    let bytes = if name == "wide" { 4 * 1001 } else { 4 * WORDS as u64 };
    let bound = vec![Bound { set: 0, binding: 0, element: 0, descriptor: Descriptor::Buffer(words.clone(), bytes) }];
    session.run_steps(&[Step { pipeline, bound, push: Vec::new(), groups: GROUPS, indirect: None }]).unwrap();
    let mut all = vec![0; 4 * WORDS];
    words.read(0, &mut all).unwrap();
    let mut written = 0;
    for (n, word) in all.as_chunks::<4>().0.iter().enumerate() {
        let (at, value) = (words.address() + 4 * n as u64, u32::from_le_bytes(*word));
        let place = || format!("{name} {wave:?}, clock {timing}: word {n} {value:#x}");
        for byte in 0..4 {
            let writer = session.device().last_writer(at + byte);
            if value == NOBODY {
                assert_eq!(writer, None, "{}", place());
                continue;
            }
            let Some(Writer::Invocation(by)) = writer else { panic!("{}: {writer:?}", place()) };
            written += 1;
            let source = by.site.source.as_ref().map_or(0, |s| s.line);
            let mut wanted = named(value, wave);
            match name {
                // The upper byte is of line 14 still: it is the same for the two.
                "bytes" if wanted.4 == 17 && byte == 3 => {
                    let other = named(((n as u32) << 8) + 14, wave);
                    wanted = other;
                }
                "halves" if byte >= 2 => wanted.4 = 15,
                _ => {}
            }
            let told = (by.invocation.unwrap(), by.site.workgroup, by.site.wave, by.site.lane, source);
            assert_eq!(told, wanted, "{}, byte {byte}: {by}", place());
            assert_eq!((by.kernel.as_str(), by.site.lanes), ("main", 1 << by.site.lane));
            let stores = ["store", "atomic"].iter().any(|s| by.site.disassembly.contains(s));
            assert!(stores, "{}: {by}", place());
        }
    }
    assert!(written > 60, "{name}: {written}");
}

#[test]
fn memory_that_says_who_wrote_it_agrees() {
    if !installed("glslc") {
        return skip("glslc").unwrap();
    }
    for (name, body) in CASES {
        for wave in [WaveSize::W32, WaveSize::W64] {
            [false, true].into_iter().for_each(|timing| check(name, body, wave, timing));
        }
    }
}

#[test]
fn commands_write_and_the_host_is_nobody() {
    let session = session(Observe::WRITERS, 2, false);
    let device = session.device();
    let (one, two) = (buffer(&session, &[1; 256]), buffer(&session, &[2; 256]));
    let of = |b: &Arc<Buffer>, at: u64| device.last_writer(b.address() + at);
    device.watch_writes(one.address() + 16, 200);
    let mut commands = CommandBuffer::new(device);
    commands.begin();
    commands.fill_buffer(&one, 0, Some(32), 7);
    commands.update_buffer(&one, 64, &[3; 8]);
    let region = wavepipe_runtime::BufferCopy { source_offset: 0, dest_offset: 128, size: 4 };
    commands.copy_buffer(&two, &one, &[region]);
    commands.end().unwrap();
    let info = SubmitInfo { command_buffers: vec![commands.recording().unwrap()], ..Default::default() };
    session.queue().submit(&info, None).unwrap();
    session.queue().wait_idle().unwrap();
    one.write(40, &[9; 4]).unwrap();
    let by_command: Vec<u64> = (0..256).filter(|at| of(&one, *at) == Some(Writer::Command)).collect();
    let wanted: Vec<u64> = (16..32).chain(64..72).chain(128..132).collect();
    assert_eq!(by_command, wanted);
    assert!((0..256).all(|at| of(&one, at).is_none() || wanted.contains(&at)));
    assert!((0..256).all(|at| of(&two, at).is_none()), "it is not watched");
    // Who begins to watch again sees what comes from then on.
    device.watch_writes(one.address() + 16, 20);
    assert!((0..256).all(|at| of(&one, at).is_none()));
}
