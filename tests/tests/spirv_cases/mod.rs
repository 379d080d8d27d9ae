//! Modules with what they should compute.

pub mod composites;
pub mod control;
pub mod coverage;
pub mod memory;
pub mod pointers;
pub mod values;

use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use wavepipe_runtime::simple::entry_point;
use wavepipe_tests::{installed, run, scratch, show, skip};

/// Work-items of a group.
pub const ITEMS: u32 = 64;

pub enum Source {
    Glsl(String),
    /// Assembly, and the target environment of spirv-val.
    Asm(String, &'static str),
}

pub struct Case {
    pub name: &'static str,
    pub source: Source,
    pub entry: Option<&'static str>,
    pub push: Vec<u8>,
    pub spec: Vec<wavepipe_runtime::SpecValue>,
    pub groups: u32,
    /// Contents of set 0, by binding; binding 0 is the output.
    pub buffers: Vec<Vec<u32>>,
    /// Elements of an array of buffers at binding 1.
    pub elements: Vec<Vec<u32>>,
    /// Words of a buffer whose address the push constants begin with.
    pub address_of: Option<usize>,
    /// Target environment of GLSL.
    pub glsl_env: &'static str,
    /// Opcodes that the assembler does not know, by others of the same shape.
    pub renamed: Vec<(u32, u32)>,
    /// The first words of the output.
    pub want: Vec<u32>,
}

impl Case {
    /// `outputs` words of each work-item of one group, as `want` gives them.
    fn new(name: &'static str, source: Source, outputs: u32, want: impl Fn(u32) -> Vec<u32>) -> Case {
        let want: Vec<u32> = (0..ITEMS).flat_map(want).collect();
        assert_eq!(want.len() as u32, outputs * ITEMS, "{name}");
        let buffers = vec![vec![0xdead_beef; want.len()]];
        Case {
            name,
            source,
            entry: None,
            push: Vec::new(),
            spec: Vec::new(),
            groups: 1,
            buffers,
            elements: Vec::new(),
            address_of: None,
            glsl_env: "vulkan1.3",
            renamed: Vec::new(),
            want,
        }
    }

    fn with(mut self, buffer: Vec<u32>) -> Case {
        self.buffers.push(buffer);
        self
    }

    fn push(mut self, bytes: Vec<u8>) -> Case {
        self.push = bytes;
        self
    }

    fn spec(mut self, id: u32, bits: u64, size: u32) -> Case {
        self.spec.push(wavepipe_runtime::SpecValue { id, bits, size });
        self
    }

    pub fn rename(mut self, from: u32, to: u32) -> Case {
        self.renamed.push((from, to));
        self
    }

    fn entry(mut self, name: &'static str) -> Case {
        self.entry = Some(name);
        self
    }

    /// The module, validated; None if a tool is missing.
    pub fn module(&self) -> Result<Option<Vec<u32>>, String> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let stem = scratch(&format!("case-{}", NEXT.fetch_add(1, Ordering::Relaxed)));
        let spv = stem.with_extension("spv");
        let (tool, text, extension) = match &self.source {
            Source::Glsl(text) => ("glslangValidator", text, "comp"),
            Source::Asm(text, _) => ("spirv-as", text, "spvasm"),
        };
        for tool in [tool, "spirv-val"] {
            if !installed(tool) {
                skip(tool).unwrap();
                return Ok(None);
            }
        }
        let from = stem.with_extension(extension);
        std::fs::write(&from, text).unwrap();
        let mut command = Command::new(tool);
        let env = match &self.source {
            Source::Glsl(_) => {
                command.args(["-V", "--quiet", "--target-env", self.glsl_env]);
                self.glsl_env
            }
            Source::Asm(_, env) => {
                let version = match *env {
                    "vulkan1.0" => "spv1.0",
                    "vulkan1.1" => "spv1.3",
                    "vulkan1.1spv1.4" => "spv1.4",
                    "vulkan1.2" => "spv1.5",
                    _ => "spv1.6",
                };
                command.args(["--target-env", version, "--preserve-numeric-ids"]);
                *env
            }
        };
        let output = run(command.arg(&from).arg("-o").arg(&spv)).unwrap();
        if !output.status.success() {
            return Err(format!("{}: {}\n{text}", self.name, show(&output)));
        }
        let validator = ["--target-env", env, "--scalar-block-layout", "--workgroup-scalar-block-layout"];
        if !self.renamed.is_empty() {
            let mut words = words_of(&std::fs::read(&spv).unwrap());
            let mut at = 5;
            while at < words.len() {
                let (length, code) = (words[at] >> 16, words[at] & 0xffff);
                if let Some(to) = self.renamed.iter().find(|r| r.0 == code) {
                    words[at] = length << 16 | to.1;
                }
                at += length as usize;
            }
            return Ok(Some(words));
        }
        let output = run(Command::new("spirv-val").args(validator).arg(&spv)).unwrap();
        if !output.status.success() {
            return Err(format!("{}: {}\n{text}", self.name, show(&output)));
        }
        let bytes = std::fs::read(&spv).unwrap();
        let _ = (std::fs::remove_file(&from), std::fs::remove_file(&spv));
        let words = words_of(&bytes);
        assert!(self.entry.is_some() || entry_point(&words, None).is_ok(), "{}", self.name);
        Ok(Some(words))
    }
}

pub fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// GLSL: `i` is the work-item, `o` the first of its `outputs` words in `outw`.
fn glsl(
    name: &'static str,
    extensions: &[&str],
    globals: &str,
    body: &str,
    outputs: u32,
    want: impl Fn(u32) -> Vec<u32>,
) -> Case {
    let extensions: String = extensions.iter().map(|e| format!("#extension {e} : require\n")).collect();
    let text = format!(
        "#version 460\n{extensions}layout(local_size_x = {ITEMS}) in;\nlayout(set = 0, binding = 0, std430) buffer Out {{ uint outw[]; }};\n{globals}\nvoid main() {{\nuint i = gl_LocalInvocationIndex;\nuint o = i * {outputs}u;\n{body}\n}}\n"
    );
    Case::new(name, Source::Glsl(text), outputs, want)
}

