//! The caches of compiled code: a program's own, the process's and the disk's.

use crate::host_time::thread_time;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, SystemTime};
use wavepipe_compiler::Options;
use wavepipe_hw::code::CodeObject;
use wavepipe_hw::launch::{PipelineLayout as Layout, UserData};
use wavepipe_runtime::tested::{CodeMemory, Disk, Key, MEMORY_BYTES, compare, find, insert};
use wavepipe_runtime::{ModuleId, PipelineCache, SpecValue, WaveSize};

fn key(n: u32) -> Key {
    Key::new(ModuleId::of(&[n]), &Options::new("main", &Layout::default()))
}

#[test]
fn keys_differ_in_whatever_decides_the_code() {
    let layout = Layout::default();
    let pushes = Layout { push_constant_bytes: 4, ..Default::default() };
    let spec = [SpecValue { id: 0, bits: 1, size: 4 }];
    let module = ModuleId::of(&[1, 2, 3]);
    let plain = Options::new("main", &layout);
    let wave = WaveSize::W64;
    let others = [
        Key::new(ModuleId::of(&[1, 2, 4]), &plain),
        Key::new(module, &Options::new("other", &layout)),
        Key::new(module, &Options::new("main", &pushes)),
        Key::new(module, &Options { spec: &spec, ..plain.clone() }),
        Key::new(module, &Options { wave, ..plain.clone() }),
    ];
    let key = Key::new(module, &plain);
    assert_eq!(key, Key::new(ModuleId::of(&[1, 2, 3]), &Options::new("main", &layout)));
    assert!(!others.contains(&key));
}

