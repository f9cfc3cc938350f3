//! The digests, and the state of one under way.

#[cfg(feature = "programs")]
use super::blake2b::Blake2b;
#[cfg(feature = "programs")]
use crate::memory::format;
use crate::memory::{String, ToMetered, Vec};

/// A message digest algorithm.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::utility) enum Algorithm {
    #[cfg(feature = "programs")]
    Md5,
    #[cfg(feature = "programs")]
    Sha1,
    Sha224,
    Sha256,
    Sha384,
    Sha512,
    /// With the bytes of its digest.
    #[cfg(feature = "programs")]
    Blake2b(usize),
    #[cfg(feature = "programs")]
    Sm3,
}

/// Bytes of the longest digest.
#[cfg(feature = "programs")]
pub(in crate::utility) const BLAKE2B_BYTES: usize = 64;

impl Algorithm {
    /// As `--tag` prints it.
    pub(super) const fn name(self) -> &'static str {
        match self {
            #[cfg(feature = "programs")]
            Self::Md5 => "MD5",
            #[cfg(feature = "programs")]
            Self::Sha1 => "SHA1",
            Self::Sha224 => "SHA224",
            Self::Sha256 => "SHA256",
            Self::Sha384 => "SHA384",
            Self::Sha512 => "SHA512",
            #[cfg(feature = "programs")]
            Self::Blake2b(_) => "BLAKE2b",
            #[cfg(feature = "programs")]
            Self::Sm3 => "SM3",
        }
    }

    /// Bytes of a digest.
    pub(super) const fn length(self) -> usize {
        match self {
            #[cfg(feature = "programs")]
            Self::Md5 => 16,
            #[cfg(feature = "programs")]
            Self::Sha1 => 20,
            Self::Sha224 => 28,
            Self::Sha256 => 32,
            Self::Sha384 => 48,
            Self::Sha512 => 64,
            #[cfg(feature = "programs")]
            Self::Blake2b(length) => length,
            #[cfg(feature = "programs")]
            Self::Sm3 => 32,
        }
    }

    /// The name with the length of a digest, where that is not the usual one.
    pub(super) fn tag(self) -> String {
        match self {
            #[cfg(feature = "programs")]
            Self::Blake2b(length) if length < BLAKE2B_BYTES => format!("{}-{}", self.name(), 8 * length),
            _ => self.name().into(),
        }
    }

    /// The algorithm itself where digests of any length are checked; `length` is that of the digest.
    pub(super) fn with_length(self, length: usize) -> Option<Self> {
        match self {
            #[cfg(feature = "programs")]
            Self::Blake2b(_) => (1..=BLAKE2B_BYTES).contains(&length).then_some(Self::Blake2b(length)),
            _ => (length == self.length()).then_some(self),
        }
    }

    /// With digests of the usual length.
    pub(super) fn whole(self) -> Self {
        match self {
            #[cfg(feature = "programs")]
            Self::Blake2b(_) => Self::Blake2b(BLAKE2B_BYTES),
            _ => self,
        }
    }

    pub(super) fn start(self) -> DigestState {
        match self {
            #[cfg(feature = "programs")]
            Self::Md5 => DigestState::Md5(sha2::Digest::new()),
            #[cfg(feature = "programs")]
            Self::Sha1 => DigestState::Sha1(sha2::Digest::new()),
            Self::Sha224 => DigestState::Sha224(sha2::Digest::new()),
            Self::Sha256 => DigestState::Sha256(sha2::Digest::new()),
            Self::Sha384 => DigestState::Sha384(sha2::Digest::new()),
            Self::Sha512 => DigestState::Sha512(sha2::Digest::new()),
            #[cfg(feature = "programs")]
            Self::Blake2b(length) => DigestState::Blake2b(Blake2b::new(length)),
            #[cfg(feature = "programs")]
            Self::Sm3 => DigestState::Sm3(sha2::Digest::new()),
        }
    }
}

/// A digest under way.
pub(super) enum DigestState {
    #[cfg(feature = "programs")]
    Md5(md5::Md5),
    #[cfg(feature = "programs")]
    Sha1(sha1::Sha1),
    Sha224(sha2::Sha224),
    Sha256(sha2::Sha256),
    Sha384(sha2::Sha384),
    Sha512(sha2::Sha512),
    #[cfg(feature = "programs")]
    Blake2b(Blake2b),
    #[cfg(feature = "programs")]
    Sm3(sm3::Sm3),
}

impl DigestState {
    pub(super) fn update(&mut self, bytes: &[u8]) {
        use sha2::Digest as _;
        match self {
            #[cfg(feature = "programs")]
            Self::Md5(state) => state.update(bytes),
            #[cfg(feature = "programs")]
            Self::Sha1(state) => state.update(bytes),
            Self::Sha224(state) => state.update(bytes),
            Self::Sha256(state) => state.update(bytes),
            Self::Sha384(state) => state.update(bytes),
            Self::Sha512(state) => state.update(bytes),
            #[cfg(feature = "programs")]
            Self::Blake2b(state) => state.update(bytes),
            #[cfg(feature = "programs")]
            Self::Sm3(state) => state.update(bytes),
        }
    }

    pub(super) fn finish(self) -> Vec<u8> {
        use sha2::Digest as _;
        match self {
            #[cfg(feature = "programs")]
            Self::Md5(state) => state.finalize().to_metered(),
            #[cfg(feature = "programs")]
            Self::Sha1(state) => state.finalize().to_metered(),
            Self::Sha224(state) => state.finalize().to_metered(),
            Self::Sha256(state) => state.finalize().to_metered(),
            Self::Sha384(state) => state.finalize().to_metered(),
            Self::Sha512(state) => state.finalize().to_metered(),
            #[cfg(feature = "programs")]
            Self::Blake2b(state) => state.finish(),
            #[cfg(feature = "programs")]
            Self::Sm3(state) => state.finalize().to_metered(),
        }
    }
}
