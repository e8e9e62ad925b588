//! Random documents of all forms: every way of cutting gives the same, and nothing of the reference
//! is lost.

mod fuzz;

use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn documents_of_fragments(choices in prop::collection::vec(any::<u8>(), 0..24), seed in any::<u64>()) {
        fuzz::check(&fuzz::document(&choices), seed);
    }

    #[test]
    fn blocks_of_fragments(choices in prop::collection::vec(36u8..66, 0..24), seed in any::<u64>()) {
        let text = format!("[1]<<<CITATION_DATA>>>[{{\"id\":1,\"full_phrase\":\"a\"}}{}", fuzz::document(&choices));
        fuzz::check(&text, seed);
    }

    #[test]
    fn structured_answers_of_fragments(choices in prop::collection::vec(any::<u8>(), 0..16), seed in any::<u64>()) {
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
    fn mended_blocks_keep_the_keys_of_the_reference(
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
