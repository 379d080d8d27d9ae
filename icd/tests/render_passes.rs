//! Render passes that draw nothing: their clears and resolves leave what lavapipe's leave.

use crate::common;
use crate::lab::{self, Image, Lab, flat, whole};
use ash::vk;

const GENERAL: vk::ImageLayout = vk::ImageLayout::GENERAL;
const COLOR: vk::ImageAspectFlags = vk::ImageAspectFlags::COLOR;
const RGBA: vk::Format = vk::Format::R8G8B8A8_UNORM;
const DEPTH: vk::Format = vk::Format::D32_SFLOAT;
const SIDE: u32 = 16;

fn attachment(lab: &Lab, format: vk::Format, samples: vk::SampleCountFlags, layers: u32) -> Image {
    let kind = match format {
        DEPTH => vk::ImageUsageFlags::DEPTH_STENCIL_ATTACHMENT,
        _ => vk::ImageUsageFlags::COLOR_ATTACHMENT,
    };
    let info = flat(format, SIDE, SIDE, 1, layers);
    let image = lab.image(info.samples(samples).usage(info.usage | kind));
    lab.prepare(&image);
    image
}

fn view(lab: &Lab, image: &Image) -> vk::ImageView {
    let layered = image.info.array_layers > 1;
    let kind = if layered { vk::ImageViewType::TYPE_2D_ARRAY } else { vk::ImageViewType::TYPE_2D };
    lab.view(image, kind, whole(image.info.format))
}

fn description(image: &Image, clear: bool) -> vk::AttachmentDescription {
    vk::AttachmentDescription::default()
        .format(image.info.format)
        .samples(image.info.samples)
        .load_op(if clear { vk::AttachmentLoadOp::CLEAR } else { vk::AttachmentLoadOp::LOAD })
        .store_op(vk::AttachmentStoreOp::STORE)
        .initial_layout(GENERAL)
        .final_layout(GENERAL)
}

fn reference(attachment: u32) -> vk::AttachmentReference {
    vk::AttachmentReference { attachment, layout: GENERAL }
}

fn rect(x: i32, y: i32, width: u32, height: u32) -> vk::Rect2D {
    vk::Rect2D { offset: vk::Offset2D { x, y }, extent: vk::Extent2D { width, height } }
}

fn color(values: [f32; 4]) -> vk::ClearValue {
    vk::ClearValue { color: vk::ClearColorValue { float32: values } }
}

fn depth(depth: f32) -> vk::ClearValue {
    vk::ClearValue { depth_stencil: vk::ClearDepthStencilValue { depth, stencil: 0 } }
}

/// A clear of one attachment of the subpass.
fn clear(aspect: vk::ImageAspectFlags, value: vk::ClearValue) -> vk::ClearAttachment {
    vk::ClearAttachment { aspect_mask: aspect, color_attachment: 0, clear_value: value }
}

fn area(rect: vk::Rect2D, first: u32, count: u32) -> vk::ClearRect {
    vk::ClearRect { rect, base_array_layer: first, layer_count: count }
}

fn agree(what: &str, run: impl Fn(&Lab) -> Vec<Vec<u8>>) {
    let results: Vec<_> = Lab::all().iter().map(run).collect();
    assert!(results[0].iter().all(|bytes| bytes.iter().any(|b| *b != 0)), "{what}: nothing was cleared");
    for w in results.windows(2) {
        for (n, (a, b)) in w[0].iter().zip(&w[1]).enumerate() {
            let wrong = a.iter().zip(b).position(|(a, b)| a != b);
            assert_eq!(wrong, None, "{what}: image {n} differs");
        }
    }
}

