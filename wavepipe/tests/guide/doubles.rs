use wavepipe::{Result, Shader};

#[test]
fn doubles() -> Result<()> {
    let shader = Shader::glsl(
        "#version 450
        layout(local_size_x = 64) in;
        layout(binding = 0) buffer Numbers { float x[]; };
        void main() { x[gl_GlobalInvocationID.x] *= 2.0; }",
    )?;
    let ran = shader.test().buffer("x", &[1f32; 64]).run()?;
    ran.expect("x", &[2f32; 64]).exactly()?;
    Ok(())
}
