//! Operations of the file system, one topic a test.

use super::*;
use crate::clock::Clock;
use crate::limit::Limit;
use std::sync::Arc;
use std::time::Duration;

fn options(uid: u32) -> Options {
    let clock = Arc::new(Clock::fixed(Duration::from_secs(1_000_000)));
    Options { clock, uid, gid: uid, ..Options::default() }
}

fn agent() -> FileSystem {
    FileSystem::new(options(1000))
}

fn root() -> FileSystem {
    FileSystem::new(options(0))
}

#[expect(clippy::needless_pass_by_value, reason = "so that calls can be written in place")]
fn errno<T: std::fmt::Debug>(result: Result<T>) -> &'static str {
    match result {
        Ok(_) => "ok",
        Err(FsError::Errno(errno)) => errno.name(),
        Err(FsError::Limit(error)) => error.limit.name(),
    }
}

fn open(fs: &FileSystem, path: &[u8], options: &OpenOptions) -> OpenFile {
    match fs.open(path, options).unwrap() {
        Opened::File(file) => file,
        other => panic!("not a regular file: {other:?}"),
    }
}

fn names(fs: &FileSystem, path: &[u8]) -> String {
    fs.read_dir(path).unwrap().iter().map(|entry| entry.name.to_string()).collect::<Vec<_>>().join(" ")
}

/// Names, and bytes of contents.
fn counts(fs: &FileSystem) -> (u64, u64) {
    let FsUsage { files, bytes, .. } = fs.usage();
    (files, bytes)
}

#[test]
fn the_base_tree() {
    let base = Base::new(&["cat", "ls"]);
    let fs = FileSystem::from_base(&base, options(1000));
    assert_eq!(names(&fs, b"/"), "bin dev etc home lib proc root run sbin tmp usr var workspace");
    assert_eq!(names(&fs, b"/bin/"), "cat ls");
    assert_eq!(&*fs.read(b"/bin/cat").unwrap(), b"#!hookbox cat\n");
    assert_eq!(fs.access(b"/bin/cat", true, false, true), Ok(()));
    assert_eq!(errno(fs.access(b"/bin/cat", false, true, false)), "EACCES");
    assert_eq!(fs.metadata(b"/tmp").unwrap().mode, 0o1777);
    assert_eq!(fs.metadata(b"/workspace").unwrap().uid, 1000);
    assert_eq!(counts(&fs), (0, 0));
    let other = FileSystem::from_base(&base, options(7));
    assert_eq!(other.metadata(b"/home/agent").unwrap().uid, 7);
    assert!(other.read(b"/etc/passwd").unwrap().ends_with(b"agent:x:7:7:agent:/home/agent:/bin/bash\n"));
    assert_eq!(counts(&other), (0, 0));
}

#[test]
fn devices() {
    let fs = agent();
    let device = |path: &[u8]| match fs.open(path, &OpenOptions::for_reading()) {
        Ok(Opened::Device(device)) => Ok(device),
        Ok(other) => panic!("{other:?}"),
        Err(error) => Err(error),
    };
    assert_eq!(device(b"/dev/null"), Ok(Device::Null));
    assert_eq!(device(b"/dev/stdin"), Ok(Device::Descriptor(0)));
    assert_eq!(device(b"/dev/fd/63"), Ok(Device::Descriptor(63)));
    assert_eq!(device(b"/proc/self/fd/2"), Ok(Device::Descriptor(2)));
    assert_eq!(errno(device(b"/dev/tty")), "ENXIO");
    assert_eq!(errno(device(b"/dev/fd/x")), "ENOENT");
    assert_eq!(errno(device(b"/dev/fd/1/x")), "ENOTDIR");
    assert_eq!(fs.metadata(b"/dev/null").unwrap().device, Some((1, 3)));
    assert_eq!(fs.metadata(b"/dev/stderr").unwrap().kind, FileKind::CharDevice);
    assert!(matches!(fs.open(b"/dev/full", &OpenOptions::for_writing(0)), Ok(Opened::Device(Device::Full))));
}

