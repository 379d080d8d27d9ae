//! What the user gave, held against what the shader wants: every resource, push constant and size, before anything runs.
//! What does not fit is an error that says what is expected, and what to write.

mod buffer;
mod draft;
mod form;
mod image;
mod push;

pub use self::draft::draft;
pub use self::image::ImagePlan;

use crate::data::Input;
use crate::failure::{Failure, Result};
use crate::job::{Dispatch, Given, Job, Key, Named, SamplerGiven, Spoken, What};
use crate::view::View;
use wavepipe_runtime::BindingKind;
use wavepipe_runtime::compiler::spirv::{Block, Content, EntryInfo, ResourceInfo, Type};
use wavepipe_runtime::machine::LIMITS;

/// A resource to make.
#[derive(Clone, Debug)]
pub enum Prepared {
    /// `filled`: it is given what it holds, and be it zeros.
    Buffer {
        view: View,
        bytes: Vec<u8>,
        filled: bool,
    },
    Image {
        plan: ImagePlan,
        bytes: Vec<u8>,
        filled: bool,
    },
    Sampler,
}

/// Which resource is where in a dispatch.
#[derive(Clone, Debug)]
pub struct Placed {
    pub set: u32,
    pub binding: u32,
    pub element: u32,
    /// Among the given; `None`: a sampler that is as by default.
    pub given: Option<usize>,
    /// Of a combined image sampler.
    pub sampler: Option<SamplerGiven>,
    /// The shader may write it.
    pub written: bool,
}

#[derive(Clone, Debug)]
pub struct StepPlan {
    pub placed: Vec<Placed>,
    pub push: Vec<u8>,
    pub groups: [u32; 3],
    /// What the groups follow from, if not from what the user says.
    pub derived: Option<String>,
    /// Instead of the groups: one of the given, and the byte from which on it has them.
    pub indirect: Option<(usize, u64)>,
}

/// A job that fits its shaders.
pub struct Plan {
    /// One for each of the given.
    pub resources: Vec<Prepared>,
    /// One for each dispatch.
    pub steps: Vec<StepPlan>,
    /// For each of the job's outputs one of the given.
    pub outputs: Vec<usize>,
}

/// `binding 1 (`y`)`, for messages.
fn who(r: &ResourceInfo, element: u32) -> String {
    let slot = Key { named: slot(r), element: (r.count > 1).then_some(element) };
    if r.name.is_empty() { format!("binding {slot}") } else { format!("binding {slot} (`{}`)", label(r)) }
}

fn slot(r: &ResourceInfo) -> Named {
    Named::Slot(crate::job::BindingSlot { set: r.set, binding: r.binding })
}

/// The names that a resource goes by: the variable's and the block's; where the variable has none, as in GLSL's
/// `buffer Y { float y[]; };`, also those of its members.
fn names(r: &ResourceInfo) -> Vec<&str> {
    let mut out = vec![r.name.as_str(), r.block.as_str()];
    if let Content::Block(Block { members, .. }) = &r.content
        && r.name == r.block
    {
        out.extend(members.iter().map(|m| m.name.as_str()));
    }
    out.retain(|n| !n.is_empty());
    out
}

/// The name that is used in the shader's code.
pub fn label(r: &ResourceInfo) -> &str {
    match &r.content {
        Content::Block(Block { members, .. }) if r.name == r.block && members.len() == 1 => match &members[0] {
            m if m.name.is_empty() || matches!(m.ty, Type::Struct { .. }) => &r.name,
            m => &m.name,
        },
        _ => &r.name,
    }
}

/// What a resource is in the shader: `f32[]`, `an image`.
pub fn type_text(r: &ResourceInfo) -> String {
    match &r.content {
        Content::Block(block) => match form::Form::of(block) {
            Some(form) => form::describe(block, &form),
            None => format!("{} bytes", block.bytes),
        },
        Content::Image(shape) if shape.storage => "a storage image".into(),
        Content::Image(_) => "an image".into(),
        Content::Sampler => "a sampler".into(),
        Content::Refused(why) => (*why).into(),
    }
}

/// What to write for a resource.
fn key_text(r: &ResourceInfo, element: u32) -> String {
    let named = if label(r).is_empty() { slot(r) } else { Named::Name(label(r).to_owned()) };
    Key { named, element: (r.count > 1).then_some(element) }.to_string()
}

