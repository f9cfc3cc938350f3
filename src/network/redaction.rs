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

    /// Blots out what stands in `bytes`.
    pub(super) fn blot(&self, bytes: &mut [u8]) {
        for secret in &self.secrets {
            let needle = secret.reveal().as_bytes();
            let found: Vec<usize> = memchr::memmem::find_iter(bytes, needle).collect();
            for at in found {
                if let Some(place) = bytes.get_mut(at..at.saturating_add(needle.len())) {
                    place.fill(b'*');
                }
            }
        }
    }

    /// The next piece; what is returned can be shorter, or empty.
    pub(super) fn piece(&mut self, piece: Vec<u8>) -> Vec<u8> {
        if self.secrets.is_empty() {
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
