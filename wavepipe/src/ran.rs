//! A test that has run: what its resources hold, what was found, what it cost; and what is expected of that.

use crate::again;
use crate::contents::Contents;
use crate::data::{Init, Input};
use crate::expect::{Mismatch, Tolerance, Writer, compare};
use crate::failure::{Failure, Result, write_file};
use crate::findings::Findings;
use crate::job::Key;
use crate::numbers;
use crate::work::Work;
use bytemuck::{AnyBitPattern, NoUninit};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use wavepipe_runtime::simple::Session;
use wavepipe_runtime::{Buffer, Device, Observe};

/// What a run left.
pub struct Ran {
    work: Work,
    after: Vec<Option<Contents>>,
    findings: Findings,
    /// The findings in words, and how many others there are.
    told: Vec<String>,
    kernels: Vec<Kernel>,
    cycles: Option<u64>,
    instructions: u64,
    folder: Option<PathBuf>,
    /// Where it is known who wrote what: the device, and the memory of the given.
    noted: Option<(Arc<Device>, GivenBuffers)>,
}

/// The memory of each of the given that is a buffer.
type GivenBuffers = Vec<Option<Arc<Buffer>>>;

/// What the machine code of a dispatch takes.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Kernel {
    /// The entry point.
    pub entry: String,
    /// Lanes of a wave.
    pub wave: u32,
    /// Vector registers of a lane.
    pub vgprs: u32,
    /// Scalar registers of a wave.
    pub sgprs: u32,
    /// Vector and scalar registers that had no room.
    pub spilled: u32,
    /// Shared memory of a work-group.
    pub lds_bytes: u32,
    /// Private memory of a lane.
    pub scratch_bytes: u32,
    /// Bytes of machine code.
    pub code_bytes: usize,
}

impl Ran {
    pub(crate) fn of(work: Work, session: &Session, folder: Option<PathBuf>) -> Result<Ran> {
        let device = session.device();
        let loaded = work.load(session)?;
        let noted = device.config().observe.contains(Observe::WRITERS).then(|| (device.clone(), loaded.buffers()));
        for buffer in noted.iter().flat_map(|(_, buffers)| buffers).flatten() {
            device.watch_writes(buffer.address(), buffer.size());
        }
        let ended = loaded.run(session);
        let found = device.findings();
        let told: Vec<String> = found.findings.iter().map(|f| f.to_string()).chain(found.rest()).collect();
        // What was found on the way to a fault belongs to it.
        ended.map_err(|e| told.iter().fold(e, |e, finding| e.followed_by(finding)))?;
        let after = loaded.contents()?;
        let kernel = |code: &wavepipe_runtime::hw::code::CodeObject| Kernel {
            entry: code.name.clone(),
            wave: code.wave.lanes(),
            vgprs: code.vgprs,
            sgprs: code.sgprs,
            spilled: code.stats.spilled_vgprs + code.stats.spilled_sgprs,
            lds_bytes: code.lds_bytes,
            scratch_bytes: code.scratch_bytes,
            code_bytes: code.text.len(),
        };
        let kernels = loaded.pipelines.iter().map(|p| kernel(p.code_object())).collect();
        let cycles = device.timing().map(|mut engine| {
            let reports = engine.reports();
            let ours = reports.iter().filter(|d| loaded.pipelines.iter().any(|p| p.address() == d.code_va));
            ours.map(|d| d.ended - d.launched).sum()
        });
        let (findings, instructions) = (Findings::of(device), device.statistics().wave_instructions);
        drop(loaded);
        Ok(Ran { work, after, findings, told, kernels, cycles, instructions, folder, noted })
    }

    /// A failure where there are findings.
    pub(crate) fn clean(&self) -> Result<()> {
        if self.told.is_empty() {
            return Ok(());
        }
        Err(Failure::Check(format!("{}\n  again: {}", self.told.join("\n"), again::command())))
    }

    fn find(&self, key: &str) -> Result<usize> {
        self.work.plan.find(&self.work.job, &key.parse::<Key>()?, &self.work.entries)
    }

    /// Who wrote a byte of a buffer last, where it was noted: with the check of races.
    pub fn writer(&self, key: &str, byte: usize) -> Result<Option<Writer>> {
        let n = self.find(key)?;
        let Some((device, buffers)) = &self.noted else { return Ok(None) };
        let buffer = buffers.get(n).and_then(Option::as_ref);
        Ok(buffer.and_then(|b| device.last_writer(b.address() + byte as u64)).as_ref().and_then(Writer::of))
    }

    /// What a buffer or an image holds.
    pub fn contents(&self, key: &str) -> Result<&Contents> {
        let n = self.find(key)?;
        let none = || Failure::usage(format!("{key} is a sampler, which holds nothing"));
        self.after.get(n).and_then(Option::as_ref).ok_or_else(none)
    }