/// Whether a key is that of a resource, or of an element of it.
pub fn is_of(key: &Key, r: &ResourceInfo) -> bool {
    match &key.named {
        Named::Name(name) => names(r).contains(&name.as_str()),
        named => *named == slot(r),
    }
}

fn matches(key: &Key, r: &ResourceInfo, element: u32) -> bool {
    let this = match key.element {
        Some(e) => e == element,
        None => r.count == 1,
    };
    this && is_of(key, r)
}

/// The flag that gives a resource of this kind, and an example.
fn advice(r: &ResourceInfo, element: u32, spoken: Spoken) -> String {
    let key = key_text(r, element);
    match &r.content {
        Content::Image(shape) => format!("an image: {}", spoken.image(&key, shape.storage)),
        Content::Block(block) => match form::Form::of(block) {
            Some(form) if form.tail.as_ref().is_some_and(|tail| tail.n.is_none()) => {
                format!("a buffer: {}", spoken.buffer(&key))
            }
            Some(form) => format!("a buffer of {}: {}", form::describe(block, &form), spoken.numbers(&key)),
            None => format!("a buffer: {}", spoken.bytes(&key, block.bytes)),
        },
        _ => format!("a resource: {key}"),
    }
}

struct Planner<'a> {
    job: &'a Job,
    prepared: Vec<Option<Prepared>>,
    used: Vec<bool>,
}

