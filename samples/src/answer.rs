//! A sample's answer, and how close to the expected one it must be.

/// What a sample computed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    pub bytes: Vec<u8>,
    /// Width and height when the bytes are an RGBA8 picture.
    pub size: Option<[u32; 2]>,
}

/// How the bytes are read, and how far they may be off.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Little-endian u32 words, equal.
    Words,
    /// Little-endian f32: |a - b| <= absolute + relative * |b|.
    Floats { absolute: f32, relative: f32 },
    /// RGBA8: each channel within `channel`, but for a share `outliers` of the pixels (edges that rounding moves).
    Pixels { channel: u8, outliers: f64 },
}

/// What a comparison found.
#[derive(Clone, Debug, PartialEq)]
pub struct Comparison {
    pub compared: usize,
    /// Elements outside of the tolerance.
    pub off: usize,
    /// The largest difference, in units of the element.
    pub worst: f64,
    /// Whether the answer is good.
    pub good: bool,
    /// The first element that is off, with both values, or why the answers cannot be compared.
    pub first: Option<String>,
}

impl Answer {
    pub fn words(words: &[u32]) -> Answer {
        Answer { bytes: words.iter().flat_map(|w| w.to_le_bytes()).collect(), size: None }
    }

    pub fn floats(floats: &[f32]) -> Answer {
        Answer { bytes: floats.iter().flat_map(|f| f.to_le_bytes()).collect(), size: None }
    }

    pub fn picture(pixels: &[u32], width: u32, height: u32) -> Answer {
        Answer { size: Some([width, height]), ..Answer::words(pixels) }
    }

    pub fn bytes(bytes: Vec<u8>) -> Answer {
        Answer { bytes, size: None }
    }

    /// A number that tells answers apart: FNV-1a of the words.
    pub fn digest(&self) -> u64 {
        self.bytes.chunks(4).fold(0xcbf2_9ce4_8422_2325, |digest, word| {
            let word = word.iter().rev().fold(0, |all, byte| all << 8 | u64::from(*byte));
            (digest ^ word).wrapping_mul(0x0000_0100_0000_01b3)
        })
    }

    pub fn pixels(bytes: Vec<u8>, width: u32, height: u32) -> Answer {
        Answer { bytes, size: Some([width, height]) }
    }
}

impl Tolerance {
    /// The tolerance between two devices, each within this tolerance of the CPU.
    pub fn between_devices(self) -> Tolerance {
        match self {
            Tolerance::Words => Tolerance::Words,
            Tolerance::Floats { absolute, relative } => {
                Tolerance::Floats { absolute: 2.0 * absolute, relative: 2.0 * relative }
            }
            Tolerance::Pixels { channel, outliers } => {
                Tolerance::Pixels { channel: channel.saturating_mul(2), outliers: 2.0 * outliers }
            }
        }
    }

    pub fn compare(self, got: &[u8], want: &[u8]) -> Comparison {
        if got.len() != want.len() {
            let first = Some(format!("{} bytes, expected {}", got.len(), want.len()));
            return Comparison { compared: 0, off: 1, worst: f64::INFINITY, good: false, first };
        }
        let mut result = Comparison { compared: got.len() / 4, off: 0, worst: 0.0, good: true, first: None };
        for (i, (got, want)) in got.chunks_exact(4).zip(want.chunks_exact(4)).enumerate() {
            let (got, want) = ([got[0], got[1], got[2], got[3]], [want[0], want[1], want[2], want[3]]);
            let (difference, off) = self.difference(got, want);
            result.worst = result.worst.max(difference);
            if off {
                result.off += 1;
                result.first.get_or_insert_with(|| format!("[{i}] = {}, expected {}", self.show(got), self.show(want)));
            }
        }
        result.good = match self {
            Tolerance::Pixels { outliers, .. } => result.off as f64 <= outliers * result.compared as f64,
            _ => result.off == 0,
        };
        result
    }

    fn difference(self, got: [u8; 4], want: [u8; 4]) -> (f64, bool) {
        match self {
            Tolerance::Words => {
                let difference = u32::from_le_bytes(got).abs_diff(u32::from_le_bytes(want));
                (f64::from(difference), difference != 0)
            }
            Tolerance::Floats { absolute, relative } => {
                let (got, want) = (f32::from_le_bytes(got), f32::from_le_bytes(want));
                if got.to_bits() == want.to_bits() {
                    return (0.0, false);
                }
                let difference = (f64::from(got) - f64::from(want)).abs();
                let difference = if difference.is_nan() { f64::INFINITY } else { difference };
                let allowed = f64::from(absolute) + f64::from(relative) * f64::from(want).abs();
                (difference, difference > allowed || difference.is_infinite())
            }
            Tolerance::Pixels { channel, .. } => {
                let difference = got.iter().zip(want).map(|(g, w)| g.abs_diff(w)).max().unwrap_or(0);
                (f64::from(difference), difference > channel)
            }
        }
    }

    fn show(self, bytes: [u8; 4]) -> String {
        match self {
            Tolerance::Words => format!("{:#010x}", u32::from_le_bytes(bytes)),
            Tolerance::Floats { .. } => format!("{:?}", f32::from_le_bytes(bytes)),
            Tolerance::Pixels { .. } => format!("rgba{bytes:?}"),
        }
    }
}

impl std::fmt::Display for Tolerance {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Tolerance::Words => write!(f, "exact"),
            Tolerance::Floats { absolute, relative } => {
                write!(f, "within {absolute:e} + {relative:e} |x|")
            }
            Tolerance::Pixels { channel, outliers } => {
                write!(f, "within {channel}/255 but for {:.1} % of pixels", outliers * 100.0)
            }
        }
    }
}
