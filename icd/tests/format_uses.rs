//! What the driver says of formats, done: every format is used in each way that its features have, on every generation, and
//! gives what it gives on gfx1010, which other tests hold to lavapipe and to plain texels. Images at the limits, too.

use crate::common;
use crate::lab::dispatch::{Binding, dispatch};
use crate::lab::{self, Image, Lab, Rng, flat, whole};
use ash::vk::{self, FormatFeatureFlags as F, ImageUsageFlags as U};
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;

const SIDE: u32 = 8;
/// Formats of VK_KHR_maintenance5, which the bindings have no names for, and their texels' bytes.
const UNNAMED: [(i32, u32); 2] = [(1_000_470_000, 2), (1_000_470_001, 1)];
/// Formats beyond the core's, and the core's last.
const LAST: i32 = 184;
const MORE: [i32; 4] = [1_000_340_000, 1_000_340_001, UNNAMED[0].0, UNNAMED[1].0];

fn formats() -> impl Iterator<Item = vk::Format> {
    (1..=LAST).chain(MORE).map(vk::Format::from_raw)
}

fn said(format: vk::Format) -> String {
    format!("{format:?}")
}

/// Bytes of a texel or block, of depth where there is stencil too: the digits of the format's name.
fn texel_bytes(format: vk::Format) -> u32 {
    if let Some((_, bytes)) = UNNAMED.iter().find(|(raw, _)| *raw == format.as_raw()) {
        return *bytes;
    }
    let name = said(format);
    if let Some(block) = name.strip_prefix("BC") {
        return if block.starts_with(['1', '4']) { 8 } else { 16 };
    }
    if format == vk::Format::E5B9G9R9_UFLOAT_PACK32 {
        return 4;
    }
    let components = name.split('_').next().unwrap_or_default();
    let numbers = components.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u32>().ok());
    numbers.sum::<u32>() / 8
}

/// The prefix of GLSL's types for the format.
fn prefix(format: vk::Format) -> &'static str {
    let name = said(format);
    match (format, name.ends_with("UINT") || name.contains("UINT_PACK"), name.contains("SINT")) {
        (vk::Format::R64_UINT, ..) => "u64",
        (vk::Format::R64_SINT, ..) => "i64",
        (vk::Format::D16_UNORM_S8_UINT | vk::Format::D32_SFLOAT_S8_UINT, ..) => "",
        (_, true, _) => "u",
        (_, _, true) => "i",
        _ => "",
    }
}

/// Depth where there is some, else the one aspect.
fn aspect(format: vk::Format) -> vk::ImageAspectFlags {
    match lab::aspect(format) {
        both if both.contains(vk::ImageAspectFlags::DEPTH) => vk::ImageAspectFlags::DEPTH,
        one => one,
    }
}

/// FNV-1a.
fn digest(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(*b)).wrapping_mul(0x100_0000_01b3))
}

struct Bench {
    lab: Lab,
    compiled: BTreeMap<String, Vec<u32>>,
}

impl Bench {
    fn shader(&mut self, globals: &str, body: &str) -> Option<Vec<u32>> {
        let text = format!(
            "#version 450
            #extension GL_EXT_shader_image_load_formatted : require
            #extension GL_EXT_shader_image_int64 : enable
            layout(local_size_x = {SIDE}, local_size_y = {SIDE}) in;
            {globals}
            void main() {{
                ivec2 p = ivec2(gl_LocalInvocationID.xy);
                int i = p.x + {SIDE} * p.y;
                {body}
            }}"
        );
        if !self.compiled.contains_key(&text) {
            self.compiled.insert(text.clone(), lab::compile(&text)?);
        }
        self.compiled.get(&text).cloned()
    }

    fn image(&self, format: vk::Format, usage: U, bytes: &[u8]) -> Image {
        let info = flat(format, SIDE, SIDE, 1, 1);
        let image = self.lab.image(info.usage(info.usage | usage));
        self.lab.prepare(&image);
        self.lab.write(&image, aspect(format), texel_bytes(format), bytes);
        image
    }

    fn view(&self, image: &Image, format: vk::Format) -> vk::ImageView {
        let range = vk::ImageSubresourceRange { aspect_mask: aspect(format), ..whole(format) };
        self.lab.view(image, vk::ImageViewType::TYPE_2D, range)
    }

