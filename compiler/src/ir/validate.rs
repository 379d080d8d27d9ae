//! The laws of the IR, checked: scoping, single definition, widths, operand counts, exits.

use super::{kernel::*, types::*};
use crate::inspect::{Form, same_text};
use std::collections::HashSet;
use wavepipe_hw::site::{MAX_PAYLOAD, SITE_BITS};

/// Which node breaks which law.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    pub node: String,
    pub message: String,
}

impl std::fmt::Display for Violation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}: {}", self.node, self.message)
    }
}

impl Form for Kernel {
    const NAME: &'static str = "ir";

    fn validate(&self) -> Result<(), String> {
        validate(self).map_err(|v| v.to_string())
    }

    fn reads_back(&self) -> Result<(), String> {
        let text = self.to_string();
        same_text(&text, text.parse::<Kernel>().map_err(|e| e.to_string())?)
    }
}

/// Checks the whole kernel and its functions; the first violation found, if any.
pub fn validate(kernel: &Kernel) -> Result<(), Violation> {
    if !kernel.params.is_empty() || !kernel.results.is_empty() {
        return fail("kernel", "has parameters or results");
    }
    for (n, function) in kernel.functions.iter().enumerate() {
        let within = |v: Violation| Violation { node: format!("function {n} {:?}: {}", function.name, v.node), ..v };
        signature(kernel, function).map_err(within)?;
        one(function, &kernel.functions, n + 1).map_err(within)?;
    }
    one(kernel, &kernel.functions, 0)
}

/// What a function must have in common with its kernel, and what its parameters and results may be.
fn signature(kernel: &Kernel, f: &Kernel) -> Result<(), Violation> {
    let common = |k: &Kernel| (k.workgroup, k.lds_bytes, k.shared_scratch, k.require_full_subgroups, k.mode);
    if common(kernel) != common(f) || !f.functions.is_empty() || !f.constants.is_empty() {
        return fail("function", "is not of the kernel's kind");
    }
    for widths in [f.params.iter().map(|&p| f.width(p)).collect(), f.results.clone()] {
        if widths.iter().any(|&w| w == Width::B1 || w.is_descriptor()) {
            return fail("function", "passes what is no number of 8 to 64 bits");
        }
        if Kernel::call_dwords(widths) > MAX_CALL_DWORDS {
            return fail("function", format!("passes more than {MAX_CALL_DWORDS} dwords"));
        }
    }
    Ok(())
}

/// Checks one body; it may call `functions` from number `first` on.
fn one(kernel: &Kernel, functions: &[Kernel], first: usize) -> Result<(), Violation> {
    let n = kernel.values.len();
    let mut c = Checker {
        k: kernel,
        functions,
        first,
        visible: vec![false; n],
        defined: vec![false; n],
        targets: Vec::new(),
        seen: Vec::new(),
    };
    c.seen.resize(kernel.labels as usize, false);
    c.define(&kernel.params, "parameters")?;
    c.region(&kernel.body, &RegionKind::Kernel)
}

/// What a region is the body of: how it may end.
enum RegionKind<'a> {
    Kernel,
    If(&'a [Width]),
    Loop,
    Block(&'a [Width]),
}

struct LabelTypes {
    label: Label,
    params: Option<Vec<Width>>,
    results: Vec<Width>,
}

struct Checker<'a> {
    k: &'a Kernel,
    functions: &'a [Kernel],
    /// The first of them that may be called here.
    first: usize,
    visible: Vec<bool>,
    defined: Vec<bool>,
    targets: Vec<LabelTypes>,
    seen: Vec<bool>,
}

fn fail<T>(node: &str, message: impl Into<String>) -> Result<T, Violation> {
    Err(Violation { node: node.to_string(), message: message.into() })
}

