//! Barriers as the check of the order of commands takes them.

use ash::vk;
use ash::vk::{AccessFlags2 as A, PipelineStageFlags2 as P};
use vulkan_wavepipe::tested::{dependency, dependency1};
use wavepipe_runtime::{Stages, Ways};

fn stages(mask: P, first: bool) -> Stages {
    let both = dependency((mask, A::NONE), (mask, A::NONE), None);
    if first { both.first.stages } else { both.second.stages }
}

/// An access mask where all stages are named.
fn ways(mask: A) -> Ways {
    let both = dependency((P::ALL_COMMANDS, mask), (P::ALL_COMMANDS, mask), None);
    assert_eq!(both.first.ways, both.second.ways);
    both.first.ways
}

#[test]
fn masks_mean_what_the_specification_says() {
    assert_eq!(stages(P::TOP_OF_PIPE, true), Stages::empty());
    assert_eq!(stages(P::TOP_OF_PIPE, false), Stages::all());
    assert_eq!(stages(P::BOTTOM_OF_PIPE, true), Stages::all());
    assert_eq!(stages(P::BOTTOM_OF_PIPE, false), Stages::empty());
    assert_eq!(stages(P::ALL_COMMANDS, false), Stages::all());
    assert_eq!(stages(P::COPY | P::COMPUTE_SHADER, true), Stages::TRANSFER | Stages::COMPUTE);
    assert_eq!(ways(A::UNIFORM_READ | A::TRANSFER_WRITE), Ways::COMPUTE_READ | Ways::TRANSFER_WRITE);
    assert_eq!(ways(A::MEMORY_READ | A::MEMORY_WRITE), Ways::all());
    // A mask of the first version has the same bits.
    let first = (vk::PipelineStageFlags::TRANSFER, vk::AccessFlags::TRANSFER_READ);
    let second = (vk::PipelineStageFlags::ALL_COMMANDS, vk::AccessFlags::SHADER_WRITE);
    let both = dependency1(first, second, None);
    assert_eq!(both, dependency((P::ALL_TRANSFER, A::TRANSFER_READ), (P::ALL_COMMANDS, A::SHADER_WRITE), None));
    assert_eq!((both.first.stages, both.second.ways), (Stages::TRANSFER, Ways::COMPUTE_WRITE));
    // An access counts in the stages that are named.
    let one = dependency((P::COMPUTE_SHADER, A::MEMORY_WRITE), (P::COPY, A::MEMORY_READ), None);
    assert_eq!((one.first.ways, one.second.ways), (Ways::COMPUTE_WRITE, Ways::TRANSFER_READ));
}
