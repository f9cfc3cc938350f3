//! Texts of a known kind: scripts by their first line, sources by words that only they have.

use super::kind::Kind;
use crate::memory::{String, format};

/// Bytes in which words are looked for.
const LOOKED_AT: usize = 8192;

const SHELL: &str = "text/x-shellscript";
const PYTHON: &str = "text/x-script.python";
const JAVASCRIPT: &str = "application/javascript";

/// The interpreters that have names of their own: after `#!`, and what stands before the name; whether `env` finds it too.
const INTERPRETERS: &[(&str, &[&str], &str, &str, bool)] = &[
    ("sh", &["/bin/"], "POSIX shell", SHELL, false),
    ("bash", &["/bin/", "/usr/bin/", "/usr/local/bin/"], "Bourne-Again shell", SHELL, true),
    ("csh", &["/bin/"], "C shell", SHELL, false),
    ("tcsh", &["/bin/", "/usr/bin/", "/usr/local/bin/", "/usr/local/tcsh"], "Tenex C shell", SHELL, false),
    ("ksh", &["/bin/"], "Korn shell", SHELL, false),
    ("zsh", &["/bin/", "/usr/bin/", "/usr/local/bin/"], "Paul Falstad's zsh", SHELL, true),
    ("fish", &["/usr/bin/", "/usr/local/bin/"], "fish shell", SHELL, true),
    ("awk", &["/bin/", "/usr/bin/"], "awk", "text/x-awk", false),
    ("gawk", &["/bin/", "/usr/bin/", "/usr/local/bin/"], "GNU awk", "text/x-gawk", false),
    ("mawk", &["/usr/bin/"], "new awk", "text/x-nawk", false),
    ("nawk", &["/bin/", "/usr/bin/"], "new awk", "text/x-nawk", false),
    ("php", &["/usr/bin/", "/usr/local/bin/"], "PHP", "text/x-php", false),
    ("lua", &["/usr/bin/", "/usr/local/bin/"], "Lua", "text/x-lua", true),
    ("ruby", &["/usr/bin/", "/usr/local/bin/"], "Ruby", "text/x-ruby", true),
];

/// What the first line of a script tells; that of an interpreter without a name here tells less than words of a source.
pub(super) fn script(data: &[u8]) -> Option<Kind> {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let rest = data.strip_prefix(b"#!")?;
    let end = memchr::memchr(b'\n', rest);
    let line = rest.get(..end.unwrap_or(rest.len())).unwrap_or(rest);
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let command = line.trim_ascii();
    let path = command.split(|byte| matches!(byte, b' ' | b'\t')).next().unwrap_or_default();
    let by_env =
        command.strip_prefix(b"/usr/bin/env").filter(|rest| rest.is_empty() || rest.starts_with(b" "));
    // A line without an end is too short for the names of interpreters.
    if end.is_some()
        && let Some(kind) = interpreter(path, by_env.map(<[u8]>::trim_ascii))
    {
        return Some(kind);
    }
    let shown = match by_env {
        Some([]) => rest.get(end.unwrap_or(rest.len())..).unwrap_or_default().trim_ascii_start(),
        Some(name) => name.trim_ascii(),
        None => command,
    };
    let shown = shown.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let script = || Kind::script(format!("a {} script", super::kind::text(shown, shown.len())), "");
    Some(source(data).unwrap_or_else(script))
}

fn interpreter(path: &[u8], by_env: Option<&[u8]>) -> Option<Kind> {
    let name = by_env.map(|name| name.split(|&byte| byte == b' ').next().unwrap_or_default());
    for (known, folders, words, mime, with_env) in INTERPRETERS {
        let is_direct = folders
            .iter()
            .any(|folder| path.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest == known.as_bytes()));
        if is_direct || (*with_env && name == Some(known.as_bytes())) {
            return Some(Kind::script(format!("{words} script"), mime));
        }
    }
    let is_named = |folders: &[&str], start: &str| {
        folders.iter().any(|folder| {
            path.strip_prefix(folder.as_bytes()).is_some_and(|rest| rest.starts_with(start.as_bytes()))
        })
    };
    let by_name = |start: &str| name.is_some_and(|name| name.starts_with(start.as_bytes()));
    if is_named(&["/usr/bin/", "/usr/local/bin/"], "python") || by_name("python") {
        return Some(Kind::script("Python script", PYTHON));
    }
    if is_named(&["/bin/", "/usr/bin/", "/usr/local/bin/"], "perl") || by_name("perl") {
        return Some(Kind::new("Perl script text executable", "text/x-perl", ""));
    }
    if is_named(&["/usr/bin/", "/usr/local/bin/"], "node") || by_name("node") {
        return Some(Kind::source("Node.js script executable", JAVASCRIPT));
    }
    if is_named(&["/usr/bin/", "/usr/local/bin/"], "tclsh") {
        return Some(Kind::script("Tcl/Tk script", "text/x-tcl"));
    }
    if by_name("tclsh") {
        return Some(Kind::script("Tcl script", "text/x-tcl"));
    }
    None
}

