//! Updates of messages: JSON Patch on the payload.

use json::patch::{PatchError, PatchLimits, PatchMode, PatchOperation, Patcher};

use crate::check::check_payload_alone;
use crate::error::{InvalidMessage, MessageRepair};
use crate::limits::{MAX_MESSAGE_BYTES, MAX_MESSAGE_DEPTH};
use crate::message::CanvasMessage;

/// Largest number of operations of an update.
const MAX_OPERATIONS: usize = 10_000;

/// Failure of an update. The message is unchanged.
#[derive(Debug, thiserror::Error)]
pub enum UpdateError {
    /// The patch does not apply.
    #[error(transparent)]
    Patch(#[from] PatchError),
    /// The patch has too many operations.
    #[error("The patch has {0} operations; at most {MAX_OPERATIONS} are allowed.")]
    TooManyOperations(usize),
    /// The payload is not valid after the patch.
    #[error(transparent)]
    Invalid(#[from] InvalidMessage),
}

/// Applies a patch to the payload of a message and checks the result. Returns the repairs.
pub fn update_payload(
    message: &mut CanvasMessage,
    patch: &[PatchOperation],
) -> Result<Vec<MessageRepair>, UpdateError> {
    if patch.len() > MAX_OPERATIONS {
        return Err(UpdateError::TooManyOperations(patch.len()));
    }
    let limits = PatchLimits {
        depth: MAX_MESSAGE_DEPTH,
        copied_bytes: MAX_MESSAGE_BYTES,
        ..PatchLimits::default()
    };
    let mut payload = message.payload.clone();
    Patcher::with_limits(PatchMode::Rfc, limits).apply(&mut payload, patch)?;
    let repairs = check_payload_alone(message.kind, &mut payload)?;
    message.payload = payload;
    Ok(repairs)
}
