//! `compile SHADER.spv [32|64] [dump]`: listing and counts of one shader's machine code.

use wavepipe_compiler::{Options, compile_with_dumps, reflect};
use wavepipe_hw::code::WaveSize;
use wavepipe_hw::launch::{BindingLayout, PipelineLayout, Place, SetLayout};

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [path, ..] = &args[..] else { return eprintln!("compile SHADER.spv [32|64] [dump]") };
    let bytes = match std::fs::read(path) {
        Ok(b) => b,
        Err(e) => return eprintln!("{path}: {e}"),
    };
    let words: Vec<u32> = bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
    let entries = match reflect(&words) {
        Ok(e) => e,
        Err(e) => return eprintln!("{e}"),
    };
    for entry in entries {
        let mut layout = PipelineLayout { sets: vec![], push_constant_bytes: entry.push_constant_bytes };
        for r in &entry.resources {
            while layout.sets.len() <= r.set as usize {
                layout.sets.push(SetLayout::default());
            }
            let set = &mut layout.sets[r.set as usize];
            let place = Place::Set(set.size);
            set.bindings.push(BindingLayout { binding: r.binding, kind: r.kind, count: r.count, place, stride: 16 });
            set.size += 16 * r.count.max(1);
        }
        let mut options = Options::new(&entry.name, &layout);
        if args.iter().any(|a| a == "64") {
            options.wave = WaveSize::W64;
        }
        let start = std::time::Instant::now();
        let (out, dumps) = compile_with_dumps(&words, &options);
        let time = start.elapsed();
        if args.iter().any(|a| a == "dump") {
            for d in &dumps {
                println!("---- {} after {}\n{}", d.form, d.pass, d.text);
            }
        }
        match out {
            Err(e) => println!("error: {e}"),
            Ok(code) => {
                let words: Vec<u32> =
                    code.text.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect();
                let listing = wavepipe_isa::disasm::listing(&words, wavepipe_isa::Gen::Gfx1010, code.wave.lanes());
                let lines: Vec<&str> = listing.lines().filter(|l| !l.contains("s_code_end")).collect();
                if !args.iter().any(|a| a == "quiet") {
                    println!("{}", lines.join("\n"));
                }
                println!(
                    "{}: {} instructions, {} SGPRs, {} VGPRs, {} spilled, {:?}",
                    entry.name,
                    lines.len(),
                    code.sgprs,
                    code.vgprs,
                    code.stats.spilled_sgprs + code.stats.spilled_vgprs,
                    time
                );
            }
        }
    }
}
