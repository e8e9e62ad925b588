//! Aliases of citation fields in objects, tags and data blocks.

/// Field of a citation under any of its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CitationField {
    Attachment,
    Lines,
    PageId,
    Phrase,
    Anchor,
    Claim,
    CitationNumber,
    PageNumber,
    Url,
    Description,
    Favicon,
    SiteName,
    SourceType,
    Timestamps,
    Reasoning,
    Value,
    Domain,
    Title,
    Supporting,
}

/// Names of each field in objects and tags, in order of preference.
const ALIASES: &[(CitationField, &[&str])] = {
    use CitationField::*;
    &[
        (
            Attachment,
            &[
                "attachmentId",
                "attachment_id",
                "attachment-id",
                "file_id",
                "fileId",
                "file-id",
            ],
        ),
        (Lines, &["lineIds", "line_ids", "line-ids", "lines"]),
        (
            PageId,
            &[
                "startPageId",
                "start_page_id",
                "start-page-id",
                "start_pageid",
                "page_id",
                "pageId",
                "page-id",
                "start_page_key",
                "startPageKey",
                "start-page-key",
                "start_pagekey",
                "page_key",
                "pageKey",
                "page-key",
                "start_page",
                "start-page",
            ],
        ),
        (
            Phrase,
            &[
                "fullPhrase",
                "full_phrase",
                "full-phrase",
                "phrase",
                "full",
                "sourceContext",
                "source_context",
                "source-context",
                "claimContext",
                "claim_context",
                "claim-context",
                "cited_text",
            ],
        ),
        (
            Anchor,
            &[
                "anchorText",
                "anchor_text",
                "anchor-text",
                "anchor",
                "keySpan",
                "key_span",
                "key-span",
                "sourceMatch",
                "source_match",
                "source-match",
                "claimMatch",
                "claim_match",
                "claim-match",
            ],
        ),
        (
            Claim,
            &[
                "claimText",
                "claim_text",
                "claim-text",
                "displayLabel",
                "display_label",
                "display-label",
            ],
        ),
        (
            CitationNumber,
            &[
                "citationNumber",
                "citation_number",
                "citation-number",
                "number",
            ],
        ),
        (
            PageNumber,
            &["pageNumber", "page_number", "page-number", "page"],
        ),
        (Url, &["url", "URL", "uri", "href", "link"]),
        (Description, &["description", "desc"]),
        (
            Favicon,
            &["faviconUrl", "favicon_url", "favicon-url", "favicon"],
        ),
        (SiteName, &["siteName", "site_name", "site-name"]),
        (SourceType, &["sourceType", "source_type", "source-type"]),
        (Timestamps, &["timestamps", "timestamp"]),
        (Reasoning, &["reasoning"]),
        (Value, &["value"]),
        (Domain, &["domain"]),
        (Title, &["title"]),
        (
            Supporting,
            &["supportingFacts", "supporting_facts", "supporting-facts"],
        ),
    ]
};

/// Returns the field with exactly this name.
pub(crate) fn field(name: &str) -> Option<CitationField> {
    find(|alias| alias == name)
}

/// Returns the field with this name, ignoring case. Attributes of tags are read like this.
pub(crate) fn field_in_any_case(name: &str) -> Option<CitationField> {
    find(|alias| alias.eq_ignore_ascii_case(name))
}

fn find(matches: impl Fn(&str) -> bool) -> Option<CitationField> {
    let known =
        |(_, aliases): &&(CitationField, &[&str])| aliases.iter().any(|alias| matches(alias));
    ALIASES.iter().find(known).map(|(field, _)| *field)
}

/// Returns the names of a field, the preferred one first.
pub(crate) fn aliases(field: CitationField) -> &'static [&'static str] {
    let entry = ALIASES.iter().find(|(known, _)| *known == field);
    entry.map_or(&[], |(_, aliases)| aliases)
}

/// Returns the value of a field; the preferred name wins.
pub(crate) fn resolve(map: &json::Map, field: CitationField) -> Option<&json::Value> {
    aliases(field).iter().find_map(|alias| map.get(alias))
}

/// Returns true if an object with this field is taken for a citation.
pub(crate) fn marks_citation(field: CitationField) -> bool {
    matches!(
        field,
        CitationField::Phrase
            | CitationField::PageId
            | CitationField::Anchor
            | CitationField::Lines
    )
}

/// Field of an entry in a data block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum BlockField {
    Id,
    Attachment,
    Reasoning,
    Phrase,
    Anchor,
    Claim,
    Page,
    Lines,
    Timestamps,
    Supporting,
}

/// Number of names that [`block_field`] knows.
pub(crate) const BLOCK_NAMES: usize = 33;

/// Returns the field with this name in a data block, and the number of the name.
pub(crate) fn block_field(name: &[u8]) -> Option<(BlockField, usize)> {
    use BlockField::*;
    Some(match name {
        b"id" => (Id, 0),
        b"n" => (Id, 1),
        b"attachment_id" => (Attachment, 2),
        b"a" => (Attachment, 3),
        b"attachmentId" => (Attachment, 4),
        b"fileId" => (Attachment, 5),
        b"reasoning" => (Reasoning, 6),
        b"r" => (Reasoning, 7),
        b"full_phrase" => (Phrase, 8),
        b"f" => (Phrase, 9),
        b"fullPhrase" => (Phrase, 10),
        b"source_context" => (Phrase, 11),
        b"sourceContext" => (Phrase, 12),
        b"anchor_text" => (Anchor, 13),
        b"k" => (Anchor, 14),
        b"anchorText" => (Anchor, 15),
        b"source_match" => (Anchor, 16),
        b"sourceMatch" => (Anchor, 17),
        b"claim_text" => (Claim, 18),
        b"d" => (Claim, 19),
        b"claimText" => (Claim, 20),
        b"display_label" => (Claim, 21),
        b"displayLabel" => (Claim, 22),
        b"page_id" => (Page, 23),
        b"p" => (Page, 24),
        b"pageId" => (Page, 25),
        b"line_ids" => (Lines, 26),
        b"l" => (Lines, 27),
        b"lineIds" => (Lines, 28),
        b"timestamps" => (Timestamps, 29),
        b"t" => (Timestamps, 30),
        b"supportingFacts" => (Supporting, 31),
        b"supporting_facts" => (Supporting, 32),
        _ => return None,
    })
}
