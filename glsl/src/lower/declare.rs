//! What stands outside of functions: blocks, variables, constants, the work-group, and the entry point.

use super::{Known, Lower, Side, Symbol, Val};
use crate::Result;
use crate::emit::{Body, Builder};
use crate::fold::{self, Konst};
use crate::layout::{Field, Lay, Rule, Struct};
use crate::syntax::{At, Dims, Item, Member, Quals, Storage, Vars};
use crate::types::{Image, Len, Scalar, Ty, UINT};
use spirv::{Decoration, ExecutionMode, Op, StorageClass};
use std::rc::Rc;

/// The formats of images, by SPIR-V's numbers.
const FORMATS: &[&str] = &[
    "",
    "rgba32f",
    "rgba16f",
    "r32f",
    "rgba8",
    "rgba8_snorm",
    "rg32f",
    "rg16f",
    "r11f_g11f_b10f",
    "r16f",
    "rgba16",
    "rgb10_a2",
    "rg16",
    "rg8",
    "r16",
    "r8",
    "rgba16_snorm",
    "rg16_snorm",
    "rg8_snorm",
    "r16_snorm",
    "r8_snorm",
    "rgba32i",
    "rgba16i",
    "rgba8i",
    "r32i",
    "rg32i",
    "rg16i",
    "rg8i",
    "r16i",
    "r8i",
    "rgba32ui",
    "rgba16ui",
    "rgba8ui",
    "r32ui",
    "rgb10_a2ui",
    "rg32ui",
    "rg16ui",
    "rg8ui",
    "r16ui",
    "r8ui",
    "r64ui",
    "r64i",
];

/// What a layout says, with its numbers.
#[derive(Default)]
struct Layout {
    set: u32,
    binding: u32,
    constant: Option<u32>,
    offset: Option<u32>,
    align: Option<u32>,
    rule: Option<Rule>,
    rows: Option<bool>,
    format: u32,
    push: bool,
    reference: bool,
    reference_align: u32,
}

