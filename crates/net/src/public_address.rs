//! Public and private IP addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// IPv4 networks that are not public: first address and length of the prefix.
const NOT_PUBLIC: [([u8; 4], u32); 16] = [
    ([0, 0, 0, 0], 8),       // this network
    ([10, 0, 0, 0], 8),      // private
    ([100, 64, 0, 0], 10),   // carrier-grade NAT
    ([127, 0, 0, 0], 8),     // this machine
    ([169, 254, 0, 0], 16),  // link-local; cloud metadata services
    ([172, 16, 0, 0], 12),   // private
    ([192, 0, 0, 0], 24),    // IETF protocol assignments
    ([192, 0, 2, 0], 24),    // documentation
    ([192, 88, 99, 0], 24),  // 6to4 relays, deprecated
    ([192, 168, 0, 0], 16),  // private
    ([198, 18, 0, 0], 15),   // benchmarks
    ([198, 51, 100, 0], 24), // documentation
    ([203, 0, 113, 0], 24),  // documentation
    ([224, 0, 0, 0], 4),     // multicast
    ([240, 0, 0, 0], 4),     // reserved
    ([255, 255, 255, 255], 32),
];

/// Returns true for addresses on the public Internet: neither this machine, nor a private network, nor an
/// IPv6 form of such an IPv4 address.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let address = u32::from(address);
    !NOT_PUBLIC.iter().any(|(network, length)| {
        let mask = u32::MAX << (32 - length);
        address & mask == u32::from_be_bytes(*network)
    })
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let parts = address.segments();
    // NAT64: the last 32 bits are the IPv4 address.
    if let [0x64, 0xff9b, 0, 0, 0, 0, high, low] = parts {
        return is_public_v4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)));
    }
    // Only 2000::/3 is assigned; protocol assignments (2001::/23), documentation and 6to4 are excluded.
    let [first, second, ..] = parts;
    first >> 13 == 1
        && !(first == 0x2001 && second < 0x200)
        && !(first == 0x2001 && second == 0xdb8)
        && first != 0x2002
        && !(first == 0x3fff && second < 0x1000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_public_addresses_are_public() {
        for public in [
            "1.1.1.1",
            "9.255.255.255",
            "11.0.0.0",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.1",
            "192.0.1.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2001:200::1",
            "64:ff9b::101:101",
        ] {
            assert!(is_public(public.parse().expect(public)), "{public}");
        }
        for other in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.254",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:1.1.1.1",
            "::ffff:127.0.0.1",
            "::127.0.0.1",
            "64:ff9b::7f00:1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:7f00:1::1",
            "3fff::1",
            "4000::1",
            "fc00::1",
            "fd12:3456::1",
            "fe80::1",
            "fec0::1",
            "ff02::1",
        ] {
            assert!(!is_public(other.parse().expect(other)), "{other}");
        }
    }
}
