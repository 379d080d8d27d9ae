//! Names and lines of who wrote memory last.

use crate::bus::{CodeMap, line_of};
use wavepipe_hw::observe::WritingInvocation;
use wavepipe_isa::{decode, disasm};

/// Completes what the GPU tells. The address may hold other code by now: the instruction has to be the same.
pub(crate) fn name(by: &mut WritingInvocation, codes: &CodeMap) {
    let pc = by.site.pc;
    for (va, code) in codes.ever(pc) {
        let words = code.text[(pc - va) as usize..].as_chunks::<4>().0;
        let words: Vec<u32> = words.iter().take(8).map(|b| u32::from_le_bytes(*b)).collect();
        let text = |lanes| decode::decode(&words, code.isa).map(|(i, _)| disasm::text(&i, code.isa, lanes));
        if ![32, 64].map(text).contains(&Ok(by.site.disassembly.clone())) {
            continue;
        }
        let live = codes.find(pc).is_some_and(|(at, here)| at == va && std::sync::Arc::ptr_eq(&here, &code));
        match live.then(|| codes.place(&mut by.site)).flatten() {
            Some(kernel) => by.kernel = kernel,
            None => {
                by.kernel = code.name.clone();
                by.site.pc_offset = pc - va;
                by.site.source = line_of(&code, (pc - va) as u32);
            }
        }
        return;
    }
}
