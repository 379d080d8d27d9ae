//! Contrast-adaptive sharpening of a picture.

use std::process::ExitCode;
use wavepipe_samples::{Answer, Binding, Error, Host, Sample, Shader, Tolerance, picture, spirv};

const SHARPNESS: f32 = 0.8;
const PHOTO: &[u8] = include_bytes!("photo.png");

fn main() -> ExitCode {
    wavepipe_samples::main(&Sample {
        name: "cas",
        about: "a 256x256 picture sharpened",
        run,
        reference,
        // A division and a square root within 2.5 and 3 ULP can move a value over a rounding boundary.
        tolerance: Tolerance::Pixels { channel: 1, outliers: 0.0 },
    })
}

fn run(host: &mut dyn Host) -> Result<Answer, Error> {
    let (pixels, [width, height]) = picture::decode(PHOTO)?;
    let photo = host.upload(&pixels)?;
    let sharpened = host.zeros(pixels.len())?;
    let settings = host.upload(&[width, height, SHARPNESS.to_bits(), 0])?;
    let pipeline = host.pipeline(&Shader {
        spirv: spirv!("cas"),
        entry: "main",
        bindings: &[Binding::Storage, Binding::Storage, Binding::Uniform],
        push_bytes: 0,
        spec: &[],
    })?;
    let groups = [width.div_ceil(16), height.div_ceil(16), 1];
    host.dispatch(pipeline, &[photo, sharpened, settings], &[], groups)?;
    Ok(Answer::pixels(host.read(sharpened)?, width, height))
}

fn reference() -> Answer {
    let (pixels, [width, height]) = picture::decode(PHOTO).expect("the same picture was decoded before");
    let sharpened: Vec<u32> = (0..pixels.len() as u32)
        .map(|i| {
            let (x, y) = ((i % width) as i32, (i / width) as i32);
            let channels = [0, 8, 16].map(|shift| {
                sharpen(x, y, |x, y| {
                    let (x, y) = (x.clamp(0, width as i32 - 1) as u32, y.clamp(0, height as i32 - 1) as u32);
                    let value = (pixels[(y * width + x) as usize] >> shift & 255) as f32 / 255.0;
                    value * value
                })
            });
            let byte = |value: f32| (value.sqrt() * 255.0 + 0.5).floor() as u32;
            let alpha = pixels[i as usize] & 0xff00_0000;
            byte(channels[0]) | byte(channels[1]) << 8 | byte(channels[2]) << 16 | alpha
        })
        .collect();
    Answer::picture(&sharpened, width, height)
}

/// One channel of pixel (x, y).
fn sharpen(x: i32, y: i32, load: impl Fn(i32, i32) -> f32) -> f32 {
    let middle = load(x, y);
    let cross = [load(x, y - 1), load(x - 1, y), load(x + 1, y), load(x, y + 1)];
    let corners = [load(x - 1, y - 1), load(x + 1, y - 1), load(x - 1, y + 1), load(x + 1, y + 1)];
    let low_cross = cross.into_iter().fold(middle, f32::min);
    let low = low_cross + corners.into_iter().fold(low_cross, f32::min);
    let high_cross = cross.into_iter().fold(middle, f32::max);
    let high = high_cross + corners.into_iter().fold(high_cross, f32::max);
    let room = (low.min(2.0 - high) / high.max(1.0 / 4096.0)).clamp(0.0, 1.0);
    let weight = room.sqrt() * (-1.0 / (8.0 + (5.0 - 8.0) * SHARPNESS));
    ((middle + weight * cross.iter().sum::<f32>()) / (1.0 + 4.0 * weight)).clamp(0.0, 1.0)
}
