//! A host's key for what a store keeps: AES-256-GCM ([`SecretKey`]).

use aes_gcm::aead::{Aead, KeyInit};
use aes_gcm::{Aes256Gcm, Key, Nonce};
use sha2::{Digest, Sha256};
use std::fmt::{self, Write as _};

/// What a sealed text begins with; nonce, ciphertext and tag come after it in hexadecimal.
const MARK: &str = "aes-256-gcm:";
const NONCE_BYTES: usize = 12;

/// A key of 256 bits.
#[derive(Clone)]
pub struct SecretKey([u8; 32]);

impl SecretKey {
    /// The bytes must be random; where they are kept is the host's affair.
    pub const fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Encrypts a text. The nonce is a hash of key, random number and text, so that a poor random number cannot make two texts
    /// share one; with the same number, the same text gives the same result. `None` where the text is too long for the cipher.
    pub fn seal(&self, text: &str, random: u64) -> Option<String> {
        let digest = Sha256::new()
            .chain_update(self.0)
            .chain_update(random.to_be_bytes())
            .chain_update(text.as_bytes())
            .finalize();
        let mut nonce = [0; NONCE_BYTES];
        nonce.iter_mut().zip(digest).for_each(|(to, from)| *to = from);
        let sealed = self.cipher().encrypt(&Nonce::from(nonce), text.as_bytes()).ok()?;
        let mut out = MARK.to_owned();
        for byte in nonce.iter().chain(&sealed) {
            let _ = write!(out, "{byte:02x}");
        }
        Some(out)
    }

    /// Decrypts what [`SecretKey::seal`] gave; `None` for anything else.
    pub fn open(&self, sealed: &str) -> Option<String> {
        let digits = sealed.strip_prefix(MARK)?.as_bytes();
        let digit = |digit: u8| char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
        let pair = |pair: &[u8]| match pair {
            [high, low] => Some(digit(*high)? << 4 | digit(*low)?),
            _ => None,
        };
        let bytes: Vec<u8> = digits.chunks(2).map(pair).collect::<Option<_>>()?;
        let (nonce, sealed) = bytes.split_first_chunk::<NONCE_BYTES>()?;
        let text = self.cipher().decrypt(&Nonce::from(*nonce), sealed).ok()?;
        String::from_utf8(text).ok()
    }

    fn cipher(&self) -> Aes256Gcm {
        Aes256Gcm::new(&Key::<Aes256Gcm>::from(self.0))
    }
}

/// The key itself is never shown.
impl fmt::Debug for SecretKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SecretKey").finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sealed_is_opened_by_its_key_alone() {
        let key = SecretKey::new([7; 32]);
        let sealed = key.seal("Bearer é", 1).unwrap();
        assert_eq!(key.open(&sealed).as_deref(), Some("Bearer é"));
        assert_ne!(key.seal("Bearer é", 2).unwrap(), sealed);
        assert!(!sealed.contains("Bearer") && sealed.starts_with(MARK));
        assert_eq!(SecretKey::new([8; 32]).open(&sealed), None);
        let last = if sealed.ends_with('0') { "1" } else { "0" };
        let changed = format!("{}{last}", sealed.get(..sealed.len() - 1).unwrap());
        for other in [changed.as_str(), "Bearer é", MARK, "aes-256-gcm:0", "aes-256-gcm:zz"] {
            assert_eq!(key.open(other), None, "{other}");
        }
        assert_eq!(key.open(&key.seal("", 0).unwrap()).as_deref(), Some(""));
        assert_eq!(format!("{key:?}"), "SecretKey { .. }");
    }

    #[test]
    fn the_cipher_is_that_of_the_standard() {
        // Test case 13 of the GCM specification: a key and a nonce of zeros, no text.
        let cipher = SecretKey::new([0; 32]).cipher();
        let tag = cipher.encrypt(&Nonce::from([0; NONCE_BYTES]), &b""[..]).unwrap();
        let hex = tag.iter().fold(String::new(), |text, byte| format!("{text}{byte:02x}"));
        assert_eq!(hex, "530f8afbc74536b9a963b4f1c4cb738b");
    }
}
