//! x
use super::Operation;
use crate::json::Value;
/// x
pub fn diff(_b: &Value, _a: &Value) -> Vec<Operation> { Vec::new() }
