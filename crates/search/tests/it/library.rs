//! Small library of documents in several languages.

use documents::{Document, ReadLimits};
use search::{
    ChunkIndex, ChunkSearchOutcome, ChunkSearchRequest, Chunker, IndexedDocument, SearchFilter,
    SearchLists, SearchQuery,
};

/// Documents: owner, file name, label, text.
const LIBRARY: &[(&str, &str, &str, &str)] = &[
    (
        "ada",
        "tides.md",
        "sea",
        "# Tide tables\n\nHigh tide reaches the harbour gates at noon. The pilots wait for slack water before they enter.\n",
    ),
    (
        "ada",
        "bridges.md",
        "engineering",
        "# Bridges\n\nA suspension bridge carries its load by cables under tension. Aerodynamic flutter destroyed one of them in a storm.\n",
    ),
    (
        "ada",
        "bread.md",
        "kitchen",
        "# Bread\n\nThe dough rests for twelve hours. A long rest gives the crust its taste and the crumb its holes.\n",
    ),
    (
        "ada",
        "haushalt.md",
        "politik",
        "# Etat\n\nDer Bundeshaushalt wächst im nächsten Jahr um drei Prozent. Die Abgeordneten stimmten nach langer Debatte zu.\n",
    ),
    (
        "ada",
        "musee.md",
        "art",
        "# Le musée\n\nLes tableaux privilégiés de la collection sont exposés au deuxième étage du musée pendant tout l'été.\n",
    ),
    (
        "ada",
        "tokyo.md",
        "travel",
        "# 東京\n\n東京都の人口は約千四百万人です。地下鉄は朝五時から走り、ガス灯の残る古い通りもあります。\n",
    ),
    (
        "ada",
        "beijing.md",
        "travel",
        "# 北京\n\n北京的故宫博物院每天接待大量游客，参观者需要提前预约门票才能进入。\n",
    ),
    (
        "bob",
        "secret.md",
        "sea",
        "# Secret harbour\n\nThe harbour of the smugglers lies behind the cliffs, and its tide is known to few pilots.\n",
    ),
];

/// Reads a document.
pub(crate) fn read(name: &str, text: &str) -> Document {
    Document::read(text.as_bytes(), name, &ReadLimits::default()).unwrap()
}

/// Returns an index of the library.
pub(crate) fn build_index() -> ChunkIndex {
    let index = ChunkIndex::in_memory().unwrap();
    let mut writer = index.writer().unwrap();
    for (created, (owner, name, label, text)) in (0..).zip(LIBRARY) {
        let document = read(name, text);
        writer
            .add(&IndexedDocument {
                owner,
                document: &document,
                title: name,
                labels: &[(*label).to_owned()],
                created,
                chunks: &Chunker::default().chunks(&document),
            })
            .unwrap();
    }
    writer.commit().unwrap();
    index.reload().unwrap();
    index
}

/// Searches with a filter.
pub(crate) fn search_with(
    index: &ChunkIndex,
    query: &str,
    filter: &SearchFilter,
) -> ChunkSearchOutcome {
    let query = SearchQuery::parse(query).unwrap();
    index
        .search(&ChunkSearchRequest {
            query: &query,
            filter,
            lists: SearchLists::default(),
            limit: 10,
            offset: 0,
        })
        .unwrap()
}

/// Returns the first headings of the hits for a query of Ada.
pub(crate) fn headings(index: &ChunkIndex, query: &str) -> Vec<String> {
    let found = search_with(index, query, &SearchFilter::of_owner("ada"));
    let hits = found.hits.into_iter();
    hits.map(|hit| hit.chunk.chunk.headings[0].clone())
        .collect()
}
