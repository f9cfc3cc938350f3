//! Secrets of the host that a server shows in its answer: each byte becomes a star, so that lengths stay as announced.

use super::credential::Secret;

/// Shorter ones would blot out text that has nothing to do with them.
const SHORTEST: usize = 6;

/// Blots out secrets in pieces of a body. What may be the beginning of one is held back.
pub(super) struct Redaction {
    secrets: Vec<Secret>,
    held: Vec<u8>,
}

impl Redaction {
    pub(super) fn new(secrets: Vec<Secret>) -> Self {
        Self {
            secrets: secrets.into_iter().filter(|secret| secret.reveal().len() >= SHORTEST).collect(),
            held: Vec::new(),
        }
    }

    /// Whether nothing is blotted out.
    pub(super) fn is_empty(&self) -> bool {
        self.secrets.is_empty()
    }

    /// Blots out what stands in `bytes`. All are found before the first is blotted out, as one can begin within another.
    pub(super) fn blot(&self, bytes: &mut [u8]) {
        let mut found = Vec::new();
        for secret in &self.secrets {
            let needle = secret.reveal().as_bytes();
            let mut from = 0_usize;
            while let Some(at) = bytes.get(from..).and_then(|rest| memchr::memmem::find(rest, needle)) {
                let at = from.saturating_add(at);
                found.push((at, at.saturating_add(needle.len())));
                from = at.saturating_add(1);
            }
        }
        for (start, end) in found {
            if let Some(place) = bytes.get_mut(start..end) {
                place.fill(b'*');
            }
        }
    }

    /// Blots out what stands in a text.
    pub(super) fn blot_text(&self, text: &mut String) {
        if !self.is_empty() {
            let mut bytes = std::mem::take(text).into_bytes();
            self.blot(&mut bytes);
            *text = String::from_utf8_lossy(&bytes).into_owned();
        }
    }

    /// The next piece; what is returned can be shorter, or empty.
    pub(super) fn piece(&mut self, piece: Vec<u8>) -> Vec<u8> {
        if self.is_empty() {
            return piece;
        }
        let mut bytes = std::mem::take(&mut self.held);
        bytes.extend_from_slice(&piece);
        self.blot(&mut bytes);
        let begins = |at: usize| {
            let end = bytes.get(at..).unwrap_or_default();
            self.secrets.iter().any(|secret| secret.reveal().as_bytes().starts_with(end))
        };
        let longest = self.secrets.iter().map(|secret| secret.reveal().len()).max().unwrap_or(0);
        let first = bytes.len().saturating_sub(longest.saturating_sub(1));
        let keep = (first..bytes.len()).find(|at| begins(*at)).unwrap_or(bytes.len());
        self.held = bytes.split_off(keep);
        bytes
    }

    /// What was held back when the body is over.
    pub(super) fn rest(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.held)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_that_overlap_are_blotted_out_whole() {
        let redaction =
            Redaction::new(["token-1", "token-123", "123456", "aabaab"].map(Secret::new).to_vec());
        for (text, want) in
            [("token-123456.", "************."), ("aabaabaab", "*********"), ("token-12", "*******2")]
        {
            let mut text = text.to_owned();
            redaction.blot_text(&mut text);
            assert_eq!(text, want);
        }
    }

    #[test]
    fn secrets_are_found_across_pieces() {
        let whole = b"x token-123 y token-12 z tokentoken-123token-1";
        for cut in 0..whole.len() {
            for second in cut..whole.len() {
                let mut redaction = Redaction::new(vec![Secret::new("token-123"), Secret::new("abc")]);
                let mut all = redaction.piece(whole[..cut].to_vec());
                all.extend(redaction.piece(whole[cut..second].to_vec()));
                all.extend(redaction.piece(whole[second..].to_vec()));
                all.extend(redaction.rest());
                assert_eq!(all, b"x ********* y token-12 z token*********token-1", "{cut} {second}");
            }
        }
    }
}
