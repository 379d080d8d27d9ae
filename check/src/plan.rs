//! A test of a `.test.toml` file as a play: the job held against its shaders, and each expectation as contents.

use crate::cpu::{self, Array, Constant, Language};
use crate::place;
use crate::play::{Act, Bind, Dispatch, Do, Expectation, Groups, Holds, Kernel, Play, Resource, Show};
use crate::schema::{ExpectFile, Reference, TestFile};
use crate::suite;
use std::ops::Range;
use std::path::{Path, PathBuf};
use toml::Value;
use wavepipe::bind::{self, Prepared};
use wavepipe::contents::Contents;
use wavepipe::data::{Init, Input};
use wavepipe::element::Number;
use wavepipe::expect::Tolerance;
use wavepipe::failure::{Failure, Result};
use wavepipe::files;
use wavepipe::job::file::{JobFile, Which, numbers, text as value_text};
use wavepipe::job::{Dispatch as JobDispatch, Given, Job, Key, Spoken, size};
use wavepipe::work::{self, Work};

pub struct Planned {
    pub play: Play,
    /// Snapshots: the number of the act, and the file.
    pub snapshots: Vec<(usize, PathBuf)>,
    /// Sides of pictures that are made of buffers.
    pub picture: Option<(u32, u32)>,
    pub files: Vec<PathBuf>,
}

struct Planner<'a> {
    path: &'a Path,
    text: &'a str,
    folder: &'a Path,
    work: Work,
}

/// The play of a test whose file is `path` and has that text.
pub fn plan(test: &TestFile, path: &Path, text: &str) -> Result<Planned> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let shader = suite::shader(test, path, text)?;
    let job = job(test, path, text, &shader, folder)?;
    let mut files: Vec<PathBuf> = job.dispatches.iter().map(|d| d.shader.clone()).collect();
    files.extend(job.given.iter().filter_map(|g| g.file()));
    let work = Work::open(job).map_err(|e| named(path, e))?;
    let planner = Planner { path, text, folder, work };
    let mut expectations = Vec::new();
    let mut snapshots = Vec::new();
    for e in &test.expect {
        let (line, _) = place::line_column(text, e.span().start);
        let (expectation, snapshot) = planner.expectation(e.get_ref(), &e.span(), &mut files)?;
        snapshots.extend(snapshot.map(|file| (expectations.len(), file)));
        expectations.push(Act { line, what: Do::Expect(expectation) });
    }
    let picture = planner.work.job.picture;
    let mut play = play(planner.work)?;
    let dispatches = play.acts.len();
    play.acts.extend(expectations);
    let snapshots = snapshots.into_iter().map(|(n, file)| (dispatches + n, file)).collect();
    files.sort();
    files.dedup();
    Ok(Planned { play, snapshots, picture, files })
}

/// The failure with the test's file in front, if it names no file yet.
fn named(path: &Path, failure: Failure) -> Failure {
    let text = failure.to_string();
    match failure {
        Failure::Unsupported(_) => Failure::Unsupported(text),
        Failure::Driver(_) => Failure::Driver(text),
        _ => Failure::Usage(text),
    }
    .prefix(&path.display().to_string())
}

/// The job of a test; what is given says where it stands.
fn job(test: &TestFile, path: &Path, text: &str, shader: &Path, folder: &Path) -> Result<Job> {
    let file = JobFile {
        entry: test.entry.clone(),
        groups: test.groups,
        gpu: None,
        wave: None,
        push: test.push.clone().unwrap_or_default(),
        spec: test.spec.clone(),
        buffer: test.buffer.iter().map(|b| b.get_ref().clone()).collect(),
        image: test.image.iter().map(|i| i.get_ref().clone()).collect(),
        sampler: test.sampler.iter().map(|s| s.get_ref().clone()).collect(),
        output: None,
        dispatch: test.dispatch.clone(),
    };
    let mut job = file.job(shader, folder).map_err(|e| named(path, e))?;
    job.spoken = Spoken::File;
    let spans = test.buffer.iter().map(|b| b.span());
    let spans = spans.chain(test.image.iter().map(|i| i.span())).chain(test.sampler.iter().map(|s| s.span()));
    for (given, span) in job.given.iter_mut().zip(spans) {
        let (line, column) = place::line_column(text, span.start);
        given.source = format!("{}:{line}:{column}: {}", path.display(), given.source);
    }
    // A picture of a buffer has the sides that groups follow from.
    let shape = test.expect.iter().find_map(|e| e.get_ref().shape.as_ref());
    if let Some(shape) = shape {
        let parsed = size(shape.get_ref()).map_err(|e| place::wrong_at(path, text, &shape.span(), &e.to_string()))?;
        job.picture = Some(parsed);
    }
    Ok(job)
}