#[test]
fn files_are_created_written_and_read() {
    let fs = agent();
    fs.write(b"/workspace/a", b"one", 0o644).unwrap();
    assert_eq!(&*fs.read(b"/workspace/a").unwrap(), b"one");
    let file = open(&fs, b"/workspace/a", &OpenOptions::for_appending(0o600));
    assert_eq!(file.append(b" two"), Ok(7));
    file.write_at(10, b"!").unwrap();
    file.write_at(1, b"NE").unwrap();
    assert_eq!(&*fs.read(b"/workspace/a").unwrap(), b"oNE two\0\0\0!");
    assert_eq!(file.read_at(4, &mut |bytes| bytes.len()), Ok(7));
    assert_eq!(file.read_at(u64::MAX, &mut |bytes| bytes.len()), Ok(0));
    file.set_len(3).unwrap();
    assert_eq!(counts(&fs), (1, 3));
    assert_eq!(errno(file.write_at(u64::MAX - 1, b"abc")), "EFBIG");
    assert_eq!(errno(file.set_len(1 << 40)), "file_system_bytes");
    let metadata = file.metadata().unwrap();
    assert_eq!((metadata.mode, metadata.size, metadata.links, metadata.uid), (0o644, 3, 1, 1000));
    let file = open(&fs, b"/workspace/a", &OpenOptions::for_writing(0o600));
    assert_eq!(file.len(), Ok(0));
}

#[test]
fn an_unlinked_file_lives_until_it_is_closed() {
    let fs = agent();
    fs.write(b"/tmp/a", b"one", 0o644).unwrap();
    let file = open(&fs, b"/tmp/a", &OpenOptions::for_reading());
    fs.remove_file(b"/tmp/a").unwrap();
    let clone = file.clone();
    drop(file);
    clone.append(b" two").unwrap();
    assert_eq!(&*clone.content().unwrap(), b"one two");
    assert_eq!(clone.metadata().unwrap().links, 0);
    assert_eq!(counts(&fs), (0, 7));
    assert_eq!(counts(&fs.fork()), (0, 0));
    drop(clone);
    assert_eq!(counts(&fs), (0, 0));
}

#[test]
fn links() {
    let fs = agent();
    fs.create_dir_all(b"/tmp/d/e", 0o755).unwrap();
    fs.write(b"/tmp/d/f", b"text", 0o644).unwrap();
    fs.symlink(b"d/e", b"/tmp/l").unwrap();
    assert_eq!(&*fs.read(b"/tmp/l/../f").unwrap(), b"text", "`..` is physical");
    assert_eq!(fs.canonicalize(b"/tmp/l/.././/f").unwrap(), b"/tmp/d/f");
    assert_eq!(fs.symlink_metadata(b"/tmp/l").unwrap().size, 3);
    assert!(fs.symlink_metadata(b"/tmp/l/").unwrap().is_directory());
    assert_eq!(fs.read_link(b"/tmp/l").unwrap(), b"d/e");
    fs.symlink(b"loop", b"/tmp/loop").unwrap();
    assert_eq!(errno(fs.metadata(b"/tmp/loop")), "ELOOP");
    fs.symlink(b"gone/x", b"/tmp/dangling").unwrap();
    assert_eq!(errno(fs.write(b"/tmp/dangling", b"", 0o644)), "ENOENT");
    fs.symlink(b"new", b"/tmp/to-new").unwrap();
    fs.write(b"/tmp/to-new", b"x", 0o644).unwrap();
    assert_eq!(&*fs.read(b"/tmp/new").unwrap(), b"x");
    let new = OpenOptions { write: true, create_new: true, ..OpenOptions::default() };
    assert_eq!(errno(fs.open(b"/tmp/to-new", &new)), "EEXIST");
    assert_eq!(errno(fs.open(b"/tmp/to-new", &OpenOptions { read: true, no_follow: true, ..new })), "EEXIST");
    fs.hard_link(b"/tmp/new", b"/tmp/d/second").unwrap();
    assert_eq!(fs.metadata(b"/tmp/new").unwrap().links, 2);
    fs.write(b"/tmp/d/second", b"yy", 0o644).unwrap();
    fs.remove_file(b"/tmp/new").unwrap();
    assert_eq!(&*fs.read(b"/tmp/d/second").unwrap(), b"yy");
    assert_eq!(errno(fs.hard_link(b"/tmp/d", b"/tmp/x")), "EPERM");
    let chain: Vec<u8> = (0..41)
        .map(|n| {
            let target = if n == 0 { "d".to_owned() } else { format!("c{}", n - 1) };
            fs.symlink(target.as_bytes(), format!("/tmp/c{n}").as_bytes()).unwrap();
            0
        })
        .collect();
    assert_eq!(chain.len(), 41);
    assert_eq!(errno(fs.metadata(b"/tmp/c39/f")), "ok");
    assert_eq!(errno(fs.metadata(b"/tmp/c40/f")), "ELOOP");
}