/// Color and depth cleared in an area, then parts of them by the primary and by a secondary command buffer.
#[test]
fn load_clears_and_attachment_clears() {
    agree("a render pass", |lab| {
        let d = &lab.device;
        let one = vk::SampleCountFlags::TYPE_1;
        let (target, deep) = (attachment(lab, RGBA, one, 2), attachment(lab, DEPTH, one, 2));
        let views = [view(lab, &target), view(lab, &deep)];
        let attachments = [description(&target, true), description(&deep, true)];
        let (colors, depth_reference) = ([reference(0)], reference(1));
        let subpasses =
            [vk::SubpassDescription::default().color_attachments(&colors).depth_stencil_attachment(&depth_reference)];
        let info = vk::RenderPassCreateInfo::default().attachments(&attachments).subpasses(&subpasses);
        // SAFETY: valid usage throughout.
        unsafe {
            let pass = d.create_render_pass(&info, None).unwrap();
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(pass)
                .attachments(&views)
                .width(SIDE)
                .height(SIDE)
                .layers(2);
            let frame = d.create_framebuffer(&info, None).unwrap();
            let inheritance = vk::CommandBufferInheritanceInfo::default().render_pass(pass);
            let secondary = lab.secondary(&inheritance);
            let corner = [area(rect(2, 4, 3, 2), 1, 1)];
            d.cmd_clear_attachments(secondary, &[clear(COLOR, color([0.0, 1.0, 1.0, 0.0]))], &corner);
            d.end_command_buffer(secondary).unwrap();
            let values = [color([1.0, 0.2, 0.0, 1.0]), depth(0.75)];
            let begin = vk::RenderPassBeginInfo::default()
                .render_pass(pass)
                .framebuffer(frame)
                .render_area(rect(1, 2, 9, 11))
                .clear_values(&values);
            lab.run(&[&target, &deep], |d, c| {
                d.cmd_begin_render_pass(c, &begin, vk::SubpassContents::INLINE);
                let part = [area(rect(3, 3, 2, 7), 0, 2)];
                let clears =
                    [clear(COLOR, color([0.0, 0.0, 1.0, 0.4])), clear(vk::ImageAspectFlags::DEPTH, depth(0.5))];
                d.cmd_clear_attachments(c, &clears, &part);
                d.cmd_end_render_pass(c);
            });
            let values = [color([0.8, 0.2, 0.4, 1.0]), depth(0.25)];
            let begin = begin.render_area(rect(0, 0, 7, 7)).clear_values(&values);
            lab.run(&[&target, &deep], |d, c| {
                d.cmd_begin_render_pass(c, &begin, vk::SubpassContents::SECONDARY_COMMAND_BUFFERS);
                d.cmd_execute_commands(c, &[secondary]);
                d.cmd_end_render_pass(c);
            });
            let out = vec![lab.read(&target, COLOR, 4), lab.read(&deep, vk::ImageAspectFlags::DEPTH, 4)];
            d.destroy_framebuffer(frame, None);
            d.destroy_render_pass(pass, None);
            views.iter().for_each(|v| d.destroy_image_view(*v, None));
            lab.free_image(target);
            lab.free_image(deep);
            out
        }
    });
}

