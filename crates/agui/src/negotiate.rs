//! Which wire a client gets.

/// How events travel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wire {
    /// Server-sent events.
    Sse,
    /// Length-prefixed protobuf.
    Proto,
}

/// The media type of the SSE wire.
pub const SSE_TYPE: &str = "text/event-stream";
/// The media type of the protobuf wire.
pub const PROTO_TYPE: &str = "application/vnd.ag-ui.event+proto";
/// The header that every negotiated answer carries, so that caches keep the wires apart.
pub const VARY: (&str, &str) = ("vary", "Accept");

impl Wire {
    /// The `content-type` of an answer.
    pub fn content_type(self) -> &'static str {
        match self {
            Self::Sse => SSE_TYPE,
            Self::Proto => PROTO_TYPE,
        }
    }

    /// The wire of an answer, by its `content-type`: protobuf only if it is exactly that.
    pub fn of_content_type(content_type: Option<&str>) -> Self {
        if content_type == Some(PROTO_TYPE) {
            Self::Proto
        } else {
            Self::Sse
        }
    }

    /// Chooses by an `Accept` header.
    ///
    /// Protobuf only if the header names it and prefers it at least as much as SSE. No header, an
    /// empty one and `*/*` mean SSE. The reference server gives protobuf to `*/*`, which a browser
    /// or `curl` sends without knowing it.
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

/// How much a header wants a media type: 0 not at all, 1 most.
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
        // The most specific entry counts; among equals the one that wants it most.
        if (specific, quality) > best {
            best = (specific, quality);
        }
    }
    best.1
}

/// The `q` of an entry; `None` if another parameter excludes types without parameters.
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
