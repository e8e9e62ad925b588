//! Parts of HTTP responses.

/// Returns the value of a header.
pub(crate) fn header<'a>(head: &'a str, name: &str) -> Option<&'a str> {
    head.lines().find_map(|line| {
        let (key, value) = line.split_once(':')?;
        key.eq_ignore_ascii_case(name).then(|| value.trim())
    })
}

/// Returns the width and height of a PNG or of a lossless WebP.
pub(crate) fn image_size(picture: &[u8]) -> (u32, u32) {
    if picture.starts_with(b"\x89PNG") {
        let number = |at: usize| u32::from_be_bytes(picture[at..at + 4].try_into().expect("four"));
        return (number(16), number(20));
    }
    assert_eq!(
        (&picture[..4], &picture[8..16]),
        (&b"RIFF"[..], &b"WEBPVP8L"[..])
    );
    let bits = u32::from_le_bytes(picture[21..25].try_into().expect("four"));
    ((bits & 0x3fff) + 1, ((bits >> 14) & 0x3fff) + 1)
}
