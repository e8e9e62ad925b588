//! Addresses of documents: the names in them, and the question if a browser can open them.

use std::net::Ipv6Addr;

/// Separator before the name of a file inside of a document.
const ATTACHMENT: &str = "#attachment=";

/// Returns the last part of the path that is not empty, decoded.
pub(super) fn last_segment(address: &str) -> Option<String> {
    let path = path(address);
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => path,
    };
    let last = path.rsplit('/').find(|segment| !segment.is_empty());
    last.map(decoded)
}

/// Returns the name of the innermost file inside of a document. The name may be blank.
pub(super) fn attachment(address: &str) -> Option<String> {
    let names = address.split(ATTACHMENT).skip(1).map(decoded);
    let innermost = names.filter(|name| !name.is_empty()).last()?;
    Some(innermost.trim().to_owned())
}

/// Returns the file name in an address, or `None` for a UUID or a folder.
pub(super) fn file_name(address: &str) -> Option<String> {
    let name = attachment(address).or_else(|| {
        let root = address.split(ATTACHMENT).next().unwrap_or_default();
        let name = path(root).rsplit('/').next().unwrap_or_default();
        (!is_uuid(root)).then(|| decoded(name).trim().to_owned())
    });
    name.filter(|name| !name.is_empty())
}

/// Returns an address without query and fragment.
fn path(address: &str) -> &str {
    address.split(['?', '#']).next().unwrap_or_default()
}

fn is_uuid(text: &str) -> bool {
    text.len() == 36
        && text.bytes().enumerate().all(|(at, byte)| match at {
            8 | 13 | 18 | 23 => byte == b'-',
            _ => byte.is_ascii_hexdigit(),
        })
}

/// Decodes percent escapes. Invalid escapes stay; bytes that are not UTF-8 become replacement characters.
fn decoded(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let hex = |at: usize| {
            bytes
                .get(at)
                .and_then(|byte| char::from(*byte).to_digit(16))
        };
        match (byte, hex(at + 1), hex(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                out.push(u8::try_from(high * 16 + low).unwrap_or(b'?'));
                at += 3;
            }
            _ => {
                out.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Returns true for an address with `http` or `https` and a host.
pub(super) fn is_web(address: &str) -> bool {
    let Some((scheme, rest)) = address.split_once("://") else {
        return false;
    };
    let known = ["http", "https"];
    if !known.iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
        return false;
    }
    // Browsers treat a backslash like a slash.
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let place = authority.rsplit('@').next().unwrap_or_default();
    let is_port = |port: &str| {
        let digits = port.strip_prefix(':');
        port.is_empty()
            || digits.is_some_and(|digits| {
                digits.bytes().all(|digit| digit.is_ascii_digit())
                    && (digits.is_empty() || digits.parse::<u16>().is_ok())
            })
    };
    if let Some(rest) = place.strip_prefix('[') {
        let ip = rest.split_once(']');
        return ip.is_some_and(|(ip, port)| ip.parse::<Ipv6Addr>().is_ok() && is_port(port));
    }
    let (host, port) = match place.find(':') {
        Some(at) => place.split_at(at),
        None => (place, ""),
    };
    let is_odd =
        |part: char| part.is_whitespace() || part.is_control() || "\"%<>[]^`{|}".contains(part);
    !host.is_empty() && !host.contains(is_odd) && is_port(port)
}
