//! Sample library: small documents that `scripts/make-samples` writes.

use server::SampleDocument;

/// Questions that the start banner suggests.
pub(crate) const QUESTIONS: [&str; 3] = [
    "Why did storm surges become more frequent?",
    "How much is the rent of the north quay?",
    "Wie hoch ist der Leuchtturm von Lunde?",
];

macro_rules! samples {
    ($($id:literal, $name:literal;)*) => {
        &[$(SampleDocument {
            id: $id,
            name: $name,
            file: include_bytes!(concat!("../../../samples/library/", $name)),
        },)*]
    };
}

/// The documents.
pub(crate) const DOCUMENTS: &[SampleDocument] = samples! {
    "sample-storm-surges", "storm-surges.pdf";
    "sample-quay-lease", "quay-lease.pdf";
    "sample-ferry-report", "ferry-report.pdf";
    "sample-letter-1929", "letter-1929.pdf";
    "sample-pump-manual", "pump-manual.html";
    "sample-leuchtturm", "leuchtturm.md";
    "sample-shio-matsuri", "shio-matsuri.md";
};
