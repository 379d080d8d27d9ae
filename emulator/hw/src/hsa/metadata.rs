//! The msgpack metadata of a code object's note: kernels and their arguments.

use super::HsaError;
use rmpv::Value;

/// What an argument is, and what stands in its place in the kernarg segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueKind {
    ByValue,
    /// 8 bytes: address of a buffer.
    GlobalBuffer,
    /// 4 bytes: LDS offset of memory whose size the caller says; its alignment.
    DynamicSharedPointer {
        align: u32,
    },
    /// A handle of an object that this runtime does not have, by the metadata's name; its kernel cannot be launched.
    Foreign(&'static str),
    /// By the caller never given.
    Hidden(Hidden),
}

/// Kinds of handles.
const FOREIGN: [&str; 4] = ["image", "sampler", "pipe", "queue"];

/// What the runtime fills in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hidden {
    GlobalOffset(u8),
    BlockCount(u8),
    GroupSize(u8),
    Remainder(u8),
    GridDims,
    DynamicLdsSize,
    PrivateBase,
    SharedBase,
    QueuePtr,
    /// Buffers of services that there are none of (printf, hostcall, device heap …): zero.
    Absent,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arg {
    /// As in the source, if the file says (`-cl-kernel-arg-info`).
    pub name: Option<String>,
    /// As in the source: `float*`.
    pub type_name: Option<String>,
    pub offset: u32,
    pub size: u32,
    pub kind: ValueKind,
}

pub(super) struct KernelMeta {
    pub name: String,
    pub symbol: String,
    pub args: Vec<Arg>,
    pub kernarg_bytes: u32,
    pub group_bytes: u32,
    pub private_bytes: u32,
    pub wavefront_size: u32,
    pub max_workgroup: u32,
    pub required_workgroup: Option<[u32; 3]>,
    pub dynamic_stack: bool,
}

/// More would not fit into any note; a length that a bit flip made is not believed.
const MAX_DEPTH: usize = 16;
/// Largest kernarg segment (HSA runtimes have 64 KiB; the constant cache no more).
const MAX_KERNARG: u32 = 1 << 20;

/// A place in the metadata, for messages: `amdhsa.kernels[0].args[2]`.
struct Node<'a> {
    value: &'a Value,
    path: String,
}

impl<'a> Node<'a> {
    fn bad(&self, why: &str) -> HsaError {
        HsaError::malformed(format!("metadata {}", self.path), why)
    }

    /// The value of a key, if the map has it.
    fn get(&self, key: &str) -> Result<Option<Node<'a>>, HsaError> {
        let map = self.value.as_map().ok_or_else(|| self.bad("is no map"))?;
        let found = map.iter().find(|(k, _)| k.as_str() == Some(key));
        let path = match self.path.is_empty() {
            true => key.to_owned(),
            false => format!("{}{key}", self.path),
        };
        Ok(found.map(|(_, value)| Node { value, path }))
    }

    fn need(&self, key: &str) -> Result<Node<'a>, HsaError> {
        self.get(key)?.ok_or_else(|| self.bad(&format!("has no `{key}`")))
    }

    fn items(&self) -> Result<Vec<Node<'a>>, HsaError> {
        let items = self.value.as_array().ok_or_else(|| self.bad("is no array"))?;
        Ok((0..).zip(items).map(|(n, value)| Node { value, path: format!("{}[{n}]", self.path) }).collect::<Vec<_>>())
    }

    fn text(&self) -> Result<&'a str, HsaError> {
        self.value.as_str().ok_or_else(|| self.bad("is no text"))
    }

    fn number(&self) -> Result<u32, HsaError> {
        let n = self.value.as_u64().and_then(|n| u32::try_from(n).ok());
        n.ok_or_else(|| self.bad("is no number of 32 bits"))
    }

    fn number_or(&self, key: &str, default: u32) -> Result<u32, HsaError> {
        self.get(key)?.map_or(Ok(default), |n| n.number())
    }

    fn text_of(&self, key: &str) -> Result<Option<String>, HsaError> {
        self.get(key)?.map(|n| n.text().map(str::to_owned)).transpose()
    }

    fn flag(&self, key: &str) -> Result<bool, HsaError> {
        match self.get(key)? {
            // Compilers write a boolean; the user guide's own example a number.
            Some(n) => n.value.as_bool().or(n.value.as_u64().map(|n| n != 0)).ok_or_else(|| n.bad("is no truth value")),
            None => Ok(false),
        }
    }
}

pub(super) fn kernels(note: &[u8]) -> Result<Vec<KernelMeta>, HsaError> {
    let mut rest = note;
    let value = rmpv::decode::read_value_with_max_depth(&mut rest, MAX_DEPTH)
        .map_err(|e| HsaError::malformed("metadata note", format!("is no msgpack: {e}")))?;
    let root = Node { value: &value, path: String::new() };
    root.need("amdhsa.kernels")?.items()?.iter().map(kernel).collect()
}