    /// Reads through a sampler into an image of four words a texel.
    fn sampled(
        &mut self,
        format: vk::Format,
        bytes: &[u8],
        reduction: Option<vk::SamplerReductionMode>,
        filter: vk::Filter,
    ) -> Option<Vec<u8>> {
        let t = prefix(format);
        let (wide, name) = match t {
            "" => (vk::Format::R32G32B32A32_SFLOAT, "rgba32f"),
            "u" => (vk::Format::R32G32B32A32_UINT, "rgba32ui"),
            _ => (vk::Format::R32G32B32A32_SINT, "rgba32i"),
        };
        let globals =
            format!("layout(binding = 0) uniform {t}sampler2D a; layout(binding = 1, {name}) uniform {t}image2D b;");
        let words =
            self.shader(&globals, &format!("imageStore(b, p, textureLod(a, (vec2(p) + 0.7) / {SIDE}.0, 0.0));"))?;
        let (a, b) = (self.image(format, U::SAMPLED, bytes), self.image(wide, U::STORAGE, &[0; 16 * 64]));
        let mut mode = vk::SamplerReductionModeCreateInfo::default().reduction_mode(reduction.unwrap_or_default());
        let info = vk::SamplerCreateInfo::default().mag_filter(filter).min_filter(filter).push_next(&mut mode);
        // SAFETY: valid usage.
        let sampler = unsafe { self.lab.device.create_sampler(&info, None).unwrap() };
        let bindings = [Binding::Texture(self.view(&a, format), sampler), Binding::Image(self.view(&b, wide))];
        dispatch(&self.lab, &words, &[&a, &b], &bindings);
        let got = self.lab.read(&b, lab::aspect(wide), 16);
        self.lab.free_image(a);
        self.lab.free_image(b);
        Some(got)
    }

    /// Texels that are loaded from one image and stored to another, transposed.
    fn stored(&mut self, format: vk::Format, bytes: &[u8]) -> Option<Vec<u8>> {
        let t = prefix(format);
        let globals = format!("layout(binding = 0) uniform {t}image2D a; layout(binding = 1) uniform {t}image2D b;");
        let words = self.shader(&globals, "imageStore(b, p.yx, imageLoad(a, p));")?;
        let [a, b] = [bytes, &vec![0; bytes.len()]].map(|bytes| self.image(format, U::STORAGE, bytes));
        let bindings = [&a, &b].map(|image| Binding::Image(self.view(image, format)));
        dispatch(&self.lab, &words, &[&a, &b], &bindings);
        let got = self.lab.read(&b, lab::aspect(format), texel_bytes(format));
        self.lab.free_image(a);
        self.lab.free_image(b);
        Some(got)
    }

