//! Launches of code objects that other compilers made: the register state that their kernel descriptors ask for.

use super::CommandBuffer;
use crate::error::{Error, Result};
use crate::hsa::{Launch, Program};
use crate::pipeline::SCRATCH_WAVES;
use std::sync::Arc;
use wavepipe_hw::descriptor::BufferDescriptor;
use wavepipe_hw::given::{Given, GivenPart};
use wavepipe_hw::hsa::{DispatchPacket, Kernel, QUEUE_BYTES, queue_image};
use wavepipe_hw::launch::{FlatScratch, HIDDEN_PRIVATE_BASE, MAX_USER_SGPRS, flat_scratch};
use wavepipe_hw::pm4::{Packet, has_uconfig, initiator, reg};
use wavepipe_hw::rsrc::{TMPRING_WAVESIZE_BYTES, most_wave_bytes, tmpring};

/// Most bytes of scratch that a launch takes, while at least one work-group fits.
const RING_BYTES: u64 = 1 << 30;

/// Scratch of a launch: its V# and base, and COMPUTE_TMPRING_SIZE.
#[derive(Default)]
struct Scratch {
    descriptor: [u32; 4],
    base: u64,
    tmpring: u32,
}

/// Bits of a V#'s stride.
const MAX_STRIDE: u32 = 0x3fff;

impl CommandBuffer {
    /// Launches a kernel of a program.
    pub fn launch_kernel(&mut self, program: &Arc<Program>, kernel: &Kernel, launch: &Launch) {
        self.keep(program);
        for arg in &launch.args {
            if let crate::hsa::ArgValue::Buffer(buffer) = arg {
                self.keep(buffer);
            }
        }
        if !launch.grid.contains(&0) {
            let launched = self.emit_launch(program, kernel, launch);
            self.latch(launched);
        }
    }

    fn emit_launch(&mut self, program: &Arc<Program>, kernel: &Kernel, launch: &Launch) -> Result<()> {
        let isa = kernel.descriptor.isa;
        let queue = self.upload(&queue_image(isa))?;
        let prepared = launch.prepare(kernel, queue, &program.machine, program.checked)?;
        // Apart from other uploads: vectors among the arguments may want up to 128-byte alignment.
        let kernarg = self.heap.allocate(prepared.kernarg.len().max(1) as u64, 256, "kernel arguments")?;
        kernarg.write(0, &prepared.kernarg)?;
        let kernarg_va = kernarg.va();
        self.upload.insert(0, kernarg);
        let aql = DispatchPacket {
            dimensions: prepared.dimensions,
            workgroup: launch.workgroup.map(|n| n as u16),
            grid: launch.grid,
            private_bytes: prepared.private_bytes,
            group_bytes: prepared.group_bytes,
            kernel_object: program.address() + kernel.descriptor_address,
            kernarg: kernarg_va,
            completion_signal: 0,
        };
        let packet = aql.to_bytes();
        let aql = self.upload(&packet)?;
        let waves = launch.workgroup.iter().product::<u32>().div_ceil(kernel.wave.lanes());
        let scratch = self.scratch_for(kernel, prepared.private_bytes, waves, program.checked)?;

        let wants = kernel.descriptor.user_sgprs;
        let mut user = Vec::new();
        let pair = |user: &mut Vec<u32>, wanted: bool, value: u64| {
            if wanted {
                user.extend([value as u32, (value >> 32) as u32]);
            }
        };
        if wants.private_segment_buffer {
            user.extend(scratch.descriptor);
        }
        pair(&mut user, wants.dispatch_ptr, aql);
        pair(&mut user, wants.queue_ptr, queue);
        pair(&mut user, wants.kernarg_segment_ptr, kernarg_va);
        pair(&mut user, wants.dispatch_id, 0);
        // LLVM AMDGPU user guide, "Initial Kernel Execution State", Flat Scratch Init.
        let init = match flat_scratch(isa) {
            FlatScratch::SizeAndOffset => scratch.base & 0xffff | u64::from(prepared.private_bytes) << 32,
            FlatScratch::Address => scratch.base,
        };
        pair(&mut user, wants.flat_scratch_init, init);
        if flat_scratch(isa) == FlatScratch::SizeAndOffset && has_uconfig(HIDDEN_PRIVATE_BASE, isa) {
            let values = vec![(scratch.base >> 16) as u32];
            self.emit(&Packet::SetUconfigReg { reg: HIDDEN_PRIVATE_BASE, values });
        }
        if wants.private_segment_size {
            user.push(prepared.private_bytes);
        }
        // RSRC2 may count more than is filled: preloaded arguments of later machines.
        user.resize((kernel.descriptor.rsrc().user_sgprs() as usize).max(user.len()), 0);
        if user.len() > MAX_USER_SGPRS as usize {
            let wanted = user.len();
            return Err(Error::Invalid(format!(
                "the kernel takes {wanted} user SGPRs; a dispatch has {MAX_USER_SGPRS}"
            )));
        }

        let rsrc = kernel.descriptor.rsrc().with_lds_bytes(prepared.group_bytes).ok_or_else(|| {
            Error::Invalid(format!("{} bytes of LDS; a work-group can have 64 KiB", prepared.group_bytes))
        })?;
        let entry = program.address() + kernel.entry;
        for (reg, values) in [
            (reg::COMPUTE_NUM_THREAD_X, launch.workgroup.to_vec()),
            (reg::COMPUTE_PGM_LO, vec![(entry >> 8) as u32, (entry >> 40) as u32]),
            (reg::COMPUTE_PGM_RSRC1, vec![rsrc.rsrc1, rsrc.rsrc2]),
            (reg::COMPUTE_TMPRING_SIZE, vec![scratch.tmpring]),
            (reg::COMPUTE_USER_DATA_0, user),
        ] {
            self.emit(&Packet::SetShReg { reg, values });
        }
        self.state.forget_registers();
        let wave32 = if kernel.wave.lanes() == 32 { initiator::CS_W32_EN } else { 0 };
        let initiator =
            initiator::COMPUTE_SHADER_EN | initiator::FORCE_START_AT_000 | initiator::USE_THREAD_DIMENSIONS | wave32;
        self.command = None;
        if program.checked {
            let at = |va: u64, bytes: usize| va..va + bytes as u64;
            let private = GivenPart { begin: 0, bytes: prepared.private_bytes, name: GivenPart::PRIVATE.into() };
            let memory = vec![
                at(program.address(), program.module().span as usize),
                at(kernarg_va, prepared.kernarg.len()),
                at(aql, packet.len()),
                at(queue, QUEUE_BYTES),
            ];
            let given = Given { lds: prepared.lds, private: vec![private], memory };
            self.emit(&Packet::Nop { body: given.to_words() });
        }
        self.emit(&Packet::DispatchDirect { groups: launch.grid, initiator });
        self.state.busy = true;
        Ok(())
    }

