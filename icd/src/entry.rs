//! What every entry point shares: the witness of the call, the trace, the panic fence, and how a result goes back.

use crate::report::Instance;
use ash::vk;
use std::cell::RefCell;
use std::io::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, OnceLock};
pub use wavepipe_runtime::fenv;
use wavepipe_runtime::hw::finding::Finding;
use wavepipe_runtime::machine::Info;
use wavepipe_runtime::{Config, DebugFlags, Environment, Error};

/// Proof that one Vulkan call is running. Vulkan's valid-usage rules promise that every pointer and handle that a program
/// passes stays good for the length of the call; each accessor (see `slices`, `pnext`, `handle`) borrows this witness, so
/// that nothing read through it can outlive the call.
pub struct Call {
    /// The instance that the first dispatchable handle belongs to; its messengers hear of a failure.
    instance: RefCell<Option<Arc<Instance>>>,
    name: &'static str,
}

impl Call {
    /// # Safety
    /// Only at the start of an entry point, whose pointers and handles must obey Vulkan's valid usage until it returns.
    pub unsafe fn begin(name: &'static str) -> Call {
        Call { instance: RefCell::new(None), name }
    }

    /// Failures of this call are reported to `instance`'s messengers.
    pub fn belongs_to(&self, instance: &Arc<Instance>) {
        self.instance.borrow_mut().get_or_insert_with(|| instance.clone());
    }

    /// Whether this fault is told for the first time: a lost device answers every later call with the same words.
    fn is_news(&self, fault: &str) -> bool {
        self.instance.borrow().as_ref().is_none_or(|instance| instance.first_told(fault))
    }

    /// Tells the program's messengers (or stderr, where it has none) of something that it should not do.
    pub fn warn(&self, message: &str) {
        crate::report::warning(self.instance.borrow().as_deref(), self.name, message);
    }

    /// Tells the program's messengers (or stderr, where none takes it) what a check found.
    pub fn finding(&self, finding: &Finding) {
        crate::report::finding(self.instance.borrow().as_deref(), finding);
    }

    /// Tells the program's messengers (or stderr) what went wrong where a command has no result of its own.
    pub fn report(&self, message: &str) {
        crate::report::error(self.instance.borrow().as_deref(), self.name, message);
    }
}

/// A failed call: the code that the program gets, and words for the one who reads the log.
#[derive(Debug)]
pub struct Fail {
    pub result: vk::Result,
    pub message: Option<String>,
}

impl Fail {
    pub fn new(result: vk::Result, message: impl Into<String>) -> Fail {
        Fail { result, message: Some(message.into()) }
    }
}

impl From<vk::Result> for Fail {
    fn from(result: vk::Result) -> Fail {
        Fail { result, message: None }
    }
}

impl From<Error> for Fail {
    fn from(error: Error) -> Fail {
        let result = match &error {
            Error::OutOfDeviceMemory { .. } => vk::Result::ERROR_OUT_OF_DEVICE_MEMORY,
            Error::OutOfHostMemory { .. } => vk::Result::ERROR_OUT_OF_HOST_MEMORY,
            Error::OutOfPoolMemory { .. } => vk::Result::ERROR_OUT_OF_POOL_MEMORY,
            Error::CompileRequired { .. } => vk::Result::PIPELINE_COMPILE_REQUIRED,
            Error::ExternalHandle { .. } => vk::Result::ERROR_INVALID_EXTERNAL_HANDLE,
            Error::DeviceLost(_) | Error::OtherProcess => vk::Result::ERROR_DEVICE_LOST,
            Error::Environment(_) => vk::Result::ERROR_INITIALIZATION_FAILED,
            Error::Compile(_) | Error::CodeObject(_) | Error::Machine(_) | Error::Invalid(_) | Error::Internal(_) => {
                vk::Result::ERROR_UNKNOWN
            }
        };
        Fail::new(result, error.to_string())
    }
}

pub type Outcome = Result<vk::Result, Fail>;
pub const SUCCESS: Outcome = Ok(vk::Result::SUCCESS);

/// How an entry point's body becomes its C return value.
pub trait Returns: Sized {
    type Body;
    fn finish(call: &Call, body: Self::Body) -> Self;
    /// The value after a caught panic, unless the entry point names another.
    fn panicked() -> Self;
    /// The outcome of a call on a device of another process; `None`: the call is made all the same.
    fn elsewhere(name: &str) -> Option<Self::Body>;
}

impl Returns for vk::Result {
    type Body = Outcome;
    fn finish(call: &Call, body: Outcome) -> Self {
        body.unwrap_or_else(|fail| {
            if let Some(message) = &fail.message
                && (fail.result != vk::Result::ERROR_DEVICE_LOST || call.is_news(message))
            {
                call.report(message);
            }
            fail.result
        })
    }
    fn panicked() -> Self {
        vk::Result::ERROR_UNKNOWN
    }
    fn elsewhere(_: &str) -> Option<Outcome> {
        Some(Err(Error::OtherProcess.into()))
    }
}

