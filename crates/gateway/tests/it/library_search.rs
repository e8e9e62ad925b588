//! Search of the library: access, filters, versions, passages, and an index that follows the store.

use documents::ContentId;
use gateway::{SearchError, SearchRequest};
use search::{LinePosition, QueryError};
use store::{DocumentChange, LibraryState, Principal};

use crate::test_library::{TestLibrary, clock};

const TIDES: &str = "# Tides\n\nHigh tide is at noon. The harbour gates open one hour earlier.\n";
const SHIPS: &str = "# Ships\n\nThe old harbour had nine ships. Its gates were made of oak.\n";

fn principal(id: &str) -> Principal {
    Principal::new(id).expect("a principal")
}

#[tokio::test]
async fn documents_are_found_soon_after_they_are_attached() {
    let library = TestLibrary::in_memory();
    let who = principal("a");
    let id = library.add(&who, "papers/tides.md", TIDES).await;
    let found = library.search(&who, "harbor gate").await;
    assert_eq!(found.hits.len(), 1);
    let hit = &found.hits[0];
    assert_eq!(hit.chunk.document, id);
    assert_eq!(hit.chunk.filename, "tides.md");
    assert_eq!(hit.chunk.headings, ["Tides"]);
    assert_eq!(hit.chunk.pages, [1]);
    assert!(hit.snippet.text.contains("harbour gates"));
    assert_eq!(hit.explanation.lists[0].rank, 1);
    assert!(!hit.explanation.terms.is_empty());
    assert!(!found.has_more);
}

/// Every combination of filters, with values of the other principal, shows nothing of the other.
#[tokio::test]
async fn a_principal_finds_only_its_own_documents() {
    let library = TestLibrary::in_memory();
    let (ann, bob) = (principal("ann"), principal("bob"));
    let secret = library.add(&bob, "secret.md", TIDES).await;
    let label = DocumentChange {
        labels: Some(vec!["private".to_owned()]),
        ..DocumentChange::default()
    };
    let changed = library.library.change_document(&bob, secret, label).await;
    assert_eq!(changed, Ok(true));
    assert_eq!(library.settled(&bob, secret).await, LibraryState::Ready);
    let own = library.add(&ann, "ships.md", SHIPS).await;
    let documents = [None, Some(vec![secret]), Some(vec![secret, own])];
    let languages = [None, Some(vec!["en".to_owned()])];
    let times = [None, Some(0..i64::MAX)];
    let filters = documents.iter().flat_map(|documents| {
        languages.iter().flat_map(move |languages| {
            [vec![], vec!["private".to_owned()]]
                .into_iter()
                .map(move |labels| (documents.clone(), languages.clone(), labels))
        })
    });
    let mut seen = 0;
    for (documents, languages, labels) in filters {
        for created in &times {
            let request = SearchRequest {
                documents: documents.clone(),
                languages: languages.clone(),
                labels: labels.clone(),
                created: created.clone(),
                ..SearchRequest::new("harbour gates tide", 10)
            };
            let found = library.library.search(&ann, request.clone(), clock()).await;
            let found = found.expect("the search works");
            assert!(found.hits.iter().all(|hit| hit.chunk.document == own));
            seen += found.hits.len();
            let theirs = library.library.search(&bob, request, clock()).await;
            let theirs = theirs.expect("the search works");
            assert!(theirs.hits.iter().all(|hit| hit.chunk.document == secret));
        }
    }
    assert!(seen > 0);
    let theirs = library.search(&bob, "harbour").await.hits.remove(0);
    let chunk = library.library.chunk(&ann, theirs.chunk.id, clock()).await;
    assert!(matches!(chunk, Err(SearchError::MissingChunk(_))));
    let names = vec!["secret.md".to_owned()];
    let resolved = library
        .library
        .resolve_documents(&ann, &names, clock())
        .await;
    assert!(matches!(resolved, Err(SearchError::Document(_))));
}

