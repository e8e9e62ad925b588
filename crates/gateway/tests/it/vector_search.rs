//! Search by vectors: the real sentence model, languages, other models, and models that fail.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use embedding::MiniLm;
use gateway::{
    EmbeddingModel, SearchError, SearchMode, SearchRequest, SearchResponse, VectorState,
};
use search::{EmbedError, Embedder, RankedListName};
use store::Principal;
use testkit::sentence_model::sentence_model;

use crate::test_library::{TestLibrary, clock};

const TIDES: &str = "# Tides\n\nHigh tide is at noon. The harbour gates open one hour earlier.\n";
const BREAD: &str =
    "# Bread\n\nThe dough rests for twelve hours, which gives the crust its taste.\n";
const HAFEN: &str = "# Hafen\n\nDer Hafen war wegen des Sturms drei Tage lang geschlossen, und die Schiffe warteten.\n";

/// Function that returns the vector of a text.
type EmbedFn = fn() -> Result<Vec<f32>, EmbedError>;

/// Model that answers what a test wants.
struct TestEmbedder {
    name: &'static str,
    answer: EmbedFn,
}

impl Embedder for TestEmbedder {
    fn model(&self) -> &str {
        self.name
    }

    fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbedError> {
        texts.iter().map(|_| (self.answer)()).collect()
    }
}

fn model(embedder: impl Embedder + 'static) -> EmbeddingModel {
    EmbeddingModel {
        embedder: Arc::new(embedder),
        weights: BTreeMap::from([("en".to_owned(), 0.5)]),
    }
}

fn sentences() -> EmbeddingModel {
    model(MiniLm::new(sentence_model(), 2))
}

fn who() -> Principal {
    Principal::new("ada").expect("a principal")
}

async fn search(library: &TestLibrary, mode: SearchMode, query: &str) -> SearchResponse {
    let request = SearchRequest {
        mode,
        ..SearchRequest::new(query, 10)
    };
    let found = library.library.search(&who(), request, clock()).await;
    found.expect("the search works")
}

fn names(found: &SearchResponse) -> Vec<&str> {
    let hits = found.hits.iter();
    hits.map(|hit| hit.chunk.filename.as_str()).collect()
}

async fn embed(library: &TestLibrary) -> Vec<(usize, usize)> {
    let mut progress = Vec::new();
    let embedded = library
        .library
        .embed_missing(|embedded, total| progress.push((embedded, total)));
    embedded.await.expect("the model works");
    progress
}

#[tokio::test(flavor = "multi_thread")]
async fn passages_are_found_by_meaning() {
    let library = TestLibrary::in_memory().with_embedding(sentences());
    library.add(&who(), "tides.md", TIDES).await;
    library.add(&who(), "bread.md", BREAD).await;
    library.add(&who(), "hafen.md", HAFEN).await;
    let before = search(
        &library,
        SearchMode::Hybrid,
        "when can vessels enter the port",
    )
    .await;
    assert!(before.notes.concat().contains("embedded"), "{before:?}");
    assert_eq!(embed(&library).await, [(2, 2)], "German is not embedded");
    let found = search(
        &library,
        SearchMode::Hybrid,
        "when can vessels sail into the port",
    )
    .await;
    assert_eq!(names(&found)[0], "tides.md");
    assert_eq!(found.notes, Vec::<String>::new());
    let lists = &found.hits[0].explanation.lists;
    assert!(lists.iter().any(|rank| rank.list == RankedListName::Vector));
    let sum: f32 = lists.iter().map(|rank| rank.contribution).sum();
    assert!((sum - found.hits[0].score).abs() < 1e-5);
    let words = search(&library, SearchMode::Text, "vessels port").await;
    assert_eq!(names(&words), Vec::<&str>::new());
    let meaning = search(&library, SearchMode::Vector, "baking a loaf").await;
    assert_eq!(names(&meaning)[0], "bread.md");
}