impl Planner<'_> {
    /// The one of the given that is this element of a resource.
    fn find(&self, d: &Dispatch, r: &ResourceInfo, element: u32, sampler: bool) -> Result<Option<usize>> {
        let all = || self.job.given.iter().enumerate().filter(|(_, g)| g.what.is_sampler() == sampler);
        if let Some((_, to)) = d.bind.iter().find(|(from, _)| matches(from, r, element)) {
            let found = all().find(|(_, g)| g.key == *to).map(|(n, _)| n);
            if found.is_none() && !sampler {
                return Err(Failure::usage(format!("bind: {} is to be `{to}`, which is not given", who(r, element))));
            }
            return Ok(found);
        }
        let mut found = all().filter(|(_, g)| matches(&g.key, r, element)).map(|(n, _)| n);
        let first = found.next();
        if let (Some(first), Some(second)) = (first, found.next()) {
            let [a, b] = [first, second].map(|n| &self.job.given[n].source);
            return Err(Failure::usage(format!("{} is given twice: {a} and {b}", who(r, element))));
        }
        Ok(first)
    }

    /// Everything that one dispatch wants.
    fn dispatch(&mut self, d: &Dispatch, info: &EntryInfo) -> Result<Vec<Placed>> {
        self.ambiguous(info)?;
        let mut placed = Vec::new();
        for r in &info.resources {
            if let Content::Refused(why) = r.content {
                return Err(Failure::Unsupported(format!("{}: {why}", who(r, 0))));
            }
            if r.count == 0 {
                let message =
                    format!("{} is an array of resources without a length, which cannot be given here", who(r, 0));
                return Err(Failure::Unsupported(message));
            }
            self.too_many(r)?;
            for element in 0..r.count {
                placed.push(self.place(d, r, element)?);
            }
        }
        if let Some((from, _)) = d.bind.iter().find(|(from, _)| !info.resources.iter().any(|r| is_of(from, r))) {
            return Err(Failure::usage(format!("bind: {}", none_such(from, info))));
        }
        Ok(placed)
    }

    /// A name that two resources go by is none.
    fn ambiguous(&self, info: &EntryInfo) -> Result<()> {
        for g in &self.job.given {
            let mut of = info.resources.iter().filter(|r| matches!(g.key.named, Named::Name(_)) && is_of(&g.key, r));
            if let (Some(a), Some(b)) = (of.next(), of.next()) {
                let message =
                    format!("{}: both {} and {} go by that name: use the binding", g.source, who(a, 0), who(b, 0));
                return Err(Failure::usage(message));
            }
        }
        Ok(())
    }

    /// Elements that an array has not.
    fn too_many(&self, r: &ResourceInfo) -> Result<()> {
        let beyond = |g: &&Given| is_of(&g.key, r) && g.key.element.is_some_and(|e| e >= r.count);
        match self.job.given.iter().find(beyond) {
            Some(g) if r.count == 1 => Err(Failure::usage(format!("{}: {} is no array", g.source, who(r, 0)))),
            Some(g) => {
                let n = r.count;
                Err(Failure::usage(format!("{}: {} is an array of {n}, from 0 on", g.source, key_text(r, 0))))
            }
            None => Ok(()),
        }
    }

    fn place(&mut self, d: &Dispatch, r: &ResourceInfo, element: u32) -> Result<Placed> {
        let has_sampler = matches!(r.kind, BindingKind::Sampler | BindingKind::CombinedImageSampler);
        let sampler = match has_sampler {
            true => self.find(d, r, element, true)?,
            false => None,
        };
        let how = match sampler.map(|n| &self.job.given[n].what) {
            Some(What::Sampler(how)) => *how,
            _ => SamplerGiven::default(),
        };
        if let Some(n) = sampler {
            self.used[n] = true;
            self.prepared[n] = Some(Prepared::Sampler);
        }
        let given = match r.kind {
            BindingKind::Sampler => sampler,
            _ => Some(self.resource(d, r, element)?),
        };
        let reads = matches!(
            r.kind,
            BindingKind::Sampler
                | BindingKind::SampledImage
                | BindingKind::CombinedImageSampler
                | BindingKind::UniformBuffer
                | BindingKind::UniformTexelBuffer
        );
        let written = !reads && !r.readonly;
        let sampler = has_sampler.then_some(how);
        Ok(Placed { set: r.set, binding: r.binding, element, given, sampler, written })
    }

    /// A buffer or an image.
    fn resource(&mut self, d: &Dispatch, r: &ResourceInfo, element: u32) -> Result<usize> {
        let Some(n) = self.find(d, r, element, false)? else {
            let whole = self.job.given.iter().find(|g| g.key.element.is_none() && r.count > 1 && is_of(&g.key, r));
            let message = match whole {
                Some(g) => format!(
                    "{}: {} is an array of {}: give each of its elements, {}=… to {}=…",
                    g.source,
                    key_text(r, 0).trim_end_matches("[0]"),
                    r.count,
                    key_text(r, 0),
                    key_text(r, r.count - 1)
                ),
                None => format!(
                    "the shader uses {}, and nothing is given for it. It is {}",
                    who(r, element),
                    advice(r, element, self.job.spoken)
                ),
            };
            return Err(Failure::usage(message));
        };
        self.used[n] = true;
        let given = &self.job.given[n];
        let prepared = self.prepare(given, r, element, self.prepared[n].as_ref());
        if let Some(new) = prepared.map_err(|e| of_given(e, given))? {
            self.prepared[n] = Some(new);
        }
        Ok(n)
    }

    /// The buffer that has the groups of a dispatch.
    fn indirect(&mut self, key: &Key, offset: u64) -> Result<(usize, u64)> {
        let is = |g: &&Given| g.key == *key && matches!(g.what, What::Buffer { .. });
        let found = self.job.given.iter().position(|g| is(&g));
        let n = found.ok_or_else(|| Failure::usage(format!("indirect: there is no buffer `{key}`")))?;
        self.used[n] = true;
        let given = &self.job.given[n];
        if let (None, What::Buffer { element, count, init }) = (&self.prepared[n], &given.what) {
            let input = Input::read(init, &given.folder).map_err(|e| of_given(e, given))?;
            let view = buffer::plain(*element, *count, &input).map_err(|e| of_given(e, given))?;
            let bytes = input.fill(&view).map_err(|e| of_given(e, given))?;
            self.prepared[n] = Some(Prepared::Buffer { view, bytes, filled: input != Input::None });
        }
        match &self.prepared[n] {
            Some(Prepared::Buffer { view, .. }) if offset.is_multiple_of(4) && offset + 12 <= view.bytes as u64 => {
                Ok((n, offset))
            }
            Some(Prepared::Buffer { view, .. }) => {
                let message =
                    format!("indirect: three u32 at byte {offset} of `{key}`, which has {} bytes", view.bytes);
                Err(Failure::usage(message))
            }
            _ => Err(Failure::usage(format!("indirect: `{key}` is no buffer"))),
        }
    }

    /// `before`: as another dispatch has laid it out.
    fn prepare(
        &self,
        given: &Given,
        r: &ResourceInfo,
        element: u32,
        before: Option<&Prepared>,
    ) -> Result<Option<Prepared>> {
        let who = who(r, element);
        match (&given.what, &r.content, before) {
            (What::Buffer { .. }, Content::Block(block), Some(Prepared::Buffer { view, .. })) => {
                buffer::fits(block, view.bytes, &who).map(|()| None)
            }
            (What::Buffer { element, count, init }, Content::Block(block), _) => {
                let input = Input::read(init, &given.folder)?;
                let typed = buffer::Typed { element: *element, count: *count, input: &input };
                let view = buffer::view(block, &typed, &who)?;
                let bytes = input.fill(&view)?;
                Ok(Some(Prepared::Buffer { view, bytes, filled: input != Input::None }))
            }
            (What::Image(image), Content::Image(shape), before) => {
                let input = Input::read(&image.init, &given.folder)?;
                let (plan, bytes) = image::image(shape, image, &input, &who)?;
                match before {
                    Some(Prepared::Image { plan: before, .. }) if *before != plan => {
                        let message =
                            format!("{who} is {} here and {} in another dispatch", plan.label(), before.label());
                        Err(Failure::usage(message))
                    }
                    Some(_) => Ok(None),
                    None => Ok(Some(Prepared::Image { plan, bytes, filled: input != Input::None })),
                }
            }
            (what, _, _) => {
                let message = format!("{who} is {}; {} is given", advice(r, element, self.job.spoken), what.name());
                Err(Failure::usage(message))
            }
        }
    }
}