#[test]
fn no_path_leads_out() {
    let fs = agent();
    for path in [&b"/../../.."[..], b"/workspace/../../../", b"/tmp/../..", b"//"] {
        assert_eq!(fs.canonicalize(path).unwrap(), b"/");
    }
}

/// `{long}` is a name of 256 bytes. The answers are Linux's.
#[test]
fn errors_are_those_of_linux() {
    let fs = agent();
    fs.create_dir(b"/tmp/d", 0o755).unwrap();
    fs.write(b"/tmp/d/f", b"", 0o644).unwrap();
    fs.write(b"/tmp/f", b"", 0o644).unwrap();
    fs.symlink(b"d", b"/tmp/l").unwrap();
    fs.symlink(b"nowhere", b"/tmp/n").unwrap();
    let name = [b"/tmp/".to_vec(), vec![b'n'; 256]].concat();
    let path = [b"/tmp/".to_vec(), b"./".repeat(2050)].concat();
    let read = OpenOptions::for_reading();
    let write = OpenOptions::for_writing(0o644);
    let directory = OpenOptions { read: true, directory: true, ..OpenOptions::default() };
    for (case, got, expected) in [
        ("stat empty", errno(fs.metadata(b"")), "ENOENT"),
        ("stat f/", errno(fs.metadata(b"/tmp/f/")), "ENOTDIR"),
        ("stat f/x", errno(fs.metadata(b"/tmp/f/x")), "ENOTDIR"),
        ("stat f/..", errno(fs.metadata(b"/tmp/f/..")), "ENOTDIR"),
        ("stat none/..", errno(fs.metadata(b"/tmp/none/..")), "ENOENT"),
        ("stat long", errno(fs.metadata(&name)), "ENAMETOOLONG"),
        ("stat long path", errno(fs.metadata(&path)), "ENAMETOOLONG"),
        ("stat /root/x", errno(fs.metadata(b"/root/x")), "EACCES"),
        ("open none", errno(fs.open(b"/tmp/none", &read)), "ENOENT"),
        ("open d for writing", errno(fs.open(b"/tmp/d", &write)), "EISDIR"),
        ("open new/", errno(fs.open(b"/tmp/new/", &write)), "EISDIR"),
        ("open f as directory", errno(fs.open(b"/tmp/f", &directory)), "ENOTDIR"),
        ("open d as directory", errno(fs.open(b"/tmp/d", &directory)), "ok"),
        (
            "open l nofollow",
            errno(fs.open(b"/tmp/l", &OpenOptions { no_follow: true, ..read.clone() })),
            "ELOOP",
        ),
        ("read d", errno(fs.read(b"/tmp/d")), "EISDIR"),
        ("mkdir d", errno(fs.create_dir(b"/tmp/d", 0o755)), "EEXIST"),
        ("mkdir n/", errno(fs.create_dir(b"/tmp/n/", 0o755)), "EEXIST"),
        ("mkdir /", errno(fs.create_dir(b"/", 0o755)), "EEXIST"),
        ("mkdir none/x", errno(fs.create_dir(b"/tmp/none/x", 0o755)), "ENOENT"),
        ("mkdir /x", errno(fs.create_dir(b"/x", 0o755)), "EACCES"),
        ("mkdir -p f/x", errno(fs.create_dir_all(b"/tmp/f/x", 0o755)), "ENOTDIR"),
        ("mkdir -p f", errno(fs.create_dir_all(b"/tmp/f", 0o755)), "EEXIST"),
        ("mkdir -p l/x/y/", errno(fs.create_dir_all(b"/tmp/l/x/y/", 0o755)), "ok"),
        ("rmdir d", errno(fs.remove_dir(b"/tmp/d")), "ENOTEMPTY"),
        ("rmdir f", errno(fs.remove_dir(b"/tmp/f")), "ENOTDIR"),
        ("rmdir l/", errno(fs.remove_dir(b"/tmp/l/")), "ENOTDIR"),
        ("rmdir d/.", errno(fs.remove_dir(b"/tmp/d/.")), "EINVAL"),
        ("rmdir d/..", errno(fs.remove_dir(b"/tmp/d/..")), "ENOTEMPTY"),
        ("rmdir /", errno(fs.remove_dir(b"/")), "EBUSY"),
        ("rmdir d/x/y/", errno(fs.remove_dir(b"/tmp/d/x/y/")), "ok"),
        ("unlink d", errno(fs.remove_file(b"/tmp/d")), "EISDIR"),
        ("unlink f/", errno(fs.remove_file(b"/tmp/f/")), "ENOTDIR"),
        ("unlink d/", errno(fs.remove_file(b"/tmp/d/")), "EISDIR"),
        ("unlink /etc/passwd", errno(fs.remove_file(b"/etc/passwd")), "EACCES"),
        ("unlink descriptor", errno(fs.remove_file(b"/dev/fd/0")), "EPERM"),
        ("rename d into itself", errno(fs.rename(b"/tmp/d", b"/tmp/d/x/z")), "EINVAL"),
        ("rename d over parent", errno(fs.rename(b"/tmp/d/x", b"/tmp/d")), "ENOTEMPTY"),
        ("rename d over f", errno(fs.rename(b"/tmp/d", b"/tmp/f")), "ENOTDIR"),
        ("rename f over d", errno(fs.rename(b"/tmp/f", b"/tmp/d")), "EISDIR"),
        ("rename f to new/", errno(fs.rename(b"/tmp/f", b"/tmp/new/")), "ENOTDIR"),
        ("rename none", errno(fs.rename(b"/tmp/none", b"/tmp/x")), "ENOENT"),
        ("rename d/.", errno(fs.rename(b"/tmp/d/.", b"/tmp/x")), "EBUSY"),
        ("rename to /etc", errno(fs.rename(b"/tmp/f", b"/etc/f")), "EACCES"),
        ("rename f f", errno(fs.rename(b"/tmp/f", b"/tmp/f")), "ok"),
        ("symlink empty", errno(fs.symlink(b"", b"/tmp/s")), "ENOENT"),
        ("symlink new/", errno(fs.symlink(b"x", b"/tmp/new/")), "ENOENT"),
        ("symlink f", errno(fs.symlink(b"x", b"/tmp/f")), "EEXIST"),
        ("readlink f", errno(fs.read_link(b"/tmp/f")), "EINVAL"),
        ("readdir f", errno(fs.read_dir(b"/tmp/f")), "ENOTDIR"),
        ("readdir /root", errno(fs.read_dir(b"/root")), "EACCES"),
        ("chmod /etc", errno(fs.set_mode(b"/etc", 0o777)), "EPERM"),
        ("chown f root", errno(fs.set_owner(b"/tmp/f", Some(0), None, true)), "EPERM"),
        ("chown f self", errno(fs.set_owner(b"/tmp/f", Some(1000), Some(1000), true)), "ok"),
        ("truncate d", errno(fs.truncate(b"/tmp/d", 0)), "EISDIR"),
        ("truncate /etc/passwd", errno(fs.truncate(b"/etc/passwd", 0)), "EACCES"),
    ] {
        assert_eq!(got, expected, "{case}");
    }
}

