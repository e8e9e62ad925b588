//! Changes of single words that change the meaning of a sentence.

use pincite_bench::corpus::rng::Rng;

use super::{other_in, parts, replace, site};
use crate::case::CaseDraft;
use crate::source::Source;

const COMPARISONS: &[&[&str]] = &[
    &["more", "less"],
    &["most", "least"],
    &["higher", "lower"],
    &["highest", "lowest"],
    &["larger", "smaller"],
    &["largest", "smallest"],
    &["greater", "lesser"],
    &["before", "after"],
    &["above", "below"],
    &["increase", "decrease"],
    &["increased", "decreased"],
    &["increases", "decreases"],
    &["rose", "fell"],
    &["earlier", "later"],
    &["older", "newer"],
    &["faster", "slower"],
    &["longer", "shorter"],
    &["better", "worse"],
    &["first", "last"],
    &["maximum", "minimum"],
    &["over", "under"],
    &["with", "without"],
    &["former", "latter"],
    &["include", "exclude"],
    &["includes", "excludes"],
    &["including", "excluding"],
    &["legal", "illegal"],
    &["same", "different"],
    &["top", "bottom"],
    &["dependent", "independent"],
    &["possible", "impossible"],
    &["known", "unknown"],
    &["allow", "forbid"],
    &["allowed", "forbidden"],
    &["accept", "reject"],
    &["open", "closed"],
    &["public", "private"],
    &["internal", "external"],
    &["true", "false"],
    &["to", "from"],
    &["gain", "loss"],
    &["gains", "losses"],
];
const MODALS: &[&[&str]] = &[&[
    "may", "must", "will", "shall", "should", "can", "could", "might", "would",
]];
const QUANTIFIERS: &[&[&str]] = &[
    &["all", "some", "none", "most", "few", "many", "several"],
    &["every", "no", "any"],
    &["always", "sometimes", "never"],
    &["both", "neither"],
];
const VERBS: &[&str] = &[
    "is", "are", "was", "were", "may", "must", "will", "shall", "should", "could", "would",
    "might", "has", "have", "had", "does", "do", "did", "can",
];
const NEGATIONS: &[(&str, &str)] = &[
    ("not", ""),
    ("never", ""),
    ("no", ""),
    ("cannot", "can"),
    ("neither", "either"),
    ("nor", "or"),
    ("nothing", "everything"),
    ("nobody", "everybody"),
    ("without", "with"),
    ("don't", "do"),
    ("doesn't", "does"),
    ("didn't", "did"),
    ("isn't", "is"),
    ("aren't", "are"),
    ("wasn't", "was"),
    ("weren't", "were"),
    ("won't", "will"),
    ("can't", "can"),
    ("couldn't", "could"),
    ("shouldn't", "should"),
    ("nicht", ""),
    ("nie", ""),
    ("kein", "ein"),
    ("keine", "eine"),
    ("ohne", "mit"),
    ("pas", ""),
    ("jamais", ""),
    ("aucun", "un"),
    ("aucune", "une"),
    ("sans", "avec"),
    ("بدون", "با"),
];
/// Words that limit a statement.
const LIMITING: &[&str] = &[
    "only",
    "almost",
    "nearly",
    "not",
    "never",
    "hardly",
    "barely",
    "partly",
    "about",
    "allegedly",
    "approximately",
    "except",
    "unless",
    "mainly",
    "probably",
    "possibly",
    "solely",
];

fn known(groups: &[&[&str]], core: &str) -> bool {
    let core = core.to_lowercase();
    groups.iter().any(|group| group.contains(&core.as_str()))
}

