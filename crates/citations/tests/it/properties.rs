//! Random documents: the events do not depend on how the input is cut, and every citation that the SDK finds
//! is found.

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;

use crate::fuzz;

/// Cases that failed once. They are replayed first.
const KEPT_CASES: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/tests/it/properties.proptest-regressions"
);

/// Names of members: fields under several names, and other names.
const NAMES: &[&str] = &[
    "id",
    "n",
    "full_phrase",
    "f",
    "fullPhrase",
    "anchor_text",
    "k",
    "page_id",
    "p",
    "line_ids",
    "l",
    "a",
    "attachment_id",
    "reasoning",
    "claim_text",
    "t",
    "supportingFacts",
    "url",
    "phrase",
    "cited_text",
    "x",
    "",
    "full\\u005fphrase",
    "a, ] b",
    "full\\_phrase",
];

/// Values of members: plain ones, and ones that only the scanner reads.
const VALUES: &[&str] = &[
    "1",
    "2",
    "0",
    "007",
    "-3",
    "1.5",
    "999999999999999",
    "9999999999999999",
    "true",
    "false",
    "null",
    "NaN",
    "truth",
    "\"\"",
    "\"the words\"",
    "\"words that are longer than sixteen bytes\"",
    "\"é “quoted” 🚀 and more than sixteen\"",
    "\"a \\\"quoted\\\" word\"",
    "\"a\\nb\"",
    "\"a\\~b\"",
    "\"a\\\"",
    "\"a ] b } c\"",
    "\"a, ] b\"",
    "\"a\tb\"",
    "\"a < b\"",
    "\"a <<<END_CITATION_DATA>>> b\"",
    "\"2_1\"",
    "\"page_number_3_index_2\"",
    "\"3-5\"",
    "[1,2]",
    "[ 7 , 3 ]",
    "[]",
    "[1,]",
    "[,1]",
    "[1 2]",
    "[01]",
    "[1.5]",
    "[\"4\"]",
    "[[1]]",
    "{\"s\":\"1\"}",
    "[{\"fullPhrase\":\"z\"}]",
    "'single'",
    "",
    "[1\u{c}]",
    "1\u{c}",
];

/// Text between two tokens.
const GAPS: &[&str] = &["", "", "", "", " ", "\n  ", "\u{c}", "//c\n"];

/// Generates an entry of a data block.
fn entry() -> impl Strategy<Value = String> {
    let pick = |from: &'static [&'static str]| prop::sample::select(from);
    let member = (pick(NAMES), pick(VALUES), pick(GAPS), pick(GAPS))
        .prop_map(|(name, value, before, after)| format!("\"{name}\":{before}{value}{after}"));
    let members = prop::collection::vec(member, 0..6);
    let phrase = prop::sample::select(vec!["", "\"id\":1,\"full_phrase\":\"a plain phrase\","]);
    let close = prop::sample::select(vec!["}", "}", "}", "}", ",}", "]", "", "}}"]);
    (phrase, members, close)
        .prop_map(|(phrase, members, close)| format!("{{{phrase}{}{close}", members.join(",")))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: Some(Box::new(FileFailurePersistence::Direct(KEPT_CASES))), ..ProptestConfig::default() })]

    #[test]
    fn documents_of_fragments(choices in prop::collection::vec(any::<u8>(), 0..24), seed in any::<u64>()) {
        fuzz::check(&fuzz::document(&choices), seed);
    }

    #[test]
    fn blocks_of_fragments(choices in prop::collection::vec(36u8..66, 0..24), seed in any::<u64>()) {
        let text = format!("[1]<<<CITATION_DATA>>>[{{\"id\":1,\"full_phrase\":\"a\"}}{}", fuzz::document(&choices));
        fuzz::check(&text, seed);
    }

    /// The fast path reads complete entries, the scanner reads entries in pieces: both must agree.
    #[test]
    fn entries_in_one_pass_and_in_pieces(
        entries in prop::collection::vec(entry(), 1..5),
        start in prop::sample::select(vec!["[", "{\"A\":[", "{\"A\":{\"B\":[", "[[", "{\"citations\":[", "{\"t\":["]),
        end in prop::sample::select(vec!["]", "]}", "]]", "]}}", ""]),
        seed in any::<u64>(),
    ) {
        let text = format!("[1]<<<CITATION_DATA>>>{start}{}{end}<<<END_CITATION_DATA>>> z", entries.join(","));
        fuzz::check(&text, seed);
    }

    #[test]
    fn json_answers_of_fragments(choices in prop::collection::vec(any::<u8>(), 0..16), seed in any::<u64>()) {
        fuzz::check(&format!("{{\"answer\":\"{}", fuzz::document(&choices)), seed);
    }

    #[test]
    fn damaged_documents(
        choices in prop::collection::vec(any::<u8>(), 1..12),
        damage in prop::collection::vec((any::<prop::sample::Index>(), any::<char>()), 1..6),
        seed in any::<u64>(),
    ) {
        let mut chars: Vec<char> = fuzz::document(&choices).chars().collect();
        for (index, char) in damage {
            let at = index.index(chars.len());
            if char.is_alphabetic() {
                chars.remove(at);
                if chars.is_empty() {
                    break;
                }
            } else {
                chars[at] = char;
            }
        }
        fuzz::check(&chars.into_iter().collect::<String>(), seed);
    }

    #[test]
    fn any_text(text in "\\PC{0,60}", seed in any::<u64>()) {
        fuzz::check(&text, seed);
    }

    #[test]
    fn repaired_blocks_have_the_keys_of_the_sdk(
        phrases in prop::collection::vec("[a-z,\\]} ]{1,12}", 1..5),
        ends in prop::sample::select(vec!["", ",", "]", ",]", "}", "]}", ",]\n```"]),
        start in prop::sample::select(vec!["[", "```json\n[", "{\"A\":["]),
        seed in any::<u64>(),
    ) {
        let items: Vec<String> = phrases
            .iter()
            .enumerate()
            .map(|(id, phrase)| format!("{{\"id\":{id},\"full_phrase\":\"{phrase}\"}}"))
            .collect();
        let text = format!("x<<<CITATION_DATA>>>{start}{}{ends}<<<END_CITATION_DATA>>>", items.join(","));
        fuzz::check(&text, seed);
    }
}
