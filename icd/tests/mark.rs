//! The file of `wavepipe exec`.

use rustix::fs::{CWD, FileType, MemfdFlags, memfd_create, mknodat};
use std::fs::File;
use std::io::{Read as _, Seek as _, Write as _};
use std::os::fd::AsRawFd as _;
use std::path::Path;
use vulkan_wavepipe::tested::open_mark as open;

/// Only a file that exec made is written to, and at its end.
#[test]
fn files_of_others_are_left_alone() {
    let folder = std::env::temp_dir().join(format!("wavepipe-mark-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (plain, fifo, link) = (folder.join("memfd:wavepipe-exec"), folder.join("fifo"), folder.join("link"));
    std::fs::write(&plain, "theirs").unwrap();
    mknodat(CWD, &fifo, FileType::Fifo, 0o600.into(), 0).unwrap();
    let at = |file: &File| format!("/proc/self/fd/{}", file.as_raw_fd());
    let others = File::from(memfd_create("other", MemfdFlags::CLOEXEC).unwrap());
    let opened = File::open(&plain).unwrap();
    std::os::unix::fs::symlink("/memfd:wavepipe-exec", &link).unwrap();
    let wrong = [&plain, &fifo, &link, &folder].map(|p| p.display().to_string());
    let wrong =
        wrong.into_iter().chain([at(&others), at(&opened), "/dev/full".into(), "".into(), "/proc/self/fd/9999".into()]);
    for path in wrong {
        assert!(open(Path::new(&path)).is_none(), "{path}");
    }
    let mut ours = File::from(memfd_create("wavepipe-exec", MemfdFlags::CLOEXEC).unwrap());
    for word in ["a", "b"] {
        open(Path::new(&at(&ours))).unwrap().write_all(word.as_bytes()).unwrap();
    }
    let mut text = String::new();
    ours.rewind().unwrap();
    ours.read_to_string(&mut text).unwrap();
    assert_eq!(text, "ab");
    std::fs::remove_dir_all(folder).unwrap();
}
