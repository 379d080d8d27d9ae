//! A test of a shader, step by step: what it is given, how it runs, what is looked for.

use crate::bind::Prepared;
use crate::data::{Init, Input};
use crate::failure::{Failure, Result};
use crate::job::{Dispatch, Given, ImageGiven, Job, Key, Spoken, What, sampling};
use crate::numbers::{self, Value};
use crate::ran::Ran;
use crate::shader::Shader;
use crate::work::{Work, config};
use bytemuck::NoUninit;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::{Config, GuestChecks, Observe};

/// What is looked for where a test says nothing of it.
pub const DEFAULT_CHECKS: GuestChecks =
    GuestChecks::MEM.union(GuestChecks::RACE).union(GuestChecks::INIT).union(GuestChecks::SYNC);

/// A shader with everything that it is given. What makes no sense is an error of [`Test::run`].
///
/// Resources go by the shader's names, or by `BINDING` or `SET.BINDING`; `NAME[2]` is an element of an array of them. In GLSL a
/// buffer's name is that of its variable, of its block, or of a member where the block has no variable.
#[must_use = "a test that is not run tests nothing"]
#[derive(Clone)]
pub struct Test {
    shaders: Vec<Arc<Shader>>,
    job: Job,
    checks: GuestChecks,
    keep_findings: bool,
    settings: Vec<Setting>,
    folder: Option<PathBuf>,
    wrong: Option<String>,
}

#[derive(Clone)]
enum Setting {
    Timing,
    Timeout(Duration),
    Seed(u64),
}

impl Shader {
    /// Begins a test of this shader.
    pub fn test(&self) -> Test {
        let job = Job { spoken: Spoken::Rust, ..Job::of_shader(self.path()) };
        Test {
            shaders: vec![Arc::new(self.clone())],
            job,
            checks: DEFAULT_CHECKS,
            keep_findings: false,
            settings: Vec::new(),
            folder: None,
            wrong: None,
        }
    }
}

