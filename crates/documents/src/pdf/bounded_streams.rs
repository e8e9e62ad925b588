//! Streams of a PDF, decompressed within a limit.
//!
//! The parser decompresses without a limit. A stream that could exceed the limit is measured before
//! the parser receives it.

use std::borrow::Cow;
use std::io::Read;

use flate2::read::ZlibDecoder;
use hayro_syntax::Filter;
use hayro_syntax::object::Stream;
use memchr::memmem;

/// Maximum ratio of deflate compression.
const MAX_INFLATE_RATIO: usize = 1032;

/// Error for a stream that exceeds the limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct StreamTooLarge;

/// Returns the decompressed content of a stream; `None` if it has no data or is damaged.
pub(super) fn decompress<'a>(
    stream: &Stream<'a>,
    room: usize,
) -> Result<Option<Cow<'a, [u8]>>, StreamTooLarge> {
    check_size(stream, room)?;
    Ok(stream.decoded_data().ok())
}

/// Checks that the parser may decompress a stream.
pub(super) fn check_size(stream: &Stream<'_>, room: usize) -> Result<(), StreamTooLarge> {
    let filters = stream.filters();
    let raw = stream.raw_data();
    if max_size(&filters, raw.len()) <= room {
        return Ok(());
    }
    let mut data = Cow::Borrowed(&raw[..]);
    for filter in &filters {
        match filter {
            Filter::FlateDecode => {
                let Some(inflated) = inflate(&data, room)? else {
                    // The parser tries to repair damaged data without any limit.
                    return Err(StreamTooLarge);
                };
                data = Cow::Owned(inflated);
            }
            Filter::LzwDecode => {
                if lzw_size(&data, room) > room {
                    return Err(StreamTooLarge);
                }
                // Further filters on top of this one have no legitimate use.
                return if filters.len() == 1 {
                    Ok(())
                } else {
                    Err(StreamTooLarge)
                };
            }
            Filter::AsciiHexDecode | Filter::Ascii85Decode | Filter::RunLengthDecode => {
                if max_size(&filters, data.len()) > room {
                    return Err(StreamTooLarge);
                }
            }
            // Images are not decoded.
            _ => return Ok(()),
        }
    }
    Ok(())
}

/// Returns the maximum size after decompression.
fn max_size(filters: &[Filter], size: usize) -> usize {
    filters.iter().fold(size, |size, filter| {
        size.saturating_mul(match filter {
            Filter::FlateDecode => MAX_INFLATE_RATIO,
            Filter::LzwDecode => 4096,
            Filter::RunLengthDecode => 64,
            Filter::Ascii85Decode => 4,
            _ => 1,
        })
    })
}

/// Inflates data; `None` if it is damaged.
fn inflate(data: &[u8], room: usize) -> Result<Option<Vec<u8>>, StreamTooLarge> {
    let mut inflated = Vec::new();
    let limit = u64::try_from(room).unwrap_or(u64::MAX).saturating_add(1);
    let result = ZlibDecoder::new(data)
        .take(limit)
        .read_to_end(&mut inflated);
    if inflated.len() > room {
        return Err(StreamTooLarge);
    }
    Ok(result.is_ok().then_some(inflated))
}

/// Returns the decompressed size of LZW data, or a number over `room`.
fn lzw_size(data: &[u8], room: usize) -> usize {
    const CLEAR: usize = 256;
    const END: usize = 257;
    // Only the lengths of the strings matter. Most files use the early change of code length;
    // without it the strings are not longer.
    let mut lengths: Vec<usize> = Vec::with_capacity(4096);
    let mut size = 0usize;
    let (mut bits, mut held, mut width) = (0u32, 0u32, 9u32);
    let mut last = None;
    for byte in data {
        bits = (bits << 8) | u32::from(*byte);
        held += 8;
        if held < width {
            continue;
        }
        held -= width;
        let code = (bits >> held) as usize & ((1 << width) - 1);
        bits &= (1 << held) - 1;
        match code {
            CLEAR => {
                lengths.clear();
                (width, last) = (9, None);
                continue;
            }
            END => break,
            _ => {}
        }
        let length = match code {
            0..=255 => Some(1),
            _ => lengths
                .get(code - 258)
                .copied()
                .or(last.map(|last| last + 1)),
        };
        let Some(length) = length else { break };
        if let Some(last) = last
            && lengths.len() < 4096 - 258
        {
            lengths.push(last + 1);
        }
        last = Some(length);
        size = size.saturating_add(length);
        if size > room {
            return size;
        }
        width = match lengths.len() + 259 {
            ..512 => 9,
            512..1024 => 10,
            1024..2048 => 11,
            _ => 12,
        };
    }
    size
}