    /// The format, where a shader names it for atomics.
    fn layout(format: vk::Format) -> &'static str {
        match format {
            vk::Format::R32_UINT => ", r32ui",
            vk::Format::R32_SINT => ", r32i",
            vk::Format::R32_SFLOAT => ", r32f",
            vk::Format::R64_UINT => ", r64ui",
            vk::Format::R64_SINT => ", r64i",
            _ => unreachable!("{format:?} has atomics"),
        }
    }

    /// What all formats with atomics have: texels are exchanged, each with what its mirror image was.
    fn exchanged(&mut self, format: vk::Format, bytes: &[u8], buffer: bool) -> Option<Vec<u8>> {
        let (t, layout) = (prefix(format), Self::layout(format));
        let (kind, at) = if buffer { ("imageBuffer", "i") } else { ("image2D", "p") };
        let globals = format!(
            "layout(binding = 0{layout}) uniform {t}{kind} a; layout(binding = 1{layout}) uniform {t}{kind} b;"
        );
        let words = self.shader(&globals, &format!("imageAtomicExchange(b, {at}, imageLoad(a, {at}).x);"))?;
        self.through(&words, format, bytes, buffer)
    }

    /// From one image or buffer of these bytes to another.
    fn through(&self, words: &[u32], format: vk::Format, bytes: &[u8], buffer: bool) -> Option<Vec<u8>> {
        if !buffer {
            let [a, b] = [bytes, &vec![0; bytes.len()]].map(|bytes| self.image(format, U::STORAGE, bytes));
            let bindings = [&a, &b].map(|image| Binding::Image(self.view(image, format)));
            dispatch(&self.lab, words, &[&a, &b], &bindings);
            let got = self.lab.read(&b, lab::aspect(format), texel_bytes(format));
            self.lab.free_image(a);
            self.lab.free_image(b);
            return Some(got);
        }
        let (a, b) = (self.lab.staging(bytes), self.lab.staging(&vec![0; bytes.len()]));
        dispatch(&self.lab, words, &[], &[&a, &b].map(|s| Binding::StorageTexels(self.texels(s.buffer, format))));
        let got = b.get();
        self.lab.free(a);
        self.lab.free(b);
        Some(got)
    }

    fn texels(&self, buffer: vk::Buffer, format: vk::Format) -> vk::BufferView {
        let info = vk::BufferViewCreateInfo::default().buffer(buffer).format(format).range(vk::WHOLE_SIZE);
        // SAFETY: valid usage.
        unsafe { self.lab.device.create_buffer_view(&info, None).unwrap() }
    }

    /// Texels of a buffer that become words of another.
    fn fetched(&mut self, format: vk::Format, bytes: &[u8]) -> Option<Vec<u8>> {
        let t = prefix(format);
        let (wide, name) = match t {
            "" => (vk::Format::R32G32B32A32_SFLOAT, "rgba32f"),
            "u" => (vk::Format::R32G32B32A32_UINT, "rgba32ui"),
            _ => (vk::Format::R32G32B32A32_SINT, "rgba32i"),
        };
        let globals = format!(
            "layout(binding = 0) uniform {t}samplerBuffer a; layout(binding = 1, {name}) uniform {t}imageBuffer b;"
        );
        let words = self.shader(&globals, "imageStore(b, i, texelFetch(a, i));")?;
        let (a, b) = (self.lab.staging(bytes), self.lab.staging(&[0; 16 * 64]));
        let bindings = [
            Binding::UniformTexels(self.texels(a.buffer, format)),
            Binding::StorageTexels(self.texels(b.buffer, wide)),
        ];
        dispatch(&self.lab, &words, &[], &bindings);
        let got = b.get();
        self.lab.free(a);
        self.lab.free(b);
        Some(got)
    }

    fn copied_texels(&mut self, format: vk::Format, bytes: &[u8]) -> Option<Vec<u8>> {
        let t = prefix(format);
        let globals =
            format!("layout(binding = 0) uniform {t}imageBuffer a; layout(binding = 1) uniform {t}imageBuffer b;");
        let words = self.shader(&globals, "imageStore(b, 63 - i, imageLoad(a, i));")?;
        self.through(&words, format, bytes, true)
    }

    /// A digest of what each use of a format gives; None without a compiler.
    fn uses(&mut self, format: vk::Format) -> Option<Vec<(&'static str, u64)>> {
        // SAFETY: valid usage.
        let has = unsafe { self.lab.instance.get_physical_device_format_properties(self.lab.physical, format) };
        let (image, buffer) = (has.optimal_tiling_features, has.buffer_features);
        let texels = if lab::compressed(format) { SIDE * SIDE / 16 } else { SIDE * SIDE };
        let mut rng = Rng(9);
        let bytes: Vec<u8> = match said(format).contains("SFLOAT")
            && texel_bytes(format).is_multiple_of(4)
            && !lab::compressed(format)
        {
            // Numbers, as halves too.
            true => (0..texels * texel_bytes(format) / 4)
                .flat_map(|_| (0x3c00_3800 + rng.below(0x700)).to_le_bytes())
                .collect(),
            false => rng.bytes((texels * texel_bytes(format)) as usize),
        };
        let mut out = Vec::new();
        let mut note = |what, bytes: Vec<u8>| {
            assert!(bytes.iter().any(|b| *b != 0), "{format:?}, {what}: nothing was written");
            out.push((what, digest(&bytes)));
        };
        let (nearest, linear) = (vk::Filter::NEAREST, vk::Filter::LINEAR);
        // Sampled types of 64 bits have no name in GLSL.
        let named = !matches!(format, vk::Format::R64_UINT | vk::Format::R64_SINT);
        if image.contains(F::SAMPLED_IMAGE) && named {
            note("sampled", self.sampled(format, &bytes, None, nearest)?);
        }
        if image.contains(F::SAMPLED_IMAGE_FILTER_LINEAR) {
            note("filtered", self.sampled(format, &bytes, None, linear)?);
        }
        if image.contains(F::SAMPLED_IMAGE_FILTER_MINMAX) {
            note("least", self.sampled(format, &bytes, Some(vk::SamplerReductionMode::MIN), linear)?);
            note("greatest", self.sampled(format, &bytes, Some(vk::SamplerReductionMode::MAX), linear)?);
        }
        if image.contains(F::STORAGE_IMAGE) {
            note("stored", self.stored(format, &bytes)?);
        }
        if image.contains(F::STORAGE_IMAGE_ATOMIC) {
            note("exchanged", self.exchanged(format, &bytes, false)?);
        }
        if buffer.contains(F::UNIFORM_TEXEL_BUFFER) && named {
            note("fetched", self.fetched(format, &bytes)?);
        }
        if buffer.contains(F::STORAGE_TEXEL_BUFFER) {
            note("copied texels", self.copied_texels(format, &bytes)?);
        }
        if buffer.contains(F::STORAGE_TEXEL_BUFFER_ATOMIC) {
            note("exchanged texels", self.exchanged(format, &bytes, true)?);
        }
        Some(out)
    }
}