macro_rules! returns_plainly {
    ($($ty:ty),*) => { $(impl Returns for $ty {
        type Body = $ty;
        fn finish(_: &Call, body: $ty) -> $ty { body }
        fn panicked() -> $ty { Default::default() }
        /// What only asks is answered: it waits for nothing. The rest, which destroys or records, is not done.
        fn elsewhere(name: &str) -> Option<$ty> { (!name.starts_with("vkGet")).then(Default::default) }
    })* };
}
returns_plainly!((), u32, u64, vk::PFN_vkVoidFunction);

/// Runs the body of an entry point behind the panic fence.
pub fn guard<R: Returns>(call: Call, on_panic: Option<R>, body: impl FnOnce(&Call) -> R::Body) -> R {
    match catch_unwind(AssertUnwindSafe(|| {
        let body = body(&call);
        R::finish(&call, body)
    })) {
        Ok(result) => result,
        Err(payload) => {
            let why = payload.downcast_ref::<String>().map(String::as_str);
            let why = why.or_else(|| payload.downcast_ref::<&str>().copied()).unwrap_or("no message");
            call.report(&format!("internal error (a bug in wavepipe, or a handle that is not valid): {why}"));
            on_panic.unwrap_or_else(R::panicked)
        }
    }
}

/// The first argument of a command, which may belong to a device of the process that this one was forked from. Nothing runs
/// that device here, and locks of its threads stay taken: an error, or nothing at all, is better than a wait without end.
pub trait First {
    fn is_here(&self, call: &Call) -> bool;
}

macro_rules! of_no_device {
    ($(($($generics:tt)*) $ty:ty;)*) => { $(impl $($generics)* First for $ty {
        fn is_here(&self, _: &Call) -> bool { true }
    })* };
}
of_no_device! { (<T>) *const T; (<T>) *mut T; () vk::Instance; () vk::PhysicalDevice; }

/// The environment's settings. Read once, so that every device of the process is alike.
fn environment() -> &'static Environment {
    static ENVIRONMENT: OnceLock<Environment> = OnceLock::new();
    ENVIRONMENT.get_or_init(Config::from_env)
}

/// How devices are made.
pub fn config() -> &'static Config {
    &environment().config
}

/// Whether any is: the environment may name a card that there is not.
pub fn accepted() -> Result<(), Fail> {
    Ok(environment().accepted().map(|_| ())?)
}

/// What the machine shows of itself.
pub fn machine_info() -> &'static Info {
    static INFO: OnceLock<Info> = OnceLock::new();
    INFO.get_or_init(|| Info::of(&config().machine))
}

/// Whether `WAVEPIPE_DEBUG` lists `api`.
pub fn tracing() -> bool {
    config().debug.contains(DebugFlags::API)
}

/// Prints a call.
pub fn trace(name: &str, arguments: &[(&str, &dyn std::fmt::Debug)]) {
    let arguments: Vec<_> = arguments.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    trace_line(&format!("{name}({})", arguments.join(", ")));
}

/// A line of the trace. A closed stderr is no reason to fail.
pub fn trace_line(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "wavepipe: {text}");
}

/// Declares entry points. `call` is bound to the [`Call`]; `=> ERROR_…` names the result after a caught panic.
///
/// ```text
/// entry! { call;
///     fn vkCreateFence(device: vk::Device, info: *const vk::FenceCreateInfo<'_>, …) -> vk::Result { … SUCCESS }
/// }
/// ```
macro_rules! entry {
    ($call:ident; $(
        $(#[$meta:meta])*
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty $(=> $panic:ident)?)? $body:block
    )*) => { $(
        $(#[$meta])*
        #[allow(non_snake_case)]
        pub unsafe extern "system" fn $name($($arg: $ty),*) $(-> $ret)? {
            // The program may have set any floating-point environment, which is to change nothing and to be kept.
            $crate::entry::fenv::in_default(|| {
                if $crate::entry::tracing() {
                    $crate::entry::trace(stringify!($name), &[$((stringify!($arg), &$arg as &dyn std::fmt::Debug)),*]);
                }
                // SAFETY: this is the start of an entry point; the program vouches for its arguments (Vulkan valid usage).
                let call = unsafe { $crate::entry::Call::begin(stringify!($name)) };
                $crate::entry::guard::<$crate::entry::entry!(@ret $($ret)?)>(
                    call,
                    $crate::entry::entry!(@panic $($($panic)?)?),
                    #[allow(unused_variables)]
                    |$call| {
                        if !$crate::entry::entry!(@here $call $($arg)*)
                            && let Some(body) = <$crate::entry::entry!(@ret $($ret)?) as $crate::entry::Returns>::elsewhere(stringify!($name))
                        {
                            return body;
                        }
                        $body
                    },
                )
            })
        }
    )* };
    (@here $call:ident $first:ident $($rest:ident)*) => { $crate::entry::First::is_here(&$first, $call) };
    (@ret) => { () };
    (@ret $ret:ty) => { $ret };
    (@panic) => { None };
    (@panic $panic:ident) => { Some(vk::Result::$panic) };
}
pub(crate) use entry;