#[test]
fn permissions() {
    let fs = agent();
    fs.write(b"/tmp/f", b"", 0o200).unwrap();
    assert_eq!(errno(fs.read(b"/tmp/f")), "EACCES");
    fs.set_mode(b"/tmp/f", 0o400).unwrap();
    assert_eq!(errno(fs.write(b"/tmp/f", b"", 0)), "EACCES");
    fs.create_dir(b"/tmp/d", 0o755).unwrap();
    fs.write(b"/tmp/d/f", b"", 0o644).unwrap();
    fs.set_mode(b"/tmp/d", 0o600).unwrap();
    assert_eq!(errno(fs.metadata(b"/tmp/d/f")), "EACCES");
    assert_eq!(names(&fs, b"/tmp/d"), "f");
    fs.set_mode(b"/tmp/d", 0o500).unwrap();
    assert_eq!(errno(fs.remove_file(b"/tmp/d/f")), "EACCES");
    assert_eq!(errno(fs.write(b"/tmp/d/new", b"", 0o644)), "EACCES");
    assert_eq!(errno(fs.rename(b"/tmp/d", b"/workspace/d")), "EACCES", "`..` of d would change");
    assert_eq!(errno(fs.rename(b"/tmp/d", b"/tmp/e")), "ok");

    let fs = root();
    fs.write(b"/tmp/root", b"", 0o000).unwrap();
    assert_eq!(errno(fs.read(b"/tmp/root")), "ok");
    assert_eq!(errno(fs.access(b"/tmp/root", true, true, true)), "EACCES");
    fs.set_owner(b"/tmp/root", Some(5), Some(6), true).unwrap();
    assert_eq!(fs.metadata(b"/tmp/root").unwrap().gid, 6);
}

