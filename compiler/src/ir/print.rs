//! The text form. One instruction a line; [`super::parse`] reads it back.
//!
//! ```text
//! kernel "main" workgroup 64 1 1 lds 0 scratch 0 {
//!   function "f" (%0:b32, %1:b32) b32 scratch 0 {
//!     %2:b32 = iadd %0 %1
//!     yield %2
//!   }
//!   %0:b32 = const 0x4
//!   %1:b32 = builtin local_invocation_id.x
//!   %2:desc = descriptor set=0 binding=1 kind=storage %0
//!   %3:b32 %4:b32 = load.buffer offset=8 readonly align=8 %2 %1
//!   %5:b32 = exact fadd %3 %4 !0:12
//!   %9:b32 = loop @0 (%8:b32 = %5) {
//!     %10:b1 = ult %8 %0
//!     %11:b32 = if %10 {
//!       yield %0
//!     } else {
//!       break @0 %8
//!     }
//!     continue @0 %11
//!   }
//!   %13:b32 = switch @1 %3 {
//!     case 0x0 0x7 () {
//!       yield %4
//!     }
//!     case default (%12:b32 = %0) {
//!       yield %12
//!     }
//!   }
//!   %14:b32 = call 0 %9 %5
//!   store.buffer %2 %1 %14
//!   yield
//! }
//! ```

use super::image::*;
use super::named::Mark;
use super::names::*;
use super::{kernel::*, types::*};
use std::fmt::{self, Write};
use wavepipe_hw::code::FloatMode;

impl fmt::Display for Kernel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.workgroup;
        write!(
            f,
            "kernel {:?} workgroup {x} {y} {z} lds {} scratch {}",
            self.name, self.lds_bytes, self.scratch_bytes
        )?;
        for l in &self.locals {
            write!(f, " local {} {}", l.offset, l.size)?;
        }
        if self.require_full_subgroups {
            write!(f, " full_subgroups")?;
        }
        if self.mode != FloatMode::VULKAN {
            write!(f, " mode {}", self.mode.0)?;
        }
        if self.shared_scratch > 0 {
            write!(f, " shared_scratch {}", self.shared_scratch)?;
        }
        writeln!(f, " {{")?;
        for file in &self.files {
            writeln!(f, "  file {file:?}")?;
        }
        if !self.constants.is_empty() {
            let hex = self.constants.iter().fold(String::new(), |mut s, b| {
                let _ = write!(s, "{b:02x}");
                s
            });
            writeln!(f, "  data {hex}")?;
        }
        self.functions.iter().try_for_each(|k| function(k, f))?;
        region(self, &self.body, 1, f)?;
        writeln!(f, "}}")
    }
}

/// A function inside of its kernel's text: what it has of its own.
fn function(k: &Kernel, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    write!(f, "  function {:?} (", k.name)?;
    for (n, &p) in k.params.iter().enumerate() {
        write!(f, "{}{}", if n == 0 { "" } else { ", " }, Def(k, p))?;
    }
    write!(f, ")")?;
    for &w in &k.results {
        write!(f, " {}", spell(WIDTHS, w))?;
    }
    write!(f, " scratch {}", k.scratch_bytes)?;
    for l in &k.locals {
        write!(f, " local {} {}", l.offset, l.size)?;
    }
    f.write_str(" {\n")?;
    region(k, &k.body, 2, f)?;
    f.write_str("  }\n")
}

struct Def<'a>(&'a Kernel, Value);

impl fmt::Display for Def<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let width = self.0.values.get(self.1.0 as usize).map_or("?", |i| spell(WIDTHS, i.width));
        write!(f, "%{}:{width}", self.1.0)
    }
}

fn indent(depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    (0..depth).try_for_each(|_| f.write_str("  "))
}

fn results(k: &Kernel, rs: &[Value], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for &r in rs {
        write!(f, "{} ", Def(k, r))?;
    }
    if rs.is_empty() { Ok(()) } else { f.write_str("= ") }
}

fn values(vs: &[Value], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    vs.iter().try_for_each(|v| write!(f, " %{}", v.0))
}

fn loc(l: Loc, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    if l.line == 0 { Ok(()) } else { write!(f, " !{}:{}", l.file, l.line) }
}

fn region(k: &Kernel, r: &Region, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for n in &r.nodes {
        indent(depth, f)?;
        node(k, n, depth, f)?;
    }
    indent(depth, f)?;
    match &r.exit {
        Exit::Yield(vs) => {
            f.write_str("yield")?;
            values(vs, f)?;
        }
        Exit::Break(l, vs) => {
            write!(f, "break @{}", l.0)?;
            values(vs, f)?;
        }
        Exit::Continue(l, vs) => {
            write!(f, "continue @{}", l.0)?;
            values(vs, f)?;
        }
        Exit::Unreachable => f.write_str("unreachable")?,
    }
    writeln!(f)
}

