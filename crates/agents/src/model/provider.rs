//! Interface between the shared HTTP code and a provider.

use super::error::ModelError;
use super::request::{ModelDelta, ModelRequest};

/// Form in which a provider separates the parts of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AnswerFraming {
    /// Server-sent events.
    Sse,
    /// One JSON value per line.
    JsonLines,
}

/// Request and answer formats of a provider.
pub trait ProviderAdapter: Send + Sync {
    /// Returns the path that is added to the provider's address.
    fn path(&self) -> &'static str;

    /// Returns the headers of a request, with the key if there is one.
    fn headers(&self, key: Option<&str>) -> Vec<(String, String)>;

    /// Returns the form of the answers.
    fn framing(&self) -> AnswerFraming;

    /// Returns the body of a request.
    fn write_request(&self, request: &ModelRequest) -> String;

    /// Returns a decoder for one answer.
    fn decoder(&self) -> Box<dyn DeltaDecoder>;
}

/// Decoder of one answer.
pub trait DeltaDecoder: Send {
    /// Decodes one frame of the answer and appends its deltas.
    fn decode(&mut self, data: &str, deltas: &mut Vec<ModelDelta>) -> Result<(), ModelError>;

    /// Returns true after the provider's own end mark. A stream that ends without it was cut off.
    fn is_complete(&self) -> bool;
}