#[test]
fn a_sticky_directory_protects_the_files_of_others() {
    let base = agent();
    let admin = root();
    admin.write(b"/tmp/theirs", b"", 0o666).unwrap();
    base.restore(&admin.snapshot());
    assert_eq!(errno(base.remove_file(b"/tmp/theirs")), "EPERM");
    assert_eq!(errno(base.rename(b"/tmp/theirs", b"/tmp/mine")), "EPERM");
    assert_eq!(errno(base.write(b"/tmp/theirs", b"x", 0)), "ok");
    assert_eq!(errno(base.set_times(b"/tmp/theirs", Some(Duration::ZERO), None, true)), "EPERM");
    assert_eq!(errno(base.touch(b"/tmp/theirs", true)), "ok");
}

#[test]
fn rename_replaces_in_one_step() {
    let fs = agent();
    fs.create_dir_all(b"/tmp/a/sub", 0o755).unwrap();
    fs.create_dir(b"/tmp/b", 0o755).unwrap();
    fs.write(b"/tmp/a/sub/f", b"f", 0o644).unwrap();
    assert_eq!(fs.metadata(b"/tmp/a").unwrap().links, 3);
    fs.rename(b"/tmp/a/sub", b"/tmp/b").unwrap();
    assert_eq!(fs.metadata(b"/tmp/a").unwrap().links, 2);
    assert_eq!(&*fs.read(b"/tmp/b/f").unwrap(), b"f");
    assert_eq!(fs.canonicalize(b"/tmp/b/../b/f").unwrap(), b"/tmp/b/f");
    fs.write(b"/tmp/g", b"long old content", 0o644).unwrap();
    fs.rename(b"/tmp/b/f", b"/tmp/g").unwrap();
    assert_eq!(&*fs.read(b"/tmp/g").unwrap(), b"f");
    assert_eq!(counts(&fs), (3, 1));
    fs.hard_link(b"/tmp/g", b"/tmp/h").unwrap();
    fs.rename(b"/tmp/g", b"/tmp/h").unwrap();
    assert_eq!(names(&fs, b"/tmp"), "a b g h", "two names of one file: nothing happens");
}

#[test]
fn forks_and_snapshots_are_isolated() {
    let fs = agent();
    fs.write(b"/tmp/f", b"one", 0o644).unwrap();
    let (fork, snapshot) = (fs.fork(), fs.snapshot());
    fs.write(b"/tmp/f", b"two", 0o644).unwrap();
    fs.write(b"/tmp/g", b"new", 0o644).unwrap();
    fork.remove_file(b"/tmp/f").unwrap();
    assert_eq!((names(&fs, b"/tmp"), names(&fork, b"/tmp")), ("f g".to_owned(), String::new()));
    let file = open(&fs, b"/tmp/g", &OpenOptions::for_reading());
    let old = open(&fs, b"/tmp/f", &OpenOptions::for_reading());
    fs.restore(&snapshot);
    assert_eq!(&*fs.read(b"/tmp/f").unwrap(), b"one");
    assert_eq!(&*old.content().unwrap(), b"one");
    assert_eq!(&*file.content().unwrap(), b"new", "lives on without a name");
    fs.write(b"/tmp/h", b"other", 0o644).unwrap();
    assert_eq!(&*file.content().unwrap(), b"new", "its inode number is not used again");
    drop(file);
    assert_eq!(counts(&fs), (2, 8));
    fs.restore(&fork.snapshot());
    assert_eq!(errno(old.content()), "EIO");
}

