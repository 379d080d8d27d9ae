//! A job file to begin with: everything that a shader wants, with contents that show what it does.

use super::form::Form;
use super::{key_text, push};
use crate::job::Key;
use std::fmt::Write as _;
use wavepipe_runtime::BindingKind;
use wavepipe_runtime::compiler::ir::Dim;
use wavepipe_runtime::compiler::spirv::{Content, EntryInfo, ResourceInfo};

/// Work-groups in each direction in which a work-group has a size.
const GROUPS: u32 = 4;

/// Elements of a buffer at most.
const MOST: u64 = 1 << 16;

/// The text of a job file for an entry point: an element of each array for every invocation of a few work-groups. What reads has
/// numbers that count up, what is only written zeros.
pub fn draft(info: &EntryInfo) -> String {
    let groups = info.workgroup.map(|n| if n > 1 { GROUPS } else { 1 });
    let [w, h, d] = [0, 1, 2].map(|n| u64::from(info.workgroup[n]) * u64::from(groups[n]));
    let mut out = format!("groups = {groups:?}\n");
    if let Some(block) = &info.push {
        let names = push::names(block);
        let _ = writeln!(out, "\n[push]");
        for (name, count) in names {
            let value = match count {
                1 => "1".to_owned(),
                n => format!("{:?}", vec![1; n]),
            };
            let _ = writeln!(out, "{name} = {value}");
        }
    }
    for r in &info.resources {
        for element in 0..r.count.min(8) {
            resource(r, element, [w, h, d], &mut out);
        }
    }
    out
}

fn resource(r: &ResourceInfo, element: u32, [w, h, d]: [u64; 3], out: &mut String) {
    let key = match key_text(r, element).parse::<Key>() {
        Ok(Key { named: crate::job::Named::Name(name), .. }) => format!("name = \"{name}\"\n"),
        _ if r.set > 0 => format!("set = {}\nbinding = {}\n", r.set, r.binding),
        _ => format!("binding = {}\n", r.binding),
    };
    let key = if r.count > 1 { format!("{key}element = {element}\n") } else { key };
    let init = if r.writeonly { "" } else { "init = \"iota\"\n" };
    match &r.content {
        Content::Block(block) => {
            let ends_open = Form::of(block).is_some_and(|form| form.tail.is_some_and(|tail| tail.n.is_none()));
            let size = if ends_open { format!("type = \"[{}]\"\n", (w * h * d).min(MOST)) } else { String::new() };
            let _ = write!(out, "\n[[buffer]]\n{key}{size}{init}");
        }
        Content::Image(shape) => {
            let size = match shape.dim {
                Dim::D1 | Dim::Buffer => format!("{w}"),
                Dim::D3 => format!("{w}x{h}x{d}"),
                _ if shape.arrayed => format!("{w}x{h}x{}", d.max(2)),
                _ => format!("{w}x{h}"),
            };
            let format = if shape.storage { "" } else { "format = \"rgba8\"\n" };
            let init = if shape.storage { "" } else { "init = \"rand\"\n" };
            let _ = write!(out, "\n[[image]]\n{key}{format}size = \"{size}\"\n{init}");
        }
        Content::Sampler | Content::Refused(_) => {}
    }
    if matches!(r.kind, BindingKind::Sampler | BindingKind::CombinedImageSampler) {
        let _ = write!(out, "\n[[sampler]]\n{key}filter = \"linear\"\n");
    }
}
