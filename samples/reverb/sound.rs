//! What is heard, and where: plucked strings, two rooms, and what one sounds like in the other.

use std::f64::consts::TAU;
use wavepipe_samples::data;

pub const RATE: u32 = 48_000;
pub const BLOCK: usize = 512;
/// Parts of a room's response, each as long as a block: a third of a second.
pub const PARTS: usize = 32;
const SIZE: usize = 2 * BLOCK;

/// Left and right.
pub type Stereo = [Vec<f32>; 2];

/// Plucked strings (Karplus and Strong, 1983), one every eighth of a second, from left to right: a string is a delay line
/// full of noise whose end is smoothed and fed back.
pub fn strings(samples: usize) -> Stereo {
    const NOTES: [f64; 8] = [146.83, 220.0, 293.66, 369.99, 440.0, 369.99, 293.66, 220.0];
    let mut out = [vec![0.0; samples], vec![0.0; samples]];
    for (n, start) in (0..samples).step_by(RATE as usize / 8).enumerate() {
        let length = (f64::from(RATE) / NOTES[n % NOTES.len()]) as usize;
        let mut line: Vec<f32> = (0..length as u32).map(|i| 0.25 * data::signed(i + 4096 * n as u32)).collect();
        let right = (n % NOTES.len()) as f32 / (NOTES.len() - 1) as f32;
        for at in start..samples {
            let i = (at - start) % length;
            let value = line[i];
            line[i] = 0.498 * (value + line[(i + 1) % length]);
            out[0][at] += (1.0 - right) * value;
            out[1][at] += right * value;
        }
    }
    out
}

/// A room's response: the sound itself, six early reflections, and noise that has fallen by 60 dB after `decay` seconds.
/// `metres`: how far away the walls are.
pub fn room(metres: f64, decay: f64, seed: u32) -> Stereo {
    const SOUND_METRES_PER_SECOND: f64 = 343.0;
    let rate = f64::from(RATE);
    std::array::from_fn(|channel| {
        let mut response = vec![0.0f32; PARTS * BLOCK];
        response[0] = 0.7;
        for k in 1..=6 {
            let way = metres * (f64::from(k) + 0.13 * channel as f64 * f64::from(k % 3));
            let at = (way / SOUND_METRES_PER_SECOND * rate) as usize;
            if let Some(place) = response.get_mut(at) {
                *place += 0.5f32.powi(k) * if k % 2 == 0 { 1.0 } else { -1.0 };
            }
        }
        let begin = (2.0 * metres / SOUND_METRES_PER_SECOND * rate) as usize;
        for (i, place) in response.iter_mut().enumerate().skip(begin) {
            let level = 0.04 * 10f64.powf(-3.0 * i as f64 / rate / decay);
            *place += level as f32 * data::signed(seed + 2 * i as u32 + channel as u32);
        }
        response
    })
}

/// The spectra of a response's parts, each followed by a block of silence: by channel, part and frequency.
pub fn spectra(response: &Stereo) -> Vec<[f32; 2]> {
    let mut out = Vec::new();
    for part in response.iter().flat_map(|channel| channel.chunks(BLOCK)) {
        let numbers: Vec<[f64; 2]> = (0..SIZE).map(|i| [part.get(i).map_or(0.0, |v| f64::from(*v)), 0.0]).collect();
        out.extend(fourier(&numbers).iter().map(|v| [v[0] as f32, v[1] as f32]));
    }
    out
}

/// The transform of a power of two of complex numbers, by halves.
fn fourier(v: &[[f64; 2]]) -> Vec<[f64; 2]> {
    if v.len() == 1 {
        return v.to_vec();
    }
    let [even, odd] = [0, 1].map(|from| fourier(&v.iter().skip(from).step_by(2).copied().collect::<Vec<_>>()));
    let half = v.len() / 2;
    let mut out = vec![[0.0; 2]; v.len()];
    for k in 0..half {
        let (sin, cos) = (-TAU * k as f64 / v.len() as f64).sin_cos();
        let turned = [odd[k][0] * cos - odd[k][1] * sin, odd[k][0] * sin + odd[k][1] * cos];
        for axis in 0..2 {
            out[k][axis] = even[k][axis] + turned[axis];
            out[k + half][axis] = even[k][axis] - turned[axis];
        }
    }
    out
}

/// The sound in the room, sample by sample as the definition has it.
pub fn convolved(sound: &Stereo, response: &Stereo) -> [Vec<f64>; 2] {
    std::array::from_fn(|channel| {
        let mut out = vec![0.0; sound[channel].len()];
        for (k, tap) in response[channel].iter().enumerate().filter(|(_, tap)| **tap != 0.0) {
            for (to, from) in out.iter_mut().skip(k).zip(&sound[channel]) {
                *to += f64::from(*tap) * f64::from(*from);
            }
        }
        out
    })
}
