//! Files that a user names.

use std::io::ErrorKind;
use std::path::Path;
use wavepipe_hw::file::*;

#[test]
fn only_regular_files_of_a_size() {
    let folder = std::env::temp_dir().join(format!("wavepipe-file-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (plain, fifo) = (folder.join("plain"), folder.join("fifo"));
    rustix::fs::mknodat(rustix::fs::CWD, &fifo, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
    std::os::unix::fs::symlink("/dev/zero", folder.join("zero")).unwrap();
    std::io::Write::write_all(&mut create(&plain).unwrap(), b"0123456789").unwrap();
    assert_eq!(read(&plain, 10).unwrap(), b"0123456789");
    assert_eq!(read(&plain, 9).unwrap_err().kind(), ErrorKind::FileTooLarge);
    for wrong in [&fifo, &folder.join("zero"), &folder, Path::new("/dev/zero")] {
        assert!(read(wrong, u64::MAX).is_err(), "{wrong:?}");
    }
    assert!(create(&fifo).is_err() && create(&folder).is_err());
    let full = std::io::Write::write_all(&mut create(Path::new("/dev/full")).unwrap(), b"0");
    assert_eq!(full.unwrap_err().kind(), ErrorKind::StorageFull);
    create(&plain).unwrap();
    assert_eq!(read(&plain, 10).unwrap(), b"");
    std::fs::remove_dir_all(folder).unwrap();
}
