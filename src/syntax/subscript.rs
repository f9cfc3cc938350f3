//! Subscripts inside a text: where they end. Bash manual 6.7.

/// Where the bracket closes that a text begins with. What is quoted closes nothing; `None`: it, or a quote inside, is open.
pub(crate) fn closing_bracket(text: &[u8]) -> Option<usize> {
    let mut open = 0_usize;
    let mut at = 0;
    while let Some(&byte) = text.get(at) {
        match byte {
            b'\\' => at += 1,
            b'\'' => at += 1 + memchr::memchr(byte, text.get(at + 1..)?)?,
            b'"' | b'`' => at += closing_quote(text.get(at..)?)?,
            b'[' => open += 1,
            b']' if open <= 1 => return Some(at),
            b']' => open -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Where the quote closes that a text begins with; a backslash before it keeps it from that.
fn closing_quote(text: &[u8]) -> Option<usize> {
    let (&quote, _) = text.split_first()?;
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            byte if *byte == quote => return Some(at),
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::closing_bracket;

    #[test]
    fn what_is_quoted_closes_nothing() {
        for (text, want) in [
            ("[a]b]", Some(2)),
            ("[a[b]]", Some(5)),
            (r"[a\]b]", Some(5)),
            ("['a]b']", Some(6)),
            (r#"["a\"]b"]"#, Some(8)),
            ("[`]`]", Some(4)),
            ("[it's]", None),
            ("[\"]", None),
            ("[a[b]", None),
        ] {
            assert_eq!(closing_bracket(text.as_bytes()), want, "{text}");
        }
    }
}
