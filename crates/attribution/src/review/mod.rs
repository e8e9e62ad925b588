//! Review: corrections of credits, their validation, application and undo.

mod apply;
mod correction_field;

pub(crate) use apply::reapply_corrections;
pub use apply::{
    ReviewDecision, accept_correction, confirm_record, reject_correction, undo_correction,
};
pub use correction_field::{CorrectionError, CorrectionField, current_values, validate_correction};