#[test]
fn memory_is_bounded_and_keeps_what_is_used() {
    let mut memory = CodeMemory::default();
    let code = Arc::new(CodeObject { text: vec![0; 1 << 20], ..Default::default() });
    memory.insert(key(0), &code);
    for n in 1..300 {
        memory.insert(key(n), &code);
        assert!(memory.find(&key(0)).is_some(), "{n}");
        let (entries, bytes) = memory.held();
        assert!(bytes <= MEMORY_BYTES && entries <= 64, "{n}");
    }
    assert!(memory.find(&key(299)).is_some() && memory.find(&key(1)).is_none());
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("wavepipe-{name}-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    folder
}

#[test]
fn code_outlives_the_object_and_damage_is_absence() {
    let folder = folder("cache");
    let code = CodeObject { name: "k".into(), text: vec![1, 2, 3, 4], ..Default::default() };
    Disk::new(&folder).insert(&key(1), &code);
    let disk = Disk::new(&folder);
    assert_eq!(disk.find(&key(1)), Some(code.clone()));
    assert_eq!(disk.find(&key(2)), None);
    // A file under another's name is not believed.
    fs::create_dir_all(disk.path(&key(2)).parent().unwrap()).unwrap();
    fs::copy(disk.path(&key(1)), disk.path(&key(2))).unwrap();
    assert_eq!(disk.find(&key(2)), None);
    let mut bytes = fs::read(disk.path(&key(1))).unwrap();
    bytes[50] ^= 1;
    fs::write(disk.path(&key(1)), bytes).unwrap();
    assert_eq!(disk.find(&key(1)), None);
    disk.insert(&key(1), &code);
    assert_eq!(disk.find(&key(1)), Some(code));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn what_is_no_file_is_absence_and_no_wait() {
    let folder = folder("odd");
    let code = CodeObject { text: vec![5; 100], ..Default::default() };
    let disk = Disk::new(&folder);
    let odd = |n: u32, make: &dyn Fn(&Path)| {
        let path = disk.path(&key(n));
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        make(&path);
        assert_eq!(disk.find(&key(n)), None);
        // What was compiled takes its place, where something can.
        disk.insert(&key(n), &code);
        disk.find(&key(n))
    };
    let fifo = |path: &Path| {
        rustix::fs::mknodat(rustix::fs::CWD, path, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    };
    assert_eq!(odd(1, &fifo), Some(code.clone()));
    assert_eq!(odd(2, &|path| std::os::unix::fs::symlink("/dev/zero", path).unwrap()), Some(code.clone()));
    assert_eq!(odd(3, &|path| fs::create_dir(path).unwrap()), None);
    let endless = |path: &Path| File::create(path).unwrap().set_len(1 << 40).unwrap();
    assert_eq!(odd(4, &endless), Some(code.clone()));
    // A FIFO where a new entry is written first.
    let temporary = disk.path(&key(5)).with_file_name(format!("{}-4.tmp", std::process::id()));
    assert_eq!(odd(5, &|_| fifo(&temporary)), Some(code));
    assert!(!temporary.exists());
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn the_folder_is_bounded_and_the_oldest_go() {
    let folder = folder("bound");
    let disk = Disk::bounded(&folder, 8 << 20);
    let code = CodeObject { text: vec![7; 2 << 20], ..Default::default() };
    for n in 0..20 {
        disk.insert(&key(n), &code);
        let day = SystemTime::UNIX_EPOCH + Duration::from_secs(u64::from(n) * 1000);
        File::options().write(true).open(disk.path(&key(n))).unwrap().set_modified(day).unwrap();
    }
    disk.trim();
    let left: Vec<u32> = (0..20).filter(|n| disk.path(&key(*n)).exists()).collect();
    assert!(left.len() <= 4 && left.contains(&19) && !left.contains(&0), "{left:?}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_file_of_holes_costs_no_other_its_place() {
    let folder = folder("holes");
    let disk = Disk::bounded(&folder, 8 << 20);
    let code = CodeObject { text: vec![7; 2 << 20], ..Default::default() };
    disk.insert(&key(1), &code);
    fs::create_dir_all(disk.path(&key(2)).parent().unwrap()).unwrap();
    File::create(disk.path(&key(2))).unwrap().set_len(1 << 40).unwrap();
    disk.trim();
    assert_eq!(disk.find(&key(1)), Some(code));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_folder_that_cannot_be_is_no_failure() {
    let disk = Disk::new(Path::new("/proc/none/such"));
    disk.insert(&key(1), &CodeObject::default());
    assert_eq!(disk.find(&key(1)), None);
}

fn code(n: u32) -> Arc<CodeObject> {
    Arc::new(CodeObject {
        name: format!("kernel {n}"),
        text: vec![n as u8; 40],
        user_data: vec![UserData::DescriptorSet(n), UserData::NumWorkGroups],
        vgprs: n,
        ..Default::default()
    })
}

fn three() -> PipelineCache {
    let cache = PipelineCache::default();
    (0..3).for_each(|n| insert(&cache, key(n), &code(n)));
    cache
}

#[test]
fn entries_come_back() {
    let (data, all) = three().data(usize::MAX);
    assert!(all);
    let back = PipelineCache::new(&data);
    assert_eq!(back.len(), 3);
    assert!((0..3).all(|n| find(&back, &key(n)).as_deref() == Some(&*code(n))));
    assert_eq!(back.data(usize::MAX), (data.clone(), true));
    let (fewer, all) = back.data(data.len() - 1);
    assert_eq!((PipelineCache::new(&fewer).len(), all), (2, false));
    let other = PipelineCache::default();
    insert(&other, key(7), &code(7));
    back.merge(&other);
    assert_eq!((back.len(), other.len()), (4, 1));
}

#[test]
fn a_search_for_whole_entries_has_an_end() {
    // Each eight bytes claim to be an entry of a megabyte.
    let mut data: Vec<u8> = [&b"wpc1"[..], &(1u32 << 20).to_le_bytes()].concat().repeat(1 << 20);
    let begin = thread_time();
    assert!(PipelineCache::new(&data).is_empty());
    // Without the bound a million hashes of a megabyte, which take a processor an hour.
    let took = thread_time() - begin;
    assert!(took.as_secs() < 60, "{took:?}");
    data.splice(..0, three().data(usize::MAX).0);
    assert_eq!(PipelineCache::new(&data).len(), 3);
}

#[test]
fn any_damaged_byte_costs_its_entry_alone() {
    let (data, _) = three().data(usize::MAX);
    for at in 0..data.len() {
        for flip in [1, 0x80, 0xff] {
            let mut damaged = data.clone();
            damaged[at] ^= flip;
            let back = PipelineCache::new(&damaged);
            let good = (0..3).filter(|n| find(&back, &key(*n)).is_some_and(|c| c == code(*n))).count();
            assert_eq!((good, back.len()), (2, 2), "byte {at} ^ {flip:#x}");
        }
    }
    for length in 0..data.len() {
        assert!(PipelineCache::new(&data[..length]).len() < 3);
    }
}

#[test]
fn other_code_in_a_cache_is_found() {
    let code = CodeObject { name: "main".into(), text: vec![1, 2, 3, 4], ..Default::default() };
    let other = CodeObject { text: vec![1, 2, 3, 5], ..code.clone() };
    assert!(compare(&code, &code.clone()).is_ok());
    let error = compare(&other, &code).unwrap_err().to_string();
    assert!(error.contains("`main`"), "{error}");
}
