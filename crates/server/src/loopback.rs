//! Names and addresses of this machine.

use std::net::IpAddr;

/// Returns true for names and addresses that every machine uses for itself.
pub(crate) fn is_loopback(host: &str) -> bool {
    let bare = without_brackets(host);
    bare.eq_ignore_ascii_case("localhost")
        || bare
            .parse()
            .is_ok_and(|address: IpAddr| address.is_loopback())
}

/// Returns a host without the brackets of an IPv6 address.
pub(crate) fn without_brackets(host: &str) -> &str {
    host.trim_start_matches('[').trim_end_matches(']')
}
