//! Full-text search.

use search::{ChunkIndex, Chunker, IndexedDocument, SearchFilter, TermMatchKind, make_snippet};

use crate::library::{build_index, headings, read, search_with};

#[test]
fn words_find_other_forms_in_the_language_of_the_document() {
    let index = build_index();
    for (query, first) in [
        ("cable", "Bridges"),
        ("rested", "Bread"),
        ("Abgeordneter", "Etat"),
        ("tableau exposé", "Le musée"),
        ("privilegie", "Le musée"),
        ("MUSEE", "Le musée"),
        ("東京の人口", "東京"),
        ("故宫门票", "北京"),
    ] {
        assert_eq!(
            headings(&index, query).first().map(String::as_str),
            Some(first),
            "{query}"
        );
    }
}

#[test]
fn parts_of_compounds_are_found() {
    let index = build_index();
    let found = search_with(&index, "Haushalt wächst", &SearchFilter::of_owner("ada"));
    let kinds: Vec<_> = found.hits[0].terms.iter().map(|term| term.kind).collect();
    assert!(kinds.contains(&TermMatchKind::Compound), "{kinds:?}");
}

#[test]
fn misspelled_words_are_corrected_only_if_they_are_rare() {
    let index = build_index();
    for query in ["harbuor", "aerodinamic", "suspention", "destroied"] {
        assert_eq!(headings(&index, query).len(), 1, "{query}");
    }
    let found = search_with(&index, "suspention ", &SearchFilter::of_owner("ada"));
    assert_eq!(found.hits[0].terms[0].kind, TermMatchKind::Spelling);
    assert!(
        headings(&index, "lood ").is_empty(),
        "four letters are exact"
    );
}

#[test]
fn the_last_word_is_a_prefix() {
    let index = build_index();
    assert_eq!(headings(&index, "susp"), ["Bridges"]);
    assert!(headings(&index, "susp ").is_empty());
    assert_eq!(
        headings(&index, "都").first().map(String::as_str),
        Some("東京")
    );
}

#[test]
fn phrases_are_required_and_fall_back_to_their_words() {
    let index = build_index();
    assert_eq!(headings(&index, "dough \"high tide\""), ["Tide tables"]);
    let found = search_with(&index, "\"tide high\"", &SearchFilter::of_owner("ada"));
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.notes.len(), 1, "{:?}", found.notes);
    assert_eq!(headings(&index, "\"地下鉄は\""), ["東京"]);
}

#[test]
fn excluded_words_remove_chunks() {
    let index = build_index();
    assert_eq!(headings(&index, "storm dough").len(), 2);
    assert_eq!(headings(&index, "storm dough -cable"), ["Bread"]);
}

#[test]
fn owners_find_only_their_own_documents_under_every_filter() {
    let index = build_index();
    let foreign = read(
        "secret.md",
        "# Secret harbour\n\nThe harbour of the smugglers lies behind the cliffs, and its tide is known to few pilots.\n",
    );
    for filter in [
        SearchFilter::default(),
        SearchFilter {
            labels: vec!["sea".to_owned()],
            ..SearchFilter::default()
        },
        SearchFilter {
            documents: Some(vec![foreign.id()]),
            ..SearchFilter::default()
        },
        SearchFilter {
            languages: Some(vec!["en".to_owned()]),
            ..SearchFilter::default()
        },
        SearchFilter {
            created: Some(0..100),
            ..SearchFilter::default()
        },
    ] {
        for query in [
            "smugglers",
            "harbour",
            "\"harbour of the smugglers\"",
            "smugg",
            "smuglers",
        ] {
            let ada = SearchFilter {
                owner: "ada".to_owned(),
                ..filter.clone()
            };
            let found = search_with(&index, query, &ada);
            assert!(
                found
                    .hits
                    .iter()
                    .all(|hit| hit.chunk.document() != foreign.id())
            );
            let bob = SearchFilter {
                owner: "bob".to_owned(),
                ..filter.clone()
            };
            assert_eq!(
                search_with(&index, query, &bob).hits.len(),
                1,
                "{query} {filter:?}"
            );
            let eve = SearchFilter {
                owner: "eve".to_owned(),
                ..filter.clone()
            };
            assert!(search_with(&index, query, &eve).hits.is_empty());
        }
    }
    let id = Chunker::default().chunks(&foreign)[0].id;
    assert!(index.chunk("ada", id).unwrap().is_none());
    assert!(index.chunk("bob", id).unwrap().is_some());
}

