//! Pointers of a Vulkan call as references and slices. Every accessor borrows the [`Call`], whose existence is the promise
//! that the program's pointers obey Vulkan's valid usage.

use crate::entry::{Call, Fail, Outcome};
use ash::vk;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::os::fd::{BorrowedFd, FromRawFd as _, OwnedFd};
use std::sync::Arc;
use wavepipe_runtime::Aspects;
use wavepipe_runtime::hw::port::HostMemory;

impl Call {
    /// A required input structure.
    pub fn read<T>(&self, pointer: *const T) -> &T {
        self.read_opt(pointer).expect("a required pointer is null")
    }

    /// An optional input structure.
    pub fn read_opt<T>(&self, pointer: *const T) -> Option<&T> {
        // SAFETY: valid usage: null, or a valid structure for the length of the call, which the program does not write.
        unsafe { pointer.as_ref() }
    }

    /// `count` elements; none if the pointer is null.
    pub fn slice<T>(&self, pointer: *const T, count: u32) -> &[T] {
        if pointer.is_null() || count == 0 {
            return &[];
        }
        // SAFETY: valid usage: `count` valid elements for the length of the call.
        unsafe { std::slice::from_raw_parts(pointer, count as usize) }
    }

    /// A plain value `offset` bytes into data that need not be aligned.
    pub fn read_at<T: Copy>(&self, data: *const c_void, offset: usize) -> T {
        assert!(!data.is_null(), "a required pointer is null");
        // SAFETY: valid usage: the data holds a T at that offset.
        unsafe { data.byte_add(offset).cast::<T>().read_unaligned() }
    }

    /// `bytes` of plain data.
    pub fn bytes(&self, pointer: *const c_void, bytes: usize) -> &[u8] {
        if pointer.is_null() || bytes == 0 {
            return &[];
        }
        // SAFETY: valid usage: `bytes` readable bytes for the length of the call.
        unsafe { std::slice::from_raw_parts(pointer.cast(), bytes) }
    }

    /// `bytes` of plain data from `offset` on.
    pub fn bytes_at(&self, data: *const c_void, offset: usize, bytes: usize) -> &[u8] {
        self.bytes(data.wrapping_byte_add(offset), bytes)
    }

    /// `bytes` of plain data that the call fills.
    #[allow(clippy::mut_from_ref)]
    pub fn bytes_mut(&self, pointer: *mut c_void, bytes: usize) -> &mut [u8] {
        if pointer.is_null() || bytes == 0 {
            return &mut [];
        }
        // SAFETY: valid usage: `bytes` writable bytes that nothing else touches during the call.
        unsafe { std::slice::from_raw_parts_mut(pointer.cast(), bytes) }
    }

    /// An output structure or value that the program initialised (sType, pNext).
    #[allow(clippy::mut_from_ref)]
    pub fn out<T>(&self, pointer: *mut T) -> &mut T {
        // SAFETY: valid usage: a valid, writable structure that nothing else touches during the call.
        unsafe { pointer.as_mut() }.expect("a required output pointer is null")
    }

    /// Stores a result; the place need not be initialised.
    pub fn write<T>(&self, pointer: *mut T, value: T) {
        assert!(!pointer.is_null(), "a required output pointer is null");
        // SAFETY: valid usage: a writable place for one T.
        unsafe { pointer.write(value) }
    }

    /// Stores the `index`-th element of an output array.
    pub fn write_at<T>(&self, array: *mut T, index: usize, value: T) {
        assert!(!array.is_null(), "a required output array is null");
        // SAFETY: valid usage: the array has as many places as the call's count, and callers keep `index` below it.
        unsafe { array.add(index).write(value) }
    }

    /// A clear or border colour as registers have it: the union's members are all four words.
    pub fn color_bits(&self, color: &vk::ClearColorValue) -> [u32; 4] {
        // SAFETY: every member of the union is four 32-bit words without invalid bit patterns.
        unsafe { color.uint32 }
    }

    /// The clear value of one aspect: a colour as registers have it, or depth or stencil in the first word.
    pub fn clear_value(&self, value: &vk::ClearValue, aspect: Aspects) -> [u32; 4] {
        if aspect == Aspects::COLOR {
            // SAFETY: valid usage: the union holds a colour where a colour is cleared.
            return self.color_bits(unsafe { &value.color });
        }
        // SAFETY: valid usage: the union holds depth and stencil where these are cleared.
        let value = unsafe { value.depth_stencil };
        [if aspect == Aspects::DEPTH { value.depth.to_bits() } else { value.stencil }, 0, 0, 0]
    }

    /// A file descriptor that the program keeps.
    pub fn borrow_fd(&self, fd: c_int) -> Result<BorrowedFd<'_>, Fail> {
        if fd < 0 {
            return Err(Fail::new(vk::Result::ERROR_INVALID_EXTERNAL_HANDLE, format!("{fd} is no file descriptor")));
        }
        // SAFETY: valid usage: open for the length of the call.
        Ok(unsafe { BorrowedFd::borrow_raw(fd) })
    }

    /// Closes a file descriptor that the program gave away.
    pub fn close_fd(&self, fd: c_int) {
        // SAFETY: valid usage: open, and ours from now on.
        drop(unsafe { OwnedFd::from_raw_fd(fd) });
    }

    /// Memory of the program that it wants the GPU to use, at a page.
    pub fn host_memory(&self, pointer: *mut c_void, size: u64) -> HostMemory {
        // SAFETY: VK_EXT_external_memory_host's valid usage: the bytes stay the program's until it frees the VkDeviceMemory
        // after all work with it; until then it treats them as mapped device memory. Nobody owns them here.
        unsafe { HostMemory::new(pointer.cast(), size, Arc::new(())) }
    }

    /// A NUL-terminated string.
    pub fn string(&self, pointer: *const c_char) -> &CStr {
        if pointer.is_null() {
            return c"";
        }
        // SAFETY: valid usage: NUL-terminated and unchanged for the length of the call.
        unsafe { CStr::from_ptr(pointer) }
    }

    /// The two-call idiom: with a null `array` stores how many there are; otherwise fills at most `*count` and answers
    /// VK_INCOMPLETE if some did not fit. `fill` writes item `i` into its (initialised) place.
    pub fn enumerate_with<T>(
        &self,
        count: *mut u32,
        array: *mut T,
        total: usize,
        fill: impl Fn(usize, &mut T),
    ) -> Outcome {
        let count = self.out(count);
        if array.is_null() {
            *count = total as u32;
            return Ok(vk::Result::SUCCESS);
        }
        let n = total.min(*count as usize);
        for i in 0..n {
            // SAFETY: valid usage: `array` has `*count` places, and i < n <= *count.
            fill(i, unsafe { &mut *array.add(i) });
        }
        *count = n as u32;
        Ok(if n < total { vk::Result::INCOMPLETE } else { vk::Result::SUCCESS })
    }

    /// [`Call::enumerate_with`] over plain items.
    pub fn enumerate<T: Copy>(&self, count: *mut u32, array: *mut T, items: &[T]) -> Outcome {
        self.enumerate_with(count, array, items.len(), |i, place| *place = items[i])
    }
}
