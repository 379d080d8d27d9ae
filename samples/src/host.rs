//! What a sample asks of a device: the compute part of Vulkan that every such program uses, and no more.

/// A buffer of the host it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BufferId(pub(crate) usize);

/// A compute pipeline of the host it came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PipelineId(pub(crate) usize);

/// Steps that a host has recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecordingId(pub(crate) usize);

/// The kind of a descriptor. A shader's descriptors are bindings 0, 1, 2 … of set 0, in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Binding {
    Storage,
    Uniform,
}

/// A pipeline to make.
#[derive(Clone, Copy, Debug)]
pub struct Shader<'a> {
    /// SPIR-V bytes, little-endian, from [`crate::spirv!`].
    pub spirv: &'a [u8],
    pub entry: &'a str,
    pub bindings: &'a [Binding],
    /// Size of the push constant block in bytes, a multiple of 4; 0 for none.
    pub push_bytes: u32,
    /// Specialization constants: (SpecId, 32-bit value).
    pub spec: &'a [(u32, u32)],
}

/// One command. A full memory barrier stands between consecutive steps.
#[derive(Clone, Debug)]
pub enum Step {
    /// `groups` work-groups of `pipeline` with `buffers` at bindings 0, 1, 2 … and `push` as push constants.
    Dispatch { pipeline: PipelineId, buffers: Vec<BufferId>, push: Vec<u8>, groups: [u32; 3] },
    /// The whole buffer is filled with `word`.
    Fill { buffer: BufferId, word: u32 },
    /// `from`, whole, is copied to the start of `to`.
    Copy { from: BufferId, to: BufferId },
}

/// Why a sample could not run; a wrong answer is not an error but a result.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("{what}: {why}")]
    Driver { what: &'static str, why: String },
    #[error("{0}")]
    Unsupported(String),
    #[error("{path}: {why}")]
    File { path: String, why: String },
}

/// A device that runs compute shaders.
pub trait Host {
    /// The device's own name.
    fn device(&self) -> &str;

    /// Lanes in a subgroup, as the device reports it.
    fn subgroup_size(&self) -> u32;

    /// A buffer that holds `bytes` (not empty; the length a multiple of 4).
    fn buffer(&mut self, bytes: &[u8]) -> Result<BufferId, Error>;

    fn pipeline(&mut self, shader: &Shader) -> Result<PipelineId, Error>;

    /// Records `steps` into one command buffer, submits it, and waits until the device is done.
    fn run(&mut self, steps: &[Step]) -> Result<(), Error>;

    /// Records `steps` once, to be submitted any number of times.
    fn prepare(&mut self, steps: &[Step]) -> Result<RecordingId, Error>;

    /// Submits what was recorded, and waits until the device is done.
    fn submit(&mut self, recording: RecordingId) -> Result<(), Error>;

    /// Gives the whole buffer these bytes.
    fn write(&mut self, buffer: BufferId, bytes: &[u8]) -> Result<(), Error>;

    /// The buffer's bytes.
    fn read(&mut self, buffer: BufferId) -> Result<Vec<u8>, Error>;

    /// Wave-instructions executed so far, where the host can know it.
    fn wave_instructions(&self) -> Option<u64> {
        None
    }
}

/// Conveniences that every sample uses.
impl dyn Host + '_ {
    pub fn upload<T: bytemuck::NoUninit>(&mut self, data: &[T]) -> Result<BufferId, Error> {
        self.buffer(bytemuck::cast_slice(data))
    }

    /// A buffer of `words` zeroed 32-bit words.
    pub fn zeros(&mut self, words: usize) -> Result<BufferId, Error> {
        self.buffer(&vec![0; words * 4])
    }

    /// One dispatch, start to finish.
    pub fn dispatch(
        &mut self,
        pipeline: PipelineId,
        buffers: &[BufferId],
        push: &[u8],
        groups: [u32; 3],
    ) -> Result<(), Error> {
        self.run(&[Step::dispatch(pipeline, buffers, push, groups)])
    }
}

impl Step {
    pub fn dispatch(pipeline: PipelineId, buffers: &[BufferId], push: &[u8], groups: [u32; 3]) -> Step {
        Step::Dispatch { pipeline, buffers: buffers.to_vec(), push: push.to_vec(), groups }
    }
}

/// SPIR-V bytes as words.
pub(crate) fn words(spirv: &[u8]) -> Vec<u32> {
    spirv.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}
