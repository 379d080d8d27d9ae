//! The bytes of descriptor sets, read back from a GPU that only keeps books.

use crate::common::Recorder;
use std::sync::Arc;
use wavepipe_runtime::hw::code::CodeObject;
use wavepipe_runtime::hw::launch::{Place, UserData};
use wavepipe_runtime::hw::pm4::{Packet, reg};
use wavepipe_runtime::*;

fn binding(binding: u32, kind: BindingKind, count: u32) -> Binding {
    Binding { binding, kind, count }
}

/// Words that say where they come from.
fn words<const N: usize>(from: u32) -> [u32; N] {
    std::array::from_fn(|i| from + i as u32)
}

fn u64_of(words: &[u32]) -> u64 {
    u64::from(words[0]) | u64::from(words[1]) << 32
}

#[test]
fn immutable_samplers_stay() {
    let (gpu, device) = Recorder::device();
    let layout = DescriptorSetLayout::with(SetLayoutInfo {
        bindings: vec![
            binding(0, BindingKind::CombinedImageSampler, 2),
            binding(2, BindingKind::Sampler, 1),
            binding(5, BindingKind::CombinedImageSampler, 1),
        ],
        immutable_samplers: vec![(2, vec![words(300)]), (0, vec![words(100), words(200)])],
        variable_count: false,
    })
    .unwrap();
    let pool = DescriptorPool::new(&device, 2, 100);
    let (a, b) = (pool.allocate(&layout).unwrap(), pool.allocate(&layout).unwrap());
    let at = |set: &DescriptorSet, byte: u64| -> [u32; 12] { gpu.words(set.address() + byte, 12).try_into().unwrap() };
    let combined = |image: u32, sampler: u32| -> [u32; 12] {
        let mut all = words(image);
        if image == 0 {
            all = [0; 12];
        }
        all[8..].copy_from_slice(&words::<4>(sampler));
        all
    };
    assert_eq!((at(&a, 0), at(&a, 48)), (combined(0, 100), combined(0, 200)));
    assert_eq!(at(&a, 96)[..4], words::<4>(300));
    a.write_words(0, 0, &words::<12>(7000)).unwrap();
    a.write_words(0, 1, &words::<8>(8000)).unwrap();
    a.write_words(2, 0, &words::<4>(9000)).unwrap();
    a.write_words(5, 0, &combined(6000, 40)).unwrap();
    assert!(a.has_immutable_samplers(0, 1) && !a.has_immutable_samplers(5, 0));
    assert_eq!((at(&a, 0), at(&a, 48)), (combined(7000, 100), combined(8000, 200)));
    assert_eq!(at(&a, 96)[..4], words::<4>(300));
    assert_eq!(at(&a, 112), combined(6000, 40));
    // A copy from a binding without takes the image alone.
    b.copy_from(0, 1, &a, 5, 0, 1).unwrap();
    b.copy_from(5, 0, &a, 0, 0, 1).unwrap();
    assert_eq!((at(&b, 48), at(&b, 112)), (combined(6000, 200), combined(7000, 100)));
    b.write_null(0, 1).unwrap();
    // No image: the type is one, and all else is zero but for the generation's constant bit.
    let mut null = combined(0, 200);
    null[..8].copy_from_slice(&[0, 0, 1 << 31, 1 << 31, 0, 0, 0, 0]);
    assert_eq!(at(&b, 48), null);
    let wrong = |immutable_samplers| {
        let bindings = vec![binding(0, BindingKind::Sampler, 2), binding(1, BindingKind::SampledImage, 1)];
        DescriptorSetLayout::with(SetLayoutInfo { bindings, immutable_samplers, variable_count: false }).is_err()
    };
    assert!(wrong(vec![(0, vec![words(1)])]) && wrong(vec![(1, vec![words(1)])]) && wrong(vec![(9, vec![])]));
}

