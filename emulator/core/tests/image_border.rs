//! Custom border colours from packet to lane: the table's address is a register that SET_UCONFIG_REG writes.

use crate::bench::*;
use wavepipe_hw::descriptor::{BorderColor, Clamp, ImageDescriptor, ImageType, SamplerDescriptor};
use wavepipe_hw::pm4::*;
use wavepipe_hw::port::*;
use wavepipe_isa::{Gen, asm};

#[test]
fn the_border_colour_table_is_a_queues_register() {
    let text = "s_load_dwordx8 s[8:15], s[0:1], 0x0
        s_load_dwordx4 s[16:19], s[0:1], 0x20
        v_mov_b32 v1, 2.0
        v_mov_b32 v2, 0.5
        s_waitcnt lgkmcnt(0)
        image_sample_lz v3, v[1:2], s[8:15], s[16:19] dmask:0x4 dim:SQ_RSRC_IMG_2D
        v_mov_b32 v4, 64
        s_waitcnt vmcnt(0)
        global_store_dword v4, v3, s[0:1]
        s_endpgm";
    let words = asm::assemble(text, Gen::Gfx1010, 32).unwrap();
    let b = Bench::new();
    let code = b.code(&words);
    let (data, image) = (b.memory(4096, "data"), b.memory(4096, "image"));
    let t = ImageDescriptor::linear(image, 77, ImageType::D2, [4, 4, 1], 1);
    let s = SamplerDescriptor {
        clamp: [Clamp::Border; 3],
        border_color_type: BorderColor::Register,
        border_color_ptr: 5,
        ..Default::default()
    };
    b.gpu.write(data, bytemuck::cast_slice(&t.to_words(wavepipe_isa::Gen::Gfx1010))).unwrap();
    b.gpu.write(data + 32, bytemuck::cast_slice(&s.to_words(wavepipe_isa::Gen::Gfx1010))).unwrap();
    for (queue, colour) in [(0, 0.25f32), (1, 0.75)] {
        let table = b.memory(4096, "border colours");
        b.gpu.write(table + 16 * 5, bytemuck::cast_slice(&[9.0f32, 9.0, colour, 9.0])).unwrap();
        let mut ring = b.queue(0, queue);
        let base = Packet::SetUconfigReg {
            reg: uconfig::TA_CS_BC_BASE_ADDR,
            values: vec![(table >> 8) as u32, (table >> 40) as u32],
        };
        let mut packets = vec![base];
        packets.extend(launch(code, data, 0, 1));
        b.run(&mut ring, &packets);
        assert_eq!(f32::from_bits(b.read32(data + 64)), colour);
    }
}
