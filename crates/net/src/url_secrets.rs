//! URLs without their secrets, for output.

/// Returns a text with the user, password, query values and fragment of its URL replaced by `…`. Texts that are no URL
/// are returned unchanged.
pub fn hide_url_secrets(text: &str) -> String {
    let Some((scheme, rest)) = text.split_once("://") else {
        return text.to_owned();
    };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (authority, rest) = rest.split_at(end);
    let authority = match authority.rsplit_once('@') {
        Some((_, host)) => format!("…@{host}"),
        None => authority.to_owned(),
    };
    let (rest, fragment) = match rest.split_once('#') {
        Some((rest, _)) => (rest, "#…"),
        None => (rest, ""),
    };
    let rest = match rest.split_once('?') {
        Some((path, query)) => format!("{path}?{}", hide_query_values(query)),
        None => rest.to_owned(),
    };
    format!("{scheme}://{authority}{rest}{fragment}")
}

fn hide_query_values(query: &str) -> String {
    let pairs = query.split('&').map(|pair| match pair.split_once('=') {
        Some((name, _)) => format!("{name}=…"),
        None if pair.is_empty() => String::new(),
        None => "…".to_owned(),
    });
    pairs.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_of_urls_are_hidden() {
        for (text, shown) in [
            ("plain text", "plain text"),
            ("http://localhost:8000/", "http://localhost:8000/"),
            ("https://ada:pw@host:1/a", "https://…@host:1/a"),
            ("https://a@b:c@host/", "https://…@host/"),
            ("https://host/a?key=s&x&y=", "https://host/a?key=…&…&y=…"),
            ("https://host?token=s#part", "https://host?token=…#…"),
            ("https://host/a#s?t@u", "https://host/a#…"),
            ("https://host/@name?q=a@b", "https://host/@name?q=…"),
        ] {
            assert_eq!(hide_url_secrets(text), shown, "{text}");
        }
    }
}
