//! `wavepipe._native`: shaders, tests and what they left, for the Python around it, which has NumPy. Numbers come and go as bytes
//! with NumPy's type code and a shape.

use pyo3::create_exception;
use pyo3::exceptions::{PyAssertionError, PyNotImplementedError, PyOSError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyTuple};
use std::path::PathBuf;
use std::time::Duration;
use wavepipe::data::{Init, Input};
use wavepipe::npy::{self, Array};
use wavepipe::{Checks, Failure, Tolerance};

create_exception!(
    wavepipe,
    CheckFailed,
    PyAssertionError,
    "A comparison that does not hold, or findings. Its text is the report."
);

fn raised(failure: Failure) -> PyErr {
    let text = failure.to_string();
    match failure {
        Failure::Check(_) => CheckFailed::new_err(text),
        Failure::Usage(_) => PyValueError::new_err(text),
        Failure::Driver(_) => PyRuntimeError::new_err(text),
        Failure::Unsupported(_) => PyNotImplementedError::new_err(text),
        Failure::File { .. } => PyOSError::new_err(text),
    }
}

/// Numbers as Python has them: NumPy's code without the byte order, the shape, the bytes.
type Numbers = (String, Vec<usize>, Vec<u8>);

fn input((code, shape, bytes): Numbers) -> PyResult<Input> {
    let none =
        || PyValueError::new_err(format!("numbers of type {code}, which no shader has: convert them with astype"));
    let scalar = npy::scalar(&code).ok_or_else(none)?;
    let array = Array::new(shape, scalar, bytes)
        .ok_or_else(|| PyValueError::new_err("an array is not as long as its shape"))?;
    Ok(Input::Array(array, "the array".to_owned()))
}

#[pyclass(frozen, module = "wavepipe._native")]
struct Shader(wavepipe::Shader);

#[pymethods]
impl Shader {
    #[staticmethod]
    fn glsl(text: &str) -> PyResult<Shader> {
        wavepipe::Shader::glsl(text).map(Shader).map_err(raised)
    }

    #[staticmethod]
    fn wgsl(text: &str) -> PyResult<Shader> {
        wavepipe::Shader::wgsl(text).map(Shader).map_err(raised)
    }

    #[staticmethod]
    fn spirv(words: Vec<u32>) -> PyResult<Shader> {
        wavepipe::Shader::spirv(&words).map(Shader).map_err(raised)
    }

    #[staticmethod]
    fn open(path: PathBuf) -> PyResult<Shader> {
        wavepipe::Shader::open(path).map(Shader).map_err(raised)
    }

    fn test(&self) -> Test {
        Test(self.0.test().spoken(wavepipe::job::Spoken::Python))
    }
}

/// What the library's `Test` is, changed in place.
#[pyclass(module = "wavepipe._native")]
struct Test(wavepipe::Test);

impl Test {
    fn with(&mut self, change: impl FnOnce(wavepipe::Test) -> wavepipe::Test) {
        self.0 = change(self.0.clone());
    }
}

#[pymethods]
impl Test {
    fn buffer(&mut self, key: &str, numbers: Numbers) -> PyResult<()> {
        let input = input(numbers)?;
        self.with(|t| t.buffer_of(key, Init::Given(input)));
        Ok(())
    }

    /// The buffer's memory as it is.
    fn memory(&mut self, key: &str, bytes: Vec<u8>) {
        self.with(|t| t.buffer(key, &bytes));
    }

    fn zeroed(&mut self, key: &str, count: usize) {
        self.with(|t| t.zeroed(key, count));
    }

    /// What a job file can say: `iota`, `rand`, a file.
    fn buffer_of(&mut self, key: &str, text: &str) -> PyResult<()> {
        let init = text.parse().map_err(raised)?;
        self.with(|t| t.buffer_of(key, init));
        Ok(())
    }

    #[pyo3(signature = (key, format, size, numbers))]
    fn image(
        &mut self,
        key: &str,
        format: Option<&str>,
        size: Option<Vec<u32>>,
        numbers: Option<Numbers>,
    ) -> PyResult<()> {
        let init = numbers.map_or(Ok(Init::Zero), |numbers| input(numbers).map(Init::Given))?;
        self.with(|t| t.image_of(key, format, size.as_deref(), init));
        Ok(())
    }

    fn picture(&mut self, key: &str, file: PathBuf) {
        self.with(|t| t.picture(key, file));
    }

    fn sampler(&mut self, key: &str, how: Vec<String>) {
        let how: Vec<&str> = how.iter().map(String::as_str).collect();
        self.with(|t| t.sampler(key, &how));
    }

    fn push(&mut self, name: &str, value: &str) {
        self.with(|t| t.push(name, value));
    }

    fn spec(&mut self, key: &str, value: &str) {
        self.with(|t| t.spec(key, value));
    }

    fn entry(&mut self, name: &str) {
        self.with(|t| t.entry(name));
    }

