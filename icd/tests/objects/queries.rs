//! What queries count.

use crate::bed::{Bed, Way, can_compile, everywhere};
use ash::vk;
use vk::QueryPipelineStatisticFlags as Counts;

const STORAGE: vk::DescriptorType = vk::DescriptorType::STORAGE_BUFFER;

#[test]
fn invocations_are_counted_and_nothing_is_drawn() {
    if can_compile() {
        everywhere("queries::invocations_are_counted_and_nothing_is_drawn", count);
    }
}

#[test]
fn invocations_are_counted_on_every_generation() {
    if can_compile() {
        crate::child::on_every_generation(&["queries::invocations_are_counted_and_nothing_is_drawn"]);
    }
}

fn count(bed: &Bed) {
    let d = &bed.device;
    let out = bed.buffer_with(256, vk::BufferUsageFlags::INDIRECT_BUFFER | vk::BufferUsageFlags::TRANSFER_DST);
    out.set([2, 3, 1, 0]);
    let results = bed.buffer_with(256, vk::BufferUsageFlags::TRANSFER_DST);
    let layout = bed.set_layout(&[(0, STORAGE, 1)]);
    let set = bed.set(layout, &[(STORAGE, 1)], None);
    bed.point(set, (0, 0), STORAGE, (out.handle, 0, vk::WHOLE_SIZE));
    let pipeline_layout = bed.pipeline_layout(&[layout], 0);
    let pipeline = bed.pipeline(
        "#version 450
        layout(local_size_x = 9, local_size_y = 2) in;
        layout(set = 0, binding = 0) buffer Out { uint outs[]; };
        void main() { atomicAdd(outs[3], 1); }",
        pipeline_layout,
    );
    let pool = |ty, statistics| {
        let info = vk::QueryPoolCreateInfo::default().query_type(ty).query_count(3).pipeline_statistics(statistics);
        // SAFETY: valid usage.
        let pool = unsafe { d.create_query_pool(&info, None) }.unwrap();
        // SAFETY: not used any more when the bed goes.
        bed.later(move |d| unsafe { d.destroy_query_pool(pool, None) });
        pool
    };
    let drawn = Counts::VERTEX_SHADER_INVOCATIONS | Counts::CLIPPING_PRIMITIVES;
    let statistics = pool(vk::QueryType::PIPELINE_STATISTICS, drawn | Counts::COMPUTE_SHADER_INVOCATIONS);
    let occlusion = pool(vk::QueryType::OCCLUSION, Counts::empty());
    let none = vk::QueryControlFlags::empty();
    // SAFETY: valid usage.
    bed.run(|c| unsafe {
        d.cmd_reset_query_pool(c, statistics, 0, 3);
        d.cmd_reset_query_pool(c, occlusion, 0, 3);
        d.cmd_bind_pipeline(c, vk::PipelineBindPoint::COMPUTE, pipeline);
        d.cmd_bind_descriptor_sets(c, vk::PipelineBindPoint::COMPUTE, pipeline_layout, 0, &[set], &[]);
        d.cmd_dispatch(c, 5, 1, 1);
        d.cmd_begin_query(c, statistics, 1, none);
        d.cmd_dispatch(c, 7, 1, 2);
        d.cmd_dispatch_indirect(c, out.handle, 0);
        d.cmd_end_query(c, statistics, 1);
        d.cmd_dispatch(c, 1, 1, 1);
        d.cmd_begin_query(c, statistics, 0, none);
        d.cmd_end_query(c, statistics, 0);
        d.cmd_begin_query(c, occlusion, 2, none);
        d.cmd_end_query(c, occlusion, 2);
        let flags = vk::QueryResultFlags::WAIT | vk::QueryResultFlags::WITH_AVAILABILITY;
        d.cmd_copy_query_pool_results(c, statistics, 0, 2, results.handle, 4, 20, flags);
    });
    assert_eq!(out.get()[3], 18 * (5 + 14 + 6 + 1), "the dispatch behind a query has what was bound before it");
    let counted = 18 * (14 + 6);
    assert_eq!(results.get()[1..10], [0, 0, 0, 1, 0, 0, 0, counted, 1]);
    let mut found = [[9u64; 4]; 3];
    let wide = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
    // SAFETY: valid usage.
    unsafe {
        let ready = d.get_query_pool_results(statistics, 0, &mut found, wide);
        assert_eq!(ready, Err(vk::Result::NOT_READY), "the third was never begun");
        assert_eq!(found[..2], [[0, 0, 0, 1], [0, 0, counted.into(), 1]]);
        // lavapipe leaves out what is not available, its availability included.
        assert_eq!(found[2][3], if bed.way == Way::Lavapipe { 9 } else { 0 });
        let mut passed = [9u32];
        d.get_query_pool_results(occlusion, 2, &mut passed, vk::QueryResultFlags::WAIT).unwrap();
        assert_eq!(passed, [0]);
    }
}
