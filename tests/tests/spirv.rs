//! SPIR-V that compilers of shading languages seldom write, compiled and run on both wave sizes: pointers that are values,
//! large composites, all kinds of control flow, every storage class, narrow and wide types. The modules are GLSL or SPIR-V
//! assembly; spirv-val accepts each, and the wanted words are computed here by plain Rust.

use crate::spirv_cases::{Case, composites, control, coverage, memory, pointers, values, words_of};
use std::collections::BTreeMap;
use wavepipe_runtime::compiler::spirv::refusal;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::{Buffer, CommandBuffer, Config, DescriptorPool, Error, SubmitInfo, WaveSize};

fn bytes(words: &[u32]) -> Vec<u8> {
    words.iter().flat_map(|w| w.to_le_bytes()).collect()
}

/// Runs a case; its output.
fn dispatch(session: &Session, case: &Case, words: &[u32], wave: WaveSize) -> Result<Vec<u32>, Error> {
    let device = session.device();
    let pipeline = session.pipeline(words, case.entry, &case.spec, Some(wave))?;
    let layout = pipeline.layout();
    let pool = DescriptorPool::new(device, layout.sets().len() as u32, u32::MAX);
    let sets = layout.sets().iter().map(|l| pool.allocate(l)).collect::<Result<Vec<_>, _>>()?;
    let single = case.buffers.iter().enumerate().map(|(n, b)| (n as u32, 0, b));
    let array = case.elements.iter().enumerate().map(|(n, b)| (1, n as u32, b));
    let mut buffers = Vec::new();
    for (binding, element, contents) in single.chain(array) {
        let contents = bytes(contents);
        let buffer = Buffer::with_memory(device, contents.len() as u64)?;
        buffer.write(0, &contents)?;
        sets[0].write_buffer(binding, element, &buffer, 0, Some(contents.len() as u64))?;
        buffers.push(buffer);
    }
    let mut push = case.push.clone();
    if let Some(words) = case.address_of {
        let buffer = Buffer::with_memory(device, words as u64 * 4)?;
        push.splice(0..0, buffer.address().to_le_bytes());
        buffers.push(buffer);
    }
    let mut commands = CommandBuffer::new(device);
    commands.begin();
    commands.bind_pipeline(&pipeline);
    commands.bind_descriptor_sets(layout, 0, &sets, &[]);
    commands.push_constants(0, &push);
    commands.dispatch([case.groups, 1, 1]);
    commands.end()?;
    let info = SubmitInfo { command_buffers: vec![commands.recording()?], ..Default::default() };
    session.queue().submit(&info, None)?;
    session.queue().wait_idle()?;
    let mut out = vec![0; case.buffers[0].len() * 4];
    buffers[0].read(0, &mut out)?;
    Ok(words_of(&out))
}

/// Runs each case on waves of 32 and 64; all that is wrong, at the end.
fn check(cases: Vec<Case>) {
    let session = || Session::new(&Config::watched()).unwrap();
    let sessions = [(session(), ""), (session().inlining(0), ", with calls")];
    let only = std::env::var("WAVEPIPE_CASE").ok();
    let mut failures = Vec::new();
    for case in cases.into_iter().filter(|c| only.as_deref().is_none_or(|o| c.name.contains(o))) {
        let module = match case.module() {
            Ok(Some(module)) => module,
            Ok(None) => return,
            Err(e) => {
                failures.push(e);
                continue;
            }
        };
        let ways = sessions.iter().flat_map(|s| [WaveSize::W32, WaveSize::W64].map(|wave| (&s.0, s.1, wave)));
        for (session, how, wave) in ways {
            match dispatch(session, &case, &module, wave) {
                Err(e) => failures.push(format!("{} {wave:?}{how}: {e}", case.name)),
                Ok(got) => {
                    let wrong = got.iter().zip(&case.want).position(|(g, w)| g != w);
                    if let Some(n) = wrong {
                        let (g, w) = (got[n], case.want[n]);
                        failures.push(format!(
                            "{} {wave:?}{how}: word {n} is {g:#x} ({g}), expected {w:#x} ({w})",
                            case.name
                        ));
                    }
                    assert!(got.len() >= case.want.len(), "{}: the buffer is too small", case.name);
                }
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn pointers_are_values() {
    check(pointers::cases());
}

#[test]
fn composites_of_every_shape_and_size() {
    check(composites::cases());
}

#[test]
fn control_flow_that_is_legal() {
    check(control::cases());
}

#[test]
fn memory_of_every_class_and_width() {
    check(memory::cases());
}

#[test]
fn values_of_every_type() {
    check(values::cases());
}

/// Every instruction that a module may have is in some case, or refused by name with a reason.
#[test]
fn every_instruction_is_exercised_or_refused() {
    let session = Session::new(&Config::checked()).unwrap();
    let mut seen = BTreeMap::new();
    for case in coverage::subgroups() {
        let Some(words) = case.module().unwrap() else { return };
        session.pipeline(&words, None, &[], None).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        coverage::count(&words, &mut seen);
    }
    let all = [pointers::cases(), composites::cases(), control::cases(), memory::cases(), values::cases()];
    for case in all.iter().flatten() {
        let Ok(Some(words)) = case.module() else { return };
        coverage::count(&words, &mut seen);
    }
    let (mut exercised, mut missing) = (0, Vec::new());
    for i in coverage::instructions() {
        let uses = seen.get(&(i.opcode as u32)).copied().unwrap_or(0);
        let how = match (refusal(i.opcode), coverage::elsewhere(i.opcode)) {
            (Some(reason), _) if uses == 0 => format!("refused: {reason}"),
            (_, Some(test)) => format!("in the test of {test}"),
            _ if uses > 0 => format!("{uses} uses"),
            _ => {
                missing.push(i.opname);
                "missing".to_string()
            }
        };
        exercised += u32::from(uses > 0);
        println!("Op{:<36} {how}", i.opname);
    }
    println!("{exercised} instructions exercised here");
    assert!(missing.is_empty(), "neither exercised nor refused: {missing:?}");
}

/// What is refused says its name and the reason.
#[test]
fn refused_instructions_say_why() {
    use spirv::Op;
    let session = Session::new(&Config::checked()).unwrap();
    // Instructions of the same shape, which the validator would accept.
    let shapes = [
        (Op::FNegate, Op::DPdx),
        (Op::FNegate, Op::DPdy),
        (Op::FNegate, Op::Fwidth),
        (Op::Unreachable, Op::Kill),
        (Op::Unreachable, Op::TerminateInvocation),
        (Op::FNegate, Op::SatConvertSToU),
    ];
    for (stands, refused) in shapes {
        let case = values::refused().rename(stands as u32, refused as u32);
        let Some(words) = case.module().unwrap() else { return };
        let error = session.pipeline(&words, None, &[], None).err().map(|e| e.to_string()).unwrap_or_default();
        let reason = refusal(refused).unwrap();
        assert!(error.contains(reason) && error.contains(&format!("Op{refused:?}")), "{refused:?}: {error}");
    }
}