/// Four samples, cleared in two subpasses, resolved in the area.
#[test]
fn multisampled_attachments_resolve() {
    agree("a resolve", |lab| {
        let d = &lab.device;
        let four = attachment(lab, RGBA, vk::SampleCountFlags::TYPE_4, 1);
        let one = attachment(lab, RGBA, vk::SampleCountFlags::TYPE_1, 1);
        let copied = attachment(lab, RGBA, vk::SampleCountFlags::TYPE_1, 1);
        let views = [view(lab, &four), view(lab, &one)];
        let attachments = [description(&four, true), description(&one, false)];
        let (colors, resolves) = ([reference(0)], [reference(1)]);
        let subpasses = [
            vk::SubpassDescription::default().color_attachments(&colors),
            vk::SubpassDescription::default().color_attachments(&colors).resolve_attachments(&resolves),
        ];
        let output = vk::PipelineStageFlags::COLOR_ATTACHMENT_OUTPUT;
        let write = vk::AccessFlags::COLOR_ATTACHMENT_WRITE | vk::AccessFlags::COLOR_ATTACHMENT_READ;
        let dependencies = [vk::SubpassDependency::default()
            .src_subpass(0)
            .dst_subpass(1)
            .src_stage_mask(output)
            .dst_stage_mask(output)
            .src_access_mask(write)
            .dst_access_mask(write)];
        let info = vk::RenderPassCreateInfo::default()
            .attachments(&attachments)
            .subpasses(&subpasses)
            .dependencies(&dependencies);
        // SAFETY: valid usage throughout.
        unsafe {
            let pass = d.create_render_pass(&info, None).unwrap();
            let info = vk::FramebufferCreateInfo::default()
                .render_pass(pass)
                .attachments(&views)
                .width(SIDE)
                .height(SIDE)
                .layers(1);
            let frame = d.create_framebuffer(&info, None).unwrap();
            let values = [color([0.6, 0.2, 1.0, 0.8])];
            let begin = vk::RenderPassBeginInfo::default()
                .render_pass(pass)
                .framebuffer(frame)
                .render_area(rect(3, 0, 10, 16))
                .clear_values(&values);
            let region = vk::ImageResolve {
                src_subresource: vk::ImageSubresourceLayers {
                    aspect_mask: COLOR,
                    layer_count: 1,
                    ..Default::default()
                },
                src_offset: vk::Offset3D { x: 2, y: 1, z: 0 },
                dst_subresource: vk::ImageSubresourceLayers {
                    aspect_mask: COLOR,
                    layer_count: 1,
                    ..Default::default()
                },
                dst_offset: vk::Offset3D { x: 1, y: 5, z: 0 },
                extent: vk::Extent3D { width: 13, height: 9, depth: 1 },
            };
            lab.run(&[&four, &one, &copied], |d, c| {
                d.cmd_begin_render_pass(c, &begin, vk::SubpassContents::INLINE);
                d.cmd_next_subpass(c, vk::SubpassContents::INLINE);
                let part = [area(rect(5, 5, 4, 4), 0, 1)];
                d.cmd_clear_attachments(c, &[clear(COLOR, color([0.0, 1.0, 0.0, 0.2]))], &part);
                d.cmd_end_render_pass(c);
                lab.barrier(c, &[&four, &one, &copied], GENERAL);
                d.cmd_resolve_image(c, four.image, GENERAL, copied.image, GENERAL, &[region]);
            });
            let out = vec![lab.read(&one, COLOR, 4), lab.read(&copied, COLOR, 4)];
            d.destroy_framebuffer(frame, None);
            d.destroy_render_pass(pass, None);
            views.iter().for_each(|v| d.destroy_image_view(*v, None));
            [four, one, copied].into_iter().for_each(|image| lab.free_image(image));
            out
        }
    });
}

/// The same without render pass objects, on some layers.
#[test]
fn dynamic_rendering_clears_and_resolves() {
    agree("dynamic rendering", |lab| {
        let d = &lab.device;
        let target = attachment(lab, RGBA, vk::SampleCountFlags::TYPE_1, 3);
        let four = attachment(lab, RGBA, vk::SampleCountFlags::TYPE_4, 1);
        let one = attachment(lab, RGBA, vk::SampleCountFlags::TYPE_1, 1);
        let views = [view(lab, &target), view(lab, &four), view(lab, &one)];
        let attachment = |view, value| {
            vk::RenderingAttachmentInfo::default()
                .image_view(view)
                .image_layout(GENERAL)
                .load_op(vk::AttachmentLoadOp::CLEAR)
                .store_op(vk::AttachmentStoreOp::STORE)
                .clear_value(value)
        };
        let layered = [attachment(views[0], color([0.2, 0.4, 0.6, 0.8]))];
        let resolved = [attachment(views[1], color([1.0, 0.0, 0.4, 0.2]))
            .resolve_mode(vk::ResolveModeFlags::AVERAGE)
            .resolve_image_view(views[2])
            .resolve_image_layout(GENERAL)];
        lab.run(&[&target, &four, &one], |d, c| {
            let masked = vk::RenderingInfo::default()
                .render_area(rect(0, 3, 16, 5))
                .layer_count(1)
                .view_mask(0b101)
                .color_attachments(&layered);
            let plain =
                vk::RenderingInfo::default().render_area(rect(4, 4, 8, 8)).layer_count(1).color_attachments(&resolved);
            // SAFETY: valid usage.
            unsafe {
                d.cmd_begin_rendering(c, &masked);
                d.cmd_end_rendering(c);
                d.cmd_begin_rendering(c, &plain);
                d.cmd_end_rendering(c);
            }
        });
        let out = vec![lab.read(&target, COLOR, 4), lab.read(&one, COLOR, 4)];
        // SAFETY: nothing uses them any more.
        views.iter().for_each(|v| unsafe { d.destroy_image_view(*v, None) });
        [target, four, one].into_iter().for_each(|image| lab.free_image(image));
        out
    });
}