/// A failure that is about one of the given; also where a file is not there.
fn of_given(failure: Failure, given: &Given) -> Failure {
    match failure {
        file @ Failure::File { .. } => Failure::usage(file.to_string()).prefix(&given.source),
        other => other.prefix(&given.source),
    }
}

fn none_such(key: &Key, info: &EntryInfo) -> String {
    let has: Vec<String> = info
        .resources
        .iter()
        .map(|r| {
            let slot = Key { named: slot(r), element: None };
            if label(r).is_empty() { slot.to_string() } else { format!("{slot} (`{}`)", label(r)) }
        })
        .collect();
    let has = if has.is_empty() { "it has none".to_owned() } else { format!("it has: {}", has.join(", ")) };
    match &key.named {
        Named::Slot(slot) => format!("the shader has no binding {slot}; {has}"),
        Named::Name(name) => format!("the shader has no resource `{name}` that it uses; {has}"),
    }
}

/// The job without what the job file says of a resource that the command line speaks of, by whatever key.
fn overruled(job: &Job, entries: &[EntryInfo]) -> Job {
    let resources = || entries.iter().flat_map(|e| &e.resources);
    let same = |g: &Given, flag: &Given| {
        let element = g.key.element.or(flag.key.element).unwrap_or(0);
        let both = |r: &ResourceInfo| matches(&g.key, r, element) && matches(&flag.key, r, element);
        g.what.is_sampler() == flag.what.is_sampler() && resources().any(both)
    };
    let mut out = job.clone();
    out.given.retain(|g| g.flag || !job.given.iter().any(|flag| flag.flag && same(g, flag)));
    out
}

/// Holds a job against the entry points of its dispatches.
pub fn plan(job: &Job, entries: &[EntryInfo]) -> Result<Plan> {
    let job = &overruled(job, entries);
    let mut planner = Planner { job, prepared: vec![None; job.given.len()], used: vec![false; job.given.len()] };
    let mut placed = Vec::new();
    for (d, info) in job.dispatches.iter().zip(entries) {
        placed.push(planner.dispatch(d, info)?);
    }
    // Behind all that say more of the same buffer.
    let mut indirect = Vec::new();
    for d in &job.dispatches {
        indirect.push(d.indirect.as_ref().map(|(key, offset)| planner.indirect(key, *offset)).transpose()?);
    }
    if let Some((g, _)) = job.given.iter().zip(&planner.used).find(|(_, used)| !**used) {
        let what = entries.first().map_or_else(String::new, |info| none_such(&g.key, info));
        let kind = entries.iter().flat_map(|e| &e.resources).find(|r| is_of(&g.key, r));
        let message = match kind {
            Some(r) if g.what.is_sampler() => format!("{}: {} has no sampler", g.source, who(r, 0)),
            Some(r) => format!("{}: {} is a sampler", g.source, who(r, 0)),
            None => format!("{}: {what}", g.source),
        };
        return Err(Failure::usage(message));
    }
    let resources: Vec<Prepared> = planner.prepared.into_iter().flatten().collect();
    let mut steps = Vec::new();
    for (((d, info), placed), indirect) in job.dispatches.iter().zip(entries).zip(placed).zip(indirect) {
        let push = push::bytes(info.push.as_ref(), &d.push, job.spoken)?;
        let (groups, derived) = match d.groups {
            Some(groups) => (groups, None),
            None if indirect.is_some() => ([0; 3], None),
            None => derived_groups(job, info, &placed, &resources).map(|(groups, why)| (groups, Some(why)))?,
        };
        if let Some((_, most)) = groups.iter().zip(LIMITS.max_workgroup_count).find(|(n, most)| **n > *most) {
            let message = format!("{groups:?} are too many work-groups: {most} is the most of that side");
            return Err(Failure::usage(message));
        }
        steps.push(StepPlan { placed, push, groups, derived, indirect });
    }
    let mut plan = Plan { resources, steps, outputs: Vec::new() };
    plan.outputs = job.outputs.iter().map(|o| plan.output(job, o.key.as_ref(), entries)).collect::<Result<_>>()?;
    Ok(plan)
}