#[tokio::test]
async fn removed_and_replaced_documents_are_not_found() {
    let library = TestLibrary::in_memory();
    let who = principal("a");
    let path = Some("/papers/tides.md");
    let old = library.attach(&who, "tides.md", path, TIDES).await;
    assert_eq!(library.settled(&who, old).await, LibraryState::Ready);
    let new = TIDES.replace("noon", "midnight");
    let new = library.attach(&who, "tides.md", path, &new).await;
    assert_eq!(library.settled(&who, new).await, LibraryState::Ready);
    library.settled(&who, old).await;
    let found = library.search(&who, "tide noon midnight").await;
    let documents: Vec<ContentId> = found.hits.iter().map(|hit| hit.chunk.document).collect();
    assert_eq!(documents, [new]);
    // The earlier version can still be opened, so its citations stay verifiable.
    assert!(library.library.open(&who, old, None, clock()).await.is_ok());
    for attachment in library
        .library
        .all(&who, clock())
        .await
        .expect("attachments")
    {
        let detached = library.library.detach(&who, &attachment.id).await;
        assert_eq!(detached, Ok(true));
    }
    assert!(library.names(&who, "tide").await.is_empty());
}

#[tokio::test]
async fn labels_and_titles_change_the_index() {
    let library = TestLibrary::in_memory();
    let who = principal("a");
    let id = library.add(&who, "tides.md", TIDES).await;
    library.add(&who, "ships.md", SHIPS).await;
    let change = DocumentChange {
        title: Some(Some("Almanac".to_owned())),
        labels: Some(vec!["sea".to_owned()]),
        ..DocumentChange::default()
    };
    let changed = library.library.change_document(&who, id, change).await;
    assert_eq!(changed, Ok(true));
    assert_eq!(library.settled(&who, id).await, LibraryState::Ready);
    let request = SearchRequest {
        labels: vec!["sea".to_owned()],
        ..SearchRequest::new("harbour", 10)
    };
    let found = library.library.search(&who, request, clock()).await;
    let found = found.expect("the search works");
    assert_eq!(found.hits.len(), 1);
    assert_eq!(found.hits[0].chunk.title.as_deref(), Some("Almanac"));
    assert_eq!(library.names(&who, "almanac").await, ["tides.md"]);
}

#[tokio::test]
async fn results_are_read_page_by_page() {
    let library = TestLibrary::in_memory();
    let who = principal("a");
    for number in 0..7 {
        let text = format!("# Part {number}\n\nThe harbour of part {number} is closed.\n");
        library.add(&who, &format!("{number}.md"), &text).await;
    }
    let mut seen = Vec::new();
    for offset in (0..).step_by(3) {
        let request = SearchRequest {
            offset,
            ..SearchRequest::new("harbour", 3)
        };
        let found = library.library.search(&who, request, clock()).await;
        let found = found.expect("the search works");
        seen.extend(found.hits.into_iter().map(|hit| hit.chunk.filename));
        if !found.has_more {
            break;
        }
    }
    seen.sort();
    assert_eq!(
        seen,
        (0..7)
            .map(|number| format!("{number}.md"))
            .collect::<Vec<_>>()
    );
}