#[test]
fn elements_run_on_over_bindings() {
    let (gpu, device) = Recorder::device();
    let layout = DescriptorSetLayout::new(vec![
        binding(3, BindingKind::StorageImage, 2),
        binding(1, BindingKind::SampledImage, 2),
        binding(2, BindingKind::SampledImage, 0),
    ])
    .unwrap();
    let pool = DescriptorPool::new(&device, 2, 100);
    let (a, b) = (pool.allocate(&layout).unwrap(), pool.allocate(&layout).unwrap());
    for i in 0..4 {
        a.write_words(1, i, &words::<8>(10 * i)).unwrap();
    }
    assert!(a.write_words(1, 4, &words::<8>(0)).is_err() && a.write_words(7, 0, &words::<8>(0)).is_err());
    b.copy_from(1, 1, &a, 1, 0, 3).unwrap();
    for i in 1..4u64 {
        assert_eq!(gpu.words(b.address() + 32 * i, 8), words::<8>(10 * (i as u32 - 1)));
    }
    assert!(a.write_words(1, 0, &words::<9>(0)).is_err(), "more than a T#");
    let buffer = Buffer::with_memory(&device, 64).unwrap();
    assert!(a.write_buffer(1, 0, &buffer, 0, None).is_err(), "a V# where a T# belongs");
}

#[test]
fn a_set_has_as_many_descriptors_as_it_chose() {
    let (gpu, device) = Recorder::device();
    let layout = DescriptorSetLayout::with(SetLayoutInfo {
        bindings: vec![binding(0, BindingKind::StorageBuffer, 1), binding(1, BindingKind::UniformTexelBuffer, 1000)],
        variable_count: true,
        ..Default::default()
    })
    .unwrap();
    let pool = DescriptorPool::new(&device, 3, 12);
    assert!(matches!(pool.allocate_with(&layout, 12), Err(Error::OutOfPoolMemory { .. })));
    assert!(matches!(pool.allocate_with(&layout, 1001), Err(Error::Invalid(_))));
    let set = pool.allocate_with(&layout, 3).unwrap();
    set.write_words(1, 2, &words::<4>(5)).unwrap();
    set.write_words(0, 3, &words::<4>(6)).unwrap();
    assert!(set.write_words(1, 3, &words::<4>(5)).is_err());
    assert_eq!(gpu.words(set.address() + 16 + 32, 4), words::<4>(6));
    let other = pool.allocate_with(&layout, 6).unwrap();
    drop(set);
    assert!(pool.allocate_with(&layout, 4).is_ok());
    other.copy_from(1, 0, &other, 1, 1, 5).unwrap();
    assert!(other.copy_from(1, 0, &other, 1, 2, 5).is_err());
}

#[test]
fn mutable_descriptors_and_inline_blocks() {
    let (gpu, device) = Recorder::device();
    let texels = DescriptorSetLayout::new(vec![binding(0, BindingKind::StorageTexelBuffer, 1)]).unwrap();
    let texels = DescriptorPool::new(&device, 1, 1).allocate(&texels).unwrap();
    texels.write_words(0, 0, &words::<4>(5)).unwrap();
    texels.write_null(0, 0).unwrap();
    // No texels: a format, so that it is told apart from one that was never written, and nothing of it selected.
    assert_eq!(gpu.words(texels.address(), 4), [0, 0, 0, 0x3101_4000]);
    let layout = DescriptorSetLayout::new(vec![
        binding(0, BindingKind::InlineUniformBlock, 20),
        binding(1, BindingKind::Mutable, 2),
        binding(2, BindingKind::CombinedImageSampler, 1),
        binding(3, BindingKind::StorageBuffer, 1),
    ])
    .unwrap();
    let set = DescriptorPool::new(&device, 1, 100).allocate(&layout).unwrap();
    let buffer = Buffer::with_memory(&device, 64).unwrap();
    let (mutable, combined, plain) = (set.address() + 32, set.address() + 128, set.address() + 176);
    // 20 bytes, and the next binding is aligned like all.
    set.write_inline(0, 4, &[1; 16]).unwrap();
    assert!(set.write_inline(0, 8, &[1; 16]).is_err() && set.write_inline(1, 0, &[1]).is_err());
    assert!(set.write_null(0, 0).is_err() && set.write_words(0, 0, &[1]).is_err());
    assert_eq!(gpu.words(set.address(), 6), [0, 0x0101_0101, 0x0101_0101, 0x0101_0101, 0x0101_0101, 0]);
    set.write_words(2, 0, &words::<12>(50)).unwrap();
    set.copy_from(1, 1, &set, 2, 0, 1).unwrap();
    assert_eq!(gpu.words(mutable + 48, 12), words::<12>(50));
    set.write_buffer(1, 0, &buffer, 16, Some(32)).unwrap();
    set.copy_from(3, 0, &set, 1, 0, 1).unwrap();
    let v = gpu.words(plain, 3);
    assert_eq!((u64_of(&v), v[2]), (buffer.address() + 16, 32));
    set.write_words(1, 0, &words::<12>(70)).unwrap();
    set.copy_from(2, 0, &set, 1, 0, 1).unwrap();
    assert_eq!(gpu.words(combined, 12), words::<12>(70));
    set.write_null(1, 0).unwrap();
    assert_eq!(gpu.words(mutable, 12), [0; 12]);
    assert!(set.copy_from(3, 0, &set, 0, 0, 1).is_err());
}

