//! Index of works in memory. It is derived: the store has the records.

use std::collections::HashMap;

use crate::names::search_words;

/// Constant of reciprocal rank fusion.
const FUSION: f64 = 60.0;
/// Number of hits of each list that are fused.
const LIST_LENGTH: usize = 200;
/// Largest number of words that a prefix or a misspelled word stands for.
const MAX_EXPANSIONS: usize = 64;

/// Work as the index sees it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct WorkDocument {
    /// Attribution id.
    pub id: String,
    /// Title.
    pub title: String,
    /// Main artists.
    pub artist: String,
    /// Names of all credits, also as they are printed.
    pub names: Vec<String>,
    /// Entity ids of the people.
    pub people: Vec<String>,
}

/// Hit of a search.
#[derive(Debug, Clone, PartialEq)]
pub struct WorkHit {
    /// Attribution id.
    pub id: String,
    /// Score of the fusion.
    pub score: f64,
    /// Rank in the list of each method, from 1.
    pub ranks: Vec<(&'static str, usize)>,
}

/// Occurrence of a word in a work.
#[derive(Debug, Clone, Copy)]
struct WordPosting {
    work: u32,
    weight: f32,
}

/// Score of a work and its ranks.
type FusedScore = (f64, Vec<(&'static str, usize)>);

/// Index of works.
#[derive(Debug, Default)]
pub struct WorkIndex {
    works: Vec<Option<WorkDocument>>,
    numbers: HashMap<String, u32>,
    words: HashMap<String, Vec<WordPosting>>,
    /// Words in order, for prefixes. Rebuilt after changes.
    sorted: Vec<String>,
    /// Words by three letters in a row, for misspellings.
    trigrams: HashMap<[char; 3], Vec<u32>>,
    people: HashMap<String, Vec<u32>>,
    is_stale: bool,
    live: usize,
}

impl WorkIndex {
    /// Returns the number of works.
    pub fn len(&self) -> usize {
        self.live
    }

    /// Returns true if there is no work.
    pub fn is_empty(&self) -> bool {
        self.live == 0
    }

    /// Adds a work in place of an earlier one of the same id.
    pub fn put(&mut self, work: WorkDocument) {
        self.remove(&work.id);
        let number = u32::try_from(self.works.len()).unwrap_or(u32::MAX);
        let mut weights: HashMap<String, f32> = HashMap::new();
        let mut add = |text: &str, weight: f32| {
            for word in search_words(text) {
                let known = weights.entry(word).or_default();
                *known = known.max(weight);
            }
        };
        add(&work.title, 3.0);
        add(&work.artist, 2.0);
        for name in &work.names {
            add(name, 1.0);
        }
        for (word, weight) in weights {
            let postings = self.words.entry(word).or_default();
            postings.push(WordPosting {
                work: number,
                weight,
            });
        }
        for person in &work.people {
            self.people.entry(person.clone()).or_default().push(number);
        }
        self.numbers.insert(work.id.clone(), number);
        self.works.push(Some(work));
        self.live += 1;
        self.is_stale = true;
    }

    /// Removes a work. Its postings stay until the index is built again and are skipped.
    pub fn remove(&mut self, id: &str) {
        if let Some(number) = self.numbers.remove(id) {
            self.works[number as usize] = None;
            self.live -= 1;
        }
    }

    /// Prepares prefixes and misspellings after changes.
    pub fn refresh(&mut self) {
        if !self.is_stale {
            return;
        }
        // Half of the numbers are of removed works: give the space back.
        if self.works.len() > 2 * self.live + 1024 {
            let works: Vec<WorkDocument> = std::mem::take(&mut self.works)
                .into_iter()
                .flatten()
                .collect();
            *self = Self::default();
            works.into_iter().for_each(|work| self.put(work));
        }
        self.sorted = self.words.keys().cloned().collect();
        self.sorted.sort_unstable();
        self.trigrams.clear();
        for (at, word) in (0..).zip(&self.sorted) {
            for gram in trigrams(word) {
                self.trigrams.entry(gram).or_default().push(at);
            }
        }
        self.is_stale = false;
    }

    /// Searches. An index that was changed must be refreshed first.
    pub fn search(&self, query: &str, limit: usize) -> Vec<WorkHit> {
        let words = search_words(query);
        let text = self.text_list(&words);
        let similar = self.similar_list(&words);
        let related = self.related_list(&text);
        let mut fused: HashMap<u32, FusedScore> = HashMap::new();
        for (name, weight, list) in [
            ("text", 1.0, &text),
            ("similar", 0.6, &similar),
            ("graph", 0.2, &related),
        ] {
            for (rank, work) in (1..).zip(list) {
                let entry = fused.entry(*work).or_default();
                entry.0 += weight / (FUSION + rank as f64);
                entry.1.push((name, rank));
            }
        }
        let mut hits: Vec<(u32, FusedScore)> = fused.into_iter().collect();
        hits.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
        let hits = hits
            .into_iter()
            .take(limit)
            .filter_map(|(number, (score, ranks))| {
                let work = self.works[number as usize].as_ref()?;
                Some(WorkHit {
                    id: work.id.clone(),
                    score,
                    ranks,
                })
            });
        hits.collect()
    }

    /// Works that contain the words; the last word may be the beginning of one.
    fn text_list(&self, words: &[String]) -> Vec<u32> {
        let mut scores: HashMap<u32, (f32, u32)> = HashMap::new();
        for (position, word) in words.iter().enumerate() {
            let mut expansions = vec![(word.as_str(), 1.0f32)];
            if position + 1 == words.len() && word.chars().count() >= 2 {
                let start = self
                    .sorted
                    .partition_point(|known| known.as_str() < word.as_str());
                let prefixed = self.sorted[start..]
                    .iter()
                    .take_while(|known| known.starts_with(word.as_str()));
                expansions.extend(
                    prefixed
                        .filter(|known| *known != word)
                        .take(MAX_EXPANSIONS)
                        .map(|known| (known.as_str(), 0.6)),
                );
            }
            let bit = 1u32 << (position % 32);
            for (expansion, share) in expansions {
                self.add_scores(expansion, share, bit, &mut scores);
            }
        }
        self.ranked(scores, words.len())
    }

    /// Works that contain words similar to the words of the query, for misspellings.
    fn similar_list(&self, words: &[String]) -> Vec<u32> {
        let mut scores: HashMap<u32, (f32, u32)> = HashMap::new();
        for (position, word) in words.iter().enumerate() {
            let bit = 1u32 << (position % 32);
            for (similar, similarity) in self.similar_words(word) {
                self.add_scores(similar, similarity, bit, &mut scores);
            }
        }
        self.ranked(scores, words.len())
    }

    fn add_scores(&self, word: &str, share: f32, bit: u32, scores: &mut HashMap<u32, (f32, u32)>) {
        let Some(postings) = self.words.get(word) else {
            return;
        };
        let rarity = ((self.works.len() as f32 + 1.0) / (postings.len() as f32 + 0.5))
            .ln()
            .max(0.1);
        for posting in postings {
            let entry = scores.entry(posting.work).or_default();
            entry.0 += posting.weight * share * rarity;
            entry.1 |= bit;
        }
    }

    /// Returns the works in order: those with more of the words first, then by score.
    fn ranked(&self, scores: HashMap<u32, (f32, u32)>, words: usize) -> Vec<u32> {
        let needed = (words.min(32) as u32).div_ceil(2);
        let mut list: Vec<(u32, f32)> = scores
            .into_iter()
            .filter(|(work, (_, bits))| {
                bits.count_ones() >= needed && self.works[*work as usize].is_some()
            })
            .map(|(work, (score, bits))| (work, score * bits.count_ones() as f32))
            .collect();
        let order = |a: &(u32, f32), b: &(u32, f32)| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0));
        if list.len() > LIST_LENGTH {
            list.select_nth_unstable_by(LIST_LENGTH, order);
            list.truncate(LIST_LENGTH);
        }
        list.sort_by(order);
        list.into_iter().map(|(work, _)| work).collect()
    }

    /// Returns words that share at least half of their trigrams with a word.
    fn similar_words(&self, word: &str) -> Vec<(&str, f32)> {
        let grams = trigrams(word);
        let mut shared: HashMap<u32, u32> = HashMap::new();
        for gram in &grams {
            for number in self.trigrams.get(gram).into_iter().flatten() {
                *shared.entry(*number).or_default() += 1;
            }
        }
        let mut similar: Vec<(&str, f32)> = shared
            .into_iter()
            .filter_map(|(number, count)| {
                let known = self.sorted[number as usize].as_str();
                let total = grams.len() + trigrams(known).len() - count as usize;
                let similarity = count as f32 / total as f32;
                (similarity >= 0.4).then_some((known, similarity))
            })
            .collect();
        similar.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(b.0)));
        similar.truncate(16);
        similar
    }

    /// Works of the people of the best hits.
    fn related_list(&self, text: &[u32]) -> Vec<u32> {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for work in text
            .iter()
            .take(5)
            .filter_map(|number| self.works[*number as usize].as_ref())
        {
            for person in work.people.iter().take(16) {
                for other in self
                    .people
                    .get(person)
                    .into_iter()
                    .flatten()
                    .take(LIST_LENGTH)
                {
                    if self.works[*other as usize].is_some() {
                        *counts.entry(*other).or_default() += 1;
                    }
                }
            }
        }
        let mut list: Vec<(u32, usize)> = counts.into_iter().collect();
        list.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
        list.into_iter()
            .take(LIST_LENGTH)
            .map(|(work, _)| work)
            .collect()
    }
}