fn node(k: &Kernel, n: &Node, depth: usize, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    match n {
        Node::Inst(i) => {
            results(k, &i.results, f)?;
            if i.exact {
                f.write_str("exact ")?;
            }
            op(&i.op, f)?;
            values(&i.args, f)?;
            loc(i.loc, f)?;
            return writeln!(f);
        }
        Node::If { cond, then, els, results: rs, loc: l } => {
            results(k, rs, f)?;
            write!(f, "if %{}", cond.0)?;
            loc(*l, f)?;
            f.write_str(" {\n")?;
            region(k, then, depth + 1, f)?;
            indent(depth, f)?;
            f.write_str("} else {\n")?;
            region(k, els, depth + 1, f)?;
        }
        Node::Loop { label, params: ps, init, body, results: rs, loc: l } => {
            results(k, rs, f)?;
            write!(f, "loop @{} (", label.0)?;
            params(k, ps, init, f)?;
            f.write_str(")")?;
            loc(*l, f)?;
            f.write_str(" {\n")?;
            region(k, body, depth + 1, f)?;
        }
        Node::Block { label, body, results: rs, loc: l } => {
            results(k, rs, f)?;
            write!(f, "block @{}", label.0)?;
            loc(*l, f)?;
            f.write_str(" {\n")?;
            region(k, body, depth + 1, f)?;
        }
        Node::Switch { label, selector, cases, results: rs, loc: l } => {
            results(k, rs, f)?;
            write!(f, "switch @{} %{}", label.0, selector.0)?;
            loc(*l, f)?;
            f.write_str(" {\n")?;
            for case in cases {
                indent(depth + 1, f)?;
                f.write_str("case")?;
                case.values.iter().try_for_each(|v| write!(f, " {v:#x}"))?;
                f.write_str(if case.default { " default (" } else { " (" })?;
                params(k, &case.params, &case.init, f)?;
                f.write_str(") {\n")?;
                region(k, &case.body, depth + 2, f)?;
                indent(depth + 1, f)?;
                f.write_str("}\n")?;
            }
        }
    }
    indent(depth, f)?;
    f.write_str("}\n")
}

/// Parameters with what they begin with.
fn params(k: &Kernel, params: &[Value], init: &[Value], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (n, (p, i)) in params.iter().zip(init).enumerate() {
        write!(f, "{}{} = %{}", if n == 0 { "" } else { ", " }, Def(k, *p), i.0)?;
    }
    Ok(())
}

fn op(op: &Op, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    let at = |offset: u32, f: &mut fmt::Formatter<'_>| if offset == 0 { Ok(()) } else { write!(f, " offset={offset}") };
    let access = |a: &Access, f: &mut fmt::Formatter<'_>| {
        for (on, word) in [(a.coherent, " coherent"), (a.volatile, " volatile"), (a.readonly, " readonly")] {
            if on {
                f.write_str(word)?;
            }
        }
        if a.align == 0 { Ok(()) } else { write!(f, " align={}", a.align) }
    };
    match op {
        Op::Const(bits) => write!(f, "const {bits:#x}"),
        Op::Undef => f.write_str("undef"),
        Op::Alu(a) => f.write_str(spell(ALUS, *a)),
        Op::Builtin(b) => write!(f, "builtin {}", spell(BUILTINS, *b)),
        Op::Descriptor { set, binding, kind } => {
            write!(f, "descriptor set={set} binding={binding} kind={}", spell(KINDS, *kind))
        }
        Op::DescriptorSize => f.write_str("descriptor_size"),
        Op::Load { space, offset, access: a } => {
            write!(f, "load.{}", spell(SPACES, *space))?;
            at(*offset, f)?;
            access(a, f)
        }
        Op::Store { space, offset, access: a } => {
            write!(f, "store.{}", spell(SPACES, *space))?;
            at(*offset, f)?;
            access(a, f)
        }
        Op::Atomic { op, space, offset } => {
            write!(f, "atomic.{}.{}", spell(SPACES, *space), spell(ATOMICS, *op))?;
            at(*offset, f)
        }
        Op::Image(image) => {
            match image.op {
                ImageOp::Atomic(a) => write!(f, "image.atomic.{}", spell(ATOMICS, a))?,
                ImageOp::Gather(component) => write!(f, "image.gather component={component}")?,
                op => write!(f, "image.{}", spell(IMAGE_OPS, op))?,
            }
            write!(f, " dim={}", spell(DIMS, image.dim))?;
            for (on, word) in [
                (image.arrayed, " arrayed"),
                (image.multisampled, " multisampled"),
                (image.offset, " offset"),
                (image.compare, " compare"),
                (image.min_lod, " min_lod"),
                (image.integer, " integer"),
            ] {
                f.write_str(if on { word } else { "" })?;
            }
            write!(f, " level={}", spell(LEVELS, image.level))?;
            access(&image.access, f)
        }
        Op::Subgroup(Subgroup::Reduce { op, kind, cluster }) => {
            write!(f, "subgroup.{}.{} cluster={cluster}", spell(REDUCE_KINDS, *kind), spell(REDUCE_OPS, *op))
        }
        Op::Subgroup(s) => write!(f, "subgroup.{}", spell(SUBGROUPS, *s)),
        Op::Barrier { execution, memory, lds, buffer, image } => {
            write!(f, "barrier execution={} memory={}", spell(SCOPES, *execution), spell(SCOPES, *memory))?;
            f.write_str(if *lds { " lds" } else { "" })?;
            f.write_str(if *buffer { " buffer" } else { "" })?;
            f.write_str(if *image { " image" } else { "" })
        }
        Op::Trace { site, finding } => {
            write!(f, "trace {site}")?;
            f.write_str(if *finding { " finding" } else { "" })
        }
        Op::Count { site } => write!(f, "count {site}"),
        Op::Mark(Mark::Set { variable, first }) => write!(f, "mark.set {variable} {first}"),
        Op::Mark(Mark::Begin { variable }) => write!(f, "mark.begin {variable}"),
        Op::Mark(Mark::Enter { scope }) => write!(f, "mark.enter {scope}"),
        Op::Call { function, effects } => {
            write!(f, "call {function}")?;
            f.write_str(if *effects { "" } else { " pure" })
        }
        Op::Clock { realtime } => f.write_str(if *realtime { "clock realtime" } else { "clock" }),
    }
}
