//! Compression of rows with LZ4.
//!
//! Events repeat themselves: compressed, a run takes an eighth. Compression costs less CPU time than writing the
//! rest to the write-ahead log and to the file.

use std::borrow::Cow;

use crate::error::{Result, StoreError};
use crate::log::MAX_EVENT_BYTES;

/// Largest row that is not compressed, in bytes.
const MAX_UNCOMPRESSED: usize = 1 << 10;

/// Row that is compressed if that makes it smaller.
pub(super) struct CompressedRow {
    pub(super) bytes: Vec<u8>,
    /// Number of bytes before compression; `None` if the row is not compressed.
    pub(super) uncompressed: Option<u32>,
}

impl CompressedRow {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        if bytes.len() > MAX_UNCOMPRESSED
            && let Ok(size) = u32::try_from(bytes.len())
        {
            let compressed = lz4_flex::block::compress(&bytes);
            if compressed.len() < bytes.len() {
                return Self {
                    bytes: compressed,
                    uncompressed: Some(size),
                };
            }
        }
        Self {
            bytes,
            uncompressed: None,
        }
    }
}

/// Returns the bytes of a stored row before compression.
pub(super) fn decompress(bytes: &[u8], uncompressed: Option<u32>) -> Result<Cow<'_, [u8]>> {
    let Some(size) = uncompressed else {
        return Ok(Cow::Borrowed(bytes));
    };
    let damaged = || StoreError::corrupt("a compressed row");
    let size = size as usize;
    // No batch is longer, so a larger size is damage.
    if size > 2 * MAX_EVENT_BYTES {
        return Err(damaged());
    }
    let bytes = lz4_flex::block::decompress(bytes, size).map_err(|_| damaged())?;
    match bytes.len() == size {
        true => Ok(Cow::Owned(bytes)),
        false => Err(damaged()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn compressed_rows_are_read_back(
            part in proptest::collection::vec(any::<u8>(), 0..200),
            times in 0usize..40,
        ) {
            let bytes = part.repeat(times);
            let row = CompressedRow::new(bytes.clone());
            prop_assert!(row.bytes.len() <= bytes.len());
            let back = decompress(&row.bytes, row.uncompressed).expect("a stored row");
            prop_assert_eq!(back.as_ref(), bytes.as_slice());
        }

        #[test]
        fn malformed_bytes_are_refused(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            size in any::<u32>(),
        ) {
            if let Ok(read) = decompress(&bytes, Some(size)) {
                prop_assert_eq!(read.len(), size as usize);
            }
        }
    }

    #[test]
    fn repetitions_become_small() {
        let row = CompressedRow::new(br#"{"type":"STATE_DELTA"}"#.repeat(1_000));
        assert!(row.bytes.len() < 1_000, "{}", row.bytes.len());
        assert_eq!(CompressedRow::new(b"short".to_vec()).uncompressed, None);
    }
}
