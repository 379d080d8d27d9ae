//! Words for the program's author: VK_EXT_debug_utils messengers, or stderr when there is none.

use crate::entry::{SUCCESS, entry};
use crate::extensions::Extension;
use crate::handle::{self, Object};
use ash::vk;
use parking_lot::Mutex;
use std::collections::HashSet;
use std::ffi::{CString, c_void};
use std::io::Write as _;
use std::sync::Arc;
use wavepipe_runtime::engines::Shown;
use wavepipe_runtime::fenv;
use wavepipe_runtime::hw::finding::Finding;

/// What all objects of an instance share.
pub struct Instance {
    /// As the program asked (0 means 1.0).
    pub api_version: u32,
    pub extensions: Vec<Extension>,
    /// What the program is shown beyond the truth.
    pub shown: Shown,
    /// Raw handle and target of each messenger.
    messengers: Mutex<Vec<(u64, Sink)>>,
    /// The faults that were told.
    faults: Mutex<HashSet<String>>,
}

/// Where messages go.
#[derive(Clone, Copy)]
struct Sink {
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    kinds: vk::DebugUtilsMessageTypeFlagsEXT,
    callback: vk::PFN_vkDebugUtilsMessengerCallbackEXT,
    user: *mut c_void,
}
// SAFETY: `user` is only handed back to the program's callback, which the specification wants to be thread-safe.
unsafe impl Send for Sink {}

impl Sink {
    fn new(info: &vk::DebugUtilsMessengerCreateInfoEXT<'_>) -> Sink {
        Sink {
            severity: info.message_severity,
            kinds: info.message_type,
            callback: info.pfn_user_callback,
            user: info.p_user_data,
        }
    }
}

impl Instance {
    pub fn new(api_version: u32, extensions: Vec<Extension>, shown: Shown) -> Arc<Instance> {
        Arc::new(Instance {
            api_version,
            extensions,
            shown,
            messengers: Default::default(),
            faults: Default::default(),
        })
    }

    /// In a forked child the lock may be held for good: then all is news.
    pub fn first_told(&self, fault: &str) -> bool {
        self.faults.try_lock().is_none_or(|mut told| told.insert(fault.into()))
    }

    /// Hands a message to every messenger that wants it; `false` = there was none.
    fn deliver(
        &self,
        severity: vk::DebugUtilsMessageSeverityFlagsEXT,
        kinds: vk::DebugUtilsMessageTypeFlagsEXT,
        data: &vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    ) -> bool {
        // Copied, so that a callback may call the driver again.
        let sinks: Vec<Sink> = self.messengers.lock().iter().map(|(_, sink)| *sink).collect();
        let mut heard = false;
        for sink in sinks.iter().filter(|s| s.severity.intersects(severity) && s.kinds.intersects(kinds)) {
            if let Some(callback) = sink.callback {
                // SAFETY: the program's own function, with the arguments that VK_EXT_debug_utils defines.
                fenv::in_own(|| unsafe { callback(severity, kinds, data, sink.user) });
                heard = true;
            }
        }
        heard
    }
}

/// Reports a failed call: if no messenger takes errors, on stderr.
pub fn error(instance: Option<&Instance>, function: &str, message: &str) {
    let severity = vk::DebugUtilsMessageSeverityFlagsEXT::ERROR;
    if !tell(instance, severity, function, message) {
        on_stderr(&format!("{function}: {message}"));
    }
}

/// Reports what a program should not do, and gets away with: on stderr, if it has no messengers at all.
pub fn warning(instance: Option<&Instance>, function: &str, message: &str) {
    let silent = instance.is_none_or(|i| i.messengers.lock().is_empty());
    if silent {
        on_stderr(&format!("warning: {message}"));
    } else {
        tell(instance, vk::DebugUtilsMessageSeverityFlagsEXT::WARNING, function, message);
    }
}

/// Reports what a check found: an error, or a warning of what is only doubtful; its id is the message's name.
pub fn finding(instance: Option<&Instance>, finding: &Finding) {
    let (severity, word) = match finding.check().is_error() {
        true => (vk::DebugUtilsMessageSeverityFlagsEXT::ERROR, "error"),
        false => (vk::DebugUtilsMessageSeverityFlagsEXT::WARNING, "warning"),
    };
    let text = finding.to_string();
    let [id, message] = [&finding.id(), &text].map(|words| CString::new(words.replace('\0', "?")).unwrap_or_default());
    let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message_id_name(&id).message(&message);
    let kinds = vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION;
    if !instance.is_some_and(|i| i.deliver(severity, kinds, &data)) {
        on_stderr(&format!("{word}: {text}"));
    }
}