    /// The numbers of a buffer, without the padding between them; of an image as the shader sees them. As a type that is no
    /// number, nor an array of numbers: the buffer's memory.
    pub fn read<T: AnyBitPattern + NoUninit + 'static>(&self, key: &str) -> Result<Vec<T>> {
        numbers::read(self.contents(key)?).map_err(|e| e.prefix(key))
    }

    /// What the checks found.
    pub fn findings(&self) -> &Findings {
        &self.findings
    }

    /// What the machine code of each dispatch takes.
    pub fn kernels(&self) -> &[Kernel] {
        &self.kernels
    }

    /// Cycles of the card's clock that its dispatches took, from launch to end; with [`crate::Test::timing`].
    pub fn cycles(&self) -> Option<u64> {
        self.cycles
    }

    /// Instructions that waves executed.
    pub fn instructions(&self) -> u64 {
        self.instructions
    }

    /// Expects these numbers in a buffer or an image. How near is near enough, is said next.
    pub fn expect<T: NoUninit + 'static>(&self, key: &str, wanted: &[T]) -> Expectation<'_> {
        let sides = self.contents(key).ok().and_then(|c| c.texels.as_ref()).map(|t| t.plan.sides());
        let sides = sides.map(|s| s.iter().rev().map(|n| *n as u32).collect::<Vec<_>>());
        self.expectation(key, Init::Given(numbers::input(wanted, sides.as_deref())))
    }

    /// Expects what a file has: numbers, bytes or a picture.
    pub fn expect_file(&self, key: &str, file: impl AsRef<Path>) -> Expectation<'_> {
        self.expectation(key, Init::File(file.as_ref().display().to_string()))
    }

    /// Expects what is written, made or read.
    pub fn expectation(&self, key: &str, wanted: Init) -> Expectation<'_> {
        Expectation { ran: self, key: key.to_owned(), wanted, size: None }
    }
}

/// What is wanted of a buffer or an image. Nothing is compared before one of its tolerances is asked for.
#[must_use = "nothing is compared yet: say exactly(), ulp(2) or the like"]
#[derive(Clone)]
pub struct Expectation<'a> {
    ran: &'a Ran,
    key: String,
    wanted: Init,
    size: Option<(u32, u32)>,
}

impl<'a> Expectation<'a> {
    /// The buffer is a picture of that width and height.
    pub fn shape(mut self, width: u32, height: u32) -> Expectation<'a> {
        self.size = Some((width, height));
        self
    }

    /// The same values; -0 is 0, and NaN is NaN.
    pub fn exactly(self) -> Result<&'a Ran> {
        self.hold(Tolerance::Exact)
    }

    /// Units in the last place; of integers their difference.
    pub fn ulp(self, most: u64) -> Result<&'a Ran> {
        self.hold(Tolerance::Ulp(most))
    }

    /// A share of the wanted number.
    pub fn relative(self, most: f64) -> Result<&'a Ran> {
        self.hold(Tolerance::Relative(most))
    }

    /// So much at most.
    pub fn absolute(self, most: f64) -> Result<&'a Ran> {
        self.hold(Tolerance::Absolute(most))
    }

    /// The root of the mean square of all differences.
    pub fn rmse(self, most: f64) -> Result<&'a Ran> {
        self.hold(Tolerance::Rmse(most))
    }

    /// As a picture: channels that far apart of 255, but for some pixels.
    pub fn picture(self, channel: u8, pixels: usize) -> Result<&'a Ran> {
        self.hold(Tolerance::Picture { channel, pixels })
    }

    /// A failure with the report, if it does not hold.
    pub fn hold(self, tolerance: Tolerance) -> Result<&'a Ran> {
        match self.mismatch(tolerance)? {
            None => Ok(self.ran),
            Some(found) => Err(found.into()),
        }
    }

    /// What does not hold, as a value.
    pub fn mismatch(&self, tolerance: Tolerance) -> Result<Option<Box<Mismatch>>> {
        let got = self.ran.contents(&self.key)?;
        let wanted = Input::read(&self.wanted, Path::new(""))?;
        if let (Init::Given(_), None) = (&self.wanted, &got.texels) {
            numbers::same_type(&wanted, &got.view).map_err(|e| e.prefix(&self.key))?;
        }
        let wanted = got.of(&wanted).map_err(|e| e.prefix(&self.key))?;
        let Some(mut found) = compare(&self.key, got, &wanted, tolerance, self.size)? else { return Ok(None) };
        found.again = Some(again::command());
        if let Some(first) = found.shown.first().filter(|_| !found.pixels) {
            found.writer = self.ran.writer(&self.key, first.byte)?;
        }
        if let Some(picture) = &found.picture {
            let folder = self.ran.folder.clone().unwrap_or_else(again::folder);
            let file = folder.join(format!("{}.png", again::file_name(&self.key)));
            let failed = |source| Failure::File { verb: "write", path: folder.clone(), source };
            std::fs::create_dir_all(&folder).map_err(failed)?;
            write_file(&file, &picture.encode(&file)?)?;
            found.written = Some(file);
        }
        Ok(Some(found))
    }
}