/// Slices of a 3D image are layers of an attachment.
#[test]
fn slices_of_a_3d_image_are_cleared_as_layers() {
    agree("3D", |lab| {
        let d = &lab.device;
        let info = lab::deep(RGBA, SIDE, SIDE, 6, 2);
        let image = lab.image(
            info.usage(info.usage | vk::ImageUsageFlags::COLOR_ATTACHMENT)
                .flags(vk::ImageCreateFlags::TYPE_2D_ARRAY_COMPATIBLE),
        );
        lab.prepare(&image);
        let range = vk::ImageSubresourceRange {
            aspect_mask: COLOR,
            base_mip_level: 1,
            level_count: 1,
            base_array_layer: 1,
            layer_count: 2,
        };
        let view = lab.view(&image, vk::ImageViewType::TYPE_2D_ARRAY, range);
        let attachments = [vk::RenderingAttachmentInfo::default()
            .image_view(view)
            .image_layout(GENERAL)
            .load_op(vk::AttachmentLoadOp::CLEAR)
            .store_op(vk::AttachmentStoreOp::STORE)
            .clear_value(color([1.0, 0.0, 1.0, 1.0]))];
        let info =
            vk::RenderingInfo::default().render_area(rect(1, 1, 5, 6)).layer_count(2).color_attachments(&attachments);
        lab.run(&[&image], |d, c| {
            // SAFETY: valid usage.
            unsafe {
                d.cmd_begin_rendering(c, &info);
                d.cmd_end_rendering(c);
            }
        });
        let out = vec![lab.read(&image, COLOR, 4)];
        // SAFETY: nothing uses it any more.
        unsafe { d.destroy_image_view(view, None) };
        lab.free_image(image);
        out
    });
}

/// There are no graphics pipelines; a command buffer that draws cannot be ended.
#[test]
fn drawing_is_refused() {
    let lab = Lab::ours();
    let inheritance = vk::CommandBufferInheritanceInfo::default();
    let commands = lab.secondary(&inheritance);
    // SAFETY: what the program does is invalid, and must be answered with an error.
    unsafe {
        lab.device.cmd_draw(commands, 3, 1, 0, 0);
        assert_eq!(lab.device.end_command_buffer(commands), Err(vk::Result::ERROR_UNKNOWN));
        let info = [vk::GraphicsPipelineCreateInfo::default()];
        let made = lab.device.create_graphics_pipelines(vk::PipelineCache::null(), &info, None);
        let (pipelines, result) = made.unwrap_err();
        assert_eq!((pipelines, result), (vec![vk::Pipeline::null()], vk::Result::ERROR_UNKNOWN));
    }
}

#[test]
fn every_generation_resolves() {
    common::child::on_every_generation(&[
        "render_passes::multisampled_attachments_resolve",
        "render_passes::dynamic_rendering_clears_and_resolves",
    ]);
}
