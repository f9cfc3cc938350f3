//! Archives and compressed streams: what they hold stays in the folder where it is extracted.

use super::parts;
use super::session::Trial;

/// What reads an archive, in the folder `out` beside it.
const COMMANDS: &[&[u8]] = &[
    b"tar -xf ../archive",
    b"tar -xpf ../archive --overwrite",
    b"tar -xkf ../archive --strip-components=1",
    b"tar -xf - <../archive; tar -df ../archive",
    b"tar -xOf ../archive",
    b"tar -tvf ../archive",
    b"cp ../archive a.tar; tar -rf a.tar ../archive; tar --delete -f a.tar f; tar -tf a.tar",
    b"gzip -dc <../archive",
    b"gzip -l ../archive; cp ../archive a.gz; gunzip -N a.gz",
    b"bzip2 -dc <../archive",
    b"xz -dc <../archive",
    b"xz -l ../archive; xz --format=lzma -dc <../archive",
    b"zstd -dc <../archive",
    b"unzip -o ../archive",
    b"unzip -Z ../archive; unzip -p ../archive; unzip -t ../archive",
    b"xxd -r ../archive",
];

/// The number of a command and what it reads. The sums of headers of `tar` are made right, so that the fuzzer has no need to.
pub fn archive(data: &[u8]) {
    let [number, content] = parts(data);
    let number = number
        .iter()
        .fold(0_usize, |number, byte| number.wrapping_mul(10).wrapping_add(usize::from(*byte & 15)));
    let command = COMMANDS[number % COMMANDS.len()];
    let content = &if command.starts_with(b"tar") { summed(content) } else { content.to_vec() };
    let script = [b"mkdir out; cd out; ", command].concat();
    let files = [("archive", content.as_slice()), ("f", b"outside\n")];
    let trial = Trial { script: &script, arguments: vec![], stdin: b"", files: &files };
    let ran = trial.run_twice();
    ran.changed_within("/workspace/out");
    ran.session_lives();
}

/// With the sum of each block that says that it is a header (POSIX pax(1), ustar interchange format).
fn summed(content: &[u8]) -> Vec<u8> {
    let mut content = content.to_vec();
    for block in content.chunks_exact_mut(512).filter(|block| &block[257..262] == b"ustar") {
        block[148..156].fill(b' ');
        let sum: u32 = block.iter().copied().map(u32::from).sum();
        block[148..156].copy_from_slice(format!("{sum:06o}\0 ").as_bytes());
    }
    content
}