/// What begins some text formats.
const STARTS: &[(&str, &str, &str, &str, bool)] = &[
    ("-----BEGIN CERTIFICATE-----", "PEM certificate", "text/plain", "", false),
    ("-----BEGIN CERTIFICATE REQ", "PEM certificate request", "text/plain", "", false),
    ("-----BEGIN RSA PRIVATE", "PEM RSA private key", "text/plain", "", false),
    ("-----BEGIN DSA PRIVATE", "PEM DSA private key", "text/plain", "", false),
    ("-----BEGIN EC PRIVATE", "PEM EC private key", "text/plain", "", false),
    ("-----BEGIN OPENSSH PRIVATE KEY", "OpenSSH private key", "text/plain", "", false),
    ("ssh-rsa ", "OpenSSH RSA public key", "text/plain", "", false),
    ("ssh-dss ", "OpenSSH DSA public key", "text/plain", "", false),
    ("ssh-ed25519 ", "OpenSSH ED25519 public key", "text/plain", "", false),
    ("-----BEGIN PGP MESSAGE-", "PGP message", "application/pgp-encrypted", "asc", false),
    ("#EXTM3U", "M3U playlist", "text/plain", "", true),
    ("<?php", "PHP script", "text/x-php", "", true),
    ("<?\n", "PHP script", "text/x-php", "", true),
    ("\\documentclass", "LaTeX 2e document", "text/x-tex", "", true),
    ("diff ", "diff output", "text/x-diff", "", true),
    ("Index: ", "RCS/CVS diff output", "text/x-diff", "", true),
    (".TH ", "troff or preprocessor input", "text/troff", "", true),
    ("From: ", "news or mail", "message/rfc822", "", true),
];

/// What the words of a text tell.
pub(super) fn source(data: &[u8]) -> Option<Kind> {
    let data = data.strip_prefix(b"\xef\xbb\xbf").unwrap_or(data);
    let looked = data.get(..LOOKED_AT).unwrap_or(data);
    let is_unified = data.starts_with(b"diff ")
        && memchr::memmem::find(looked, b"\n--- ").is_some()
        && memchr::memmem::find(looked, b"\n+++ ").is_some();
    let second = data.split(|&byte| byte == b'\n').nth(1).unwrap_or_default();
    if is_unified || (data.starts_with(b"--- ") && second.starts_with(b"+++ ")) {
        return Some(Kind::source("unified diff output", "text/x-diff"));
    }
    for (start, words, mime, extensions, wants_encoding) in STARTS {
        if data.starts_with(start.as_bytes()) {
            return Some(Kind { wants_encoding: *wants_encoding, ..Kind::new(*words, mime, extensions) });
        }
    }
    markup(looked).or_else(|| program(looked))
}

/// XML, SVG and HTML.
fn markup(data: &[u8]) -> Option<Kind> {
    let text = data.trim_ascii_start();
    let svg = || Kind::new("SVG Scalable Vector Graphics image", "image/svg+xml", "svg");
    let begins = |text: &[u8], word: &[u8]| {
        text.get(..word.len()).is_some_and(|front| front.eq_ignore_ascii_case(word))
    };
    if let Some(rest) = data.strip_prefix(b"<?xml version") {
        let value = rest.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
        let quote = value.first().filter(|quote| matches!(quote, b'"' | b'\''))?;
        let version = value.get(1..)?.split(|byte| byte == quote).next()?;
        if memchr::memmem::find(data, b"<svg").is_some() {
            return Some(svg());
        }
        let shown = super::kind::text(version, 15);
        return Some(Kind::source(format!("XML {shown} document"), "text/xml"));
    }
    if begins(text, b"<svg") {
        return Some(svg());
    }
    const WORDS: [&[u8]; 7] =
        [b"<!doctype html", b"<html", b"<head", b"<title", b"<script", b"<style", b"<table"];
    if WORDS.iter().any(|word| begins(text, word)) {
        return Some(Kind::source("HTML document", "text/html"));
    }
    text.starts_with(b"<!--").then(|| Kind::source("exported SGML document", "text/plain"))
}

