//! Kernels as SPIR-V 1.3 words, put together by hand so that the tests need no shader compiler.

/// A module in the making.
struct Module {
    words: Vec<u32>,
}

impl Module {
    fn new(bound: u32) -> Module {
        Module { words: vec![0x0723_0203, 0x0001_0300, 0, bound, 0] }
    }

    fn op(&mut self, opcode: u32, operands: &[u32]) {
        self.words.push((operands.len() as u32 + 1) << 16 | opcode);
        self.words.extend(operands);
    }

    /// An instruction with a string between its operands.
    fn named(&mut self, opcode: u32, before: &[u32], name: &str, after: &[u32]) {
        let mut bytes = name.as_bytes().to_vec();
        bytes.resize(bytes.len() / 4 * 4 + 4, 0);
        let text = bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b));
        let operands: Vec<u32> = before.iter().copied().chain(text).chain(after.iter().copied()).collect();
        self.op(opcode, &operands);
    }
}

const MAIN: u32 = 1;
const GID: u32 = 2;
const BUFFER: u32 = 3;
const PUSH: u32 = 4;
const VOID: u32 = 5;
const FUNCTION: u32 = 6;
const U32: u32 = 7;
const UVEC3: u32 = 8;
const P_IN_UVEC3: u32 = 9;
const ARRAY: u32 = 10;
const BLOCK: u32 = 11;
const P_BLOCK: u32 = 12;
const P_U32: u32 = 13;
const PUSH_BLOCK: u32 = 14;
const P_PUSH_BLOCK: u32 = 15;
const P_PUSH_U32: u32 = 16;
const ZERO: u32 = 17;
const TWO: u32 = 18;
const FREE: u32 = 20;

/// Everything up to the entry block's label: a buffer of u32 at set 0 binding 0, one u32 of push constants.
fn begin(lanes: u32) -> Module {
    let mut m = head(lanes, false);
    m.op(21, &[U32, 32, 0]);
    types(&mut m);
    m
}

/// Capabilities to decorations; `physical` for pointers into buffers by address.
fn head(lanes: u32, physical: bool) -> Module {
    let mut m = Module::new(64);
    m.op(17, &[1]); // OpCapability Shader
    if physical {
        m.op(17, &[5347]); // PhysicalStorageBufferAddresses
        m.named(10, &[], "SPV_KHR_physical_storage_buffer", &[]);
    }
    m.op(14, &[if physical { 5348 } else { 0 }, 1]); // OpMemoryModel Logical or PhysicalStorageBuffer64, GLSL450
    m.named(15, &[5, MAIN], "main", &[GID]); // OpEntryPoint GLCompute
    m.op(16, &[MAIN, 17, lanes, 1, 1]); // LocalSize
    m.op(71, &[GID, 11, 28]); // BuiltIn GlobalInvocationId
    m.op(71, &[ARRAY, 6, 4]); // ArrayStride 4
    m.op(71, &[BLOCK, 2]); // Block
    m.op(72, &[BLOCK, 0, 35, 0]); // Offset 0
    m.op(71, &[BUFFER, 34, 0]); // DescriptorSet 0
    m.op(71, &[BUFFER, 33, 0]); // Binding 0
    m.op(71, &[PUSH_BLOCK, 2]);
    m.op(72, &[PUSH_BLOCK, 0, 35, 0]);
    m
}

/// Types (u32 is there already), constants and variables, and the beginning of `main`.
fn types(m: &mut Module) {
    m.op(19, &[VOID]);
    m.op(33, &[FUNCTION, VOID]);
    m.op(23, &[UVEC3, U32, 3]);
    m.op(32, &[P_IN_UVEC3, 1, UVEC3]);
    m.op(29, &[ARRAY, U32]); // OpTypeRuntimeArray
    m.op(30, &[BLOCK, ARRAY]);
    m.op(32, &[P_BLOCK, 12, BLOCK]); // StorageBuffer
    m.op(32, &[P_U32, 12, U32]);
    m.op(30, &[PUSH_BLOCK, U32]);
    m.op(32, &[P_PUSH_BLOCK, 9, PUSH_BLOCK]); // PushConstant
    m.op(32, &[P_PUSH_U32, 9, U32]);
    m.op(43, &[U32, ZERO, 0]);
    m.op(43, &[U32, TWO, 2]);
    m.op(59, &[P_IN_UVEC3, GID, 1]);
    m.op(59, &[P_BLOCK, BUFFER, 12]);
    m.op(59, &[P_PUSH_BLOCK, PUSH, 9]);
    m.op(54, &[VOID, MAIN, 0, FUNCTION]);
    m.op(248, &[19]);
}