impl Checker<'_> {
    fn width(&self, v: Value, node: &str) -> Result<Width, Violation> {
        match self.k.values.get(v.0 as usize) {
            Some(i) if self.visible[v.0 as usize] => Ok(i.width),
            Some(_) => fail(node, format!("%{} is not visible here", v.0)),
            None => fail(node, format!("%{} is no value of the kernel", v.0)),
        }
    }

    fn widths(&self, vs: &[Value], node: &str) -> Result<Vec<Width>, Violation> {
        vs.iter().map(|&v| self.width(v, node)).collect()
    }

    fn define(&mut self, vs: &[Value], node: &str) -> Result<Vec<Width>, Violation> {
        vs.iter()
            .map(|v| match self.k.values.get(v.0 as usize) {
                None => fail(node, format!("%{} is no value of the kernel", v.0)),
                Some(_) if self.defined[v.0 as usize] => fail(node, format!("%{} is defined twice", v.0)),
                Some(i) => {
                    self.defined[v.0 as usize] = true;
                    self.visible[v.0 as usize] = true;
                    Ok(i.width)
                }
            })
            .collect()
    }

    fn label(&mut self, l: Label, node: &str) -> Result<(), Violation> {
        match self.seen.get_mut(l.0 as usize) {
            Some(s) if !*s => {
                *s = true;
                Ok(())
            }
            _ => fail(node, format!("label @{} is used twice or unknown", l.0)),
        }
    }

    fn region(&mut self, r: &Region, place: &RegionKind<'_>) -> Result<(), Violation> {
        let mut local: Vec<Value> = Vec::new();
        for n in &r.nodes {
            self.node(n)?;
            local.extend(n.results());
        }
        let what = "exit";
        let given = self.widths(r.exit.values(), what)?;
        let same = |wanted: &[Width]| {
            if wanted == given { Ok(()) } else { fail(what, format!("gives {given:?}, the target takes {wanted:?}")) }
        };
        match (&r.exit, place) {
            (Exit::Unreachable, _) => {}
            (Exit::Yield(_), RegionKind::Kernel) => same(&self.k.results)?,
            (Exit::Yield(_), RegionKind::If(w) | RegionKind::Block(w)) => same(w)?,
            (Exit::Yield(_), RegionKind::Loop) => return fail(what, "a loop's body cannot yield"),
            (Exit::Break(l, _), _) => match self.targets.iter().find(|t| t.label == *l) {
                Some(t) => same(&t.results)?,
                None => return fail(what, format!("no enclosing @{}", l.0)),
            },
            (Exit::Continue(l, _), _) => match self.targets.iter().find(|t| t.label == *l).map(|t| &t.params) {
                Some(Some(p)) => same(p)?,
                _ => return fail(what, format!("no enclosing loop @{}", l.0)),
            },
        }
        // What the region defined ends with it.
        local.iter().for_each(|v| self.visible[v.0 as usize] = false);
        Ok(())
    }

    fn node(&mut self, n: &Node) -> Result<(), Violation> {
        let result_widths = |k: &Kernel, rs: &[Value], name: &str| -> Result<Vec<Width>, Violation> {
            rs.iter()
                .map(|r| k.values.get(r.0 as usize).map(|i| i.width).ok_or(()))
                .collect::<Result<_, _>>()
                .or_else(|()| fail(name, "a result is no value of the kernel"))
        };
        match n {
            Node::Inst(i) => {
                let name = format!("{:?} -> {:?}", i.op, i.results);
                let args = self.widths(&i.args, &name)?;
                let results = self.define(&i.results, &name)?;
                if let Op::Call { function, .. } = i.op {
                    let n = function as usize;
                    let Some(f) = self.functions.get(n).filter(|_| n >= self.first) else {
                        return fail(&name, "calls what is no function behind this one");
                    };
                    let params: Vec<Width> = f.params.iter().map(|&p| f.width(p)).collect();
                    if params != args || f.results != results {
                        return fail(&name, format!("the function is {params:?} -> {:?}", f.results));
                    }
                }
                inst(i, &args, &results).or_else(|m| fail(&name, format!("{m}: {args:?} -> {results:?}")))
            }
            Node::If { cond, then, els, results, .. } => {
                if self.width(*cond, "if")? != Width::B1 {
                    return fail("if", format!("the condition %{} is not b1", cond.0));
                }
                let w = result_widths(self.k, results, "if")?;
                self.region(then, &RegionKind::If(&w))?;
                self.region(els, &RegionKind::If(&w))?;
                self.define(results, "if").map(|_| ())
            }
            Node::Loop { label, params, init, body, results, .. } => {
                let name = format!("loop @{}", label.0);
                self.label(*label, &name)?;
                let given = self.widths(init, &name)?;
                let p = self.define(params, &name)?;
                if given != p {
                    return fail(&name, format!("initial values {given:?} for parameters {p:?}"));
                }
                let results_w = result_widths(self.k, results, &name)?;
                self.targets.push(LabelTypes { label: *label, params: Some(p), results: results_w });
                self.region(body, &RegionKind::Loop)?;
                self.targets.pop();
                params.iter().for_each(|v| self.visible[v.0 as usize] = false);
                self.define(results, &name).map(|_| ())
            }
            Node::Block { label, body, results, .. } => {
                let name = format!("block @{}", label.0);
                self.label(*label, &name)?;
                let w = result_widths(self.k, results, &name)?;
                self.targets.push(LabelTypes { label: *label, params: None, results: w.clone() });
                self.region(body, &RegionKind::Block(&w))?;
                self.targets.pop();
                self.define(results, &name).map(|_| ())
            }
            Node::Switch { label, selector, cases, results, .. } => {
                let name = format!("switch @{}", label.0);
                self.label(*label, &name)?;
                if self.width(*selector, &name)? != Width::B32 {
                    return fail(&name, format!("the selector %{} is not b32", selector.0));
                }
                if cases.iter().filter(|c| c.default).count() != 1 {
                    return fail(&name, "one case must be the default");
                }
                let mut named = HashSet::new();
                if let Some(v) = cases.iter().flat_map(|c| &c.values).find(|v| !named.insert(**v)) {
                    return fail(&name, format!("two cases have {v:#x}"));
                }
                // What the cases begin with is visible before the switch.
                let given: Vec<_> = cases.iter().map(|c| self.widths(&c.init, &name)).collect::<Result<_, _>>()?;
                let w = result_widths(self.k, results, &name)?;
                self.targets.push(LabelTypes { label: *label, params: None, results: w.clone() });
                for (n, case) in cases.iter().enumerate() {
                    let p = self.define(&case.params, &name)?;
                    if given[n] != p {
                        return fail(&name, format!("initial values {:?} for parameters {p:?}", given[n]));
                    }
                    let next = cases.get(n + 1).map(|c| result_widths(self.k, &c.params, &name)).transpose()?;
                    self.region(&case.body, &RegionKind::Block(next.as_ref().unwrap_or(&w)))?;
                    case.params.iter().for_each(|v| self.visible[v.0 as usize] = false);
                }
                self.targets.pop();
                self.define(results, &name).map(|_| ())
            }
        }
    }
}