/// What an assembly case has beside its body.
#[derive(Default)]
struct Asm {
    env: &'static str,
    /// OpCapability and OpExtension and OpExtInstImport lines.
    capabilities: &'static str,
    /// Execution modes after LocalSize.
    modes: &'static str,
    /// Ids for the entry point's interface (1.4 and later).
    interface: &'static str,
    decorations: &'static str,
    /// Types, constants, variables.
    globals: &'static str,
    functions: &'static str,
}

/// Assembly: `%i` is the work-item; a line `!k %value` writes output k of it, a
/// 32-bit unsigned integer, `?k %value` a signed one. Buffers are StorageBuffers of
/// `uint[]`: `%out` and, with their declarations in `globals`, what the case wants: %Buf is their type, %p_buf the pointer.
fn asm(name: &'static str, parts: Asm, body: &str, outputs: u32, want: impl Fn(u32) -> Vec<u32>) -> Case {
    let env = if parts.env.is_empty() { "vulkan1.3" } else { parts.env };
    let all = matches!(env, "vulkan1.1spv1.4" | "vulkan1.2" | "vulkan1.3");
    let interface = if all { format!("%out {}", parts.interface) } else { String::new() };
    let mut lines = String::new();
    for (n, line) in body.lines().enumerate() {
        let (mark, rest) = line.trim().split_at(line.trim().len().min(1));
        let Some((k, mut value)) = rest.split_once(' ').filter(|_| "!?".contains(mark) && !mark.is_empty()) else {
            lines += &format!("{line}\n");
            continue;
        };
        let cast = format!("%o_c{n}");
        if mark == "?" {
            lines += &format!("{cast} = OpBitcast %u {value}\n");
            value = &cast;
        }
        lines += &format!(
            "%o_at{n} = OpIAdd %u %o_base %u{k}\n%o_p{n} = OpAccessChain %p_u %out %u0 %o_at{n}\nOpStore %o_p{n} {value}\n"
        );
    }
    let constants: String = (0..=32).map(|n| format!("%u{n} = OpConstant %u {n}\n")).collect();
    let ssbo = if env == "vulkan1.0" { "OpExtension \"SPV_KHR_storage_buffer_storage_class\"\n" } else { "" };
    let Asm { capabilities, modes, decorations, globals, functions, .. } = parts;
    let (caps, rest): (Vec<&str>, Vec<&str>) = capabilities.lines().partition(|l| l.trim().starts_with("OpCapability"));
    let (caps, rest) = (caps.join("\n"), rest.join("\n"));
    let model = if caps.contains("VulkanMemoryModel") {
        "OpMemoryModel Logical Vulkan"
    } else if caps.contains("PhysicalStorageBufferAddresses") {
        "OpMemoryModel PhysicalStorageBuffer64 GLSL450"
    } else {
        "OpMemoryModel Logical GLSL450"
    };
    let text = format!(
        "OpCapability Shader\n{caps}\n{ssbo}{rest}\n{model}\nOpEntryPoint GLCompute %main \"main\" %lid {interface}\nOpExecutionMode %main LocalSize {ITEMS} 1 1\n{modes}
OpDecorate %lid BuiltIn LocalInvocationId\nOpDecorate %arr ArrayStride 4\nOpMemberDecorate %Buf 0 Offset 0\nOpDecorate %Buf Block
OpDecorate %out DescriptorSet 0\nOpDecorate %out Binding 0\n{decorations}
%void = OpTypeVoid\n%fn = OpTypeFunction %void\n%u = OpTypeInt 32 0\n%s = OpTypeInt 32 1\n%f = OpTypeFloat 32\n%b = OpTypeBool\n%v2u = OpTypeVector %u 2\n%v3u = OpTypeVector %u 3\n%v4u = OpTypeVector %u 4
%v4f = OpTypeVector %f 4\n%p_v3u = OpTypePointer Input %v3u\n%lid = OpVariable %p_v3u Input\n%arr = OpTypeRuntimeArray %u\n%Buf = OpTypeStruct %arr\n%p_buf = OpTypePointer StorageBuffer %Buf
%p_u = OpTypePointer StorageBuffer %u\n%out = OpVariable %p_buf StorageBuffer\n{constants}%true = OpConstantTrue %b\n%false = OpConstantFalse %b\n{globals}
{functions}\n%main = OpFunction %void None %fn\n%entry = OpLabel\n!VARIABLES\n%o_lid = OpLoad %v3u %lid\n%i = OpCompositeExtract %u %o_lid 0\n%o_base = OpIMul %u %i %u{outputs}\n{lines}OpReturn\nOpFunctionEnd\n"
    );
    // Variables of a function come first in its first block.
    let (head, tail) = text.split_once("!VARIABLES\n").unwrap();
    let (mut variables, mut others) = (String::new(), String::new());
    let mut first = true;
    for line in tail.lines() {
        first &= line != "OpFunctionEnd";
        let into = if first && line.contains("= OpVariable") { &mut variables } else { &mut others };
        *into += line;
        *into += "\n";
    }
    Case::new(name, Source::Asm(format!("{head}{variables}{others}"), env_of(env)), outputs, want)
}

fn env_of(env: &str) -> &'static str {
    ["vulkan1.0", "vulkan1.1", "vulkan1.1spv1.4", "vulkan1.2"].into_iter().find(|e| *e == env).unwrap_or("vulkan1.3")
}
