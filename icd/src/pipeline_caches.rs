//! Pipeline caches (chapter "Pipelines", section "Pipeline Cache").

use crate::entry::{SUCCESS, entry};
use crate::handle::{self, Object};
use crate::identity::identity;
use ash::vk;
use std::ffi::c_void;
use wavepipe_runtime as runtime;

pub struct PipelineCache {
    pub runtime: runtime::PipelineCache,
}

impl Object for PipelineCache {
    type Handle = vk::PipelineCache;
}

/// Bytes of VkPipelineCacheHeaderVersionOne.
const HEADER_BYTES: usize = 32;

/// Names the compiler in this build of the driver: another one must not read its caches.
pub fn cache_uuid() -> [u8; 16] {
    let mut uuid = [0; 16];
    for (place, digits) in uuid.iter_mut().zip(runtime::COMPILER.as_bytes().chunks(2)) {
        *place = digits.iter().fold(0, |n, d| n << 4 | (*d as char).to_digit(16).unwrap_or(0) as u8);
    }
    uuid
}

fn header() -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    let words = [
        HEADER_BYTES as u32,
        vk::PipelineCacheHeaderVersion::ONE.as_raw() as u32,
        identity().vendor,
        identity().device,
    ];
    for (place, word) in header.as_chunks_mut::<4>().0.iter_mut().zip(words) {
        *place = word.to_le_bytes();
    }
    header[16..].copy_from_slice(&cache_uuid());
    header
}

/// What is behind the header of saved data, if it is ours.
fn body(data: &[u8]) -> &[u8] {
    data.strip_prefix(&header()).unwrap_or(&[])
}

entry! { call;
    fn vkCreatePipelineCache(
        device: vk::Device,
        info: *const vk::PipelineCacheCreateInfo<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::PipelineCache,
    ) -> vk::Result {
        call.device(device);
        let info = call.read(info);
        let data = call.bytes(info.p_initial_data, info.initial_data_size);
        call.write(out, handle::create(PipelineCache { runtime: runtime::PipelineCache::new(body(data)) }));
        SUCCESS
    }

    fn vkDestroyPipelineCache(
        device: vk::Device,
        cache: vk::PipelineCache,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        call.destroy::<PipelineCache>(cache);
    }

    fn vkGetPipelineCacheData(
        device: vk::Device,
        cache: vk::PipelineCache,
        size: *mut usize,
        data: *mut c_void,
    ) -> vk::Result {
        let size = call.out(size);
        let cache = &call.get::<PipelineCache>(cache).runtime;
        if data.is_null() {
            *size = HEADER_BYTES + cache.data(usize::MAX).0.len();
            return SUCCESS;
        }
        // A header that does not fit is not written at all.
        let Some(room) = size.checked_sub(HEADER_BYTES) else {
            *size = 0;
            return Ok(vk::Result::INCOMPLETE);
        };
        let (body, all) = cache.data(room);
        *size = HEADER_BYTES + body.len();
        let (head, tail) = call.bytes_mut(data, *size).split_at_mut(HEADER_BYTES);
        head.copy_from_slice(&header());
        tail.copy_from_slice(&body);
        Ok(if all { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE })
    }

    fn vkMergePipelineCaches(
        device: vk::Device,
        cache: vk::PipelineCache,
        count: u32,
        sources: *const vk::PipelineCache,
    ) -> vk::Result {
        let cache = &call.get::<PipelineCache>(cache).runtime;
        for source in call.slice(sources, count) {
            cache.merge(&call.get::<PipelineCache>(*source).runtime);
        }
        SUCCESS
    }
}
