//! `git` on a repository of which one file is the fuzzer's.

use super::parts;
use super::session::Trial;

/// The words of a command, a path within `.git`, what stands there, and what stands in `.gitattributes`. Under the path `pack` the
/// last two are a pack and its index; under one within `objects/` the content is an object as it is before it is deflated.
pub fn git(data: &[u8]) {
    const SCRIPT: &[u8] = include_bytes!("scripts/git.sh");
    let [words, place, content, more] = parts(data);
    let deflated = place.starts_with(b"objects/").then(|| stored(content));
    let content = deflated.as_deref().unwrap_or(content);
    let files = [("words", words), ("place", place), ("content", content), ("more", more)];
    Trial { script: SCRIPT, arguments: vec![], stdin: b"", files: &files }.run_twice().session_lives();
}

/// The bytes as a stream of zlib with one stored block (RFC 1950, RFC 1951): the fuzzer has no need to learn deflate.
fn stored(content: &[u8]) -> Vec<u8> {
    let length = content.len() as u16;
    let (mut low, mut high) = (1_u32, 0_u32);
    for &byte in content {
        low = (low + u32::from(byte)) % 65_521;
        high = (high + low) % 65_521;
    }
    let mut stream = vec![0x78, 0x01, 0x01];
    stream.extend(length.to_le_bytes());
    stream.extend((!length).to_le_bytes());
    stream.extend(content);
    stream.extend((high << 16 | low).to_be_bytes());
    stream
}
