//! Images through the runtime: resolves of samples that differ, which no command but a kernel's store can make.

use std::sync::Arc;
use wavepipe_runtime::hw::machine::Machine;
use wavepipe_runtime::isa::Gen;
use wavepipe_runtime::*;

/// One of every generation that executes.
fn devices() -> impl Iterator<Item = Arc<Device>> {
    Gen::ALL.into_iter().filter(|isa| Machine::executes(*isa)).map(|isa| {
        let machine = Arc::new(Machine::open(isa.name()).unwrap());
        Device::new(&Config { machine, ..Config::checked() }).unwrap()
    })
}

fn image(device: &Arc<Device>, format: Format, samples: u32) -> (Arc<Image>, Arc<Memory>) {
    let info = ImageInfo { kind: ImageKind::D2, format, extent: [9, 5, 1], levels: 1, layers: 2, samples };
    let image = Image::new(device, info).unwrap();
    let memory = Memory::allocate(device, image.requirements().0).unwrap();
    image.bind(memory.clone(), 0).unwrap();
    (image, memory)
}

/// A number of texel and sample, different for neighbours.
fn value(layer: u64, y: u64, x: u64, sample: u64) -> f32 {
    ((layer * 31 + y * 7 + x * 3 + sample * sample * 5) % 64) as f32
}

fn run(device: &Arc<Device>, record: impl FnOnce(&mut CommandBuffer)) {
    let mut commands = CommandBuffer::new(device);
    commands.begin();
    record(&mut commands);
    commands.end().unwrap();
    let queue = device.queue(0, 0).unwrap();
    let submit = SubmitInfo { command_buffers: vec![commands.recording().unwrap()], ..Default::default() };
    queue.submit(&submit, None).unwrap();
    queue.wait_idle().unwrap();
}

/// Each sample is a slice of its own, those of one layer next to each other.
fn fill(image: &Image, memory: &Memory, aspect: Aspects, texel: impl Fn(f32) -> Vec<u8>) {
    let samples = u64::from(image.info().samples);
    for layer in 0..2 {
        let l = image.subresource_layout(aspect, 0, layer).unwrap();
        for sample in 0..samples {
            for (y, x) in (0..5).flat_map(|y| (0..9).map(move |x| (y, x))) {
                let bytes = texel(value(layer.into(), y, x, sample));
                let at = l.offset + sample * (l.array_pitch / samples) + y * l.row_pitch + x * bytes.len() as u64;
                memory.write(at, &bytes).unwrap();
            }
        }
    }
}

fn texels(image: &Image, aspect: Aspects, layer: u32) -> Vec<u8> {
    let layers = ImageLayers { aspect, level: 0, first: layer, count: 1 };
    let region = HostRegion { row_length: 0, image_height: 0, layers, origin: [0; 3], extent: [9, 5, 1] };
    let mut out = vec![0; image.host_bytes(&region).unwrap()];
    image.read(&region, &mut out).unwrap();
    out
}

#[test]
fn colours_resolve_to_their_average() {
    for (device, samples) in devices().flat_map(|device| [2, 4, 8].map(|samples| (device.clone(), samples))) {
        let (many, memory) = image(&device, Format::R32_SFLOAT, samples);
        let (one, _) = image(&device, Format::R32_SFLOAT, 1);
        fill(&many, &memory, Aspects::COLOR, |v| v.to_le_bytes().to_vec());
        let at = |first| ImageLayers { aspect: Aspects::COLOR, level: 0, first, count: 1 };
        let region = ImageCopy {
            source: at(1),
            source_origin: [2, 1, 0],
            dest: at(0),
            dest_origin: [1, 0, 0],
            extent: [6, 4, 1],
        };
        run(&device, |c| c.resolve_image(&many, &one, &[region]));
        let got = texels(&one, Aspects::COLOR, 0);
        for (y, x) in (0..5).flat_map(|y| (0..9).map(move |x| (y, x))) {
            let at = 4 * (9 * y + x);
            let got = f32::from_le_bytes(got[at..at + 4].try_into().unwrap());
            let inside = (1..7).contains(&x) && y < 4;
            let sum: f32 = (0..u64::from(samples)).map(|s| value(1, y as u64 + 1, x as u64 + 1, s)).sum();
            let wanted = if inside { sum / samples as f32 } else { 0.0 };
            let isa = device.config().isa().name();
            assert_eq!(got, wanted, "{isa}: {samples} samples, {x}, {y}");
        }
        assert!(texels(&one, Aspects::COLOR, 1).iter().all(|b| *b == 0));
    }
}

