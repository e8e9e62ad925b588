//! Result of verifying one citation.

use citations::check::Verdict;
use citations::object::ObjectWriter;
use citations::{Citation, SdkVersion, Verification, VerificationStatus};
use json::{Json, Map, Value};

/// Usual size in bytes of the state form, to allocate it once.
const USUAL_BYTES: usize = 2 << 10;

/// Result of verifying one citation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CheckResult {
    /// The verification that clients read.
    pub verification: Verification,
    /// True if the source that the citation names does not exist.
    pub source_missing: bool,
    /// Address of the evidence page.
    pub url: Option<String>,
    /// Address from which the source was fetched, or else its file name.
    pub source_uri: Option<String>,
    /// Headings above the quote, the outermost first.
    pub headings: Vec<String>,
    /// The state form, if it was written before.
    written: Option<(SdkVersion, Json)>,
}

impl CheckResult {
    /// Returns the result for a citation whose source does not exist.
    pub fn source_missing(citation: &Citation) -> Self {
        Self::from(Verdict::source_missing(citation))
    }

    /// Returns the result for a citation that names no source on a thread without documents.
    pub fn skipped(citation: &Citation) -> Self {
        Self::from(Verdict::skipped(citation))
    }

    /// Writes the state form once and keeps it for later uses. The result must not be changed afterwards.
    pub fn write(&mut self, names: SdkVersion) -> Json {
        let json = self.state_form(names);
        self.written = Some((names, json.clone()));
        json
    }

    /// Returns the state form as text.
    pub(crate) fn state_form(&self, names: SdkVersion) -> Json {
        match &self.written {
            Some((written, json)) if *written == names => json.clone(),
            _ => Json::from_valid_text(self.to_text(names)),
        }
    }

    /// Returns the state form: the verification without its copy of the citation, and with `problem` and
    /// `evidenceUrl`.
    pub fn to_json(&self, names: SdkVersion) -> Value {
        Json::from_valid_text(self.to_text(names)).into_value()
    }

    fn to_text(&self, names: SdkVersion) -> String {
        let mut object = ObjectWriter::with_capacity(USUAL_BYTES);
        if self.verification.citation.is_some() {
            let bare = Verification {
                citation: None,
                ..self.verification.clone()
            };
            bare.write_members(names, &mut object);
        } else {
            self.verification.write_members(names, &mut object);
        }
        if let Some(url) = &self.url {
            object.text("evidenceUrl", url);
        }
        object.end()
    }
}

impl From<Verdict> for CheckResult {
    fn from(verdict: Verdict) -> Self {
        let verification = verdict.verification;
        Self {
            source_missing: verification.is_source_missing(),
            verification,
            ..Self::default()
        }
    }
}

/// Reads the status from the state form of a verification.
pub(crate) fn status_of(json: &Map) -> Option<VerificationStatus> {
    json.get("status")
        .and_then(Value::as_str)
        .map(VerificationStatus::from_name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_a_missing_source_as_a_problem() {
        let citation = Citation {
            attachment_id: Some("gone".to_owned()),
            ..Citation::default()
        };
        let mut result = CheckResult::source_missing(&citation);
        result.verification.citation = Some(Box::default());
        result.url = Some("/p/1".to_owned());
        let written = result.write(SdkVersion::V2);
        let json = written.value();
        assert_eq!(json["status"].as_str(), Some("not_found"));
        assert_eq!(json["problem"].as_str(), Some("source_missing"));
        assert_eq!(json["evidenceUrl"].as_str(), Some("/p/1"));
        assert!(json.get("citation").is_none());
    }
}
