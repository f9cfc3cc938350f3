//! Why a URL is not asked, in the words that hooks' platforms log.

/// Why a URL is not asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// It is not a URL.
    UrlParseError,
    /// Neither `http` nor `https`.
    NonHttpScheme,
    /// It names no host.
    EmptyHost,
    /// The host is, or resolves to, an address that must not be reached.
    BlockedIp,
}

impl Refusal {
    /// What messages about a refusal start with; the name follows.
    pub const PREFIX: &'static str = "ssrf blocked: ";

    /// Every one.
    pub const ALL: [Self; 4] = [Self::UrlParseError, Self::NonHttpScheme, Self::EmptyHost, Self::BlockedIp];

    /// As logs spell it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::UrlParseError => "url_parse_error",
            Self::NonHttpScheme => "non_http_scheme",
            Self::EmptyHost => "empty_host",
            Self::BlockedIp => "blocked_ip",
        }
    }

    /// The refusal that a message is about.
    pub fn from_message(message: &str) -> Option<Self> {
        let name = message.strip_prefix(Self::PREFIX)?;
        Self::ALL.into_iter().find(|refusal| refusal.name() == name)
    }
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}{}", Self::PREFIX, self.name())
    }
}

impl std::error::Error for Refusal {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refusal_is_known_by_its_message() {
        for refusal in Refusal::ALL {
            assert_eq!(Refusal::from_message(&refusal.to_string()), Some(refusal));
        }
        assert_eq!(Refusal::from_message("ssrf blocked: x"), None);
        assert_eq!(Refusal::from_message("blocked_ip"), None);
    }
}
