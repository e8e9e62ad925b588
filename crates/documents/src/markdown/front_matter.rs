//! Front matter: a block of names and values before the text.

use std::ops::Range;

/// Front matter of a file.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct FrontMatter {
    /// Byte range of the block without its fences.
    pub(super) inside: Range<usize>,
    /// Beginning of the text, in bytes.
    pub(super) end: usize,
    pub(super) title: Option<String>,
    pub(super) language: Option<String>,
}

impl FrontMatter {
    /// Finds the block at the beginning of a text, between `---` or `+++`.
    pub(super) fn find(text: &str) -> Option<Self> {
        let (fence, mark) = match text.lines().next()?.trim_end() {
            "---" => ("---", ':'),
            "+++" => ("+++", '='),
            _ => return None,
        };
        let (mut title, mut language) = (None, None);
        let mut start = None;
        let mut at = 0;
        for line in text.split_inclusive('\n') {
            let (from, written) = (at, line.trim_end());
            at += line.len();
            let Some(start) = start else {
                start = Some(at);
                continue;
            };
            if written == fence || (fence == "---" && written == "...") {
                return Some(Self {
                    inside: start..from,
                    end: at,
                    title,
                    language,
                });
            }
            // A rule is followed by an empty line or a paragraph, a fence by a name.
            let name = written
                .split_once(mark)
                .map(|(name, value)| (name.trim_end(), value));
            if from == start && name.is_none() && !written.starts_with(['#', '[', '{']) {
                return None;
            }
            match name {
                Some(("title", value)) if title.is_none() => title = unquoted(value),
                Some(("lang" | "language" | "locale", value)) if language.is_none() => {
                    language = unquoted(value);
                }
                _ => {}
            }
        }
        None
    }
}

fn unquoted(value: &str) -> Option<String> {
    let value = value.trim();
    let inner = ['"', '\''].into_iter().find_map(|quote| {
        let inner = value.strip_prefix(quote)?;
        inner.split(quote).next()
    });
    let value = inner.unwrap_or(value).trim();
    (!value.is_empty()).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn front_matter_is_found() {
        for (text, expected) in [
            (
                "---\ntitle: One: two\nlang: de\n---\nText",
                Some((
                    "title: One: two\nlang: de\n",
                    "Text",
                    Some("One: two"),
                    Some("de"),
                )),
            ),
            (
                "+++\ntitle = \"It's\" # x\n+++\n",
                Some(("title = \"It's\" # x\n", "", Some("It's"), None)),
            ),
            (
                "---\n# note\nlanguage: 'fr-CA'\n...\nText",
                Some(("# note\nlanguage: 'fr-CA'\n", "Text", None, Some("fr-CA"))),
            ),
            ("---\n---\n", Some(("", "", None, None))),
            ("---\ntitle: open\n", None),
            ("---\n\nA rule.\n\n---\n", None),
            ("---\nWords after a rule\n---\n", None),
            ("\n---\ntitle: late\n---\n", None),
            ("---", None),
            ("", None),
        ] {
            let found = FrontMatter::find(text);
            let found = found.as_ref().map(|found| {
                let (title, language) = (found.title.as_deref(), found.language.as_deref());
                (
                    &text[found.inside.clone()],
                    &text[found.end..],
                    title,
                    language,
                )
            });
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