/// A line for each use.
fn lines() -> Option<Vec<String>> {
    let mut bench = Bench { lab: Lab::ours(), compiled: BTreeMap::new() };
    let mut all = Vec::new();
    for format in formats() {
        let uses = bench.uses(format)?;
        all.extend(uses.into_iter().map(|(what, digest)| format!("use {format:?} {what}: {digest:016x}")));
    }
    Some(all)
}

#[test]
fn uses_of_formats() {
    for line in lines().unwrap_or_default() {
        println!("\n{line}");
    }
}

#[test]
fn every_format_is_used_on_every_generation() {
    let Some(wanted) = lines() else { return };
    let kinds: BTreeSet<&str> = wanted.iter().filter_map(|line| line.split([' ', ':']).nth(2)).collect();
    assert_eq!(
        kinds.into_iter().collect::<Vec<_>>(),
        ["copied", "exchanged", "fetched", "filtered", "greatest", "least", "sampled", "stored"]
    );
    for isa in Gen::ALL.into_iter().filter(|isa| Machine::executes(*isa) && *isa != Gen::default()) {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command.args(["--exact", "format_uses::uses_of_formats", "--nocapture"]).env("WAVEPIPE_MACHINE", isa.name());
        let output = command.output().unwrap();
        assert!(output.status.success(), "{isa:?}: {}", common::child::said(&output));
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let got: Vec<&str> = text.lines().filter(|line| line.starts_with("use ")).collect();
        // Mesa: until gfx8 minima and maxima are of single components.
        let lacks = |line: &str| {
            [Gen::Gfx600, Gen::Gfx701].contains(&isa)
                && (line.contains(" least: ") || line.contains(" greatest: "))
                && !got.iter().any(|own| own.split(':').next() == line.split(':').next())
        };
        let wanted: Vec<&String> = wanted.iter().filter(|line| !lacks(line)).collect();
        assert_eq!(got, wanted, "{isa:?}");
    }
}

/// Images as large as the limits say, one dimension at a time: the last texel is stored and read.
#[test]
fn images_reach_their_limits() {
    let lab = Lab::ours();
    // SAFETY: valid usage.
    let limits = unsafe { lab.instance.get_physical_device_properties(lab.physical) }.limits;
    let format = vk::Format::R8_UINT;
    let text = |kind: &str, at: &str| {
        let text = format!(
            "#version 450
            layout(binding = 0, r8ui) uniform u{kind} a;
            layout(local_size_x = 1) in;
            void main() {{ if (imageLoad(a, {at} - 1).x == 0) imageStore(a, {at} - 1, uvec4(77)); }}"
        );
        lab::compile(&text)
    };
    let wide = limits.max_image_dimension2_d;
    let deep = limits.max_image_dimension3_d;
    let flat_kind = vk::ImageViewType::TYPE_2D;
    let cases = [
        (
            lab::flat(format, limits.max_image_dimension1_d, 1, 1, 1).image_type(vk::ImageType::TYPE_1D),
            vk::ImageViewType::TYPE_1D,
            text("image1D", "imageSize(a)"),
        ),
        (flat(format, wide, 1, 1, 1), flat_kind, text("image2D", "imageSize(a)")),
        (flat(format, 1, wide, 1, 1), flat_kind, text("image2D", "imageSize(a)")),
        (lab::deep(format, deep, 1, 1, 1), vk::ImageViewType::TYPE_3D, text("image3D", "imageSize(a)")),
        (lab::deep(format, 1, deep, 1, 1), vk::ImageViewType::TYPE_3D, text("image3D", "imageSize(a)")),
        (lab::deep(format, 1, 1, deep, 1), vk::ImageViewType::TYPE_3D, text("image3D", "imageSize(a)")),
        (
            flat(format, 1, 1, 1, limits.max_image_array_layers),
            vk::ImageViewType::TYPE_2D_ARRAY,
            text("image2DArray", "imageSize(a)"),
        ),
    ];
    for (info, kind, words) in cases {
        let Some(words) = words else { return };
        let image = lab.image(info.usage(info.usage | U::STORAGE));
        lab.prepare(&image);
        dispatch(&lab, &words, &[&image], &[Binding::Image(lab.view(&image, kind, whole(format)))]);
        let got = lab.read(&image, lab::aspect(format), 1);
        let texels = lab::level_bytes(&image, 0, 1) as usize;
        assert!(got[..texels - 1].iter().all(|b| *b == 0) && got[texels - 1] == 77, "{kind:?}, {:?}", info.extent);
        lab.free_image(image);
    }
}

#[test]
fn images_reach_their_limits_on_every_generation() {
    common::child::on_every_generation(&["format_uses::images_reach_their_limits"]);
}
