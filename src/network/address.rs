//! Which addresses a hook's request may reach: those that are public, and no others. The ranges are those of the IANA
//! registries of special-purpose addresses (RFC 6890 and later); an IPv4 address that is mapped into
//! IPv6 is judged as what it is.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::Arc;

/// Exceptions to the rule that only public addresses are reached. The default has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct AddressPolicy {
    /// `127.0.0.0/8` and `::1`, for tests and for services beside the host.
    pub allow_loopback: bool,
}

impl AddressPolicy {
    /// The rule with loopback let through.
    pub const fn with_loopback() -> Self {
        Self { allow_loopback: true }
    }

    /// Whether `address` may be reached.
    pub fn allows(self, address: IpAddr) -> bool {
        match address.to_canonical() {
            IpAddr::V4(address) => self.allows_v4(address),
            IpAddr::V6(address) => self.allows_v6(address),
        }
    }

    fn allows_v4(self, address: Ipv4Addr) -> bool {
        if address.is_loopback() {
            return self.allow_loopback;
        }
        let within = |&(network, bits): &(u32, u32)| {
            let keep = u32::MAX.checked_shl(32_u32.saturating_sub(bits)).unwrap_or(0);
            address.to_bits() & keep == network & keep
        };
        !REFUSED_V4.iter().any(within)
    }

    fn allows_v6(self, address: Ipv6Addr) -> bool {
        if address.is_loopback() {
            return self.allow_loopback;
        }
        let within = |&(network, bits): &(u128, u32)| {
            let keep = u128::MAX.checked_shl(128_u32.saturating_sub(bits)).unwrap_or(0);
            address.to_bits() & keep == network & keep
        };
        within(&PUBLIC_V6) && !REFUSED_V6.iter().any(within)
    }
}

/// Which addresses one request may reach: those of a policy, and those that its host named.
#[derive(Clone, Debug, Default)]
pub struct AddressRule {
    policy: AddressPolicy,
    named: Arc<[IpAddr]>,
}

impl AddressRule {
    /// Those of the policy and these.
    pub fn new(policy: AddressPolicy, named: Arc<[IpAddr]>) -> Self {
        Self { policy, named }
    }

    /// Whether `address` may be reached.
    pub fn allows(&self, address: IpAddr) -> bool {
        self.policy.allows(address) || self.named.contains(&address.to_canonical())
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, bits: u32) -> (u32, u32) {
    (Ipv4Addr::new(a, b, c, d).to_bits(), bits)
}

const fn v6(first: [u16; 3], bits: u32) -> (u128, u32) {
    (Ipv6Addr::new(first[0], first[1], first[2], 0, 0, 0, 0, 0).to_bits(), bits)
}

/// Loopback has its own rule.
const REFUSED_V4: [(u32, u32); 14] = [
    v4(0, 0, 0, 0, 8),       // this network
    v4(10, 0, 0, 0, 8),      // private
    v4(100, 64, 0, 0, 10),   // carrier-grade NAT
    v4(169, 254, 0, 0, 16),  // link-local, metadata services
    v4(172, 16, 0, 0, 12),   // private
    v4(192, 0, 0, 0, 24),    // protocol assignments
    v4(192, 0, 2, 0, 24),    // documentation
    v4(192, 88, 99, 0, 24),  // relays of 6to4
    v4(192, 168, 0, 0, 16),  // private
    v4(198, 18, 0, 0, 15),   // benchmarks
    v4(198, 51, 100, 0, 24), // documentation
    v4(203, 0, 113, 0, 24),  // documentation
    v4(224, 0, 0, 0, 4),     // multicast
    v4(240, 0, 0, 0, 4),     // reserved, broadcast
];

/// What is given out to the public at all. Loopback, private, link-local and multicast addresses, NAT64 and addresses with
/// an IPv4 address at their end lie outside of it.
const PUBLIC_V6: (u128, u32) = v6([0x2000, 0, 0], 3);

/// Within [`PUBLIC_V6`]. 6to4 and Teredo lead to an IPv4 address that a router chooses to believe.
const REFUSED_V6: [(u128, u32); 4] = [
    v6([0x2001, 0, 0], 23),     // Teredo and other protocol assignments
    v6([0x2001, 0xdb8, 0], 32), // documentation
    v6([0x2002, 0, 0], 16),     // 6to4
    v6([0x3fff, 0, 0], 20),     // documentation
];

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(text: &str) -> bool {
        AddressPolicy::default().allows(text.parse().unwrap())
    }

    #[test]
    fn public_addresses_are_reached() {
        for text in
            ["1.1.1.1", "8.8.8.8", "172.15.0.1", "172.32.0.1", "100.63.0.1", "100.128.0.1", "193.0.0.1"]
        {
            assert!(allows(text), "{text}");
            assert!(allows(&format!("::ffff:{text}")), "{text}");
        }
        for text in ["2606:4700:4700::1111", "2a00:1450:4001::8a", "2001:4860:4860::8888", "2003::1"] {
            assert!(allows(text), "{text}");
        }
    }

    #[test]
    fn all_others_are_refused() {
        for text in [
            "127.0.0.1",
            "127.255.255.255",
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.5",
            "100.64.0.1",
            "100.127.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.1",
            "192.0.2.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.1",
            "203.0.113.1",
            "224.0.0.1",
            "239.1.1.1",
            "240.0.0.1",
            "255.255.255.255",
        ] {
            assert!(!allows(text), "{text}");
            assert!(!allows(&format!("::ffff:{text}")), "mapped {text}");
            assert!(!allows(&format!("64:ff9b::{text}")), "NAT64 {text}");
            assert!(!allows(&format!("::{text}")), "compatible {text}");
        }
        for text in [
            "::",
            "::1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "2001::1",
            "64:ff9b:1::1",
            "100::1",
            "3fff::1",
            "64:ff9b::8.8.8.8",
            "4000::1",
            "bfff::1",
        ] {
            assert!(!allows(text), "{text}");
        }
    }

    #[test]
    fn loopback_may_be_let_through_alone() {
        let policy = AddressPolicy::with_loopback();
        for text in ["127.0.0.1", "127.1.2.3", "::1", "::ffff:127.0.0.1"] {
            assert!(policy.allows(text.parse().unwrap()), "{text}");
        }
        for text in ["10.0.0.1", "169.254.169.254", "::", "64:ff9b::127.0.0.1", "::127.0.0.1"] {
            assert!(!policy.allows(text.parse().unwrap()), "{text}");
        }
    }
}