#[tokio::test(flavor = "multi_thread")]
async fn other_languages_are_ranked_by_words_alone() {
    let library = TestLibrary::in_memory().with_embedding(sentences());
    library.add(&who(), "tides.md", TIDES).await;
    library.add(&who(), "hafen.md", HAFEN).await;
    embed(&library).await;
    let query = "Warum mussten die Schiffe im Hafen so lange warten?";
    let found = search(&library, SearchMode::Hybrid, query).await;
    let words = search(&library, SearchMode::Text, query).await;
    assert_eq!(found.hits, words.hits);
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_are_embedded_once_and_vectors_follow_the_documents() {
    let library = TestLibrary::in_memory().with_embedding(sentences());
    let id = library.add(&who(), "tides.md", TIDES).await;
    let bob = Principal::new("bob").expect("a principal");
    library.add(&bob, "copy.md", TIDES).await;
    assert_eq!(embed(&library).await, [(1, 1)]);
    assert_eq!(embed(&library).await, [], "the vector is stored");
    let embedder = tokio::spawn(library.library.clone().run_embedder());
    // The test library attaches everything for this principal first.
    let first = Principal::new("first").expect("a principal");
    for (principal, is_left) in [(&bob, true), (&who(), true), (&first, false)] {
        let name = id.to_string();
        let attachments = library.library.attachments(principal, &name, clock());
        for attachment in attachments.await.expect("attachments") {
            let detached = library.library.detach(principal, &attachment.id);
            assert_eq!(detached.await, Ok(true));
        }
        library.settled(principal, id).await;
        let expected = usize::from(is_left);
        let reached = async {
            while library.vector_count().await != expected {
                tokio::task::yield_now().await;
            }
        };
        let reached = tokio::time::timeout(Duration::from_secs(60), reached).await;
        assert!(reached.is_ok(), "{principal}");
    }
    embedder.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn vectors_of_another_model_are_refused() {
    let folder = tempfile::tempdir().expect("a folder");
    let one = TestEmbedder {
        name: "one",
        answer: || Ok(vec![1.0, 0.0]),
    };
    let library = TestLibrary::in_folder(folder.path()).with_embedding(model(one));
    library.add(&who(), "tides.md", TIDES).await;
    embed(&library).await;
    library.stop().await;

    let other = TestEmbedder {
        name: "other",
        answer: || Ok(vec![1.0, 0.0, 0.0]),
    };
    let library = TestLibrary::in_folder(folder.path()).with_embedding(model(other));
    library.opened().await;
    let error = library.library.load_vectors().await;
    let error = error.expect_err("the model differs").to_string();
    assert!(error.contains("pincite reindex --vectors"), "{error}");
    let found = search(&library, SearchMode::Hybrid, "harbour").await;
    assert_eq!(names(&found), ["tides.md"]);
    assert!(
        found.notes[0].contains("pincite reindex --vectors"),
        "{found:?}"
    );

    library.library.forget_vectors().await.expect("forgotten");
    embed(&library).await;
    let state = VectorState::Ready {
        embedded: 1,
        total: 1,
    };
    assert_eq!(library.library.vector_state(), state);
    library.stop().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_fails_leaves_full_text() {
    let library = TestLibrary::in_memory();
    library.add(&who(), "tides.md", TIDES).await;
    let request = SearchRequest {
        mode: SearchMode::Vector,
        ..SearchRequest::new("harbour", 10)
    };
    let found = library.library.search(&who(), request, clock()).await;
    assert!(matches!(found, Err(SearchError::NoModel)));

    let failures: [EmbedFn; 3] = [
        || Err(EmbedError::Failed("it is down".to_owned())),
        || Ok(vec![f32::NAN, 0.0]),
        || Ok(vec![1.0, 0.0, 0.0]),
    ];
    for answer in failures {
        let folder = tempfile::tempdir().expect("a folder");
        let name = "one";
        let works = TestEmbedder {
            name,
            answer: || Ok(vec![1.0, 0.0]),
        };
        let library = TestLibrary::in_folder(folder.path()).with_embedding(model(works));
        library.add(&who(), "tides.md", TIDES).await;
        embed(&library).await;
        library.stop().await;
        let fails = TestEmbedder { name, answer };
        let library = TestLibrary::in_folder(folder.path()).with_embedding(model(fails));
        library.opened().await;
        library.library.load_vectors().await.expect("vectors");
        for mode in [SearchMode::Hybrid, SearchMode::Vector] {
            let found = search(&library, mode, "harbour").await;
            assert_eq!(names(&found), ["tides.md"]);
            assert!(found.notes[0].contains("by words only"), "{found:?}");
        }
        library.stop().await;
    }
}