fn kernel(user_data: Vec<UserData>) -> CodeObject {
    // s_endpgm, then s_code_end.
    let text = [0xbf81_0000u32, wavepipe_hw::code::S_CODE_END].iter().flat_map(|w| w.to_le_bytes()).collect();
    CodeObject { text, workgroup: [1; 3], user_data, ..Default::default() }
}

/// The user SGPRs of each dispatch that `commands` records.
fn user_data(gpu: &Recorder, device: &Arc<Device>, commands: impl FnOnce(&mut CommandBuffer)) -> Vec<Vec<u32>> {
    let queue = device.queue(0, 0).unwrap();
    let mut cb = CommandBuffer::new(device);
    cb.begin();
    commands(&mut cb);
    cb.end().unwrap();
    let info = SubmitInfo { command_buffers: vec![cb.recording().unwrap()], ..Default::default() };
    queue.submit(&info, None).unwrap();
    queue.wait_idle().unwrap();
    let values = gpu.take(0).into_iter().filter_map(|p| match p {
        Packet::SetShReg { reg: reg::COMPUTE_USER_DATA_0, values } => Some(values),
        _ => None,
    });
    values.collect()
}

#[test]
fn a_dynamic_offset_leaves_what_is_behind_the_buffer_out_of_range() {
    let (gpu, device) = Recorder::device();
    let set_layout = DescriptorSetLayout::new(vec![binding(0, BindingKind::StorageBufferDynamic, 1)]).unwrap();
    let layout = PipelineLayout::new(vec![set_layout.clone()], 0).unwrap();
    let code = kernel(vec![UserData::PushConstants]);
    let pipeline = ComputePipeline::from_code_object(&device, code, &layout).unwrap();
    let buffer = Buffer::with_memory(&device, 1024).unwrap();
    let set = DescriptorPool::new(&device, 1, 1).allocate(&set_layout).unwrap();
    set.write_buffer(0, 0, &buffer, 256, Some(512)).unwrap();
    let ranges = [(0, 512), (256, 512), (512, 256), (768, 0), (u32::MAX - 255, 0)];
    let blocks = user_data(&gpu, &device, |cb| {
        cb.bind_pipeline(&pipeline);
        for (offset, _) in ranges {
            cb.bind_descriptor_sets(&layout, 0, std::slice::from_ref(&set), &[offset]);
            cb.dispatch([1; 3]);
        }
    });
    assert_eq!(blocks.len(), ranges.len());
    for (block, (offset, range)) in blocks.iter().zip(ranges) {
        let v = gpu.words(u64_of(block) + 256, 3);
        let base = u64::from(v[0]) | u64::from(v[1] & 0xffff) << 32;
        assert_eq!((base, v[2]), (buffer.address() + 256 + u64::from(offset), range), "{offset}");
    }
}