/// The signature of one instruction.
fn inst(i: &Inst, args: &[Width], results: &[Width]) -> Result<(), String> {
    let want = |ok: bool, what: &str| if ok { Ok(()) } else { Err(what.to_string()) };
    let address = |space: Space| -> Result<&[Width], String> {
        let shape: &[Width] = match space {
            Space::Buffer => &[Width::Desc, Width::B32],
            Space::Global => &[Width::B64],
            _ => &[Width::B32],
        };
        if args.starts_with(shape) {
            Ok(&args[shape.len()..])
        } else {
            Err(format!("address operands must be {shape:?}"))
        }
    };
    let uniform = |ws: &[Width]| !ws.is_empty() && ws.iter().all(|w| *w == ws[0] && !w.is_descriptor());
    match &i.op {
        Op::Const(bits) => {
            want(args.is_empty() && results.len() == 1 && !results[0].is_descriptor(), "one result, no operand")?;
            let w = results[0].bits();
            want(w == 64 || bits >> w == 0, "bits beyond the width")
        }
        Op::Undef => want(args.is_empty() && results.len() == 1, "one result, no operand"),
        Op::Builtin(_) => want(args.is_empty() && results == [Width::B32], "() -> b32"),
        Op::Descriptor { .. } => {
            want(args == [Width::B32] && matches!(results, [w] if w.is_descriptor()), "(b32) -> desc, image or sampler")
        }
        Op::Image(image) => image.signature(args, results),
        Op::DescriptorSize => want(args == [Width::Desc] && results == [Width::B32], "(desc) -> b32"),
        Op::Load { space, .. } => {
            want(address(*space)?.is_empty(), "an address only")?;
            want(uniform(results), "results of one width")
        }
        Op::Store { space, .. } => {
            want(uniform(address(*space)?), "data of one width")?;
            want(results.is_empty(), "no result")
        }
        Op::Atomic { op, space, .. } => {
            let data = address(*space)?;
            let n = match op {
                Atomic::Load => 0,
                Atomic::CompareExchange => 2,
                _ => 1,
            };
            want(data.len() == n, "wrong number of data operands")?;
            want(results.len() == usize::from(*op != Atomic::Store), "wrong number of results")?;
            want(results.iter().all(|r| data.iter().all(|d| d == r)), "data and result of one width")
        }
        Op::Subgroup(s) => {
            let (a, r): (Vec<Width>, Vec<Width>) = match s {
                Subgroup::Elect => (vec![], vec![Width::B1]),
                Subgroup::All | Subgroup::Any => (vec![Width::B1], vec![Width::B1]),
                Subgroup::Ballot => (vec![Width::B1], vec![Width::B32; 4]),
                Subgroup::InverseBallot => (vec![Width::B32; 4], vec![Width::B1]),
                Subgroup::AllEqual => (args.get(..1).unwrap_or(&[]).to_vec(), vec![Width::B1]),
                Subgroup::Nobody => (vec![], results.to_vec()),
                Subgroup::BroadcastFirst | Subgroup::Reduce { .. } => (results.to_vec(), results.to_vec()),
                _ => (results.iter().copied().chain([Width::B32]).collect(), results.to_vec()),
            };
            want(args == a && results == r && r.len() == if *s == Subgroup::Ballot { 4 } else { 1 }, "wrong operands")
        }
        Op::Barrier { .. } => want(args.is_empty() && results.is_empty(), "no operand, no result"),
        Op::Trace { site, .. } => {
            want(*site < 1 << SITE_BITS && args.len() <= MAX_PAYLOAD, "a site or payload too large")?;
            want(args.iter().all(|&w| w == Width::B32) && results.is_empty(), "dwords, no result")
        }
        Op::Count { site } => {
            want(*site < 1 << SITE_BITS && args.is_empty() && results.is_empty(), "a site, no operand, no result")
        }
        // Its signature is the function's.
        Op::Call { .. } => Ok(()),
        Op::Mark(_) => want(results.is_empty(), "no result"),
        Op::Clock { .. } => want(args.is_empty() && results == [Width::B64], "() -> b64"),
        Op::Alu(a) => alu(*a, args, results),
    }
}

