//! Rust source text without the parts that checks must not see.

/// Returns the text with comments removed and string contents emptied. Line breaks stay, so line numbers are unchanged.
pub(crate) fn code_only(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    let mut previous = ' ';
    while let Some(next) = rest.chars().next() {
        let skipped = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |end| end + 2)
        } else if let Some(length) = raw_string(rest, previous) {
            length
        } else if next == '"' {
            plain_string(rest)
        } else if let Some(length) = char_literal(rest) {
            length
        } else {
            out.push(next);
            previous = next;
            rest = &rest[next.len_utf8()..];
            continue;
        };
        let (removed, after) = rest.split_at(skipped);
        if !removed.starts_with('/') {
            out.push_str("\"\"");
        }
        out.extend(removed.chars().filter(|c| *c == '\n'));
        previous = '"';
        rest = after;
    }
    out
}

/// Returns the length of a raw string literal at the start of `rest`.
fn raw_string(rest: &str, previous: char) -> Option<usize> {
    if previous.is_alphanumeric() || previous == '_' {
        return None;
    }
    let hashes = rest.strip_prefix('r')?;
    let count = hashes.len() - hashes.trim_start_matches('#').len();
    hashes[count..].strip_prefix('"')?;
    let close = format!("\"{}", "#".repeat(count));
    let start = count + 2;
    let end = rest[start..].find(&close);
    Some(end.map_or(rest.len(), |end| start + end + close.len()))
}

/// Returns the length of a string literal at the start of `rest`.
fn plain_string(rest: &str) -> usize {
    let mut escaped = false;
    for (at, c) in rest.char_indices().skip(1) {
        match c {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            '"' => return at + 1,
            _ => {}
        }
    }
    rest.len()
}

/// Returns the length of a character literal at the start of `rest`; a lifetime is none.
fn char_literal(rest: &str) -> Option<usize> {
    let inside = rest.strip_prefix('\'')?;
    let mut chars = inside.char_indices();
    let (_, first) = chars.next()?;
    if first == '\\' {
        // The escaped character may itself be a quotation mark.
        let (at, _) = chars.next()?;
        let end = inside[at + 1..].find('\'').filter(|end| *end <= 10)?;
        return Some(1 + at + 1 + end + 1);
    }
    let (at, second) = chars.next()?;
    (second == '\'').then_some(1 + at + 1)
}

/// Returns the length of each function body in lines, with the function's name and its first line.
pub(crate) fn functions(code: &str) -> Vec<(String, usize, usize)> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = code[from..].find("fn ").map(|at| from + at) {
        from = at + 3;
        let starts_word = code[..at].chars().next_back();
        if starts_word.is_some_and(|c| c.is_alphanumeric() || c == '_') {
            continue;
        }
        let name: String = code[from..]
            .chars()
            .take_while(|c| c.is_alphanumeric() || *c == '_')
            .collect();
        if name.is_empty() {
            continue;
        }
        let Some(open) = body_start(&code[from..]).map(|open| from + open) else {
            continue;
        };
        let length = body_length(&code[open..]);
        let lines = code[at..open + length].matches('\n').count() + 1;
        found.push((name, code[..at].matches('\n').count() + 1, lines));
    }
    found
}

/// Returns the offset of the brace that opens a function's body, unless the function has none.
fn body_start(signature: &str) -> Option<usize> {
    let mut depth = 0_i32;
    for (at, c) in signature.char_indices() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' => depth -= 1,
            '{' if depth == 0 => return Some(at),
            ';' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// Returns the length of the block at the start of `block`.
fn body_length(block: &str) -> usize {
    let mut depth = 0_i32;
    for (at, c) in block.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1;
        }
    }
    block.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_strings_are_removed_and_lines_stay() {
        let text =
            "let a = \"// x {\"; // y\nlet b = r#\"}\"\n\"#;\nlet c = '{'; let d: &'static str;";
        let code = code_only(text);
        assert_eq!(
            code,
            "let a = \"\"; \nlet b = \"\"\n;\nlet c = \"\"; let d: &'static str;"
        );
    }

    #[test]
    fn functions_are_measured_with_their_signature() {
        let code = "trait T { fn none(&self); }\nfn one() { }\nfn two(\n    a: u8,\n) {\n    if a { }\n}\n";
        assert_eq!(
            functions(code),
            [("one".to_owned(), 2, 1), ("two".to_owned(), 3, 5)]
        );
    }
}
