//! debugPrintfEXT: each lane's line, whole, tagged, in the order of its wave, and none lost.

use super::glsl;
use std::collections::BTreeMap;
use wavepipe_runtime::simple::{Job, Session};
use wavepipe_runtime::{Config, WaveSize};

const HEAD: &str = "#version 460
#extension GL_EXT_debug_printf : enable
#extension GL_EXT_shader_explicit_arithmetic_types : enable
layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Data { uint data[]; };
void main() { uint i = gl_GlobalInvocationID.x; data[i & 1023] = i;
";

/// The lines of a run, without the file's folder.
fn printed(config: &Config, body: &str, groups: u32, wave: WaveSize) -> Option<Vec<String>> {
    let words = glsl(&format!("{HEAD}{body} }}\n"), "-O0")?;
    let session = Session::new(config).unwrap();
    session.device().collect_printed();
    let buffers = vec![(0, 0, vec![0; 4096])];
    session.run(&Job { words, wave: Some(wave), groups: [groups, 1, 1], buffers, ..Job::default() }).unwrap();
    let lines = session.device().take_printed();
    Some(lines.into_iter().map(|l| l.replace(&*folder(), "")).collect())
}

fn folder() -> String {
    wavepipe_tests::scratch("").display().to_string()
}

/// The tag without its file, and the text.
fn parts(line: &str) -> (String, &str) {
    let (tag, text) = line.strip_prefix('[').and_then(|l| l.split_once("] ")).unwrap_or_else(|| panic!("{line}"));
    let (tag, place) = tag.rsplit_once(' ').unwrap();
    assert!(place.ends_with(".comp:7"), "{line}");
    (tag.to_string(), text)
}

fn one_thread() -> Config {
    Config { threads: 1, ..Config::checked() }
}

#[test]
fn each_lane_prints_once_in_order() {
    for (wave, lanes) in [(WaveSize::W32, 32), (WaveSize::W64, 64)] {
        for timing in [false, true] {
            let config = Config { timing, ..one_thread() };
            let body = "debugPrintfEXT(\"lane %u\\n\", i);";
            let Some(lines) = printed(&config, body, 2, wave) else { return };
            let mut want = Vec::new();
            for group in 0..2 {
                for item in 0..64 {
                    let tag = format!("group {group},0,0 wave {} lane {}", item / lanes, item % lanes);
                    want.push((tag, format!("lane {}", group * 64 + item)));
                }
            }
            let mut got: Vec<_> = lines.iter().map(|l| parts(l)).map(|(tag, text)| (tag, text.to_string())).collect();
            if timing {
                // Waves run at the same time there; each in its order.
                got.sort_by_key(|(tag, _)| tag.split(" lane ").next().map(str::to_owned));
            }
            assert_eq!(got, want, "{wave:?}, clock: {timing}");
        }
    }
}

#[test]
fn every_type_is_printed() {
    let body = "if (i == 3) debugPrintfEXT(\"%d %u %f %v3f %v2d %lu %ld %f %u %d %f 100%%\", -5, i, 1.5, vec3(1, 2, i), ivec2(-1, 7), 0x123456789abcdefUL, -2l, 0.1lf, uint8_t(200), int16_t(-3), float16_t(2.5));";
    let Some(lines) = printed(&one_thread(), body, 1, WaveSize::W32) else { return };
    let text = "-5 3 1.500000 1.000000, 2.000000, 3.000000 -1, 7 81985529216486895 -2 0.100000 200 -3 2.500000 100%";
    assert_eq!(lines.iter().map(|l| parts(l)).collect::<Vec<_>>(), [("group 0,0,0 wave 0 lane 3".to_string(), text)]);
}

#[test]
fn loops_and_branches_print_what_they_run() {
    let body = "for (uint k = 0; k < (i & 3); k++) if ((i ^ k) % 2 == 0) debugPrintfEXT(\"%u.%u\", i, k);";
    for wave in [WaveSize::W32, WaveSize::W64] {
        let Some(lines) = printed(&Config::checked(), body, 1, wave) else { return };
        let mut want = BTreeMap::new();
        for i in 0..64u32 {
            for k in (0..i & 3).filter(|k| (i ^ k) % 2 == 0) {
                want.entry(i).or_insert_with(Vec::new).push(format!("{i}.{k}"));
            }
        }
        let mut got = BTreeMap::new();
        for line in &lines {
            let text = parts(line).1;
            let i: u32 = text.split('.').next().unwrap().parse().unwrap();
            got.entry(i).or_insert_with(Vec::new).push(text.to_string());
        }
        assert_eq!(got, want);
    }
}

#[test]
fn a_million_messages_arrive() {
    let body = "for (uint k = 0; k < 16; k++) debugPrintfEXT(\"%u\", i * 16 + k);";
    let groups = 977;
    let Some(lines) = printed(&Config::checked(), body, groups, WaveSize::W64) else { return };
    let total = groups as usize * 64 * 16;
    assert!(total > 1_000_000);
    assert_eq!(lines.len(), total);
    let mut seen = vec![false; total];
    let mut last: BTreeMap<String, usize> = BTreeMap::new();
    for line in &lines {
        let (tag, text) = parts(line);
        let n: usize = text.parse().unwrap();
        assert!(!std::mem::replace(&mut seen[n], true), "{line} came twice");
        // Of one lane in its order.
        assert!(last.insert(tag, n).is_none_or(|before| before < n), "{line} came too late");
    }
}