fn kernel(node: &Node) -> Result<KernelMeta, HsaError> {
    let args = match node.get(".args")? {
        Some(args) => args.items()?.iter().map(arg).collect::<Result<Vec<_>, _>>()?,
        None => Vec::new(),
    };
    let kernarg_bytes = node.need(".kernarg_segment_size")?.number()?;
    if kernarg_bytes > MAX_KERNARG {
        return Err(node.bad(&format!("has {kernarg_bytes} bytes of arguments; {MAX_KERNARG} fit")));
    }
    for (i, a) in args.iter().enumerate() {
        if a.offset.checked_add(a.size).is_none_or(|end| end > kernarg_bytes) {
            return Err(node.bad(&format!("its argument {i} is outside of the {kernarg_bytes} bytes of arguments")));
        }
    }
    let required_workgroup = match node.get(".reqd_workgroup_size")? {
        Some(sizes) => {
            let numbers = sizes.items()?.iter().map(Node::number).collect::<Result<Vec<_>, _>>()?;
            Some(numbers.try_into().map_err(|_| sizes.bad("has not three numbers"))?)
        }
        None => None,
    };
    let name = node.need(".name")?.text()?.to_owned();
    Ok(KernelMeta {
        symbol: node.need(".symbol")?.text()?.to_owned(),
        args,
        kernarg_bytes,
        group_bytes: node.number_or(".group_segment_fixed_size", 0)?,
        private_bytes: node.number_or(".private_segment_fixed_size", 0)?,
        wavefront_size: node.need(".wavefront_size")?.number()?,
        max_workgroup: node.number_or(".max_flat_workgroup_size", 1024)?,
        required_workgroup,
        dynamic_stack: node.flag(".uses_dynamic_stack")?,
        name,
    })
}

fn arg(node: &Node) -> Result<Arg, HsaError> {
    let kind_node = node.need(".value_kind")?;
    let size = node.need(".size")?.number()?;
    let (kind, want) = match kind_node.text()? {
        "by_value" => (ValueKind::ByValue, None),
        "global_buffer" => (ValueKind::GlobalBuffer, Some(8)),
        "dynamic_shared_pointer" => {
            let align = node.number_or(".pointee_align", 16)?;
            if !align.is_power_of_two() {
                return Err(node.bad("its .pointee_align is no power of two"));
            }
            (ValueKind::DynamicSharedPointer { align }, Some(4))
        }
        kind => match (hidden(kind), FOREIGN.into_iter().find(|f| *f == kind)) {
            (Some((hidden, size)), _) => (ValueKind::Hidden(hidden), size),
            (None, Some(foreign)) => (ValueKind::Foreign(foreign), None),
            (None, None) => return Err(node.bad(&format!("is of unknown kind `{kind}`"))),
        },
    };
    if want.is_some_and(|want| want != size) {
        return Err(node.bad(&format!("has {size} bytes")));
    }
    Ok(Arg {
        name: node.text_of(".name")?,
        type_name: node.text_of(".type_name")?,
        offset: node.need(".offset")?.number()?,
        size,
        kind,
    })
}

/// A hidden kind, and its size where the runtime writes a value.
fn hidden(kind: &str) -> Option<(Hidden, Option<u32>)> {
    Some(match kind {
        "hidden_global_offset_x" => (Hidden::GlobalOffset(0), Some(8)),
        "hidden_global_offset_y" => (Hidden::GlobalOffset(1), Some(8)),
        "hidden_global_offset_z" => (Hidden::GlobalOffset(2), Some(8)),
        "hidden_block_count_x" => (Hidden::BlockCount(0), Some(4)),
        "hidden_block_count_y" => (Hidden::BlockCount(1), Some(4)),
        "hidden_block_count_z" => (Hidden::BlockCount(2), Some(4)),
        "hidden_group_size_x" => (Hidden::GroupSize(0), Some(2)),
        "hidden_group_size_y" => (Hidden::GroupSize(1), Some(2)),
        "hidden_group_size_z" => (Hidden::GroupSize(2), Some(2)),
        "hidden_remainder_x" => (Hidden::Remainder(0), Some(2)),
        "hidden_remainder_y" => (Hidden::Remainder(1), Some(2)),
        "hidden_remainder_z" => (Hidden::Remainder(2), Some(2)),
        "hidden_grid_dims" => (Hidden::GridDims, Some(2)),
        "hidden_dynamic_lds_size" => (Hidden::DynamicLdsSize, Some(4)),
        "hidden_private_base" => (Hidden::PrivateBase, Some(4)),
        "hidden_shared_base" => (Hidden::SharedBase, Some(4)),
        "hidden_queue_ptr" => (Hidden::QueuePtr, Some(8)),
        _ if kind.starts_with("hidden_") => (Hidden::Absent, None),
        _ => return None,
    })
}
