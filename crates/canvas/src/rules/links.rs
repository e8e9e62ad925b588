//! Addresses that a person may open.

use json::Value;

/// Names of members whose text is an address, in open parts of a message.
const LINK_NAMES: &[&str] = &[
    "href",
    "url",
    "uri",
    "src",
    "link",
    "image",
    "imageurl",
    "avatar",
    "iconurl",
    "poster",
    "action",
    "formaction",
];
/// Schemes that never show anything a person asked for.
const HOSTILE_SCHEMES: &[&str] = &[
    "javascript:",
    "vbscript:",
    "data:",
    "file:",
    "blob:",
    "filesystem:",
];

/// Returns true for an absolute `https`, `http` or `mailto` address without user name and password.
pub(crate) fn is_safe_link(text: &str) -> bool {
    if text
        .chars()
        .any(|it| it.is_control() || it.is_whitespace() || it == '\\')
    {
        return false;
    }
    let Some((scheme, rest)) = text.split_once(':') else {
        return false;
    };
    match scheme.to_ascii_lowercase().as_str() {
        "mailto" => rest.contains('@') && !rest.starts_with('/'),
        "http" | "https" => {
            let Some(rest) = rest.strip_prefix("//") else {
                return false;
            };
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            !authority.is_empty() && !authority.contains('@')
        }
        _ => false,
    }
}

/// Returns true for a text that a lenient reader takes as an address with a hostile scheme.
fn is_hostile(text: &str) -> bool {
    // Browsers ignore white space and control characters inside of a scheme.
    let visible = text
        .chars()
        .filter(|it| !it.is_whitespace() && !it.is_control());
    let start: String = visible.take(16).collect::<String>().to_ascii_lowercase();
    HOSTILE_SCHEMES
        .iter()
        .any(|scheme| start.starts_with(scheme))
}

/// Finds a hostile address in an open part of a message: the text of a member that is named like an address.
/// Returns its path.
pub(crate) fn unsafe_link_in(value: &Value) -> Option<Vec<String>> {
    match value {
        Value::Object(members) => members.iter().find_map(|(name, value)| {
            let is_link = LINK_NAMES.contains(&name.to_ascii_lowercase().as_str());
            if is_link && value.as_str().is_some_and(is_hostile) {
                return Some(vec![name.to_owned()]);
            }
            unsafe_link_in(value).map(|path| prefixed(name.to_owned(), path))
        }),
        Value::Array(items) => items.iter().enumerate().find_map(|(index, item)| {
            unsafe_link_in(item).map(|path| prefixed(index.to_string(), path))
        }),
        _ => None,
    }
}

fn prefixed(first: String, mut path: Vec<String>) -> Vec<String> {
    path.insert(0, first);
    path
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_that_name_a_host_or_mailbox_are_safe() {
        for text in [
            "https://example.org/a?b#c",
            "HTTP://example.org",
            "mailto:a@b.c",
        ] {
            assert!(is_safe_link(text), "{text}");
        }
        for text in [
            "javascript:alert(1)",
            "java\nscript:alert(1)",
            "data:text/html,x",
            "/relative",
            "//example.org",
            "https:example.org",
            "https://user:pass@example.org",
            "https://example.org\\@evil",
            "file:///etc/passwd",
            "",
            "https://",
            "ftp://example.org",
        ] {
            assert!(!is_safe_link(text), "{text}");
        }
    }

    #[test]
    fn hostile_addresses_are_found_in_open_values() {
        let value = Value::parse(r#"{"a":[{"href":" java\tscript:x"}],"url":"https://a.b"}"#);
        let value = value.expect("JSON");
        assert_eq!(
            unsafe_link_in(&value),
            Some(vec!["a".into(), "0".into(), "href".into()])
        );
        let value = Value::parse(r#"{"text":"javascript: a language","url":"/a"}"#).expect("JSON");
        assert_eq!(unsafe_link_in(&value), None);
    }
}