#[test]
fn depth_and_stencil_resolve_by_their_modes() {
    devices().for_each(|device| resolve_by_modes(&device));
}

fn resolve_by_modes(device: &Arc<Device>) {
    let isa = device.config().isa().name();
    let (many, memory) = image(device, Format::D32_SFLOAT_S8_UINT, 4);
    fill(&many, &memory, Aspects::DEPTH, |v| (v / 64.0).to_le_bytes().to_vec());
    fill(&many, &memory, Aspects::STENCIL, |v| vec![v as u8]);
    let source = ImageView::whole(&many).unwrap();
    type Join = fn(f32, f32) -> f32;
    let modes: [(ResolveMode, Join); 4] = [
        (ResolveMode::SampleZero, |a, _| a),
        (ResolveMode::Min, f32::min),
        (ResolveMode::Max, f32::max),
        (ResolveMode::Average, |a, b| a + b),
    ];
    for (mode, join) in modes {
        let (one, _) = image(device, Format::D32_SFLOAT_S8_UINT, 1);
        let dest = ImageView::whole(&one).unwrap();
        let area = Area { origin: [0, 1], extent: [9, 3], first_layer: 1, layers: 1 };
        run(device, |c| {
            c.resolve_attachment(&source, &dest, Aspects::DEPTH, mode, &area);
            c.resolve_attachment(&source, &dest, Aspects::STENCIL, mode, &area);
        });
        let (depth, stencil) = (texels(&one, Aspects::DEPTH, 1), texels(&one, Aspects::STENCIL, 1));
        for (y, x) in (0..5).flat_map(|y| (0..9).map(move |x| (y, x))) {
            let i = 9 * y + x;
            let samples = (0..4).map(|s| value(1, y as u64, x as u64, s));
            let inside = (1..4).contains(&y);
            let joined = samples.clone().reduce(join).unwrap() / if mode == ResolveMode::Average { 4.0 } else { 1.0 };
            let got = f32::from_le_bytes(depth[4 * i..4 * i + 4].try_into().unwrap());
            assert_eq!(got, if inside { joined / 64.0 } else { 0.0 }, "{isa}: {mode:?}, {x}, {y}");
            // Integers have no average: their first sample stands for all.
            let first = value(1, y as u64, x as u64, 0);
            let expected = if mode == ResolveMode::Average { first } else { joined };
            assert_eq!(stencil[i], if inside { expected as u8 } else { 0 }, "{isa}: {mode:?}, {x}, {y}");
        }
    }
}

