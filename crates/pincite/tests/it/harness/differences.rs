//! Comparisons of many items that report every difference.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use json::Value;

/// Compares all items, several at a time. Panics with all differences.
#[track_caller]
pub(crate) fn in_parallel<T: Sync>(items: &[T], compare: impl Fn(usize, &T) -> Vec<String> + Sync) {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism()
        .map_or(2, usize::from)
        .max(2);
    let work = || {
        let mut differences = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some(item) = items.get(index) else {
                return differences;
            };
            differences.extend(compare(index, item));
        }
    };
    let differences: Vec<String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let join =
            |worker: thread::ScopedJoinHandle<'_, Vec<String>>| worker.join().expect("no panic");
        workers.into_iter().flat_map(join).collect()
    });
    assert!(
        differences.is_empty(),
        "{} differences\n{}",
        differences.len(),
        differences.join("\n")
    );
}

/// Differences of one item.
#[derive(Default)]
pub(crate) struct Differences {
    /// Name of the item, which begins each difference.
    pub(crate) name: String,
    pub(crate) found: Vec<String>,
}

impl Differences {
    pub(crate) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            found: Vec::new(),
        }
    }

    /// Adds a difference unless both values are equal.
    pub(crate) fn same(&mut self, what: &str, ours: &Value, expected: &Value) {
        if ours != expected {
            let (name, ours, expected) = (&self.name, ours.to_json(), expected.to_json());
            self.found.push(format!(
                "{name}: {what}\n  ours:     {ours}\n  expected: {expected}"
            ));
        }
    }

    /// Adds a difference unless the condition holds.
    pub(crate) fn holds(&mut self, what: &str, condition: bool) {
        if !condition {
            self.found.push(format!("{}: {what}", self.name));
        }
    }
}