impl Lower<'_> {
    pub(super) fn items(&mut self, items: &[Item]) -> Result<()> {
        for item in items {
            match item {
                Item::Default(at, quals) => self.default_layout(*at, quals)?,
                Item::Block { at, quals, name, members, instance } => {
                    self.go(*at);
                    self.block(quals, name, members, instance.as_ref())?;
                }
                Item::Vars(vars) => self.globals(vars)?,
                Item::Function(tree) => self.function(tree)?,
            }
        }
        if let Some((name, _)) = self.pending.iter().find(|(_, n)| self.structs[**n].lay.is_none()) {
            return Err(self.refuse(format!("`{name}` is announced and never comes")));
        }
        self.entry()
    }

    fn layout(&mut self, quals: &Quals) -> Result<Layout> {
        let mut out = Layout { reference_align: 16, ..Layout::default() };
        for (name, value) in &quals.layout {
            let number = |l: &mut Self| match value {
                Some(e) => match l.known_int(e)? {
                    (n, _) if (0..=i128::from(u32::MAX)).contains(&n) => Ok(n as u32),
                    _ => Err(l.refuse(format!("{name} is no such number"))),
                },
                None => Err(l.refuse(format!("{name} wants a number"))),
            };
            match &**name {
                "set" => out.set = number(self)?,
                "binding" => out.binding = number(self)?,
                "constant_id" => out.constant = Some(number(self)?),
                "offset" => out.offset = Some(number(self)?),
                "align" => out.align = Some(number(self)?),
                "buffer_reference_align" => out.reference_align = number(self)?.max(1),
                "std140" => out.rule = Some(Rule::Std140),
                "std430" => out.rule = Some(Rule::Std430),
                "scalar" => out.rule = Some(Rule::Scalar),
                "row_major" => out.rows = Some(true),
                "column_major" => out.rows = Some(false),
                "push_constant" => out.push = true,
                "buffer_reference" => out.reference = true,
                "local_size_x" | "local_size_y" | "local_size_z" | "local_size_x_id" | "local_size_y_id"
                | "local_size_z_id" => {}
                other => match FORMATS.iter().position(|f| *f == other) {
                    Some(n) if n > 0 => out.format = n as u32,
                    _ => return Err(self.refuse(format!("the layout `{other}` is not known"))),
                },
            }
        }
        Ok(out)
    }

    fn default_layout(&mut self, at: At, quals: &Quals) -> Result<()> {
        self.go(at);
        let layout = self.layout(quals)?;
        let which = match quals.storage {
            Storage::Uniform => 0,
            Storage::Buffer => 1,
            Storage::In => return self.work_group(quals),
            // `precise x;` and the like.
            _ => return Ok(()),
        };
        self.defaults[which].rule = layout.rule.unwrap_or(self.defaults[which].rule);
        self.defaults[which].rows = layout.rows.unwrap_or(self.defaults[which].rows);
        Ok(())
    }

    /// `layout(local_size_x = 64) in;`
    fn work_group(&mut self, quals: &Quals) -> Result<()> {
        for (name, value) in &quals.layout {
            let Some(axis) = name.strip_prefix("local_size_").and_then(|a| "xyz".find(a.chars().next()?)) else {
                continue;
            };
            let Some(value) = value else { return Err(self.refuse(format!("{name} wants a number"))) };
            let (n, value) = self.known_int(value)?;
            let n = u32::try_from(n).map_err(|_| self.refuse(format!("{name} is no such number")))?;
            let side = self.sides[axis].get_or_insert(Side { size: None, id: None, given: None });
            if name.ends_with("_id") {
                side.id = Some(n);
            } else if n == 0 {
                return Err(self.refuse(format!("{name} is 0, and a work-group has at least one invocation")));
            } else {
                side.size = Some(n);
                side.given = matches!(value.known, Known::Spec(_)).then_some(value.id);
            }
        }
        let ty = Ty::Scalar(UINT);
        let mut parts = Vec::new();
        for axis in 0..3 {
            let side = self.sides[axis].unwrap_or(Side { size: None, id: None, given: None });
            let size = side.size.unwrap_or(1);
            parts.push(match (side.id, side.given) {
                (None, None) => self.konst(&ty, Konst::Int(i128::from(size)))?,
                (None, Some(given)) => {
                    let known = Known::Spec(Some(Konst::Int(i128::from(size))));
                    Val { id: given, ty: ty.clone(), known }
                }
                (Some(id), _) => match self.spec_ids.get(&id).cloned() {
                    Some(value) => self.convert_spec(&value, UINT)?,
                    None => {
                        let name = ["local_size_x", "local_size_y", "local_size_z"][axis];
                        self.spec_constant(&ty, id, &Konst::Int(i128::from(size)), name)?
                    }
                },
            });
        }
        let size = self.composite(&Ty::Vector(UINT, 3), &parts)?;
        if matches!(size.known, Known::Spec(_)) && !self.size_said {
            self.size_said = true;
            self.b.decorate(size.id, Decoration::BuiltIn, &[spirv::BuiltIn::WorkgroupSize as u32]);
        }
        self.scopes[0].insert("gl_WorkGroupSize".into(), Symbol::Val(size));
        Ok(())
    }

    /// A specialization constant as one of another type.
    fn convert_spec(&mut self, value: &Val, to: Scalar) -> Result<Val> {
        let constant = std::mem::replace(&mut self.constant, true);
        let out = self.convert(value, to);
        self.constant = constant;
        out
    }

    fn spec_constant(&mut self, ty: &Ty, id: u32, default: &Konst, name: &str) -> Result<Val> {
        let Ty::Scalar(scalar) = ty else { return Err(self.refuse("a specialization constant is one number")) };
        let of = self.ty(ty)?;
        let value = match default {
            Konst::Bool(true) => self.b.global(Op::SpecConstantTrue, of, &[]),
            Konst::Bool(false) => self.b.global(Op::SpecConstantFalse, of, &[]),
            _ => self.b.global(Op::SpecConstant, of, &fold::words(default, *scalar)),
        };
        self.b.decorate(value, Decoration::SpecId, &[id]);
        self.b.name(value, name);
        let value = Val { id: value, ty: ty.clone(), known: Known::Spec(Some(default.clone())) };
        self.spec_ids.insert(id, value.clone());
        Ok(value)
    }

    fn block(
        &mut self,
        quals: &Quals,
        name: &Rc<str>,
        members: &[Member],
        instance: Option<&(Rc<str>, Dims)>,
    ) -> Result<()> {
        let layout = self.layout(quals)?;
        let class = match quals.storage {
            Storage::Buffer => StorageClass::StorageBuffer,
            Storage::Uniform if layout.push => StorageClass::PushConstant,
            Storage::Uniform => StorageClass::Uniform,
            _ => return Err(self.refuse(format!("blocks are `uniform` or `buffer`, and `{name}` is neither"))),
        };
        let defaults = self.defaults[usize::from(quals.storage == Storage::Buffer)];
        let rule = layout.rule.unwrap_or(if layout.push || layout.reference { Rule::Std430 } else { defaults.rule });
        let lay = Lay { rule, rows: layout.rows.unwrap_or(defaults.rows) };
        let n = match self.pending.get(name) {
            Some(n) => *n,
            None => {
                let align = if layout.reference { layout.reference_align } else { 0 };
                self.structs.push(Struct {
                    name: name.clone(),
                    fields: Vec::new(),
                    align,
                    lay: None,
                    memory: quals.memory,
                });
                self.structs.len() - 1
            }
        };
        if layout.reference {
            self.structs[n].align = layout.reference_align;
            self.scopes[1].insert(name.clone(), Symbol::Reference(n));
        }
        let mut fields = Vec::new();
        for (m, member) in members.iter().enumerate() {
            let of = self.layout(&member.quals)?;
            let ty = self.spec(&member.spec)?;
            let ty = self.dimensioned(&ty, &member.dims)?;
            self.go(member.at);
            if ty.opaque() {
                return Err(self.refuse(format!("a {} cannot be in a block", self.type_name(&ty))));
            }
            if matches!(ty, Ty::Array(_, Len::Runtime)) && m + 1 < members.len() {
                return Err(self.refuse("only the last member of a block is an array without a size"));
            }
            let (name, memory) = (member.name.clone(), member.quals.memory);
            fields.push(Field { name, ty, rows: of.rows, offset: of.offset, align: of.align, memory });
        }
        (self.structs[n].fields, self.structs[n].lay, self.structs[n].memory) = (fields, Some(lay), quals.memory);
        if layout.reference {
            return self.laid(&Ty::Reference(n), None).map(drop);
        }
        let mut ty = Ty::Struct(n);
        if let Some((_, dims)) = instance {
            ty = self.dimensioned(&ty, dims)?;
        }
        let id = self.laid(&ty, Some(lay))?;
        let pointer = self.pointer(class, id);
        let id = self.b.global(Op::Variable, pointer, &[class as u32]);
        if !layout.push {
            self.b.decorate(id, Decoration::DescriptorSet, &[layout.set]);
            self.b.decorate(id, Decoration::Binding, &[layout.binding]);
        }
        self.descriptors(&ty);
        let mut place = self.place(id, class, ty);
        (place.lay, place.memory, place.block) = (Some(lay), quals.memory, Some(n));
        if class != StorageClass::StorageBuffer {
            place.fixed = true;
        }
        match instance {
            Some((name, _)) => {
                self.b.name(id, name);
                self.name(name.clone(), Symbol::Lvalue(place));
            }
            None => {
                for (m, field) in self.structs[n].fields.clone().into_iter().enumerate() {
                    let mut part = place.clone();
                    part.chain.push(self.int(m as i32));
                    (part.lay, part.memory) = (Some(lay.of(&field)), quals.memory.and(field.memory));
                    part.ty = field.ty;
                    self.name(field.name, Symbol::Lvalue(part));
                }
            }
        }
        Ok(())
    }

    /// What arrays of descriptors want of the device.
    fn descriptors(&mut self, ty: &Ty) {
        if let Ty::Array(_, Len::Runtime) = ty {
            self.b.capability(spirv::Capability::RuntimeDescriptorArray);
            self.b.extension("SPV_EXT_descriptor_indexing");
        }
    }

    fn globals(&mut self, vars: &Vars) -> Result<()> {
        self.b.exact |= vars.quals.precise;
        let layout = self.layout(&vars.quals)?;
        let base = self.spec(&vars.spec)?;
        let base = match base {
            Ty::Image(image) if image.storage => Ty::Image(Image { format: layout.format, ..image }),
            other => other,
        };
        for var in &vars.list {
            self.go(var.at);
            let ty = self.dimensioned(&base, &var.dims)?;
            let ty = self.counted(ty, var.value.as_ref())?;
            let value = var.value.as_ref();
            if ty.opaque() {
                self.resource(&var.name, ty, &layout, &vars.quals)?;
                continue;
            }
            match vars.quals.storage {
                Storage::Const => {
                    let value =
                        value.ok_or_else(|| self.refuse(format!("`{}` is const and has no value", var.name)))?;
                    let constant = self.constant_wanted(value, &ty)?;
                    match (layout.constant, constant) {
                        (Some(id), Some(Val { known: Known::Const(default), .. })) => {
                            let value = self.spec_constant(&ty, id, &default, &var.name)?;
                            self.name(var.name.clone(), Symbol::Val(value));
                        }
                        (Some(id), _) => {
                            return Err(
                                self.refuse(format!("the default of specialization constant {id} is not known"))
                            );
                        }
                        (None, Some(value)) => self.name(var.name.clone(), Symbol::Val(value)),
                        // It is computed in front of `main`.
                        (None, None) => {
                            let mut place = self.private(&ty, &var.name, StorageClass::Private, None)?;
                            self.first.push((place.clone(), value.clone()));
                            place.fixed = true;
                            self.name(var.name.clone(), Symbol::Lvalue(place));
                        }
                    }
                }
                Storage::Shared => {
                    let zero = match value {
                        Some(value) => Some(self.wanted(value, &ty)?.id),
                        None => None,
                    };
                    let place = self.private(&ty, &var.name, StorageClass::Workgroup, zero)?;
                    self.name(var.name.clone(), Symbol::Lvalue(place));
                }
                Storage::None => {
                    let constant = match value {
                        Some(value) => self.constant_wanted(value, &ty)?,
                        None => None,
                    };
                    let place = self.private(&ty, &var.name, StorageClass::Private, constant.as_ref().map(|c| c.id))?;
                    if let (Some(value), None) = (value, constant) {
                        self.first.push((place.clone(), value.clone()));
                    }
                    self.name(var.name.clone(), Symbol::Lvalue(place));
                }
                Storage::Uniform => {
                    return Err(
                        self.refuse(format!("`{}` stands in no block: Vulkan knows no such uniforms", var.name))
                    );
                }
                _ => return Err(self.refuse(format!("compute shaders have no such variable as `{}`", var.name))),
            }
        }
        Ok(())
    }

    fn private(&mut self, ty: &Ty, name: &str, class: StorageClass, value: Option<u32>) -> Result<super::Lvalue> {
        if matches!(ty, Ty::Array(_, Len::Runtime)) {
            return Err(self.refuse(format!("the size of `{name}` is not known")));
        }
        let id = self.ty(ty)?;
        let pointer = self.pointer(class, id);
        let words: Vec<u32> = [class as u32].into_iter().chain(value).collect();
        let id = self.b.global(Op::Variable, pointer, &words);
        self.aliased(ty, id);
        self.b.name(id, name);
        Ok(self.place(id, class, ty.clone()))
    }

    /// An image or a sampler.
    fn resource(&mut self, name: &Rc<str>, ty: Ty, layout: &Layout, quals: &Quals) -> Result<()> {
        if quals.storage != Storage::Uniform {
            return Err(self.refuse(format!("`{name}` is to be `uniform`")));
        }
        let mut inner = &ty;
        while let Ty::Array(of, _) = inner {
            inner = of;
        }
        if let Ty::Image(Image { storage: true, format: 0, .. }) = inner {
            use spirv::Capability as C;
            let memory = quals.memory;
            if !memory.readonly {
                self.b.capability(C::StorageImageWriteWithoutFormat);
            }
            if !memory.writeonly {
                self.b.capability(C::StorageImageReadWithoutFormat);
            }
        }
        self.descriptors(&ty);
        let id = self.ty(&ty)?;
        let class = StorageClass::UniformConstant;
        let pointer = self.pointer(class, id);
        let id = self.b.global(Op::Variable, pointer, &[class as u32]);
        self.b.name(id, name);
        self.b.decorate(id, Decoration::DescriptorSet, &[layout.set]);
        self.b.decorate(id, Decoration::Binding, &[layout.binding]);
        for (holds, decoration) in [
            (quals.memory.coherent, Decoration::Coherent),
            (quals.memory.volatile, Decoration::Volatile),
            (quals.memory.restrict, Decoration::Restrict),
            (quals.memory.readonly, Decoration::NonWritable),
            (quals.memory.writeonly, Decoration::NonReadable),
        ] {
            if holds {
                self.b.decorate(id, decoration, &[]);
            }
        }
        let mut place = self.place(id, class, ty);
        place.memory = quals.memory;
        self.name(name.clone(), Symbol::Lvalue(place));
        Ok(())
    }

    // The entry point.

    fn entry(&mut self) -> Result<()> {
        let found =
            self.functions.get("main").and_then(|list| list.iter().find(|f| f.parameters.is_empty() && f.written));
        let Some((main, tree)) = found.map(|f| (f.id, f.tree.clone())) else {
            return Err(self.refuse("there is no `main`"));
        };
        // Where globals have first values that are computed, what computes them stands in front.
        let first = std::mem::take(&mut self.first);
        let mut start = main;
        if !first.is_empty() {
            let void = self.ty(&Ty::Void)?;
            let of = self.b.ty(Op::TypeFunction, &[void]);
            start = self.b.id();
            let mut body = Body::default();
            Builder::head(Op::Function, &[void, start, 0, of], &mut body);
            self.b.name(start, "start");
            let label = self.b.id();
            self.b.body = Some(body);
            self.b.begin(label);
            for (place, value) in &first {
                let value = self.wanted(value, &place.ty)?;
                self.store(place, &value)?;
            }
            self.go(tree.at);
            let unit = self.b.id();
            self.b.effect(Op::FunctionCall, &[void, unit, main]);
            self.b.end(None, Op::Return, &[]);
            if let Some(body) = self.b.body.take() {
                self.b.finish(body);
            }
        }
        let interface = self.interface.clone();
        self.b.entry(start, &interface);
        let sides = [0, 1, 2].map(|n| self.sides[n].and_then(|s| s.size).unwrap_or(1));
        self.b.mode(&[start, ExecutionMode::LocalSize as u32, sides[0], sides[1], sides[2]]);
        if tree.attributes.iter().any(|a| &**a == "subgroup_uniform_control_flow") {
            self.b.extension("SPV_KHR_subgroup_uniform_control_flow");
            self.b.mode(&[start, ExecutionMode::SubgroupUniformControlFlowKHR as u32]);
        }
        if tree.attributes.iter().any(|a| &**a == "maximally_reconverges") {
            self.b.extension("SPV_KHR_maximal_reconvergence");
            self.b.mode(&[start, ExecutionMode::MaximallyReconvergesKHR as u32]);
        }
        Ok(())
    }
}