#[test]
fn each_dispatch_has_the_descriptors_pushed_before_it() {
    let (gpu, device) = Recorder::device();
    let kinds = vec![binding(0, BindingKind::SampledImage, 1), binding(1, BindingKind::Sampler, 1)];
    let set_layout = DescriptorSetLayout::new(kinds).unwrap();
    let other = DescriptorSetLayout::new(vec![binding(0, BindingKind::SampledImage, 1)]).unwrap();
    let layout = PipelineLayout::new(vec![set_layout.clone()], 0).unwrap();
    let other_layout = PipelineLayout::new(vec![other], 0).unwrap();
    let pipeline =
        ComputePipeline::from_code_object(&device, kernel(vec![UserData::DescriptorSet(0)]), &layout).unwrap();
    let sets = user_data(&gpu, &device, |cb| {
        cb.bind_pipeline(&pipeline);
        cb.push_descriptor_set(&layout, 0, |s| s.write_words(0, 0, &words::<8>(10)));
        cb.push_descriptor_set(&layout, 0, |s| s.write_words(1, 0, &words::<4>(20)));
        cb.dispatch([1; 3]);
        // The same set again: nothing new.
        cb.dispatch([1; 3]);
        cb.push_descriptor_set(&layout, 0, |s| s.write_words(0, 0, &words::<8>(30)));
        cb.dispatch([1; 3]);
        // Another layout starts from nothing.
        cb.push_descriptor_set(&other_layout, 0, |s| s.write_words(0, 0, &words::<8>(40)));
        cb.dispatch([1; 3]);
        cb.push_descriptor_set(&layout, 0, |s| s.write_words(1, 0, &words::<4>(50)));
        cb.dispatch([1; 3]);
    });
    let want = [(10, Some(20)), (30, Some(20)), (40, None), (0, Some(50))];
    assert_eq!(sets.len(), want.len());
    for (set, (image, sampler)) in sets.iter().zip(want) {
        let at = u64_of(set);
        assert_eq!(gpu.words(at, 8), if image == 0 { [0; 8] } else { words::<8>(image) });
        if let Some(sampler) = sampler {
            assert_eq!(gpu.words(at + 32, 4), words::<4>(sampler));
        }
    }
    let mut cb = CommandBuffer::new(&device);
    cb.begin();
    cb.push_descriptor_set(&layout, 1, |_| Ok(()));
    assert!(matches!(cb.end(), Err(Error::Invalid(_))));
}

#[test]
fn dynamic_buffers_of_all_sets_share_one_table() {
    let a = DescriptorSetLayout::new(vec![
        binding(3, BindingKind::StorageBufferDynamic, 1),
        binding(0, BindingKind::StorageBuffer, 2),
        binding(1, BindingKind::UniformBufferDynamic, 2),
    ])
    .unwrap();
    let layout = PipelineLayout::new(vec![a.clone(), a], 16).unwrap();
    let place = |set, binding| layout.layout().find(set, binding).unwrap().place;
    assert_eq!(place(0, 0), Place::Set(0));
    assert_eq!(place(0, 1), Place::Push(256));
    assert_eq!(place(0, 3), Place::Push(256 + 32));
    assert_eq!(place(1, 1), Place::Push(256 + 48));
    assert_eq!(layout.layout().sets[0].size, 32);
    assert_eq!(layout.dynamic_count(), 6);
}

#[test]
fn bad_layouts_are_refused() {
    let b = Binding { binding: 1, kind: BindingKind::StorageBuffer, count: 1 };
    assert!(matches!(DescriptorSetLayout::new(vec![b, b]), Err(Error::Invalid(_))));
    let huge = Binding { count: u32::MAX, ..b };
    assert!(matches!(DescriptorSetLayout::new(vec![huge]), Err(Error::Invalid(_))));
    assert!(matches!(PipelineLayout::new(vec![], 257), Err(Error::Invalid(_))));
}