#[test]
fn quotas() {
    let fs = FileSystem::new(Options { max_files: 3, max_bytes: 100_000, ..options(1000) });
    fs.write(b"/tmp/a", b"12345", 0o644).unwrap();
    fs.create_dir(b"/tmp/d", 0o755).unwrap();
    fs.hard_link(b"/tmp/a", b"/tmp/b").unwrap();
    let error = fs.create_dir(b"/tmp/e", 0o755).unwrap_err();
    assert!(matches!(error, FsError::Limit(error) if error.limit == Limit::Files && error.allowed == 3));
    let file = open(&fs, b"/tmp/a", &OpenOptions::for_appending(0));
    let bytes = vec![b'x'; 100_000];
    assert_eq!(file.append(&bytes[..90_000]), Ok(90_005));
    assert_eq!(errno(file.append(&bytes[..10_000])), "file_system_bytes");
    assert_eq!(errno(file.write_at(80_000, &bytes[..20_005])), "file_system_bytes");
    assert_eq!(errno(file.write_at(80_000, &bytes[..10_005])), "ok");
    assert_eq!(errno(file.set_len(100_000)), "file_system_bytes");
    assert_eq!(errno(fs.write(b"/tmp/a", &bytes, 0)), "file_system_bytes");
    assert_eq!(fs.read(b"/tmp/b").unwrap().len(), 90_005);
    fs.remove_file(b"/tmp/a").unwrap();
    fs.remove_file(b"/tmp/b").unwrap();
    assert_eq!(counts(&fs), (1, 90_005));
    assert_eq!(errno(fs.write(b"/tmp/c", &bytes[..10_000], 0)), "file_system_bytes", "it is still open");
    drop(file);
    assert_eq!(counts(&fs), (1, 0));
    assert_eq!(errno(fs.write(b"/tmp/c", &bytes[..90_000], 0)), "ok");
}

/// Everything counts: what has no content ends by the limit on bytes, too, and what is removed is given back.
#[test]
fn names_inodes_and_folders_are_counted() {
    let name = |number: u64| [b"/tmp/".as_slice(), format!("{number:0200}").as_bytes()].concat();
    type Make = fn(&FileSystem, &[u8]) -> Result<()>;
    let kinds: [Make; 5] = [
        |fs, path| fs.write(path, b"", 0o644),
        |fs, path| fs.create_dir(path, 0o755),
        |fs, path| fs.symlink(b"x", path),
        |fs, path| fs.make_fifo(path, 0o644),
        |fs, path| fs.hard_link(b"/tmp", path).or_else(|_| fs.hard_link(b"/etc/passwd", path)),
    ];
    for make in kinds {
        let fs = FileSystem::new(Options { max_bytes: 1 << 20, ..options(0) });
        let mut made = 0;
        while make(&fs, &name(made)).is_ok() {
            made += 1;
        }
        assert!((1000..6000).contains(&made), "{made}");
        assert!(fs.usage().memory <= (1 << 20) + 8192, "{:?}", fs.usage());
        assert_eq!(errno(make(&fs, &name(made))), "file_system_bytes");
        for number in 0..made {
            fs.remove_file(&name(number)).or_else(|_| fs.remove_dir(&name(number))).unwrap();
        }
        assert!(fs.usage().memory < 2048, "{:?}", fs.usage());
    }
}

/// The account that is kept by steps is the sum of what is there.
#[test]
fn the_account_is_what_a_walk_finds() {
    let fs = agent();
    for number in 0..200 {
        let (folder, place) = (format!("/tmp/folder {}", number % 7), number * 997);
        fs.create_dir_all(folder.as_bytes(), 0o755).unwrap();
        let path = format!("{folder}/{}{number}", "a long name ".repeat(number % 5));
        fs.write(path.as_bytes(), &vec![b'x'; place], 0o644).unwrap();
        fs.hard_link(path.as_bytes(), format!("/tmp/link {number}").as_bytes()).unwrap();
        fs.truncate(path.as_bytes(), (place / 2) as u64).unwrap();
        if number % 3 == 0 {
            fs.rename(path.as_bytes(), format!("/tmp/folder {}/b", (number + 1) % 7).as_bytes())
                .or_else(|_| fs.remove_file(path.as_bytes()))
                .unwrap();
        }
    }
    let state = fs.snapshot().state;
    let mut found = FsUsage::default();
    state.root.table.for_each(|_, inode| found.add(inode.usage()));
    let used = state.root.table.usage();
    assert_eq!((used.files, used.bytes), (found.files, found.bytes));
    assert!(used.memory > found.memory && used.memory < found.memory + 100 * 280, "nodes of the table");
}

