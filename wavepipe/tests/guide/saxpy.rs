use wavepipe::{Checks, Result, Shader};

#[test]
fn saxpy() -> Result<()> {
    let shader = Shader::glsl(
        "#version 450
        layout(local_size_x = 64) in;
        layout(push_constant) uniform Push { float a; };
        layout(binding = 0) readonly buffer X { float x[]; };
        layout(binding = 1) buffer Y { float y[]; };
        void main() {
            uint i = gl_GlobalInvocationID.x;
            y[i] = a * x[i] + y[i];
        }",
    )?;
    let ran = shader
        .test()
        .buffer("x", &[1f32; 64])
        .buffer("y", &[3f32; 64])
        .push("a", 0.5)
        .wave(32)
        .check(Checks::ALL)
        .run()?;
    ran.expect("y", &[3.5f32; 64]).ulp(1)?;
    Ok(())
}