/// Returns the trigrams of a word with its beginning and end marked.
fn trigrams(word: &str) -> Vec<[char; 3]> {
    let letters: Vec<char> = std::iter::once('^')
        .chain(word.chars())
        .chain(std::iter::once('$'))
        .collect();
    let mut grams: Vec<[char; 3]> = letters
        .windows(3)
        .map(|window| [window[0], window[1], window[2]])
        .collect();
    grams.sort_unstable();
    grams.dedup();
    grams
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index() -> WorkIndex {
        let mut index = WorkIndex::default();
        for (id, title, artist, name) in [
            ("1", "Paper Lanterns", "Mira Solberg", "Mira Solberg"),
            ("2", "Lantern Street", "The Quiet Hours", "Tomás Ibarra"),
            ("3", "Harbour Lights", "Mira Solberg", "Tomás Ibarra"),
        ] {
            index.put(WorkDocument {
                id: id.to_owned(),
                title: title.to_owned(),
                artist: artist.to_owned(),
                names: vec![name.to_owned()],
                people: vec![name.to_owned()],
            });
        }
        index.refresh();
        index
    }

    fn ids(query: &str) -> Vec<String> {
        index()
            .search(query, 10)
            .into_iter()
            .map(|hit| hit.id)
            .collect()
    }

    #[test]
    fn finds_titles_names_prefixes_and_misspellings() {
        assert_eq!(ids("paper lanterns")[0], "1");
        assert_eq!(ids("PAPER")[0], "1");
        assert_eq!(ids("tomas ibarra")[..2].len(), 2);
        assert_eq!(ids("harb")[0], "3");
        assert_eq!(ids("paper lanturns")[0], "1");
        assert_eq!(ids("harbor lights")[0], "3");
        assert!(ids("zebra").is_empty());
    }

    #[test]
    fn a_removed_work_is_not_found() {
        let mut index = index();
        index.remove("1");
        index.refresh();
        assert!(
            index
                .search("paper lanterns", 10)
                .iter()
                .all(|hit| hit.id != "1")
        );
        assert_eq!(index.len(), 2);
    }
}