pub(crate) fn alu(a: Alu, args: &[Width], results: &[Width]) -> Result<(), String> {
    use Alu::*;
    let (&[r], n) = (results, a.arity()) else { return Err("one result".into()) };
    if args.len() != n {
        return Err(format!("{n} operands"));
    }
    let numeric = |w: Width| w != Width::B1 && !w.is_descriptor();
    let float = |w: Width| matches!(w, Width::B16 | Width::B32 | Width::B64);
    let ok = match a {
        _ if a.is_comparison() => {
            let class = match a {
                IEq | INe => !args[0].is_descriptor(),
                ULt | ULe | SLt | SLe => numeric(args[0]),
                _ => float(args[0]),
            };
            class && r == Width::B1 && args.iter().all(|w| *w == args[0])
        }
        And | Or | Xor | Not => !r.is_descriptor() && args.iter().all(|w| *w == r),
        URcp => args == [Width::B32] && r == Width::B32,
        Shl | UShr | SShr => numeric(r) && args == [r, Width::B32],
        UBfe | SBfe => numeric(r) && args == [r, Width::B32, Width::B32],
        Bfi => numeric(r) && args == [r, r, Width::B32, Width::B32],
        BitCount | FindLsb | FindSMsb | FindUMsb => numeric(args[0]) && r == Width::B32,
        FLdexp => float(r) && args == [r, Width::B32],
        FFrexpExp => float(args[0]) && r == Width::B32,
        UConvert | SConvert => numeric(r) && numeric(args[0]),
        FConvert => float(r) && float(args[0]),
        FConvertRte | FConvertRtz => float(r) && float(args[0]) && r.bits() < args[0].bits(),
        FToU | FToS => numeric(r) && float(args[0]),
        UToF | SToF => float(r) && numeric(args[0]),
        Pack64 => args == [Width::B32; 2] && r == Width::B64,
        Lo32 | Hi32 => args == [Width::B64] && r == Width::B32,
        PackHalf2x16 => args == [Width::B32; 2] && r == Width::B32,
        UnpackHalfLo | UnpackHalfHi => args == [Width::B32] && r == Width::B32,
        CubeId | CubeSc | CubeTc | CubeMa => args == [Width::B32; 3] && r == Width::B32,
        Select => args == [Width::B1, r, r] && !r.is_descriptor(),
        BoolToInt => args == [Width::B1] && numeric(r),
        Copy => args == [r],
        FAdd | FSub | FMul | FDiv | FRem | FMod | FNeg | FAbs | FSign | FFloor | FCeil | FTrunc | FRoundEven
        | FFract | FSqrt | FRsq | FRcp | FExp2 | FLog2 | FSin | FCos | FFma | FMin | FMax | FSat | FFrexpMant => {
            float(r) && args.iter().all(|w| *w == r)
        }
        _ => numeric(r) && args.iter().all(|w| *w == r),
    };
    if ok { Ok(()) } else { Err("wrong widths".into()) }
}
