//! The driver's own kernels.

use wavepipe_compiler::{Checks, Instrument, Options};
use wavepipe_hw::launch::PUSH_CONSTANT_BYTES;
use wavepipe_hw::machine::Machine;
use wavepipe_hw::order;
use wavepipe_isa::{Gen, decode};
use wavepipe_runtime::tested::MetaKernel;
use wavepipe_runtime::{DescriptorSetLayout, PipelineLayout, ResolveMode, WaveSize};

fn all() -> Vec<MetaKernel> {
    let mut all = vec![MetaKernel::Subtract];
    for to_srgb in [false, true] {
        all.extend([false, true].map(|source_3d| MetaKernel::Blit { source_3d, to_srgb }));
        for samples in [2, 4, 8] {
            for mode in [ResolveMode::SampleZero, ResolveMode::Average, ResolveMode::Min, ResolveMode::Max] {
                all.extend([false, true].map(|integer| MetaKernel::Resolve { samples, mode, integer, to_srgb }));
            }
        }
    }
    all
}

#[test]
fn every_kernel_is_code_of_every_generation_and_says_that_it_copies() {
    for kernel in all() {
        let set = DescriptorSetLayout::new(kernel.bindings()).unwrap();
        let layout = PipelineLayout::new(vec![set], PUSH_CONSTANT_BYTES).unwrap();
        let spec = kernel.specialization();
        for isa in Gen::ALL.into_iter().filter(|isa| Machine::executes(*isa)) {
            let options = Options {
                isa,
                wave: WaveSize::least(isa),
                spec: &spec,
                checks: Checks::On,
                instrument: Instrument::COPIES,
                ..Options::new("main", layout.layout())
            };
            let code = wavepipe_compiler::compile(&kernel.module(), &options);
            let code = code.unwrap_or_else(|e| panic!("{kernel:?} {}: {e}", isa.name()));
            let (first, _) = decode::decode(&code.code_words(), isa).unwrap();
            assert_eq!(order::bits(&first), Some(order::COPIES), "{kernel:?} {}", isa.name());
        }
    }
}
