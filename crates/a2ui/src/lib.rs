//! A2UI 0.9 and 0.9.1: messages are checked against the published schemas, surfaces are built from them.
//!
//! ```
//! use a2ui::{A2uiCatalog, check_agent_messages};
//!
//! let sent = r#"{"version":"v0.9","updateComponents":{"surfaceId":"s","components":[
//!     {"id":"root","component":"Text","text":"Hello","size":"big"}]}}"#;
//! let problems = check_agent_messages(sent, &A2uiCatalog::basic());
//! assert_eq!(problems[0].path, "/updateComponents/components/0");
//! assert_eq!(problems[0].code, "unknown_field");
//! ```
//!
//! No IO, and nothing that an agent sends is executed: functions are the fourteen of the basic catalog, regular
//! expressions run in linear time, and every size has a limit.

mod catalog;
mod check;
mod data_model;
mod expression;
mod functions;
mod messages;
mod number_format;
mod problem;
mod surface;
mod surface_view;
mod topology;

pub use catalog::{A2uiCatalog, BASIC_CATALOG_IDS, CatalogError, ComponentReference};
pub use check::{check_agent_messages, check_client_messages};
pub use data_model::{DataModel, DataModelError};
pub use expression::{ExpressionError, parse_template};
pub use functions::{FunctionError, call_function};
pub use messages::split_messages;
pub use problem::A2uiProblem;
pub use surface::{MAX_COMPONENTS, MAX_SURFACES, Surface, SurfaceError, SurfaceSet};
pub use surface_view::{DataScope, MAX_TEMPLATE_ITEMS, SurfaceView, text_of};
