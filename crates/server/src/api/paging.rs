//! Pages of lists.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use store::PageRequest;

use crate::error::{ApiError, ErrorCode};

/// Items of a page if the request names no limit.
const DEFAULT_LIMIT: usize = 100;
/// Maximum number of items of a page.
const MAX_LIMIT: usize = 1_000;

/// Position and size of a page.
#[derive(Debug, Default, Deserialize, JsonSchema)]
pub(crate) struct PageQuery {
    /// Cursor: the `next` of the previous page. Absent for the first page.
    after: Option<String>,
    /// Maximum number of items; 100 if absent.
    #[schemars(range(min = 1, max = 1000))]
    limit: Option<usize>,
}

impl PageQuery {
    /// Creates the query of a page.
    pub(crate) fn new(after: Option<String>, limit: Option<usize>) -> Self {
        Self { after, limit }
    }

    /// Returns the page to read from the store.
    pub(crate) fn request(self) -> Result<PageRequest, ApiError> {
        let limit = self.limit.unwrap_or(DEFAULT_LIMIT);
        if !(1..=MAX_LIMIT).contains(&limit) {
            return Err(ApiError::new(
                ErrorCode::InvalidInput,
                "`limit` must be a number from 1 to 1000",
                "Read longer lists page by page: send the `next` of a page as `after`",
            ));
        }
        Ok(PageRequest {
            after: self.after,
            limit,
        })
    }
}

/// Page of a list.
#[derive(Debug, Serialize, JsonSchema)]
#[schemars(rename = "{T}Page")]
pub(crate) struct ItemPage<T> {
    /// Items of the page.
    pub(crate) items: Vec<T>,
    /// Cursor of the next page, to send as `after`; null on the last page.
    pub(crate) next: Option<String>,
}
