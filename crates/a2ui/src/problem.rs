//! Problems of A2UI messages, described so that their author can repair them.

use jsonschema::ValidationError;
use jsonschema::error::ValidationErrorKind;
use serde::Serialize;

/// One reason why messages are refused.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct A2uiProblem {
    /// JSON Pointer from the root of the input.
    pub path: String,
    /// Stable name of the rule that is broken.
    pub code: &'static str,
    /// The rule in words, with the value that breaks it.
    pub message: String,
}

impl A2uiProblem {
    pub(crate) fn new(
        path: impl Into<String>,
        code: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            path: path.into(),
            code,
            message: message.into(),
        }
    }

    /// The problems behind the errors of a schema. Alternatives are narrowed to the one that was meant.
    pub(crate) fn from_schema(
        prefix: &str,
        errors: &[ValidationError<'_>],
        problems: &mut Vec<Self>,
    ) {
        // A part that fails counts as not evaluated, so this error accompanies every other.
        let is_unevaluated = |error: &&ValidationError<'_>| {
            matches!(
                error.kind(),
                ValidationErrorKind::UnevaluatedProperties { .. }
            )
        };
        let alone = errors.iter().all(|error| is_unevaluated(&error));
        for error in errors
            .iter()
            .filter(|error| alone || !is_unevaluated(error))
        {
            Self::add(prefix, error, problems);
        }
    }

    fn add(prefix: &str, error: &ValidationError<'_>, problems: &mut Vec<Self>) {
        if let Some(alternatives) = alternatives(error) {
            if let Some(meant) = meant_alternative(error, alternatives) {
                return Self::from_schema(prefix, meant, problems);
            }
            if let Some(unknown) = unknown_name(prefix, alternatives) {
                return problems.push(unknown);
            }
            if alternatives
                .iter()
                .all(|errors| errors.iter().any(|inner| is_wrong_type(error, inner)))
            {
                let path = format!("{prefix}{}", error.instance_path());
                let reason = "the value has none of the types that are allowed here";
                return problems.push(Self::new(path, "wrong_type", reason));
            }
        }
        let path = format!("{prefix}{}", error.instance_path());
        let mut message = error.to_string();
        if message.len() > MAX_MESSAGE {
            let keyword = error.kind().keyword();
            message = format!("the value is not one of the allowed forms ({keyword})");
        }
        problems.push(Self::new(path, code_of(error.kind()), message));
    }
}

/// Longest message taken over from the validator, in bytes: it may quote the whole value.
const MAX_MESSAGE: usize = 400;

/// Properties that say which alternative a value is.
const DISCRIMINATORS: [&str; 2] = ["component", "call"];

type Alternatives<'a> = &'a [Vec<ValidationError<'static>>];

fn alternatives<'a>(error: &'a ValidationError<'_>) -> Option<Alternatives<'a>> {
    match error.kind() {
        ValidationErrorKind::OneOfNotValid { context } | ValidationErrorKind::AnyOf { context } => {
            Some(context)
        }
        _ => None,
    }
}

/// The alternative whose discriminator and type fit: it has errors elsewhere.
fn meant_alternative<'a>(
    whole: &ValidationError<'_>,
    alternatives: Alternatives<'a>,
) -> Option<&'a Vec<ValidationError<'static>>> {
    alternatives
        .iter()
        .filter(|errors| !errors.iter().any(|error| is_other_kind(whole, error)))
        .min_by_key(|errors| errors.len())
}

/// An error that says: this value is not of this alternative at all.
fn is_other_kind(whole: &ValidationError<'_>, error: &ValidationError<'_>) -> bool {
    let same_value = error.instance_path() == whole.instance_path();
    match error.kind() {
        ValidationErrorKind::Constant { .. } => true,
        ValidationErrorKind::Type { .. } => same_value,
        ValidationErrorKind::Required { property } => {
            same_value
                && property
                    .as_str()
                    .is_some_and(|name| KIND_KEYS.contains(&name))
        }
        _ => false,
    }
}

fn is_wrong_type(whole: &ValidationError<'_>, error: &ValidationError<'_>) -> bool {
    let same_value = error.instance_path() == whole.instance_path();
    same_value && matches!(error.kind(), ValidationErrorKind::Type { .. })
}

/// Required properties that tell the alternatives of messages, bindings, calls and actions apart.
const KIND_KEYS: [&str; 10] = [
    "createSurface",
    "updateComponents",
    "updateDataModel",
    "deleteSurface",
    "path",
    "call",
    "event",
    "functionCall",
    "action",
    "error",
];

/// The name that fits no alternative, if every alternative fails on it.
fn unknown_name(prefix: &str, alternatives: Alternatives<'_>) -> Option<A2uiProblem> {
    DISCRIMINATORS.into_iter().find_map(|name| {
        let suffix = format!("/{name}");
        let wrong = |errors: &Vec<ValidationError<'static>>| {
            errors.iter().find_map(|error| {
                let found = matches!(error.kind(), ValidationErrorKind::Constant { .. })
                    && error.instance_path().as_str().ends_with(&suffix);
                found.then(|| {
                    (
                        error.instance_path().to_string(),
                        error.instance().to_string(),
                    )
                })
            })
        };
        let (path, value) = alternatives
            .iter()
            .map(wrong)
            .collect::<Option<Vec<_>>>()?
            .pop()?;
        let (code, what) = match name {
            "component" => ("unknown_component", "component"),
            _ => ("unknown_function", "function"),
        };
        Some(A2uiProblem::new(
            format!("{prefix}{path}"),
            code,
            format!("{value} is not a {what} of the catalog"),
        ))
    })
}

fn code_of(kind: &ValidationErrorKind) -> &'static str {
    use ValidationErrorKind as Kind;
    match kind {
        Kind::Required { .. } => "missing_field",
        Kind::AdditionalProperties { .. } | Kind::UnevaluatedProperties { .. } => "unknown_field",
        Kind::Type { .. } => "wrong_type",
        Kind::Enum { .. } | Kind::Constant { .. } => "not_allowed",
        Kind::Format { .. } | Kind::Pattern { .. } => "wrong_format",
        Kind::MinItems { .. } | Kind::MinLength { .. } | Kind::MinProperties { .. } => "too_short",
        Kind::MaxItems { .. } | Kind::MaxLength { .. } | Kind::MaxProperties { .. } => "too_long",
        _ => "invalid_value",
    }
}
