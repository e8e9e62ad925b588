//! Instructions that teach a model to cite, and the grammar of what it writes.

/// Form in which a model is taught to cite.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum PromptFormat {
    /// Markers such as `[1]`, and a data block at the end.
    #[default]
    Block,
    /// `<cite …/>` tags behind the facts.
    Tags,
    /// Markdown footnotes.
    Footnotes,
    /// JSON with the answer and its citations.
    Json,
}

/// Instructions for data blocks.
const BLOCK: &str = r#"Readers check your answer against the documents that follow. Make that possible:

- Behind every fact that you take from a document write a marker: a number in square brackets, such as [1]. Each fact has a marker of its own. Count upwards from 1 and use no number twice.
- End your answer with a line <<<CITATION_DATA>>>, one JSON object, and a line <<<END_CITATION_DATA>>>. Write nothing behind it.
- The members of that object are the ids of the documents you used. Each holds a list with one entry for every marker that rests on it.
- An entry has these members, in this order: "id", the number of the marker; "reasoning", a few words on why this passage supports the fact; "full_phrase", the passage letter by letter as the document has it, as a valid JSON string; "anchor_text", the one to three words of it that matter most; "page_id", the name of the page tag it stands in; "line_ids", the numbers of all its lines.
- Lines are counted on each page from 1; some show their number. Never take a page number from the printed text.

An entry looks like this:
<<<CITATION_DATA>>>
{"the-id":[{"id":1,"reasoning":"states the date","full_phrase":"The bridge was opened in May 1932.","anchor_text":"May 1932","page_id":"page_number_4_index_3","line_ids":[7,8]}]}
<<<END_CITATION_DATA>>>"#;

/// Instructions for tags.
const TAGS: &str = r#"Readers check your answer against the documents that follow. Make that possible:

- Directly behind every fact that you take from a document write a tag: <cite attachment_id='…' start_page_id='…' full_phrase='…' anchor_text='…' line_ids='…' />
- "attachment_id" is the id or the file name of the document; "start_page_id" the name of the page tag; "full_phrase" the passage letter by letter as the document has it; "anchor_text" the one to three words of it that matter most; "line_ids" the numbers of its lines, such as 7-8.
- Write \' for an apostrophe inside of an attribute.

Example:
The bridge was opened in May 1932. <cite attachment_id='report.pdf' start_page_id='page_number_4_index_3' full_phrase='The bridge was opened in May 1932.' anchor_text='May 1932' line_ids='7-8' />"#;

/// Instructions for footnotes.
const FOOTNOTES: &str = r#"Readers check your answer against the documents that follow. Make that possible:

- Behind every fact that you take from a document write a footnote marker, such as [^1]. Use no marker twice.
- At the end write one line for each marker: the marker, a colon, the passage in quotation marks letter by letter as the document has it, the file name, and the page.

Example:
The bridge was opened in May 1932.[^1]

[^1]: "The bridge was opened in May 1932." report.pdf, p. 4"#;

/// Instructions for JSON.
const JSON: &str = r#"Readers check your answer against the documents that follow. Make that possible: answer with one JSON object and nothing else.

- "answer" is your text. Behind every fact that you take from a document it has a marker such as [1].
- "citations" is a list with one entry for each marker, in their order: "attachment_id", the id or the file name of the document; "full_phrase", the passage letter by letter as the document has it; "anchor_text", the one to three words of it that matter most; "page_id", the name of the page tag; "line_ids", the numbers of its lines.

Example:
{"answer":"The bridge was opened in May 1932 [1].","citations":[{"attachment_id":"report.pdf","full_phrase":"The bridge was opened in May 1932.","anchor_text":"May 1932","page_id":"page_number_4_index_3","line_ids":[7,8]}]}"#;

/// Reminder after the documents.
const REMINDER: &str = "Before you stop: has every marker its entry, is every quotation word for word in its document, and is the data block the last thing you wrote?";
/// Reminder for forms without a data block.
const PLAIN_REMINDER: &str = "Before you stop: has every fact its citation, and is every quotation word for word in its document?";