/// Checks the total size of the streams that the parser decompresses when it opens a file: object
/// streams and cross-reference streams.
///
/// They are found in the bytes of the file by the keys that they must have.
pub(super) fn check_object_streams(file: &[u8], room: usize) -> Result<(), StreamTooLarge> {
    let mut total = 0usize;
    for keyword in memmem::find_iter(file, b"stream") {
        let before = &file[keyword.saturating_sub(4096)..keyword];
        if before.ends_with(b"end") {
            continue;
        }
        let dictionary =
            decode_name_escapes(&before[memmem::rfind(before, b" obj").unwrap_or(0)..]);
        if !has_key(&dictionary, b"/First") && !has_key(&dictionary, b"/W") {
            continue;
        }
        let data = file[keyword + 6..].trim_ascii_start();
        let left = room - total;
        total += match inflate(data, left)? {
            Some(inflated) if has_several_filters(&dictionary) => {
                inflate(&inflated, left)?.map_or(inflated.len(), |again| again.len())
            }
            Some(inflated) => inflated.len(),
            // Encrypted or compressed in another way: only the stored size is known.
            None => {
                let end = memmem::find(data, b"endstream").unwrap_or(data.len());
                if end.saturating_mul(MAX_INFLATE_RATIO) > room {
                    return Err(StreamTooLarge);
                }
                end
            }
        };
        if total > room {
            return Err(StreamTooLarge);
        }
    }
    Ok(())
}

/// Decodes `#` escapes in the names of a dictionary.
fn decode_name_escapes(dictionary: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'#', dictionary).is_none() {
        return Cow::Borrowed(dictionary);
    }
    let digit = |at: usize| char::from(*dictionary.get(at)?).to_digit(16);
    let mut plain = Vec::with_capacity(dictionary.len());
    let mut at = 0;
    while let Some(byte) = dictionary.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'#', Some(high), Some(low)) => {
                plain.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                plain.push(*byte);
                at += 1;
            }
        }
    }
    Cow::Owned(plain)
}

fn has_key(dictionary: &[u8], key: &[u8]) -> bool {
    memmem::find_iter(dictionary, key).any(|at| {
        let next = dictionary.get(at + key.len());
        next.is_none_or(|next| !next.is_ascii_alphanumeric())
    })
}

/// Returns true if a stream may have more than one filter.
fn has_several_filters(dictionary: &[u8]) -> bool {
    let Some(at) = memmem::find(dictionary, b"/Filter") else {
        return false;
    };
    let value = dictionary[at + 7..].trim_ascii_start();
    match value.first() {
        Some(b'/') => false,
        Some(b'[') => {
            let end = memchr::memchr(b']', value).unwrap_or(value.len());
            memchr::memchr_iter(b'/', &value[..end]).count() > 1
        }
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    fn deflate(data: &[u8]) -> Vec<u8> {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(data).expect("memory takes everything");
        encoder.finish().expect("memory takes everything")
    }

    fn object(dictionary: &str, data: &[u8]) -> Vec<u8> {
        let mut file = format!("1 0 obj\n<<{dictionary}>>\nstream\r\n").into_bytes();
        file.extend(data);
        file.extend(b"\nendstream\nendobj\n");
        file
    }

    #[test]
    fn measures_object_streams() {
        let zeros = deflate(&vec![0; 1 << 20]);
        let twice = deflate(&zeros);
        for (dictionary, data, allowed) in [
            ("/Type/ObjStm/First 9/Filter/FlateDecode", &zeros, 1 << 20),
            ("/W[1 2 1]/Filter/FlateDecode", &zeros, 1 << 20),
            ("/First 9/Filter [/FlateDecode/Fl]", &twice, 1 << 20),
            ("/#46irst 9/F#69lter [/FlateDecode/Fl]", &twice, 1 << 20),
            ("/First 9/Filter 7 0 R", &twice, 1 << 20),
            ("/Width 9/Filter/FlateDecode", &zeros, 0),
            ("/Length 9/Filter/FlateDecode", &zeros, 0),
        ] {
            let file = object(dictionary, data);
            assert_eq!(check_object_streams(&file, allowed), Ok(()), "{dictionary}");
            if allowed > 0 {
                let refused = check_object_streams(&file, allowed - 1);
                assert_eq!(refused, Err(StreamTooLarge), "{dictionary}");
            }
        }
        let both = [object("/First 9", &zeros), object("/First 9", &zeros)].concat();
        assert_eq!(check_object_streams(&both, 2 << 20), Ok(()));
        assert_eq!(
            check_object_streams(&both, (2 << 20) - 1),
            Err(StreamTooLarge)
        );
    }

    #[test]
    fn measures_lzw_without_decompressing() {
        // A clear code, then 9-bit codes for strings of one letter, each longer than the last.
        let codes: Vec<u32> = [256, 65].into_iter().chain(258..400).chain([257]).collect();
        let mut data = Vec::new();
        let (mut bits, mut held) = (0u32, 0);
        for code in codes {
            bits = (bits << 9) | code;
            held += 9;
            while held >= 8 {
                held -= 8;
                data.push((bits >> held) as u8);
                bits &= (1 << held) - 1;
            }
        }
        data.push((bits << (8 - held)) as u8);
        let size: usize = (1..=143).sum();
        assert_eq!(lzw_size(&data, 1 << 20), size);
        assert!(lzw_size(&data, 100) > 100);
    }
}
