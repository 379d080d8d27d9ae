//! IMAGE_MSAA_LOAD beside image loads of each of its samples.

use crate::image::lone::{BEFORE, Lone, WAVES};
use crate::image::{self, FORMATS, Rng};
use wavepipe_hw::descriptor::{ImageDescriptor, ImageType};
use wavepipe_isa::Gen;

const BYTES: u64 = 1 << 16;

/// Its results are in v40 on; those of four loads that step through samples from v45 on, packed in the same way.
fn kernel(array: bool, dmask: u32, a16: bool, d16: bool, tfe: bool) -> (String, u32) {
    let (dim, parts) = if array { ("2D_MSAA_ARRAY", 4) } else { ("2D_MSAA", 3) };
    let addresses = if a16 { 2 } else { parts };
    let bits = format!("dim:SQ_RSRC_IMG_{dim}{}{}", if a16 { " a16" } else { "" }, if d16 { " d16" } else { "" });
    let data = if d16 { dmask.count_ones().div_ceil(2) } else { dmask.count_ones() } + u32::from(tfe);
    let to = if data == 1 { "v40".to_string() } else { format!("v[40:{}]", 39 + data) };
    let tfe = if tfe { " tfe" } else { "" };
    let mut text = format!("image_msaa_load {to}, v[1:{addresses}], s[8:15] dmask:{dmask:#x} {bits}{tfe}\n");
    // The sample is the last part: with A16 the upper half of v2, or the lower one.
    let (sample, step) = match (a16, array) {
        (false, _) => (parts, 1),
        (true, true) => (2, 0x1_0000),
        (true, false) => (2, 1),
    };
    text += &format!("v_mov_b32 v30, {step:#x}\n");
    for n in 0..4 {
        text += &format!("image_load v{}, v[1:{addresses}], s[8:15] dmask:0x1 {bits}\n", 45 + n);
        text += &format!("v_add_nc_u32 v{sample}, v30, v{sample}\n");
    }
    (text, data)
}

/// Each register, of each lane, over random surfaces, masks of samples, coordinates outside and lanes that are off.
#[test]
fn four_samples_are_four_loads() {
    let mut rng = Rng(0x35aa);
    for round in 0..96 {
        let (wave, array, a16, d16, tfe) =
            (WAVES[round & 1], round & 2 != 0, round & 4 != 0, round & 8 != 0, rng.chance(30));
        let dmask = 1 + rng.below(15);
        let (text, data) = kernel(array, dmask, a16, d16, tfe);
        let mut lone = Lone::new(wave, 4, &text, BYTES);
        let (log, slices) = (rng.below(4) as u8, if array { 3 } else { 1 });
        let kind = if array { ImageType::D2MsaaArray } else { ImageType::D2Msaa };
        let format = rng.pick(FORMATS).number;
        let mut t = ImageDescriptor::linear(lone.memory, format, kind, [5, 3, slices], 1);
        (t.last_level, t.max_mip) = (log, log);
        if rng.chance(30) {
            t.dst_sel = std::array::from_fn(|_| rng.pick(&[0, 1, 4, 5, 6, 7]));
        }
        lone.scalars(&t.to_words(Gen::Gfx1030));
        (0..BYTES / 4).for_each(|i| lone.put(4 * i, &[rng.next() & 0xbfff_bfff]));
        let exec = if rng.chance(50) { !0 } else { u64::from(rng.next()) << 32 | u64::from(rng.next()) };
        lone.exec(exec);
        for lane in 0..lone.lanes {
            // Groups of four begin at multiples of four, and elsewhere too.
            let sample = if rng.chance(50) { rng.below(2) * 4 } else { rng.below(9) };
            let mut at = vec![rng.below(6), rng.below(4)];
            at.extend(array.then(|| rng.below(4)));
            at.push(sample);
            match a16 {
                false => (1..).zip(&at).for_each(|(r, &v)| lone.set(r, lane, v)),
                true => (1..).zip(at.chunks(2)).for_each(|(r, c)| {
                    lone.set(r, lane, c[0] | c.get(1).unwrap_or(&0) << 16);
                }),
            }
        }
        lone.run().unwrap();
        for lane in 0..lone.lanes {
            let live = exec >> lane & 1 != 0;
            let mut want = [0; 5];
            for (k, n) in (0..4).filter(|n| dmask >> n & 1 != 0).enumerate() {
                let v = lone.out(45 + n, lane);
                match d16 {
                    true => want[k / 2] |= (v & 0xffff) << (16 * (k & 1)),
                    false => want[k] = v,
                }
            }
            for k in 0..5 {
                let want = if live && (k as u32) < data { want[k] } else { BEFORE };
                let got = lone.out(40 + k as u32, lane);
                assert_eq!(got, want, "{text}register {k} of lane {lane}: {got:#x}, not {want:#x}");
            }
        }
    }
    image::witness::holds("core/tests/image_msaa", ["image_msaa_load"]);
}

/// By hand: the component X of samples 4 to 7 of eight, and sample 2 alone.
#[test]
fn a_group_begins_at_the_sample_that_is_named() {
    let text = "image_msaa_load v[40:43], v[1:3], s[8:15] dmask:0xf dim:SQ_RSRC_IMG_2D_MSAA
        v_mov_b32 v3, 0
        image_msaa_load v45, v[1:3], s[8:15] dmask:0x4 dim:SQ_RSRC_IMG_2D_MSAA";
    let mut lone = Lone::new(WAVES[0], 3, text, BYTES);
    // One texel of two dwords; a slice of a linear surface is a row of 256 bytes.
    let mut t = ImageDescriptor::linear(lone.memory, 62, ImageType::D2Msaa, [1, 1, 1], 1);
    t.last_level = 3;
    lone.scalars(&t.to_words(Gen::Gfx1030));
    (0..8).for_each(|sample| lone.put(256 * sample, &[100 + sample as u32, 200]));
    lone.set(3, 0, 4);
    lone.run().unwrap();
    assert_eq!([40, 41, 42, 43, 45].map(|r| lone.out(r, 0)), [104, 105, 106, 107, 102]);
}