    fn groups(&mut self, groups: [u32; 3]) {
        self.with(|t| t.groups(groups));
    }

    fn wave(&mut self, lanes: u32) {
        self.with(|t| t.wave(lanes));
    }

    fn seed(&mut self, seed: u64) {
        self.with(|t| t.seed(seed));
    }

    fn machine(&mut self, name: &str) {
        self.with(|t| t.machine(name));
    }

    fn timing(&mut self) {
        self.with(wavepipe::Test::timing);
    }

    fn timeout(&mut self, seconds: f64) -> PyResult<()> {
        let time = Duration::try_from_secs_f64(seconds).map_err(|e| PyValueError::new_err(format!("timeout: {e}")))?;
        self.with(|t| t.timeout(time));
        Ok(())
    }

    fn artifacts(&mut self, folder: PathBuf) {
        self.with(|t| t.artifacts(folder));
    }

    /// Names of checks; none of them looks for nothing.
    fn check(&mut self, names: Vec<String>) -> PyResult<()> {
        let mut checks = Checks::empty();
        for name in &names {
            let found = Checks::NAMES.iter().find(|(known, _)| known == name);
            let known: Vec<&str> = Checks::NAMES.iter().map(|(known, _)| *known).collect();
            let none = || PyValueError::new_err(format!("there is no check `{name}`; there are: {}", known.join(", ")));
            checks |= found.ok_or_else(none)?.1;
        }
        self.with(|t| t.check(checks));
        Ok(())
    }

    fn keep_findings(&mut self) {
        self.with(wavepipe::Test::keep_findings);
    }

    /// Others may run Python meanwhile.
    fn run(&self, py: Python<'_>) -> PyResult<Ran> {
        let test = &self.0;
        py.detach(|| test.run()).map(Ran).map_err(raised)
    }
}

#[pyclass(frozen, module = "wavepipe._native")]
struct Ran(wavepipe::Ran);

#[pymethods]
impl Ran {
    /// Code, shape and bytes.
    fn read<'py>(&self, py: Python<'py>, key: &str) -> PyResult<(&'static str, Vec<usize>, Bound<'py, PyBytes>)> {
        let contents = self.0.contents(key).map_err(raised)?;
        let several = || PyValueError::new_err(format!("{key} has numbers of several types: use memory()"));
        let array = contents.array().ok_or_else(several)?;
        Ok((npy::code(array.scalar), array.shape.clone(), PyBytes::new(py, array.bytes())))
    }

    fn memory<'py>(&self, py: Python<'py>, key: &str) -> PyResult<Bound<'py, PyBytes>> {
        Ok(PyBytes::new(py, &self.0.contents(key).map_err(raised)?.bytes))
    }

    /// Raises where it does not hold. One of the tolerances is given, or none: exactly.
    #[pyo3(signature = (key, wanted, ulp, relative, absolute, rmse, picture, shape))]
    #[allow(clippy::too_many_arguments, reason = "Python's keywords, each an argument")]
    fn expect(
        &self,
        key: &str,
        wanted: Numbers,
        ulp: Option<u64>,
        relative: Option<f64>,
        absolute: Option<f64>,
        rmse: Option<f64>,
        picture: Option<(u8, usize)>,
        shape: Option<(u32, u32)>,
    ) -> PyResult<()> {
        let given = [
            ulp.map(Tolerance::Ulp),
            relative.map(Tolerance::Relative),
            absolute.map(Tolerance::Absolute),
            rmse.map(Tolerance::Rmse),
            picture.map(|(channel, pixels)| Tolerance::Picture { channel, pixels }),
        ];
        let mut given = given.into_iter().flatten();
        let tolerance = given.next().unwrap_or_default();
        if given.next().is_some() {
            return Err(PyValueError::new_err("one tolerance: ulp, relative, absolute, rmse or picture"));
        }
        let expectation = self.0.expectation(key, Init::Given(input(wanted)?));
        let expectation = shape.map_or(expectation.clone(), |(width, height)| expectation.shape(width, height));
        expectation.hold(tolerance).map(|_| ()).map_err(raised)
    }

    /// As JSON.
    fn findings(&self) -> String {
        serde_json::json!(self.0.findings().reports).to_string()
    }

    /// As JSON.
    fn kernels(&self) -> String {
        serde_json::json!(self.0.kernels()).to_string()
    }

    fn cycles(&self) -> Option<u64> {
        self.0.cycles()
    }

    fn instructions(&self) -> u64 {
        self.0.instructions()
    }
}

#[pymodule]
fn _native(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("CheckFailed", module.py().get_type::<CheckFailed>())?;
    let checks = wavepipe::DEFAULT_CHECKS.iter_names().map(|(name, _)| name.to_lowercase());
    module.add("DEFAULT_CHECKS", PyTuple::new(module.py(), checks.collect::<Vec<_>>())?)?;
    module.add_class::<Shader>()?;
    module.add_class::<Test>()?;
    module.add_class::<Ran>()
}
