//! Handles: how our objects travel through Vulkan's opaque 64-bit values. Every object sits in a box whose first word is
//! the loader's magic number (the loader puts its dispatch table there for dispatchable handles), and whose second word
//! says what the object is, so that a handle of the wrong kind is refused instead of misread.

use crate::entry::Call;
use ash::vk::{self, Handle};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicIsize, AtomicUsize, Ordering};

/// ICD_LOADER_MAGIC of the loader/driver interface.
const LOADER_MAGIC: usize = 0x01CD_C0DE;

/// An object that a handle can stand for.
pub trait Object: Sized {
    type Handle: Handle + Copy;
}

/// The header comes first and is the same for every `T`.
#[repr(C)]
struct Shell<T> {
    loader: AtomicUsize,
    kind: vk::ObjectType,
    notes: Mutex<Notes>,
    object: T,
}

/// What a program ties to an object.
#[derive(Default)]
struct Notes {
    /// As vkSetDebugUtilsObjectNameEXT gave it.
    name: Option<Box<str>>,
    /// Private data by the slot's identity.
    private: Vec<(u64, u64)>,
}

static LIVE: AtomicIsize = AtomicIsize::new(0);

/// Objects that were created and not destroyed, in the whole process; tests watch it.
pub fn live_objects() -> isize {
    LIVE.load(Ordering::SeqCst)
}

/// Boxes `object`; the handle owns it until [`Call::destroy`].
pub fn create<T: Object>(object: T) -> T::Handle {
    LIVE.fetch_add(1, Ordering::SeqCst);
    let shell =
        Shell { loader: AtomicUsize::new(LOADER_MAGIC), kind: T::Handle::TYPE, notes: Mutex::default(), object };
    T::Handle::from_raw(Box::into_raw(Box::new(shell)) as u64)
}

fn shell<T: Object>(handle: T::Handle) -> *mut Shell<T> {
    let shell = handle.as_raw() as *mut Shell<T>;
    assert!(!shell.is_null(), "{:?} handle is null", T::Handle::TYPE);
    assert!(shell.is_aligned(), "{:?} handle {:#x} was never given out", T::Handle::TYPE, shell as u64);
    // SAFETY: valid usage says that the handle came from `create` and is not destroyed; `kind` has the same place in
    // every Shell (repr(C)).
    let kind = unsafe { (*shell).kind };
    assert!(kind == T::Handle::TYPE, "handle {:#x} is a {kind:?}, not a {:?}", shell as u64, T::Handle::TYPE);
    shell
}

impl Call {
    /// The object behind a handle. Panics (behind the entry point's fence) on null or a handle of another kind.
    pub fn get<T: Object>(&self, handle: T::Handle) -> &T {
        // SAFETY: `shell` checked kind and null; the program must not destroy the object during the call, to which the
        // borrow is tied. Only shared borrows are ever made, until `destroy`.
        unsafe { &(*shell::<T>(handle)).object }
    }

    /// As [`Call::get`], but VK_NULL_HANDLE is `None`.
    pub fn get_opt<T: Object>(&self, handle: T::Handle) -> Option<&T> {
        (!handle.is_null()).then(|| self.get::<T>(handle))
    }

    /// The notes of an object of any kind; `None` if the handle is not of this one.
    fn notes(&self, kind: vk::ObjectType, handle: u64) -> Option<&Mutex<Notes>> {
        let shell = handle as *const Shell<()>;
        assert!(!shell.is_null() && shell.is_aligned(), "handle {handle:#x} was never given out");
        // SAFETY: valid usage says that the handle came from `create`; all fields before `object` have the same place in
        // every Shell (repr(C)), and no reference to `object` is made.
        let (its_kind, notes) = unsafe { ((*shell).kind, &(*shell).notes) };
        (its_kind == kind).then_some(notes)
    }

    /// Keeps a name for error messages, with any object of the kind; an empty one is none.
    pub fn set_name(&self, kind: vk::ObjectType, handle: u64, name: &str) {
        if let Some(notes) = self.notes(kind, handle) {
            notes.lock().name = (!name.is_empty()).then(|| name.into());
        }
    }

    /// The object's name between backquotes and after a space, or nothing.
    pub fn name<T: Object>(&self, handle: T::Handle) -> String {
        let notes = self.notes(T::Handle::TYPE, handle.as_raw());
        let name = notes.and_then(|notes| notes.lock().name.clone());
        name.map_or(String::new(), |name| format!(" `{name}`"))
    }

    /// Keeps private data with any object of the kind.
    pub fn set_private(&self, kind: vk::ObjectType, handle: u64, slot: u64, data: u64) {
        if let Some(notes) = self.notes(kind, handle) {
            let mut notes = notes.lock();
            notes.private.retain(|(s, _)| *s != slot);
            notes.private.push((slot, data));
        }
    }

    /// Private data of an object; 0 where none was set.
    pub fn private(&self, kind: vk::ObjectType, handle: u64, slot: u64) -> u64 {
        let notes = self.notes(kind, handle).map(|notes| notes.lock());
        notes.and_then(|notes| notes.private.iter().find(|(s, _)| *s == slot).map(|(_, data)| *data)).unwrap_or(0)
    }

    /// Takes the object back from its handle; `None` for VK_NULL_HANDLE, which every vkDestroy accepts.
    pub fn destroy<T: Object>(&self, handle: T::Handle) -> Option<T> {
        if handle.is_null() {
            return None;
        }
        // SAFETY: made by `create` with Box::into_raw; the program destroys it once, with nothing else using it.
        let shell = unsafe { Box::from_raw(shell::<T>(handle)) };
        LIVE.fetch_sub(1, Ordering::SeqCst);
        Some(shell.object)
    }
}