/// Languages of programs.
fn program(data: &[u8]) -> Option<Kind> {
    let has_line = |is_wanted: &dyn Fn(&[u8]) -> bool| data.split(|&byte| byte == b'\n').any(is_wanted);
    let c = || Some(Kind::source("C source", "text/x-c"));
    let cpp = || Some(Kind::source("C++ source", "text/x-c++"));
    let javascript = || Some(Kind { extensions: "js", ..Kind::source("JavaScript source", JAVASCRIPT) });
    let is_name = |text: &[u8]| text.first().is_some_and(|byte| byte.is_ascii_alphabetic() || *byte == b'_');
    if has_line(&|line| line.starts_with(b"using namespace") || line.starts_with(b"template <"))
        || has_line(&|line| line.starts_with(b"template<"))
        || has_line(&|line| {
            line.strip_prefix(b"namespace ").is_some_and(|rest| is_name(rest) && rest.ends_with(b"{"))
        })
        || has_line(&|line| {
            line.trim_ascii_start()
                .strip_prefix(b"class ")
                .is_some_and(|rest| rest.trim_ascii_end().ends_with(b"{"))
                && !line.starts_with(b"export")
        })
        || has_line(&|line| {
            [&b"public:"[..], b"private:", b"protected:"]
                .iter()
                .any(|word| line.trim_ascii_start().starts_with(word))
        })
    {
        return cpp();
    }
    if has_line(&|line| {
        let line = line.trim_ascii_end();
        let is_import = line.starts_with(b"import ") && memchr::memmem::find(line, b" from ").is_some();
        let ends_quoted = [&b"\""[..], b"\";", b"'", b"';"].iter().any(|end| line.ends_with(end));
        (is_import && ends_quoted)
            || line.starts_with(b"export default")
            || line.starts_with(b"\"use strict\"")
            || line.starts_with(b"'use strict'")
            || line.starts_with(b"module.exports")
            || line.starts_with(b"(function")
            || (line.starts_with(b"const ") && memchr::memmem::find(line, b"= require(").is_some())
    }) {
        return javascript();
    }
    if has_line(&|line| line.starts_with(b"import ") && line.trim_ascii_end().ends_with(b";")) {
        return Some(Kind::source("Java source", "text/x-java"));
    }
    if has_line(&|line| {
        line.starts_with(b"#include")
            || line.starts_with(b"#pragma")
            || line.starts_with(b"extern ")
            || line.strip_prefix(b"struct ").is_some_and(is_name)
    }) || has_main(data)
        || (has_line(&|line| line.starts_with(b"#if")) && has_line(&|line| line.starts_with(b"#endif")))
        || has_line(&|line| {
            let line = line.trim_ascii();
            line.strip_prefix(b"char ").is_some_and(|rest| rest.starts_with(b"*") && rest.ends_with(b";"))
        })
    {
        return c();
    }
    if has_line(&|line| {
        let words = |rest: &[u8]| rest.first().is_some_and(u8::is_ascii_alphabetic);
        line.strip_prefix(b"from ")
            .is_some_and(|rest| words(rest) && memchr::memmem::find(rest, b" import").is_some())
            || line.trim_ascii_start().strip_prefix(b"def ").is_some_and(|rest| {
                words(rest) && rest.trim_ascii_end().ends_with(b":") && rest.contains(&b'(')
            })
    }) {
        return Some(Kind::script("Python script", PYTHON));
    }
    let has_end = || has_line(&|line| line.trim_ascii() == b"end");
    if has_line(&|line| {
        let line = line.trim_ascii_start();
        [&b"def "[..], b"class ", b"module "].iter().any(|word| line.starts_with(word))
    }) && has_end()
    {
        return Some(Kind::source("Ruby script", "text/x-ruby"));
    }
    if has_line(&|line| line.starts_with(b"package ") && line.trim_ascii_end().ends_with(b";"))
        && !data.contains(&b'.')
    {
        return Some(Kind::source("Perl5 module source", "text/plain"));
    }
    if has_line(&|line| line.starts_with(b"all:") || line.starts_with(b"CC=")) {
        return Some(Kind::source("makefile script", "text/x-makefile"));
    }
    None
}

/// `main(...) {`
fn has_main(data: &[u8]) -> bool {
    let Some(at) = memchr::memmem::find(data, b"main(") else { return false };
    let mut rest = data.get(at..).unwrap_or_default();
    while let Some(end) = memchr::memchr(b')', rest) {
        rest = rest.get(end + 1..).unwrap_or_default();
        if rest.trim_ascii_start().starts_with(b"{") {
            return true;
        }
    }
    false
}

/// The words of a text without a kind of its own.
pub(super) fn shown(kind: Option<&Kind>, encoding: &str, details: &str) -> String {
    let lead = kind.map(|kind| format!("{}, ", kind.words)).unwrap_or_default();
    // No more is told of characters of four bytes.
    if encoding.contains("UTF-32") {
        return format!("{lead}{encoding}");
    }
    let end = if kind.is_some_and(|kind| kind.is_program) { " executable" } else { "" };
    format!("{lead}{encoding} text{end}{details}")
}