/// Work as a play.
fn play(work: Work) -> Result<Play> {
    let mut play = Play::default();
    let Work { job, specials, entries, plan } = work;
    let names = job.given.iter().map(|g| g.key.to_string());
    play.resources = names.zip(plan.resources).map(|(name, prepared)| Resource { name, prepared }).collect();
    let dispatches = job.dispatches.iter().zip(specials).zip(entries).zip(plan.steps).enumerate();
    for (kernel, (((d, special), entry), step)) in dispatches {
        let mut bound = Vec::new();
        for p in &step.placed {
            let sampler = p.sampler.map(work::sampler_info);
            let what = match (p.given.map(|n| (n, &play.resources[n].prepared)), sampler) {
                (Some((resource, Prepared::Buffer { .. })), _) => Show::Buffer { resource, offset: 0, bytes: None },
                (Some((resource, Prepared::Image { plan, .. })), _) if plan.is_texels() => {
                    Show::Texels { resource, texel: None }
                }
                (Some((n, Prepared::Image { .. })), Some(sampler)) => Show::Combined(n, sampler),
                (Some((n, Prepared::Image { .. })), None) => Show::Image(n),
                (_, Some(sampler)) => Show::Sampler(sampler),
                _ => continue,
            };
            bound.push(Bind { set: p.set, binding: p.binding, element: p.element, what });
        }
        let groups = match step.indirect {
            Some((resource, offset)) => Groups::Indirect { resource, offset },
            None => Groups::These(step.groups),
        };
        play.kernels.push(Kernel { path: d.shader.clone(), special, entry, wave: None });
        let dispatch = Dispatch { kernel, bound, push: step.push, groups, repeat: d.repeat };
        play.acts.push(Act { line: 0, what: Do::Dispatch(dispatch) });
    }
    Ok(play)
}

fn tolerance(e: &ExpectFile) -> std::result::Result<Option<Tolerance>, String> {
    let all = [
        e.ulp.map(Tolerance::Ulp),
        e.relative.map(Tolerance::Relative),
        e.absolute.map(Tolerance::Absolute),
        e.rmse.map(Tolerance::Rmse),
        e.picture.map(|p| Tolerance::Picture { channel: p.channel, pixels: p.pixels }),
    ];
    let mut given = all.into_iter().flatten();
    match (given.next(), given.next()) {
        (first, None) => Ok(first),
        _ => Err("one of ulp, relative, absolute, rmse and picture is enough".to_owned()),
    }
}

