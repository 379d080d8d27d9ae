//! Why a device was lost (VK_EXT_device_fault), from the GPU's report; and what the checks had found until then.

use crate::entry::entry;
use crate::identity::put_string;
use ash::vk;
use std::ffi::CString;
use wavepipe_runtime::hw::finding::Finding;
use wavepipe_runtime::{FaultKind, GpuFault};

/// Bytes that the wave's program counter is exact to.
const INSTRUCTION_ALIGNMENT: u64 = 4;

fn words(text: &str) -> CString {
    CString::new(text.replace('\0', "?")).unwrap_or_default()
}

/// The address that was accessed, and the instruction that did.
fn addresses(fault: &GpuFault) -> Vec<vk::DeviceFaultAddressInfoEXT> {
    let info = |kind, address, precision| {
        vk::DeviceFaultAddressInfoEXT::default()
            .address_type(kind)
            .reported_address(address)
            .address_precision(precision)
    };
    let accessed = match fault.kind {
        FaultKind::WildAddress { address, write, .. }
        | FaultKind::Freed { address, write, .. }
        | FaultKind::Protected { address, write, .. } => {
            let kind = match write {
                true => vk::DeviceFaultAddressTypeEXT::WRITE_INVALID,
                false => vk::DeviceFaultAddressTypeEXT::READ_INVALID,
            };
            Some(info(kind, address, 1))
        }
        _ => None,
    };
    let at = vk::DeviceFaultAddressTypeEXT::INSTRUCTION_POINTER_FAULT;
    let instruction = fault.site.as_ref().map(|site| info(at, site.pc, INSTRUCTION_ALIGNMENT));
    accessed.into_iter().chain(instruction).collect()
}

/// Where the wave stood. The code is the instruction's offset in its kernel, the data the mask of faulting lanes.
fn places(fault: &GpuFault) -> Vec<vk::DeviceFaultVendorInfoEXT> {
    let site = fault.site.iter();
    site.map(|site| {
        let source = site.source.as_deref().map_or(String::new(), |source| format!(" ({source})"));
        let [x, y, z] = site.workgroup;
        let text = format!(
            "kernel `{}`, work-group {x},{y},{z}, wave {}, lane {}: {}{source}",
            fault.kernel, site.wave, site.lane, site.disassembly
        );
        let mut info =
            vk::DeviceFaultVendorInfoEXT::default().vendor_fault_code(site.pc_offset).vendor_fault_data(site.lanes);
        put_string(&mut info.description, &words(&text));
        info
    })
    .collect()
}

/// A finding: its id and what is wrong. The code is the instruction's offset in its kernel, the data the mask of lanes.
fn found(finding: &Finding) -> vk::DeviceFaultVendorInfoEXT {
    let site = &finding.site;
    let source = site.source.as_ref().map_or(String::new(), |s| format!(" ({}:{})", s.file, s.line));
    let [x, y, z] = site.workgroup;
    let text = format!(
        "{}: {}; kernel `{}`, work-group {x},{y},{z}, wave {}, lane {}{source}",
        finding.id(),
        finding.message(),
        finding.kernel,
        site.wave,
        site.lane
    );
    let mut info =
        vk::DeviceFaultVendorInfoEXT::default().vendor_fault_code(site.pc_offset).vendor_fault_data(site.lanes);
    put_string(&mut info.description, &words(&text));
    info
}

entry! { call;
    /// Sizes without `info`; then as much as the program has room for. There is no binary of ours.
    fn vkGetDeviceFaultInfoEXT(
        device: vk::Device,
        counts: *mut vk::DeviceFaultCountsEXT<'_>,
        info: *mut vk::DeviceFaultInfoEXT<'_>,
    ) -> vk::Result {
        let runtime = &call.device(device).runtime;
        let fault = runtime.fault();
        let counts = call.out(counts);
        let (addresses, mut places) = fault.as_deref().map_or_else(Default::default, |f| (addresses(f), places(f)));
        if fault.is_some() {
            places.extend(runtime.findings().findings.iter().map(|finding| found(finding)));
        }
        counts.vendor_binary_size = 0;
        if info.is_null() {
            (counts.address_info_count, counts.vendor_info_count) = (addresses.len() as u32, places.len() as u32);
            return Ok(vk::Result::SUCCESS);
        }
        let info = call.out(info);
        let first = fault.as_deref().map_or_else(|| "no fault".into(), |f| f.to_string());
        put_string(&mut info.description, &words(first.lines().next().unwrap_or_default()));
        let mut whole = true;
        let mut room = |count: &mut u32, there: usize, none: bool| {
            let n = if none { 0 } else { there.min(*count as usize) };
            (*count, whole) = (n as u32, whole && n == there);
            n
        };
        let n = room(&mut counts.address_info_count, addresses.len(), info.p_address_infos.is_null());
        (0..n).for_each(|i| call.write_at(info.p_address_infos, i, addresses[i]));
        let n = room(&mut counts.vendor_info_count, places.len(), info.p_vendor_infos.is_null());
        (0..n).for_each(|i| call.write_at(info.p_vendor_infos, i, places[i]));
        Ok(if whole { vk::Result::SUCCESS } else { vk::Result::INCOMPLETE })
    }
}