const BLOCK_GRAMMAR: &str = r#"answer  = text "<<<CITATION_DATA>>>" json "<<<END_CITATION_DATA>>>"
text    = characters with markers
marker  = "[" digit+ "]"
json    = groups | list | entry
groups  = "{" document ":" list ("," document ":" list)* "}"
list    = "[" entry ("," entry)* "]"
entry   = JSON object: id (number), full_phrase (string, required),
          anchor_text, page_id, reasoning (strings), line_ids (numbers)
document = id, file name, title or address of a document, as a JSON string
page_id = "page_number_" N "_index_" (N-1) | N "_" (N-1)"#;

const TAG_GRAMMAR: &str = r#"tag       = "<cite" (space attribute)* space? "/>"
attribute = name "=" ("'" value "'" | '"' value '"')
name      = "attachment_id" | "start_page_id" | "full_phrase" | "anchor_text" | "line_ids" | "reasoning"
line_ids  = range ("," range)*
range     = N | N "-" N"#;

const FOOTNOTE_GRAMMAR: &str = r#"marker     = "[^" label "]"
definition = "[^" label "]:" space quote space source ("," space page)?     (a line of its own)
quote      = quotation mark text quotation mark
page       = "p. " N | "pp. " N "–" N"#;

const JSON_GRAMMAR: &str = r#"answer    = JSON with entries under "citations" or "citation", at any depth
entry     = JSON object: full_phrase (string, required), attachment_id or url,
            anchor_text, page_id (strings), line_ids (numbers)"#;

impl PromptFormat {
    /// Returns the instructions, which go before the documents.
    pub fn instructions(self) -> &'static str {
        match self {
            Self::Block => BLOCK,
            Self::Tags => TAGS,
            Self::Footnotes => FOOTNOTES,
            Self::Json => JSON,
        }
    }

    /// Returns the reminder, which goes after the documents.
    pub fn reminder(self) -> &'static str {
        match self {
            Self::Block => REMINDER,
            Self::Tags | Self::Footnotes | Self::Json => PLAIN_REMINDER,
        }
    }

    /// Returns the grammar of the form.
    pub fn grammar(self) -> &'static str {
        match self {
            Self::Block => BLOCK_GRAMMAR,
            Self::Tags => TAG_GRAMMAR,
            Self::Footnotes => FOOTNOTE_GRAMMAR,
            Self::Json => JSON_GRAMMAR,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ParsedAnswer;

    #[test]
    fn the_example_of_each_prompt_is_a_citation() {
        for format in [
            PromptFormat::Block,
            PromptFormat::Tags,
            PromptFormat::Footnotes,
            PromptFormat::Json,
        ] {
            let prompt = format.instructions();
            let start = match format {
                PromptFormat::Block => "looks like this:\n",
                _ => "Example:\n",
            };
            let (_, example) = prompt.split_once(start).expect("an example");
            let answer = ParsedAnswer::of(example);
            let cited: Vec<_> = answer
                .citations
                .iter()
                .map(|cited| &cited.found.citation)
                .collect();
            let [citation] = cited.as_slice() else {
                panic!("{format:?}: {:?}", answer.citations);
            };
            let quote = "The bridge was opened in May 1932.";
            assert_eq!(citation.full_phrase.as_deref(), Some(quote), "{format:?}");
            assert_eq!(citation.page(), Some(4), "{format:?}");
            assert!(citation.attachment_id.is_some(), "{format:?}");
        }
    }

    #[test]
    fn every_documented_example_is_a_citation() {
        let page = include_str!("../../../docs/citation-formats.md");
        let examples: Vec<&str> = page
            .split("```text\n")
            .skip(1)
            .filter_map(|rest| rest.split("\n```").next())
            .collect();
        assert_eq!(examples.len(), 7);
        for example in examples {
            let answer = ParsedAnswer::of(example);
            let [cited] = answer.citations.as_slice() else {
                panic!("{example}: {:?}", answer.citations);
            };
            let citation = &cited.found.citation;
            let quote = citation.full_phrase.as_deref().unwrap_or_default();
            assert!(
                quote.starts_with("The first quay of Nordvik was built in 1911"),
                "{example}"
            );
            assert_eq!(
                citation.attachment_id.as_deref(),
                Some("report.pdf"),
                "{example}"
            );
        }
    }
}