impl Planner<'_> {
    fn wrong(&self, span: &Range<usize>, message: impl AsRef<str>) -> Failure {
        place::wrong_at(self.path, self.text, span, message.as_ref())
    }

    /// What an expectation is of.
    fn resource(&self, e: &ExpectFile, span: &Range<usize>) -> Result<usize> {
        let which = Which { set: e.set, binding: e.binding, name: &e.name, element: e.element };
        let key = which.key("[[expect]]").map_err(|e| self.wrong(span, e.to_string()))?;
        let found = self.work.plan.find(&self.work.job, &key, &self.work.entries);
        let n = found.map_err(|_| {
            let has: Vec<String> = self.work.job.given.iter().map(|g| g.key.to_string()).collect();
            let near = place::nearest(&key.to_string(), has.iter().map(String::as_str));
            let near = near.map_or(String::new(), |n| format!(" Did you mean `{n}`?"));
            let has =
                if has.is_empty() { "none is given".to_owned() } else { format!("there are: {}", has.join(", ")) };
            self.wrong(span, format!("[[expect]]: there is no buffer or image `{key}`.{near} ({has})"))
        })?;
        match self.work.plan.resources[n] {
            Prepared::Sampler => {
                Err(self.wrong(span, format!("[[expect]]: `{key}` is a sampler, which holds nothing")))
            }
            _ => Ok(n),
        }
    }

    fn expectation(
        &self,
        e: &ExpectFile,
        span: &Range<usize>,
        files: &mut Vec<PathBuf>,
    ) -> Result<(Expectation, Option<PathBuf>)> {
        let resource = self.resource(e, span)?;
        let bad = |failure: Failure| self.wrong(span, failure.to_string());
        let given = tolerance(e).map_err(|m| self.wrong(span, m))?;
        let picture = match &e.shape {
            Some(shape) => Some(size(shape.get_ref()).map_err(|e| self.wrong(&shape.span(), e.to_string()))?),
            None => None,
        };
        let before = Contents::before(&self.work.plan.resources[resource])
            .ok_or_else(|| self.wrong(span, "it holds nothing"))?;
        let mut snapshot = None;
        let holds = match (&e.values, &e.file, &e.cpu) {
            (Some(values), None, None) => {
                let input = Input::read(&Init::Values(numbers(values).map_err(bad)?), self.folder)?;
                let wanted = before.of(&input).map_err(bad)?;
                Holds::Like { wanted: Box::new(wanted), tolerance: given.unwrap_or_default(), picture }
            }
            (None, Some(file), None) => {
                let there = self.folder.join(file);
                wavepipe::contents::check_ending(&there).map_err(bad)?;
                snapshot = Some(there.clone());
                files.push(there.clone());
                if files::is_there(&there) {
                    let input = Input::read(&Init::File(file.clone()), self.folder)?;
                    let wanted = before.of(&input).map_err(bad)?;
                    // A PNG holds 8 bits of each channel.
                    let png = there.extension().is_some_and(|ending| ending == "png");
                    let exact = if png { Tolerance::Picture { channel: 0, pixels: 0 } } else { Tolerance::Exact };
                    Holds::Like { wanted: Box::new(wanted), tolerance: given.unwrap_or(exact), picture }
                } else {
                    Holds::Missing(there)
                }
            }
            (None, None, Some(cpu)) => {
                let tolerance = given.unwrap_or_default();
                self.reference(cpu, resource, &before, (tolerance, picture), files)?
            }
            _ => return Err(self.wrong(span, "[[expect]] has one of values, file and cpu")),
        };
        Ok((Expectation { resource, holds }, snapshot))
    }

    fn reference(
        &self,
        cpu: &toml::Spanned<Value>,
        resource: usize,
        before: &Contents,
        (tolerance, picture): (Tolerance, Option<(u32, u32)>),
        files: &mut Vec<PathBuf>,
    ) -> Result<Holds> {
        let span = cpu.span();
        let of_shader = self.work.job.dispatches[0].shader.extension().and_then(|e| e.to_str());
        let language = if matches!(of_shader, Some("comp" | "glsl")) { Language::Glsl } else { Language::Wgsl };
        let reference = match cpu.get_ref() {
            Value::String(text) => return self.expression(language, text, &span, before, tolerance, picture),
            Value::Table(table) => {
                let parsed: std::result::Result<Reference, _> = Value::Table(table.clone()).try_into();
                parsed.map_err(|e| self.wrong(&span, format!("cpu: {}", place::in_our_words(&e))))?
            }
            _ => return Err(self.wrong(&span, "cpu is an expression, or { wgsl = … }, { glsl = … }, { shader = … }")),
        };
        match (&reference.wgsl, &reference.glsl, &reference.shader) {
            (Some(text), None, None) => self.expression(Language::Wgsl, text, &span, before, tolerance, picture),
            (None, Some(text), None) => self.expression(Language::Glsl, text, &span, before, tolerance, picture),
            (None, None, Some(shader)) => {
                let shader = self.folder.join(shader);
                files.push(shader.clone());
                let (play, resource) =
                    self.other(&reference, &shader, resource).map_err(|e| self.wrong(&span, e.to_string()))?;
                Ok(Holds::Reference { play: Box::new(play), resource, tolerance, picture })
            }
            _ => Err(self.wrong(&span, "cpu has one of wgsl, glsl and shader")),
        }
    }

    fn expression(
        &self,
        language: Language,
        text: &str,
        span: &Range<usize>,
        before: &Contents,
        tolerance: Tolerance,
        picture: Option<(u32, u32)>,
    ) -> Result<Holds> {
        let bad = |why: String| self.wrong(span, format!("cpu: {why}"));
        let (job, plan) = (&self.work.job, &self.work.plan);
        let array =
            |(g, r): (&Given, &Prepared)| Some(Array { name: g.key.to_string(), contents: Contents::before(r)? });
        let arrays: Vec<Array> = job.given.iter().zip(&plan.resources).filter_map(array).collect();
        let mut constants = Vec::new();
        for d in &job.dispatches {
            constants.extend(d.spec.iter().map(|(name, text)| Constant { name: name.clone(), text: text.clone() }));
            let pushed = d.push.iter().filter_map(|p| p.split_once('='));
            constants.extend(pushed.map(|(name, text)| Constant { name: name.into(), text: text.into() }));
        }
        constants.retain(|c| Number::parse(&c.text).is_some());
        constants.dedup_by(|a, b| a.name == b.name);
        let reference = cpu::Reference { language, text, arrays: &arrays, constants: &constants };
        let wanted = reference.evaluate(before).map_err(bad)?;
        Ok(Holds::Like { wanted: Box::new(wanted), tolerance, picture })
    }

    /// Another shader with the same inputs, as far as it has them.
    fn other(&self, reference: &Reference, shader: &Path, resource: usize) -> Result<(Play, usize)> {
        let job = &self.work.job;
        let mut spec = Vec::new();
        for (key, value) in &reference.spec {
            spec.push((key.clone(), value_text(value)?));
        }
        let opened = wavepipe::Shader::open(shader)?;
        let entry = opened.specialize(&spec, &[], Spoken::File)?.entry(reference.entry.as_deref(), shader)?;
        let mut other = job.clone();
        let uses = |key: &Key| entry.resources.iter().any(|r| bind::is_of(key, r));
        let wanted = job.given[resource].key.clone();
        other.given.retain(|g| uses(&g.key));
        let push = if entry.push.is_some() { job.dispatches[0].push.clone() } else { Vec::new() };
        other.dispatches = vec![JobDispatch {
            shader: shader.to_owned(),
            entry: reference.entry.clone(),
            groups: reference.groups,
            push,
            spec,
            repeat: 1,
            ..JobDispatch::default()
        }];
        let n = other.given.iter().position(|g| g.key == wanted);
        let n = n.ok_or_else(|| Failure::usage(format!("{}: it has no `{wanted}`", shader.display())))?;
        Ok((play(Work::open(other)?)?, n))
    }
}