#[test]
fn times_come_from_the_clock() {
    let clock = Arc::new(Clock::fixed(Duration::from_secs(100)));
    let fs = FileSystem::new(Options { clock: Arc::clone(&clock), ..Options::default() });
    fs.write(b"/tmp/f", b"", 0o644).unwrap();
    clock.advance_to(Duration::from_secs(5));
    fs.set_mode(b"/tmp/f", 0o600).unwrap();
    let metadata = fs.metadata(b"/tmp/f").unwrap();
    assert_eq!((metadata.modified.as_secs(), metadata.changed.as_secs()), (100, 105));
    fs.set_times(b"/tmp/f", None, Some(Duration::new(7, 8)), true).unwrap();
    let metadata = fs.metadata(b"/tmp/f").unwrap();
    assert_eq!((metadata.accessed.as_secs(), metadata.modified), (100, Duration::new(7, 8)));
    assert_eq!(fs.metadata(b"/tmp").unwrap().modified.as_secs(), 100);
    assert_eq!(fs.metadata(b"/etc").unwrap().modified, Duration::ZERO);
}

#[test]
fn fifos_have_a_number_of_their_own() {
    let fs = agent();
    fs.make_fifo(b"/tmp/p", 0o644).unwrap();
    let number = match fs.open(b"/tmp/p", &OpenOptions::for_reading()).unwrap() {
        Opened::Fifo(number) => number,
        other => panic!("{other:?}"),
    };
    assert_eq!(number, fs.metadata(b"/tmp/p").unwrap().inode);
    fs.remove_file(b"/tmp/p").unwrap();
    fs.make_fifo(b"/tmp/p", 0o644).unwrap();
    assert_ne!(number, fs.metadata(b"/tmp/p").unwrap().inode);
}

#[test]
fn links_are_counted_over_a_whole_path() {
    let fs = agent();
    fs.create_dir(b"/tmp/d", 0o755).unwrap();
    fs.symlink(b"d", b"/tmp/l").unwrap();
    let path = |links: usize| [b"/tmp/".to_vec(), b"l/../".repeat(links), b"new".to_vec()].concat();
    assert_eq!(errno(fs.metadata(&path(41))), "ELOOP");
    assert_eq!(errno(fs.create_dir_all(&path(41), 0o755)), "ELOOP");
    assert_eq!(errno(fs.create_dir_all(&path(40), 0o755)), "ok");
}

/// A chain of directories that is deeper than any path can reach, made by moving chains to the ends of others.
#[test]
fn a_tree_of_any_depth_is_compared_and_dropped() {
    let fs = agent();
    let before = fs.snapshot();
    let chain = [b"/tmp".to_vec(), b"/d".repeat(1990)].concat();
    for _ in 0..10 {
        fs.create_dir_all(&chain, 0o755).unwrap();
        fs.rename(b"/tmp/d", b"/tmp/whole").unwrap();
        fs.create_dir_all(&chain, 0o755).unwrap();
        fs.rename(b"/tmp/whole", &[chain.clone(), b"/d".to_vec()].concat()).unwrap();
    }
    assert!(fs.usage().files > 10 * 1990);
    let changes = diff(&before, &fs.snapshot());
    assert!(changes.len() > 1990 && changes.iter().all(|change| change.path.len() < 4096));
    fs.restore(&before);
    assert_eq!(counts(&fs), (0, 0));
}

#[test]
fn a_snapshot_starts_another_session() {
    let fs = agent();
    fs.write(b"/workspace/f", b"text", 0o644).unwrap();
    let copy = FileSystem::from_snapshot(&fs.snapshot(), Options { max_bytes: 500, ..options(1000) });
    assert_eq!(&*copy.read(b"/workspace/f").unwrap(), b"text");
    assert_eq!(counts(&copy), (0, 0));
    assert_eq!(errno(copy.write(b"/workspace/g", &[b'x'; 500], 0o644)), "file_system_bytes");
    assert_eq!(errno(copy.write(b"/workspace/g", b"", 0o644)), "ok");
}
