//! Numbers in LEB128, and fields with their length before them.

/// Appends a number. Its sign is dropped: stored numbers are never negative.
pub(crate) fn push_number(bytes: &mut Vec<u8>, number: i64) {
    let mut rest = number.unsigned_abs();
    while rest >= 0x80 {
        bytes.push(rest as u8 | 0x80);
        rest >>= 7;
    }
    bytes.push(rest as u8);
}

/// Removes a number from the front. Returns `None` if there is no complete number.
pub(crate) fn take_number(bytes: &mut &[u8]) -> Option<i64> {
    let mut number = 0i64;
    for (index, byte) in bytes.iter().enumerate().take(9) {
        number |= i64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            *bytes = &bytes[index + 1..];
            return Some(number);
        }
    }
    None
}

/// Reads all numbers. Reading ends at the first malformed one.
pub(crate) fn numbers(mut bytes: &[u8]) -> Vec<i64> {
    std::iter::from_fn(|| take_number(&mut bytes)).collect()
}

/// Appends a count.
pub(crate) fn push_count(bytes: &mut Vec<u8>, count: usize) {
    push_number(bytes, i64::try_from(count).unwrap_or(i64::MAX));
}

/// Removes a count from the front.
pub(crate) fn take_count(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(take_number(bytes)?).ok()
}

/// Appends a field after its length.
pub(crate) fn push_bytes(bytes: &mut Vec<u8>, field: &[u8]) {
    push_count(bytes, field.len());
    bytes.extend_from_slice(field);
}

/// Removes a field from the front. Returns `None` if it is not complete.
pub(crate) fn take_bytes<'a>(bytes: &mut &'a [u8]) -> Option<&'a [u8]> {
    let mut rest = *bytes;
    let length = take_count(&mut rest)?;
    let (field, rest) = rest.split_at_checked(length)?;
    *bytes = rest;
    Some(field)
}

/// Removes a field of UTF-8 from the front.
pub(crate) fn take_text(bytes: &mut &[u8]) -> Option<String> {
    String::from_utf8(take_bytes(bytes)?.to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn numbers_are_read_back(list in proptest::collection::vec(0i64.., 0..50)) {
            let mut bytes = Vec::new();
            for number in &list {
                push_number(&mut bytes, *number);
            }
            prop_assert_eq!(numbers(&bytes), list);
        }

        #[test]
        fn texts_are_read_back(list in proptest::collection::vec(".{0,9}", 0..9)) {
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
        fn malformed_bytes_are_refused(bytes in proptest::collection::vec(any::<u8>(), 0..50)) {
            prop_assert!(numbers(&bytes).len() <= bytes.len());
            let mut rest = bytes.as_slice();
            while take_text(&mut rest).is_some() {}
        }
    }
}