/// Replaces a word by another one of its group.
fn exchanged(
    rng: &mut Rng,
    mut words: Vec<String>,
    groups: &'static [&'static [&'static str]],
) -> Option<Vec<String>> {
    let at = site(rng, &words, |_, core| known(groups, core))?;
    let other = other_in(rng, groups, parts(&words[at]).1)?;
    replace(&mut words[at], other);
    Some(words)
}

/// Replaces a comparison by its opposite (more, less; before, after).
pub(super) fn comparison(rng: &mut Rng, _: &Source, words: Vec<String>) -> Option<Vec<String>> {
    exchanged(rng, words, COMPARISONS)
}

/// Replaces a modal verb ("may" becomes "must").
pub(super) fn modal(rng: &mut Rng, _: &Source, words: Vec<String>) -> Option<Vec<String>> {
    // "May" with a capital is the month.
    let month = |core: &str| core == "May";
    if words.iter().any(|word| month(parts(word).1)) {
        return None;
    }
    exchanged(rng, words, MODALS)
}

/// Replaces a quantifier ("some" becomes "all").
pub(super) fn quantifier(rng: &mut Rng, _: &Source, words: Vec<String>) -> Option<Vec<String>> {
    exchanged(rng, words, QUANTIFIERS)
}

/// Adds a negation.
pub(super) fn negation_added(
    rng: &mut Rng,
    _: &Source,
    mut words: Vec<String>,
) -> Option<Vec<String>> {
    let plain = |at: usize, core: &str| {
        let negated = words.get(at + 1).is_some_and(|next| parts(next).1 == "not");
        VERBS.contains(&core) && core == words[at] && !negated
    };
    let at = site(rng, &words, |at, core| {
        at > 0 && at + 1 < words.len() && plain(at, core)
    })?;
    match words[at].as_str() {
        "can" => words[at] = "cannot".to_owned(),
        _ => words.insert(at + 1, rng.pick(&["not", "never"]).to_owned()),
    }
    Some(words)
}

/// Removes a negation.
pub(super) fn negation_removed(
    rng: &mut Rng,
    _: &Source,
    mut words: Vec<String>,
) -> Option<Vec<String>> {
    let plain = |core: &str| {
        let core = core.to_lowercase().replace('’', "'");
        NEGATIONS
            .iter()
            .find(|(negation, _)| *negation == core)
            .map(|found| found.1)
    };
    let inside = |at: usize| at > 0 && at + 1 < words.len();
    let at = site(rng, &words, |at, core| inside(at) && plain(core).is_some())?;
    match plain(parts(&words[at]).1)? {
        "" => drop(words.remove(at)),
        without => replace(&mut words[at], without),
    }
    Some(words)
}

/// Removes a word that limits the statement.
pub(super) fn dropped(rng: &mut Rng, _: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let inside = |at: usize| at > 0 && at + 1 < words.len();
    let at = site(rng, &words, |at, core| {
        inside(at) && LIMITING.contains(&core)
    })?;
    words.remove(at);
    Some(words)
}

/// Returns true if a word looks like a name: capitalised within a sentence.
fn is_name(word: &str) -> bool {
    let (_, core, _) = parts(word);
    core.len() > 3
        && core.starts_with(char::is_uppercase)
        && core.chars().skip(1).all(char::is_lowercase)
}

/// Replaces a name by another name of the text.
pub(super) fn name(rng: &mut Rng, source: &Source, mut words: Vec<String>) -> Option<Vec<String>> {
    let at = site(rng, &words, |at, _| at > 0 && is_name(&words[at]))?;
    // Twenty attempts are enough for a text with names.
    let other = (0..20).find_map(|_| {
        let sentence = super::sentence(rng, source)?;
        let chosen = source.word(rng.within(sentence.start + 1, sentence.end - 1));
        let stem = |word: &str| parts(word).1.chars().take(4).collect::<String>();
        (is_name(chosen) && stem(chosen) != stem(&words[at])).then(|| parts(chosen).1.to_owned())
    })?;
    replace(&mut words[at], &other);
    Some(words)
}

/// Removes a Chinese negation.
pub(super) fn character_removed(rng: &mut Rng, source: &Source) -> Option<CaseDraft> {
    let sentence = super::sentence(rng, source)?;
    let page = source.words[sentence.start].page;
    let text = source.joined(sentence);
    let sites: Vec<(usize, &str)> = text.match_indices(['不', '没', '未', '非', '无']).collect();
    if sites.is_empty() {
        return None;
    }
    let (at, negation) = sites[rng.below(sites.len())];
    let phrase = format!("{}{}", &text[..at], &text[at + negation.len()..]);
    super::unsaid(rng, source, phrase, page)
}
