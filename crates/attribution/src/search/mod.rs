//! Search over works: full text, spelling, and people in common, fused by rank.

mod work_index;

pub use work_index::{WorkDocument, WorkHit, WorkIndex};