#[test]
fn integers_resolve_to_their_first_sample_and_colours_are_encoded() {
    for device in devices() {
        let isa = device.config().isa().name();
        let resolved = |format, texel: fn(f32) -> Vec<u8>| {
            let (many, memory) = image(&device, format, 4);
            let (one, _) = image(&device, format, 1);
            fill(&many, &memory, Aspects::COLOR, texel);
            let layers = ImageLayers { aspect: Aspects::COLOR, level: 0, first: 1, count: 1 };
            let region = ImageCopy {
                source: layers,
                source_origin: [0; 3],
                dest: layers,
                dest_origin: [0; 3],
                extent: [9, 5, 1],
            };
            run(&device, |c| c.resolve_image(&many, &one, &[region]));
            texels(&one, Aspects::COLOR, 1)
        };
        // No float: the bits are a NaN that signals.
        let signalling = |v: f32| (0x7fa0_0000 | v as u32).to_le_bytes().to_vec();
        let integers = resolved(Format::R32_UINT, signalling);
        let encoded = resolved(Format::R8G8B8A8_SRGB, |v| vec![v as u8 * 4; 4]);
        for (y, x) in (0..5).flat_map(|y| (0..9).map(move |x| (y, x))) {
            let i = (4 * (9 * y + x)) as usize;
            assert_eq!(integers[i..i + 4], signalling(value(1, y, x, 0)), "{isa}: {x}, {y}");
            let codes = (0..4).map(|s| f64::from(value(1, y, x, s)) * 4.0 / 255.0);
            let light = |c: f64| if c <= 0.04045 { c / 12.92 } else { ((c + 0.055) / 1.055).powf(2.4) };
            let mean = codes.clone().map(light).sum::<f64>() / 4.0;
            let code = if mean <= 0.0031308 { mean * 12.92 } else { 1.055 * mean.powf(1.0 / 2.4) - 0.055 };
            for (got, wanted) in encoded[i..].iter().zip([code, code, code, codes.sum::<f64>() / 4.0]) {
                // Half a code for rounding, and a little for the reading of codes.
                assert!(
                    (f64::from(*got) - wanted * 255.0).abs() < 0.6,
                    "{isa}: {x}, {y}: {got}, not {}",
                    wanted * 255.0
                );
            }
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let device = Device::new(&Config::checked()).unwrap();
    let info = ImageInfo {
        kind: ImageKind::D2,
        format: Format::R8_UNORM,
        extent: [4, 4, 1],
        levels: 3,
        layers: 1,
        samples: 1,
    };
    let refused = |info| matches!(Image::new(&device, info), Err(Error::Invalid(_)));
    assert!(!refused(info));
    assert!(refused(ImageInfo { levels: 4, ..info }) && refused(ImageInfo { levels: 0, ..info }));
    assert!(refused(ImageInfo { samples: 4, ..info }) && refused(ImageInfo { layers: 8193, ..info }));
    assert!(refused(ImageInfo { extent: [1 << 15, 1, 1], ..info }) && refused(ImageInfo { extent: [0, 1, 1], ..info }));
    assert!(
        refused(ImageInfo { format: Format::R8_USCALED, ..info })
            && refused(ImageInfo { format: Format(9999), ..info })
    );

    let image = Image::new(&device, info).unwrap();
    let view = || ImageView::whole(&image);
    assert!(view().is_err(), "a view before the memory");
    image.bind(Memory::allocate(&device, image.requirements().0).unwrap(), 0).unwrap();
    let info = *view().unwrap().info();
    let refused = |info| ImageView::new(&image, info).is_err();
    assert!(refused(ImageViewInfo { format: Format::R8G8_UNORM, ..info }));
    assert!(refused(ImageViewInfo { first_level: 1, ..info }) && refused(ImageViewInfo { layers: 2, ..info }));
    assert!(refused(ImageViewInfo { aspects: Aspects::DEPTH, ..info }));

    let mut commands = CommandBuffer::new(&device);
    commands.begin();
    let layers = ImageLayers { aspect: Aspects::COLOR, level: 1, first: 0, count: 1 };
    let buffer = Buffer::with_memory(&device, 64).unwrap();
    let region = BufferImageCopy {
        buffer_offset: 0,
        row_length: 0,
        image_height: 0,
        layers,
        origin: [1, 0, 0],
        extent: [2, 2, 1],
    };
    commands.copy_buffer_to_image(&buffer, &image, &[region]);
    assert!(matches!(commands.end(), Err(Error::Invalid(_))), "a copy outside of a level");
}

/// As deep and in as many layers as RADV says of the card: 2,048 up to GCN 5, 8,192 since RDNA 1.
#[test]
fn images_are_as_deep_as_their_generation_has_them() {
    for device in devices() {
        let isa = device.config().isa();
        let most = if isa < Gen::Gfx1010 { 2048 } else { 8192 };
        let made = |kind, depth, layers| {
            let extent = [1, 1, depth];
            let info = ImageInfo { kind, format: Format::R8_UINT, extent, levels: 1, layers, samples: 1 };
            Image::new(&device, info).is_ok()
        };
        assert!(made(ImageKind::D3, most, 1) && !made(ImageKind::D3, most + 1, 1), "{isa:?}");
        assert!(made(ImageKind::D2, 1, most) && !made(ImageKind::D2, 1, most + 1), "{isa:?}");
        let limits = machine::Limits::of(isa);
        assert_eq!([limits.max_image_dimension_3d, limits.max_image_array_layers], [most; 2], "{isa:?}");
        assert_eq!([limits.max_image_dimension_1d, limits.max_image_dimension_2d], [16384; 2], "{isa:?}");
    }
}