#[tokio::test]
async fn passages_are_expanded_and_read() {
    let library = TestLibrary::in_memory();
    let who = principal("a");
    let long: String = (0..60)
        .map(|number| {
            format!("Sentence {number} speaks of boats and of the wind that moves them.\n")
        })
        .collect();
    let text =
        format!("# One\n\n{long}\n# Two\n\nThe lighthouse is white.\n\n# Three\n\nThe end.\n");
    let id = library.add(&who, "a.md", &text).await;
    let hit = library.search(&who, "lighthouse").await.hits.remove(0);
    let small = library
        .library
        .open_chunk(&who, hit.chunk.id, clock())
        .await;
    let small = small.expect("the chunk exists");
    assert_eq!(small.chunk.text, hit.chunk.text);
    let grown = library
        .library
        .expand(&who, hit.chunk.id, 400, clock())
        .await;
    let grown = grown.expect("the chunk exists").chunk;
    assert!(grown.text.contains("The lighthouse is white."));
    assert!(grown.text.len() > small.chunk.text.len() && grown.text.chars().count() <= 400);
    assert!(grown.text.starts_with(char::is_alphanumeric) || grown.text.starts_with('#'));
    let first = LinePosition { page: 1, line: 1 };
    let lines = library
        .library
        .read_lines(&who, &id.to_string(), first..=first, clock())
        .await
        .expect("the document exists");
    assert_eq!(lines[0].lines[0].1, "# One");
    let pages = library
        .library
        .read_pages(&who, &id.to_string(), 1..=1, clock())
        .await;
    assert!(pages.expect("the document exists")[0].lines.len() > 60);
    let (other, name) = (principal("b"), id.to_string());
    let pages = library
        .library
        .read_pages(&other, &name, 1..=1, clock())
        .await;
    assert!(pages.is_err());
}

#[tokio::test]
async fn queries_without_words_are_refused() {
    let library = TestLibrary::in_memory();
    let request = SearchRequest::new("?!", 10);
    let found = library
        .library
        .search(&principal("a"), request, clock())
        .await;
    assert!(matches!(
        found,
        Err(SearchError::Query(QueryError::NoWords))
    ));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_index_survives_a_restart_and_is_made_anew_when_damaged() {
    let folder = tempfile::tempdir().expect("a folder");
    let who = principal("a");
    let library = TestLibrary::in_folder(folder.path());
    let id = library.add(&who, "tides.md", TIDES).await;
    let chunk = library.search(&who, "tide").await.hits.remove(0).chunk.id;
    library.stop().await;

    let library = TestLibrary::in_folder(folder.path());
    library.opened().await;
    assert_eq!(library.names(&who, "tide").await, ["tides.md"]);
    library.stop().await;

    // A file of the index is damaged.
    let index = folder.path().join("index");
    for entry in walk(&index) {
        if entry.file_name().is_some_and(|name| name == "meta.json") {
            std::fs::write(&entry, "{").expect("written");
        }
    }
    let library = TestLibrary::in_folder(folder.path());
    library.opened().await;
    assert_eq!(library.settled(&who, id).await, LibraryState::Ready);
    let again = library.search(&who, "tide").await.hits.remove(0).chunk.id;
    assert_eq!(again, chunk, "chunk ids stay");
    library.stop().await;

    // The folder is gone.
    std::fs::remove_dir_all(&index).expect("removed");
    let library = TestLibrary::in_folder(folder.path());
    library.opened().await;
    assert_eq!(library.settled(&who, id).await, LibraryState::Ready);
    assert_eq!(library.names(&who, "tide").await, ["tides.md"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_process_writes_and_others_follow() {
    let folder = tempfile::tempdir().expect("a folder");
    let who = principal("a");
    let writer = TestLibrary::in_folder(folder.path());
    writer.add(&who, "tides.md", TIDES).await;
    let other = TestLibrary::in_folder(folder.path());
    let id = other.attach(&who, "ships.md", None, SHIPS).await;
    assert_eq!(other.settled(&who, id).await, LibraryState::Ready);
    assert!(other.library.refresh_index().await.expect("it is readable"));
    let mut names = other.names(&who, "harbour").await;
    names.sort();
    assert_eq!(names, ["ships.md", "tides.md"]);
    // The other one takes over when the writer ends.
    writer.stop().await;
    other
        .add(&who, "third.md", "# Third\n\nA third harbour.\n")
        .await;
    assert_eq!(other.names(&who, "harbour").await.len(), 3);
}

fn walk(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let mut files = Vec::new();
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        match path.is_dir() {
            true => files.extend(walk(&path)),
            false => files.push(path),
        }
    }
    files
}