#[test]
fn filters_restrict_hits() {
    let index = build_index();
    let query = "harbour dough cables 東京";
    let ada = SearchFilter::of_owner("ada");
    assert_eq!(search_with(&index, query, &ada).hits.len(), 4);
    let label = SearchFilter {
        labels: vec!["sea".to_owned()],
        ..ada.clone()
    };
    assert_eq!(search_with(&index, query, &label).hits.len(), 1);
    let language = SearchFilter {
        languages: Some(vec!["ja".to_owned()]),
        ..ada.clone()
    };
    assert_eq!(search_with(&index, query, &language).hits.len(), 1);
    let date = SearchFilter {
        created: Some(1..3),
        ..ada
    };
    assert_eq!(search_with(&index, query, &date).hits.len(), 2);
}

#[test]
fn a_document_is_replaced_and_removed() {
    let index = ChunkIndex::in_memory().unwrap();
    let mut writer = index.writer().unwrap();
    let document = read("a.txt", "The lighthouse keeper counted the ships.");
    let chunks = Chunker::default().chunks(&document);
    let entry = |title| IndexedDocument {
        owner: "ada",
        document: &document,
        title,
        labels: &[],
        created: 0,
        chunks: &chunks,
    };
    writer.add(&entry("Old name")).unwrap();
    writer.commit().unwrap();
    writer.add(&entry("New name")).unwrap();
    writer.commit().unwrap();
    index.reload().unwrap();
    assert_eq!(index.chunk_count(), 1);
    let ada = SearchFilter::of_owner("ada");
    assert!(search_with(&index, "old ", &ada).hits.is_empty());
    assert_eq!(search_with(&index, "new ", &ada).hits.len(), 1);
    writer.remove("ada", document.id());
    writer.commit().unwrap();
    index.reload().unwrap();
    assert!(search_with(&index, "lighthouse", &ada).hits.is_empty());
}

#[test]
fn scores_are_the_sum_of_the_contributions() {
    let index = build_index();
    let found = search_with(&index, "high tide harbour", &SearchFilter::of_owner("ada"));
    let hit = &found.hits[0];
    let sum: f32 = hit.terms.iter().map(|term| term.score).sum();
    assert!((sum - hit.score).abs() < 1e-4);
    assert!(
        hit.terms
            .iter()
            .any(|term| term.kind == TermMatchKind::Heading && term.word == "tide")
    );
}

#[test]
fn snippets_mark_words_in_utf16_units() {
    let index = build_index();
    let ada = SearchFilter::of_owner("ada");
    for (query, marked) in [
        ("cable tension", &["cables", "tension"][..]),
        ("人口", &["人口"]),
        ("地下鉄", &["地下鉄"]),
        ("susp", &["suspension"]),
        ("musee", &["musée", "musée"]),
    ] {
        let found = search_with(&index, query, &ada);
        let snippet = make_snippet(&found.hits[0]);
        let units: Vec<u16> = snippet.text.encode_utf16().collect();
        let words: Vec<String> = snippet
            .highlights
            .iter()
            .map(|range| String::from_utf16(&units[range.clone()]).unwrap())
            .collect();
        assert_eq!(words, marked, "{}", snippet.text);
    }
}

#[test]
fn snippets_of_long_chunks_show_the_best_passage() {
    let index = ChunkIndex::in_memory().unwrap();
    let mut writer = index.writer().unwrap();
    let filler = "The clerk wrote another line of figures into the ledger. ";
    let text = format!(
        "{}The whale 🐋 surfaced.\n{}",
        filler.repeat(9),
        filler.repeat(9)
    );
    let document = read("a.txt", &text);
    let chunks = Chunker {
        min_words: 300,
        max_words: 600,
    }
    .chunks(&document);
    writer
        .add(&IndexedDocument {
            owner: "ada",
            document: &document,
            title: "",
            labels: &[],
            created: 0,
            chunks: &chunks,
        })
        .unwrap();
    writer.commit().unwrap();
    index.reload().unwrap();
    let found = search_with(&index, "whale", &SearchFilter::of_owner("ada"));
    let snippet = make_snippet(&found.hits[0]);
    assert!(
        snippet.text.contains("whale 🐋 surfaced"),
        "{}",
        snippet.text
    );
    assert!(snippet.text.starts_with('…') && snippet.text.ends_with('…'));
    assert!((200..=244).contains(&snippet.text.chars().count()));
}

#[test]
fn one_writer_at_a_time_and_a_damaged_index_is_recreated() {
    let folder = std::env::temp_dir().join(format!("pincite-index-{}", std::process::id()));
    let index = ChunkIndex::recreate(&folder).unwrap();
    let writer = index.writer().unwrap();
    assert!(matches!(index.writer(), Err(search::IndexError::Locked)));
    drop(writer);
    drop(index);
    std::fs::write(folder.join("meta.json"), b"{").unwrap();
    let error = ChunkIndex::open(&folder).err().unwrap();
    assert!(error.needs_rebuild(), "{error}");
    assert_eq!(ChunkIndex::recreate(&folder).unwrap().chunk_count(), 0);
    std::fs::remove_dir_all(&folder).unwrap();
}
