//! Negotiation of the encoding of a response.

/// Encoding of an event stream over HTTP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Server-sent events.
    Sse,
    /// Length-prefixed protobuf.
    Proto,
}

/// Media type of server-sent events.
pub const SSE_TYPE: &str = "text/event-stream";
/// Media type of protobuf frames.
pub const PROTO_TYPE: &str = "application/vnd.ag-ui.event+proto";
/// Header of every negotiated response, so that caches keep the encodings apart.
pub const VARY: (&str, &str) = ("vary", "Accept");

impl Encoding {
    /// Returns the `content-type` of a response.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Sse => SSE_TYPE,
            Self::Proto => PROTO_TYPE,
        }
    }

    /// Returns the encoding of a response by its `content-type`: protobuf only if it matches
    /// exactly.
    pub fn from_content_type(content_type: Option<&str>) -> Self {
        if content_type == Some(PROTO_TYPE) {
            Self::Proto
        } else {
            Self::Sse
        }
    }

    /// Chooses an encoding by an `Accept` header.
    ///
    /// Protobuf is chosen only if the header names it and prefers it at least as much as SSE. No
    /// header, an empty one and `*/*` mean SSE. The reference server sends protobuf for `*/*`,
    /// which browsers and `curl` send by default.
    pub fn negotiate(accept: Option<&str>) -> Self {
        let accept = accept.unwrap_or_default();
        let proto = quality(accept, PROTO_TYPE, true);
        if proto > 0.0 && proto >= quality(accept, SSE_TYPE, false) {
            Self::Proto
        } else {
            Self::Sse
        }
    }
}

/// Returns the quality of a media type in a header, from 0 (excluded) to 1.
fn quality(accept: &str, media_type: &str, named_only: bool) -> f64 {
    let (kind, _) = media_type.split_once('/').unwrap_or_default();
    let mut best = (0, 0.0);
    for entry in split_outside_quotes(accept, ',') {
        let mut parts = split_outside_quotes(entry, ';');
        let range = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let specific = if range == media_type {
            3
        } else if !named_only && range.strip_suffix("/*") == Some(kind) {
            2
        } else if !named_only && range == "*/*" {
            1
        } else {
            continue;
        };
        let Some(quality) = parameters(parts) else {
            continue;
        };
        // The most specific entry counts; among equally specific ones, the highest quality.
        if (specific, quality) > best {
            best = (specific, quality);
        }
    }
    best.1
}

/// Returns the `q` of an entry; `None` if another parameter excludes types without parameters.
fn parameters<'a>(parameters: impl Iterator<Item = &'a str>) -> Option<f64> {
    for parameter in parameters {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        let value = value.trim().trim_matches('"');
        if name.trim().eq_ignore_ascii_case("q") {
            let quality: f64 = value.parse().ok()?;
            return (0.0..=1.0).contains(&quality).then_some(quality);
        }
        if !matches!(value, "" | "*") {
            return None;
        }
    }
    Some(1.0)
}

fn split_outside_quotes(text: &str, separator: char) -> impl Iterator<Item = &str> {
    let mut quoted = false;
    text.split(move |character| {
        quoted ^= character == '"';
        character == separator && !quoted
    })
}
