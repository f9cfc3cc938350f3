//! A file of cases and the fixture that they lie in.

use super::parts;
use super::session::wait;
use hookbox::hook::case::CaseFile;
use hookbox::internal::case::update;
use hookbox::sandbox::SandboxSource;
use hookbox::vfs::fixture::Fixture;
use std::path::PathBuf;

/// The folder of this process.
fn folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("hookbox-fuzz-{}", std::process::id())).join("fixture");
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// A file of cases and a `fixture.yaml`: each case runs in the fixture, and what came out is written down so that it passes.
pub fn fixture(data: &[u8]) {
    let [cases, specification] = parts(data).map(String::from_utf8_lossy);
    let folder = folder();
    std::fs::write(folder.join("fixture.yaml"), specification.as_bytes()).unwrap();
    let loaded = Fixture::load(&folder);
    let Ok(file) = CaseFile::parse(&cases) else { return };
    let fixtures = |name: Option<&str>| match name {
        None => Fixture::load(&folder),
        Some(_) => Ok(Fixture::default()),
    };
    let mut results = Vec::new();
    for case in file.cases.iter().take(4) {
        let result = wait(file.run(case, &SandboxSource, &fixtures));
        assert!(loaded.is_ok() || result.is_err() || cases.contains("fixture"), "a case runs in no fixture");
        results.push(result.ok());
    }
    if results.len() == file.cases.len() {
        let _ = update(&cases, &file, &results).map(|text| CaseFile::parse(&text).map(drop));
    }
    std::fs::remove_dir_all(folder.parent().unwrap_or(&folder)).unwrap();
}