/// As many work-groups as the largest output has elements for.
fn derived_groups(
    job: &Job,
    info: &EntryInfo,
    placed: &[Placed],
    resources: &[Prepared],
) -> Result<([u32; 3], String)> {
    let outputs = placed.iter().filter(|p| p.written).filter_map(|p| p.given);
    let size = |n: usize| match &resources[n] {
        Prepared::Buffer { view, .. } => view.count,
        Prepared::Image { plan, .. } => plan.texels(),
        Prepared::Sampler => 0,
    };
    // Of equals the image: it has sides.
    let image = |n: usize| matches!(resources[n], Prepared::Image { .. });
    let largest = outputs.max_by_key(|n| (size(*n), image(*n), std::cmp::Reverse(*n)));
    let [x, y, z] = info.workgroup;
    let none = |why: &str| Failure::usage(format!("how many work-groups? {why}: {}", job.spoken.groups()));
    let Some(n) = largest else { return Err(none("The shader writes nothing that would tell")) };
    let (sides, of) = match &resources[n] {
        Prepared::Image { plan, .. } => {
            let [w, h, d] = plan.extent;
            ([w, h, d.max(plan.layers)], plan.label())
        }
        Prepared::Buffer { view, .. } => match job.picture {
            Some((w, h)) if w as usize * h as usize == view.count => ([w, h, 1], format!("{w}x{h}")),
            _ if y * z == 1 => ([view.count as u32, 1, 1], view.label.clone()),
            _ => {
                let why = format!("A work-group of {x}x{y}x{z} has more sides than `{}`", job.given[n].key);
                return Err(none(&why));
            }
        },
        Prepared::Sampler => return Err(none("Nothing is written")),
    };
    let groups = [sides[0].div_ceil(x.max(1)), sides[1].div_ceil(y.max(1)), sides[2].div_ceil(z.max(1))];
    let [gx, gy, gz] = groups;
    Ok((groups, format!("--groups {gx},{gy},{gz} of {x}x{y}x{z}, for {of} of `{}`", job.given[n].key)))
}

impl Plan {
    /// The one of the given that goes by a key.
    pub fn find(&self, job: &Job, key: &Key, entries: &[EntryInfo]) -> Result<usize> {
        let own = job.given.iter().position(|g| g.key == *key && !g.what.is_sampler());
        let at = || {
            let steps = entries.iter().zip(&self.steps);
            let mut all = steps.flat_map(|(info, step)| step.placed.iter().map(move |p| (info, p)));
            let is = |info: &EntryInfo, p: &Placed| {
                let r = info.resources.iter().find(|r| (r.set, r.binding) == (p.set, p.binding));
                r.is_some_and(|r| matches(key, r, p.element))
            };
            all.find(|(info, p)| is(info, p)).and_then(|(_, p)| p.given)
        };
        own.or_else(at).ok_or_else(|| {
            let has = entries.first().map_or_else(String::new, |info| none_such(key, info));
            Failure::usage(format!("output {key}: {has}"))
        })
    }

    /// The one that an output names, or the main one.
    fn output(&self, job: &Job, key: Option<&Key>, entries: &[EntryInfo]) -> Result<usize> {
        if let Some(key) = key.or(job.main.as_ref()) {
            return self.find(job, key, entries);
        }
        let placed = self.steps.iter().flat_map(|s| &s.placed);
        let mut written: Vec<usize> = placed.filter(|p| p.written).filter_map(|p| p.given).collect();
        written.sort_unstable();
        written.dedup();
        match written[..] {
            [only] => Ok(only),
            _ => Err(Failure::usage(format!(
                "-o does not know which of {} is the main output: add [output] to the job file, or use --out KEY=FILE",
                match written.len() {
                    0 => "none that the shader writes".to_owned(),
                    n => format!("{n} that the shader writes"),
                }
            ))),
        }
    }
}
