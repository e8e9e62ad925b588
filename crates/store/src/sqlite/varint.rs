//! Fields that lie one behind the other in a blob.

/// Appends a number in LEB128.
pub(super) fn push_number(bytes: &mut Vec<u8>, number: i64) {
    let mut rest = number.unsigned_abs();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Takes a number off that [`push_number`] has written.
pub(super) fn take_number(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0i64;
    for (at, byte) in bytes.iter().enumerate().take(9) {
        number |= i64::from(byte & 0x7f) << (7 * at);
        if byte & 0x80 == 0 {
            *bytes = &bytes[at + 1..];
            return Some(number);
        }
    }
    None
}

/// The numbers that [`push_number`] has written.
pub(super) fn numbers(bytes: &[u8]) -> Vec<i64> {
    let mut numbers = Vec::new();
    let (mut number, mut shift) = (0i64, 0u32);
    for byte in bytes {
        number |= i64::from(byte & 0x7f).checked_shl(shift).unwrap_or(0);
        shift += 7;
        if byte & 0x80 == 0 {
            numbers.push(number);
            (number, shift) = (0, 0);
        }
    }
    numbers
}

/// Appends how many there are of something.
pub(super) fn push_count(bytes: &mut Vec<u8>, count: usize) {
    push_number(bytes, i64::try_from(count).unwrap_or(i64::MAX));
}

/// Takes off how many there are of something.
pub(super) fn take_count(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(take_number(bytes)?).ok()
}

/// Appends bytes after their length.
pub(super) fn push_bytes(bytes: &mut Vec<u8>, field: &[u8]) {
    push_count(bytes, field.len());
    bytes.extend_from_slice(field);
}

/// Takes bytes off that [`push_bytes`] has written.
pub(super) fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let length = take_count(bytes)?;
    let (field, rest) = bytes.split_at_checked(length)?;
    *bytes = rest;
    Some(field)
}

/// Takes a text off that [`push_bytes`] has written.
pub(super) fn take_text(bytes: &mut &[u8]) -> Option<String> {
    String::from_utf8(take_bytes(bytes)?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_come_back(list in proptest::collection::vec(0i64.., 0..50)) {
            let mut bytes = Vec::new();
            for number in &list {
                push_number(&mut bytes, *number);
            }
            prop_assert_eq!(numbers(&bytes), list);
        }

        #[test]
        fn texts_come_back(list in proptest::collection::vec(".{0,9}", 0..9)) {
            let mut bytes = Vec::new();
            for text in &list {
                push_bytes(&mut bytes, text.as_bytes());
            }
            let mut rest = bytes.as_slice();
            for text in list {
                prop_assert_eq!(take_text(&mut rest), Some(text));
            }
            prop_assert!(rest.is_empty());
        }

        #[test]
        fn foreign_bytes_do_no_harm(bytes in proptest::collection::vec(any::<u8>(), 0..50)) {
            prop_assert!(numbers(&bytes).len() <= bytes.len());
            let mut rest = bytes.as_slice();
            while take_text(&mut rest).is_some() {}
        }
    }
}