/// What a shader printed: to messengers that take INFO, or to stderr.
pub fn printed(instance: &Instance, line: &str) {
    let text = CString::new(line.replace('\0', "?")).unwrap_or_default();
    let data =
        vk::DebugUtilsMessengerCallbackDataEXT::default().message_id_name(c"WAVEPIPE-DebugPrintf").message(&text);
    if !instance.deliver(vk::DebugUtilsMessageSeverityFlagsEXT::INFO, ANY_KIND, &data) {
        let _ = writeln!(std::io::stderr().lock(), "{line}");
    }
}

/// Whether a messenger took it.
fn tell(
    instance: Option<&Instance>,
    severity: vk::DebugUtilsMessageSeverityFlagsEXT,
    function: &str,
    message: &str,
) -> bool {
    let text = CString::new(format!("{function}: {message}").replace('\0', "?")).unwrap_or_default();
    let data = vk::DebugUtilsMessengerCallbackDataEXT::default().message_id_name(c"wavepipe").message(&text);
    instance.is_some_and(|i| i.deliver(severity, ANY_KIND, &data))
}

const ANY_KIND: vk::DebugUtilsMessageTypeFlagsEXT = vk::DebugUtilsMessageTypeFlagsEXT::from_raw(
    vk::DebugUtilsMessageTypeFlagsEXT::GENERAL.as_raw() | vk::DebugUtilsMessageTypeFlagsEXT::VALIDATION.as_raw(),
);

/// A closed stderr is no reason to fail.
fn on_stderr(text: &str) {
    let _ = writeln!(std::io::stderr().lock(), "wavepipe: {text}");
}

pub struct Messenger;

impl Object for Messenger {
    type Handle = vk::DebugUtilsMessengerEXT;
}

entry! { call;
    fn vkCreateDebugUtilsMessengerEXT(
        instance: vk::Instance,
        info: *const vk::DebugUtilsMessengerCreateInfoEXT<'_>,
        _allocator: *const vk::AllocationCallbacks<'_>,
        out: *mut vk::DebugUtilsMessengerEXT,
    ) -> vk::Result {
        use vk::Handle;
        let instance = call.instance(instance);
        let handle = handle::create(Messenger);
        instance.messengers.lock().push((handle.as_raw(), Sink::new(call.read(info))));
        call.write(out, handle);
        SUCCESS
    }

    fn vkDestroyDebugUtilsMessengerEXT(
        instance: vk::Instance,
        messenger: vk::DebugUtilsMessengerEXT,
        _allocator: *const vk::AllocationCallbacks<'_>,
    ) {
        use vk::Handle;
        let instance = call.instance(instance);
        if call.destroy::<Messenger>(messenger).is_some() {
            instance.messengers.lock().retain(|(handle, _)| *handle != messenger.as_raw());
        }
    }

    fn vkSubmitDebugUtilsMessageEXT(
        instance: vk::Instance,
        severity: vk::DebugUtilsMessageSeverityFlagsEXT,
        kinds: vk::DebugUtilsMessageTypeFlagsEXT,
        data: *const vk::DebugUtilsMessengerCallbackDataEXT<'_>,
    ) {
        call.instance(instance).deliver(severity, kinds, call.read(data));
    }

    fn vkSetDebugUtilsObjectNameEXT(
        device: vk::Device,
        info: *const vk::DebugUtilsObjectNameInfoEXT<'_>,
    ) -> vk::Result {
        let info = call.read(info);
        use vk::Handle;
        let (handle, name) = (info.object_handle, call.string(info.p_object_name).to_string_lossy());
        call.set_name(info.object_type, handle, &name);
        match info.object_type {
            vk::ObjectType::BUFFER => call.buffer(vk::Buffer::from_raw(handle)).rename(&name),
            vk::ObjectType::IMAGE => call.image(vk::Image::from_raw(handle)).rename(&name),
            vk::ObjectType::DEVICE_MEMORY => call.memory(vk::DeviceMemory::from_raw(handle)).rename(&name),
            _ => {}
        }
        SUCCESS
    }

    fn vkSetDebugUtilsObjectTagEXT(
        device: vk::Device,
        info: *const vk::DebugUtilsObjectTagInfoEXT<'_>,
    ) -> vk::Result {
        SUCCESS
    }

    fn vkQueueBeginDebugUtilsLabelEXT(queue: vk::Queue, label: *const vk::DebugUtilsLabelEXT<'_>) {}
    fn vkQueueEndDebugUtilsLabelEXT(queue: vk::Queue) {}
    fn vkQueueInsertDebugUtilsLabelEXT(queue: vk::Queue, label: *const vk::DebugUtilsLabelEXT<'_>) {}
    fn vkCmdBeginDebugUtilsLabelEXT(commands: vk::CommandBuffer, label: *const vk::DebugUtilsLabelEXT<'_>) {}
    fn vkCmdEndDebugUtilsLabelEXT(commands: vk::CommandBuffer) {}
    fn vkCmdInsertDebugUtilsLabelEXT(commands: vk::CommandBuffer, label: *const vk::DebugUtilsLabelEXT<'_>) {}
}
