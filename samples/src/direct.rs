//! [`Host`] on the wavepipe runtime in this process: no loader, no driver library.

use crate::host::{BufferId, Error, Host, PipelineId, Shader, Step};

pub struct Direct {}

impl Direct {
    pub fn open() -> Result<Direct, Error> {
        Err(Error::Unsupported("the runtime cannot run shaders yet".to_owned()))
    }
}

impl Host for Direct {
    fn device(&self) -> &str {
        ""
    }
    fn subgroup_size(&self) -> u32 {
        0
    }
    fn buffer(&mut self, _bytes: &[u8]) -> Result<BufferId, Error> {
        Err(Error::NoShader)
    }
    fn pipeline(&mut self, _shader: &Shader) -> Result<PipelineId, Error> {
        Err(Error::NoShader)
    }
    fn run(&mut self, _steps: &[Step]) -> Result<(), Error> {
        Err(Error::NoShader)
    }
    fn read(&mut self, _buffer: BufferId) -> Result<Vec<u8>, Error> {
        Err(Error::NoShader)
    }
}
