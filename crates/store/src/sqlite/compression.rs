//! Events and evidence as they lie in a row: packed where that saves room.
//!
//! A run says the same words over and over: packed it is an eighth. Packing costs less than writing the rest would: to
//! the write-ahead log, and from there to the file.

use std::borrow::Cow;

use crate::error::{Result, StoreError};
use crate::log::MAX_EVENT_BYTES;

/// So few bytes stay as they are.
const FEW: usize = 1 << 10;

/// The bytes of a row.
pub(super) struct CompressedRow {
    pub(super) bytes: Vec<u8>,
    /// How many they were, if they were packed.
    pub(super) size: Option<u32>,
}

impl CompressedRow {
    pub(super) fn new(bytes: Vec<u8>) -> Self {
        if bytes.len() > FEW
            && let Ok(size) = u32::try_from(bytes.len())
        {
            let packed = lz4_flex::block::compress(&bytes);
            if packed.len() < bytes.len() {
                return Self {
                    bytes: packed,
                    size: Some(size),
                };
            }
        }
        Self { bytes, size: None }
    }
}

/// What was packed.
pub(super) fn unpacked(bytes: &[u8], size: Option<u32>) -> Result<Cow<'_, [u8]>> {
    let Some(size) = size else {
        return Ok(Cow::Borrowed(bytes));
    };
    let damaged = || StoreError::corrupt("a packed row");
    let size = size as usize;
    // No batch is longer: what says so was not written here.
    if size > 2 * MAX_EVENT_BYTES {
        return Err(damaged());
    }
    let unpacked = lz4_flex::block::decompress(bytes, size).map_err(|_| damaged())?;
    match unpacked.len() == size {
        true => Ok(Cow::Owned(unpacked)),
        false => Err(damaged()),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_is_packed_is_unpacked(
            part in proptest::collection::vec(any::<u8>(), 0..200),
            times in 0usize..40,
        ) {
            let bytes = part.repeat(times);
            let packed = CompressedRow::new(bytes.clone());
            prop_assert!(packed.bytes.len() <= bytes.len());
            let back = unpacked(&packed.bytes, packed.size).expect("what was packed");
            prop_assert_eq!(back.as_ref(), bytes.as_slice());
        }

        #[test]
        fn foreign_bytes_are_refused(
            bytes in proptest::collection::vec(any::<u8>(), 0..200),
            size in any::<u32>(),
        ) {
            if let Ok(unpacked) = unpacked(&bytes, Some(size)) {
                prop_assert_eq!(unpacked.len(), size as usize);
            }
        }
    }

    #[test]
    fn what_repeats_becomes_small() {
        let packed = CompressedRow::new(br#"{"type":"STATE_DELTA"}"#.repeat(1_000));
        assert!(packed.bytes.len() < 1_000, "{}", packed.bytes.len());
        assert_eq!(CompressedRow::new(b"short".to_vec()).size, None);
    }
}
