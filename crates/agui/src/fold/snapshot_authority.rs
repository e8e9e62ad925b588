//! Declaration of the activities that a messages snapshot replaces.

use json::{JsonObject, Value};

/// Activities that a snapshot removes by leaving them out.
pub(super) enum SnapshotAuthority {
    /// All activities, if the snapshot has any.
    Undeclared,
    /// All activities.
    All,
    /// Activities of these types.
    Types(Vec<String>),
}

impl SnapshotAuthority {
    /// Reads the declaration in the metadata of a snapshot.
    pub(super) fn declared(metadata: Option<&JsonObject>) -> Self {
        let Some(metadata) = metadata else {
            return Self::Undeclared;
        };
        let metadata = metadata.as_json().value();
        match metadata.get("@ag-ui/client") {
            None => Self::Undeclared,
            Some(Value::Object(client)) => match client.get("authoritativeActivityTypes") {
                None => Self::Undeclared,
                Some(Value::Null) => Self::All,
                Some(Value::Array(types)) => Self::Types(
                    types
                        .iter()
                        .map(|kind| kind.as_str().map(str::to_owned))
                        .collect::<Option<_>>()
                        .unwrap_or_default(),
                ),
                Some(_) => Self::Types(Vec::new()),
            },
            Some(_) => Self::Types(Vec::new()),
        }
    }
}