/// `data[i] = data[i] * 2 + push`, with `lanes` work-items in a work-group.
pub fn double_and_add(lanes: u32) -> Vec<u32> {
    let mut m = begin(lanes);
    m.op(61, &[UVEC3, FREE, GID]);
    m.op(81, &[U32, FREE + 1, FREE, 0]); // i
    m.op(65, &[P_U32, FREE + 2, BUFFER, ZERO, FREE + 1]);
    m.op(61, &[U32, FREE + 3, FREE + 2]);
    m.op(132, &[U32, FREE + 4, FREE + 3, TWO]);
    m.op(65, &[P_PUSH_U32, FREE + 5, PUSH, ZERO]);
    m.op(61, &[U32, FREE + 6, FREE + 5]);
    m.op(128, &[U32, FREE + 7, FREE + 4, FREE + 6]);
    m.op(62, &[FREE + 2, FREE + 7]);
    m.op(253, &[]);
    m.op(56, &[]);
    m.words
}

/// A loop without an end (it counts, so that it is not infinite by construction alone).
pub fn endless() -> Vec<u32> {
    let mut m = begin(1);
    let (header, body, next, merge) = (FREE, FREE + 1, FREE + 2, FREE + 3);
    m.op(65, &[P_U32, FREE + 4, BUFFER, ZERO, ZERO]);
    m.op(249, &[header]);
    m.op(248, &[header]);
    m.op(246, &[merge, next, 0]); // OpLoopMerge
    m.op(249, &[body]);
    m.op(248, &[body]);
    m.op(61, &[U32, FREE + 5, FREE + 4]);
    m.op(128, &[U32, FREE + 6, FREE + 5, TWO]);
    m.op(62, &[FREE + 4, FREE + 6]);
    m.op(249, &[next]);
    m.op(248, &[next]);
    m.op(249, &[header]);
    m.op(248, &[merge]);
    m.op(253, &[]);
    m.op(56, &[]);
    m.words
}

/// `*(u32 *) data[0..2] += 2`: the buffer holds an address.
pub fn add_two_at_address() -> Vec<u32> {
    let mut m = head(1, true);
    let (uvec2, target, p_target, p_word) = (FREE, FREE + 1, FREE + 2, FREE + 3);
    m.op(71, &[target, 2]);
    m.op(72, &[target, 0, 35, 0]);
    m.op(21, &[U32, 32, 0]);
    m.op(23, &[uvec2, U32, 2]);
    m.op(30, &[target, U32]);
    m.op(32, &[p_target, 5349, target]); // PhysicalStorageBuffer
    m.op(32, &[p_word, 5349, U32]);
    m.op(43, &[U32, FREE + 4, 1]);
    types(&mut m);
    m.op(65, &[P_U32, FREE + 5, BUFFER, ZERO, ZERO]);
    m.op(61, &[U32, FREE + 6, FREE + 5]);
    m.op(65, &[P_U32, FREE + 7, BUFFER, ZERO, FREE + 4]);
    m.op(61, &[U32, FREE + 8, FREE + 7]);
    m.op(80, &[uvec2, FREE + 9, FREE + 6, FREE + 8]);
    m.op(124, &[p_target, FREE + 10, FREE + 9]); // OpBitcast
    m.op(65, &[p_word, FREE + 11, FREE + 10, ZERO]);
    m.op(61, &[U32, FREE + 12, FREE + 11, 2, 4]); // Aligned 4
    m.op(128, &[U32, FREE + 13, FREE + 12, TWO]);
    m.op(62, &[FREE + 11, FREE + 13, 2, 4]);
    m.op(253, &[]);
    m.op(56, &[]);
    m.words
}