impl Test {
    /// A buffer of these numbers, in the order of the block's members. Each lies where the shader's layout has it. A type that
    /// is no number, nor an array of numbers, is the buffer's memory as it is.
    pub fn buffer<T: NoUninit + 'static>(self, key: &str, data: &[T]) -> Test {
        self.buffer_of(key, Init::Given(numbers::input(data, None)))
    }

    /// A buffer of so many elements, all zero; of their type is what the shader says.
    pub fn zeroed(self, key: &str, count: usize) -> Test {
        self.give(key, What::Buffer { element: None, count: Some(count), init: Init::Zero })
    }

    /// A buffer of what is written, made or read from a file: as many elements as that has.
    ///
    /// ```
    /// # fn main() -> wavepipe::Result<()> {
    /// let double = wavepipe::Shader::wgsl("
    ///     @group(0) @binding(0) var<storage, read_write> x: array<f32>;
    ///     @compute @workgroup_size(64) fn main(@builtin(global_invocation_id) i: vec3u) {
    ///         if i.x < arrayLength(&x) { x[i.x] *= 2; }
    ///     }")?;
    /// let ran = double.test().buffer_of("x", "1, 2, 3".parse()?).run()?;
    /// assert_eq!(ran.read::<f32>("x")?, [2., 4., 6.]);
    /// # Ok(())
    /// # }
    /// ```
    pub fn buffer_of(self, key: &str, init: Init) -> Test {
        self.give(key, What::Buffer { element: None, count: None, init })
    }

    /// An image of that size (column, row, slice or layer), all zero; its format is as the shader declares it.
    pub fn image(self, key: &str, size: &[u32]) -> Test {
        self.image_of(key, None, Some(size), Init::Zero)
    }

    /// An image of these texels: rows from the top, each number a channel.
    pub fn texels<T: NoUninit + 'static>(self, key: &str, size: &[u32], texels: &[T]) -> Test {
        let init = Init::Given(numbers::input(texels, Some(size)));
        self.image_of(key, None, Some(size), init)
    }

    /// The picture of a file, PNG or NumPy's.
    pub fn picture(self, key: &str, file: impl AsRef<Path>) -> Test {
        let init = Init::File(file.as_ref().display().to_string());
        self.image_of(key, None, None, init)
    }

    /// An image with all that can be said of it. Formats are GLSL's or WGSL's: `rgba8`, `r32float`.
    pub fn image_of(mut self, key: &str, format: Option<&str>, size: Option<&[u32]>, init: Init) -> Test {
        match format.map(str::parse).transpose() {
            Ok(format) => self.give(key, What::Image(ImageGiven { format, size: size.map(<[u32]>::to_vec), init })),
            Err(e) => {
                self.complain(&e);
                self
            }
        }
    }

    /// A sampler: `linear` (as without this) or `nearest`, and `clamp` (as without this), `repeat` or `mirror`.
    pub fn sampler(mut self, key: &str, how: &[&str]) -> Test {
        match sampling(how) {
            Ok(how) => self.give(key, What::Sampler(how)),
            Err(e) => {
                self.complain(&e);
                self
            }
        }
    }

    /// A push constant, by the name of its member.
    pub fn push(mut self, name: &str, value: impl Value) -> Test {
        self.last().push.push(format!("{name}={}", value.text()));
        self
    }

    /// A specialization constant or an override, by its name or id.
    pub fn spec(mut self, key: &str, value: impl Value) -> Test {
        self.last().spec.push((key.to_owned(), value.text()));
        self
    }

    /// The entry point; the only one, if nothing is said.
    pub fn entry(mut self, name: &str) -> Test {
        self.last().entry = Some(name.to_owned());
        self
    }

    /// How many work-groups; enough for the largest resource that the shader writes, if nothing is said.
    pub fn groups(mut self, groups: [u32; 3]) -> Test {
        if groups.contains(&0) {
            self.complain(&Failure::usage(format!("groups({groups:?}) is nothing to run: each is 1 or more")));
        }
        self.last().groups = Some(groups);
        self
    }

    /// What of this shader is which of the resources, where the names are others.
    pub fn bind(mut self, of_shader: &str, resource: &str) -> Test {
        match (of_shader.parse(), resource.parse()) {
            (Ok(from), Ok(to)) => self.last().bind.push((from, to)),
            (Err(e), _) | (_, Err(e)) => self.complain(&e),
        }
        self
    }

    /// Runs this dispatch so often.
    pub fn repeat(mut self, times: u32) -> Test {
        self.last().repeat = times;
        self
    }

    /// Another dispatch behind this one, on the same resources. What is said from here on of an entry point, constants, groups
    /// and names is of it.
    pub fn then(mut self, shader: &Shader) -> Test {
        self.shaders.push(Arc::new(shader.clone()));
        self.job.dispatches.extend(Job::of_shader(shader.path()).dispatches);
        self
    }

    /// The wave size: 32 or 64 lanes.
    pub fn wave(mut self, lanes: u32) -> Test {
        if lanes != 32 && lanes != 64 {
            self.complain(&Failure::usage(format!("wave({lanes}): a wave has 32 or 64 lanes")));
        }
        self.job.wave = Some(lanes);
        self
    }

    /// What is looked for while it runs; [`DEFAULT_CHECKS`] if nothing is said. A finding fails the run.
    pub fn check(mut self, checks: GuestChecks) -> Test {
        self.checks = checks;
        self
    }

    /// Findings fail nothing: they are for [`Ran::findings`].
    pub fn keep_findings(mut self) -> Test {
        self.keep_findings = true;
        self
    }

    /// The card: a machine (`rx5700xt`), a generation, which is the first machine that has it (`gfx1010`), or a description
    /// that ends in `.toml`.
    pub fn machine(mut self, name: &str) -> Test {
        self.job.gpu = Some(name.to_owned());
        self
    }

    /// On the card's clock: [`Ran::cycles`] says how long it took.
    pub fn timing(mut self) -> Test {
        self.settings.push(Setting::Timing);
        self
    }

    /// The order of waves, work-groups and queues, instruction by instruction: the same seed is the same order, on any host.
    pub fn seed(mut self, seed: u64) -> Test {
        self.settings.push(Setting::Seed(seed));
        self
    }

    /// How long a dispatch may run before it has hung.
    pub fn timeout(mut self, time: Duration) -> Test {
        self.settings.push(Setting::Timeout(time));
        self
    }

    /// Where pictures of what differs are written; beside the test program, if nothing is said.
    pub fn artifacts(mut self, folder: impl AsRef<Path>) -> Test {
        self.folder = Some(folder.as_ref().to_owned());
        self
    }

    /// Advice is given in these words.
    #[doc(hidden)]
    pub fn spoken(mut self, spoken: Spoken) -> Test {
        self.job.spoken = spoken;
        self
    }

    /// Runs it to the end. What does not fit the shader, a lost device and findings are failures, whose text says what and where.
    pub fn run(&self) -> Result<Ran> {
        if let Some(wrong) = &self.wrong {
            return Err(Failure::Usage(wrong.clone()));
        }
        let config = self.config()?;
        let work = Work::new(self.job.clone(), &self.shaders)?;
        for (g, prepared) in work.job.given.iter().zip(&work.plan.resources) {
            if let (What::Buffer { init: Init::Given(input), .. }, Prepared::Buffer { view, .. }) = (&g.what, prepared)
            {
                numbers::same_type(input, view).map_err(|e| e.prefix(&g.source))?;
            }
        }
        let session = Session::new(&config)?;
        let ran = Ran::of(work, &session, self.folder.clone())?;
        if !self.keep_findings { ran.clean().map(|()| ran) } else { Ok(ran) }
    }

    fn config(&self) -> Result<Config> {
        let mut config = config(self.job.gpu.as_deref(), self.job.wave)?;
        config.guest_checks = self.checks;
        // It costs little beside that check, which has one host thread run everything as well.
        if self.checks.contains(GuestChecks::RACE) {
            config.observe |= Observe::WRITERS;
        }
        for setting in &self.settings {
            match setting {
                Setting::Timing => config.timing = true,
                Setting::Seed(seed) => {
                    config.set("WAVEPIPE_SEED", &seed.to_string()).map_err(|e| Failure::usage(format!("seed: {e}")))?;
                }
                Setting::Timeout(time) => config.timeout = Some(*time),
            }
        }
        Ok(config)
    }

    fn give(mut self, key: &str, what: What) -> Test {
        let source = format!("{} `{key}`", what.name());
        match key.parse::<Key>() {
            Ok(key) if self.job.given.iter().any(|g| g.key == key && g.what.is_sampler() == what.is_sampler()) => {
                self.complain(&Failure::usage(format!("{source} is given twice")));
            }
            Ok(key) => self.job.given.push(Given { key, what, folder: PathBuf::new(), source, flag: false }),
            Err(e) => self.complain(&e),
        }
        self
    }

    /// The first complaint is the one that is told.
    fn complain(&mut self, what: &Failure) {
        self.wrong.get_or_insert_with(|| what.to_string());
    }

    /// The dispatch that is being described: there is at least the first.
    fn last(&mut self) -> &mut Dispatch {
        let n = self.job.dispatches.len() - 1;
        &mut self.job.dispatches[n]
    }
}

/// An input that is made by a program, for [`Test::buffer_of`].
impl From<Input> for Init {
    fn from(input: Input) -> Init {
        Init::Given(input)
    }
}
