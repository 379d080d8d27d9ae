//! Who we say we are. By default the truth: a CPU device of our own vendor. `WAVEPIPE_IDENTITY=radeon` imitates the
//! card, for programs that choose their code path by vendor.

use crate::entry::{config, machine_info};
use ash::vk;
use std::ffi::{CStr, c_char};
use std::sync::OnceLock;

/// Vulkan 1.3, with the header revision that our bindings describe.
pub const API_VERSION: u32 = vk::make_api_version(0, 1, 3, vk::HEADER_VERSION);

/// "wp". A placeholder: we are no PCI vendor and have registered no Khronos vendor number (those begin at 0x10000).
const VENDOR: u32 = 0x7770;
/// The architecture that we execute.
const DEVICE: u32 = 0x1010;

/// The emulated card is on no bus of the host: a domain of its own, so that its address is nobody else's.
pub const PCI_DOMAIN: u32 = VENDOR;

pub struct Identity {
    pub vendor: u32,
    pub device: u32,
    pub kind: vk::PhysicalDeviceType,
    pub name: String,
    pub uuid: [u8; 16],
}

pub fn identity() -> &'static Identity {
    static IDENTITY: OnceLock<Identity> = OnceLock::new();
    IDENTITY.get_or_init(|| match config().radeon {
        true => Identity {
            vendor: 0x1002,
            device: config().machine.identity.pci_device.value as u32,
            kind: vk::PhysicalDeviceType::DISCRETE_GPU,
            name: format!("AMD {}", config().machine.product),
            uuid: *b"wavepipe-radeon\0",
        },
        false => Identity {
            vendor: VENDOR,
            device: DEVICE,
            kind: vk::PhysicalDeviceType::CPU,
            name: machine_info().name.clone(),
            uuid: *b"wavepipe-gfx1010",
        },
    })
}

/// The conformance test version that we say we passed; `shown` to this program.
pub fn conformance(shown: Option<[u8; 4]>) -> vk::ConformanceVersion {
    let [major, minor, subminor, patch] = config().conformance.or(shown).unwrap_or_default();
    vk::ConformanceVersion { major, minor, subminor, patch }
}

pub fn driver_version() -> u32 {
    let part = |text: &str| text.parse().unwrap_or(0);
    vk::make_api_version(
        0,
        part(env!("CARGO_PKG_VERSION_MAJOR")),
        part(env!("CARGO_PKG_VERSION_MINOR")),
        part(env!("CARGO_PKG_VERSION_PATCH")),
    )
}

/// Copies a string into a fixed C array, cut to fit, always NUL-terminated.
pub fn put_string<const N: usize>(place: &mut [c_char; N], text: &CStr) {
    put_bytes(place, text.to_bytes());
}

/// As [`put_string`], of bytes without a NUL.
pub fn put_bytes<const N: usize>(place: &mut [c_char; N], text: &[u8]) {
    place.fill(0);
    for (to, from) in place.iter_mut().zip(text.iter().take(N - 1)) {
        *to = *from as c_char;
    }
}