    /// A scratch ring for the kernel; nothing if it needs none.
    fn scratch_for(&mut self, kernel: &Kernel, private_bytes: u32, group_waves: u32, checked: bool) -> Result<Scratch> {
        if private_bytes == 0 || !kernel.descriptor.rsrc().scratch_en() {
            return Ok(Scratch::default());
        }
        let lanes = kernel.wave.lanes();
        let wave_bytes = (u64::from(private_bytes) * u64::from(lanes)).next_multiple_of(TMPRING_WAVESIZE_BYTES.into());
        let most = most_wave_bytes(self.heap.isa());
        if wave_bytes > most {
            return Err(Error::Invalid(format!(
                "kernel `{}` has {private_bytes} private bytes a work-item; {} fit",
                kernel.name,
                most / u64::from(lanes)
            )));
        }
        let waves = (RING_BYTES / wave_bytes).min(SCRATCH_WAVES.into()).max(group_waves.into());
        let ring = self.heap.scratch_ring(wave_bytes * waves)?;
        let bounded = checked && private_bytes <= MAX_STRIDE;
        let descriptor = BufferDescriptor {
            // As HSA runtimes make it, private addresses are not checked. If they are to be, a work-item's memory is a record: all
            // lanes' are in the first row of records, so the stride changes no address.
            stride: if bounded { private_bytes } else { 0 },
            oob_select: if bounded { 0 } else { 2 },
            ..BufferDescriptor::private(ring.va(), ring.size().min(u64::from(u32::MAX)) as u32, lanes)
        };
        let scratch = Scratch {
            descriptor: descriptor.to_words(self.heap.isa()),
            base: ring.va(),
            tmpring: tmpring(self.heap.isa(), waves as u32, wave_bytes as u32),
        };
        self.keep(&ring);
        Ok(scratch)
    }
}
