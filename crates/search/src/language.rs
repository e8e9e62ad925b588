//! Languages of texts: detection, stemming, compounds.

use std::borrow::Cow;

use frostem::{Algorithm, Stemmer};
use whatlang::{Detector, Lang};

/// Least number of letters from which a language is detected.
const MIN_LETTERS: usize = 24;
/// Bytes of a text that are looked at.
const MAX_SAMPLE: usize = 4_096;

/// Language of a chunk, by its ISO 639-1 code.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Language(u8);

/// Properties of a language.
struct LanguageEntry {
    code: &'static str,
    detected: Lang,
    stemmer: Option<Algorithm>,
    /// True if words are written together, as in German, so that parts of words are searched too.
    compounds: bool,
}

const fn entry(
    code: &'static str,
    detected: Lang,
    stemmer: Option<Algorithm>,
    compounds: bool,
) -> LanguageEntry {
    LanguageEntry {
        code,
        detected,
        stemmer,
        compounds,
    }
}

/// Languages that are told apart. A text in another language is analysed without a stemmer.
const LANGUAGES: &[LanguageEntry] = &[
    entry("en", Lang::Eng, Some(Algorithm::English), false),
    entry("de", Lang::Deu, Some(Algorithm::German), true),
    entry("fr", Lang::Fra, Some(Algorithm::French), false),
    entry("es", Lang::Spa, Some(Algorithm::Spanish), false),
    entry("it", Lang::Ita, Some(Algorithm::Italian), false),
    entry("pt", Lang::Por, Some(Algorithm::Portuguese), false),
    entry("nl", Lang::Nld, Some(Algorithm::Dutch), true),
    entry("sv", Lang::Swe, Some(Algorithm::Swedish), true),
    entry("da", Lang::Dan, Some(Algorithm::Danish), true),
    entry("no", Lang::Nob, Some(Algorithm::Norwegian), true),
    entry("fi", Lang::Fin, Some(Algorithm::Finnish), true),
    entry("hu", Lang::Hun, Some(Algorithm::Hungarian), true),
    entry("et", Lang::Est, Some(Algorithm::Estonian), true),
    entry("ca", Lang::Cat, Some(Algorithm::Catalan), false),
    entry("ro", Lang::Ron, Some(Algorithm::Romanian), false),
    entry("cs", Lang::Ces, Some(Algorithm::Czech), false),
    entry("pl", Lang::Pol, Some(Algorithm::Polish), false),
    entry("lt", Lang::Lit, Some(Algorithm::Lithuanian), false),
    entry("tr", Lang::Tur, Some(Algorithm::Turkish), false),
    entry("id", Lang::Ind, Some(Algorithm::Indonesian), false),
    entry("ru", Lang::Rus, Some(Algorithm::Russian), false),
    entry("uk", Lang::Ukr, Some(Algorithm::Ukrainian), false),
    entry("sr", Lang::Srp, Some(Algorithm::Serbian), false),
    entry("el", Lang::Ell, Some(Algorithm::Greek), false),
    entry("hy", Lang::Hye, Some(Algorithm::Armenian), false),
    entry("ar", Lang::Ara, Some(Algorithm::Arabic), false),
    entry("fa", Lang::Pes, Some(Algorithm::Persian), false),
    entry("hi", Lang::Hin, Some(Algorithm::Hindi), false),
    entry("ne", Lang::Nep, Some(Algorithm::Nepali), false),
    entry("ta", Lang::Tam, Some(Algorithm::Tamil), false),
    entry("zh", Lang::Cmn, None, false),
    entry("ja", Lang::Jpn, None, false),
    entry("ko", Lang::Kor, None, false),
    entry("th", Lang::Tha, None, false),
    entry("he", Lang::Heb, None, false),
    entry("bg", Lang::Bul, None, false),
    entry("vi", Lang::Vie, None, false),
];

/// Code of an unknown language.
const UNKNOWN: &str = "und";

impl Language {
    /// Unknown language.
    pub const UNKNOWN: Self = Self(u8::MAX);

    /// Returns the language with this code; [`Language::UNKNOWN`] for any other.
    pub fn from_code(code: &str) -> Self {
        let at = LANGUAGES.iter().position(|entry| entry.code == code);
        at.and_then(|at| u8::try_from(at).ok())
            .map_or(Self::UNKNOWN, Self)
    }

    /// Returns the ISO 639-1 code, or `und`.
    pub fn code(self) -> &'static str {
        self.entry().map_or(UNKNOWN, |entry| entry.code)
    }

    /// Returns true if parts of words are searched too.
    pub fn has_compounds(self) -> bool {
        self.entry().is_some_and(|entry| entry.compounds)
    }

    /// Returns true if words of the language are reduced to stems.
    pub fn has_stemmer(self) -> bool {
        self.entry().is_some_and(|entry| entry.stemmer.is_some())
    }

    /// Returns the stem of a word in lower case.
    pub(crate) fn stem(self, word: &str) -> Cow<'_, str> {
        match self.entry().and_then(|entry| entry.stemmer) {
            Some(algorithm) => Stemmer::new(algorithm).stem(word),
            None => Cow::Borrowed(word),
        }
    }

    fn entry(self) -> Option<&'static LanguageEntry> {
        LANGUAGES.get(usize::from(self.0))
    }
}

/// Language that was detected, and if the detector is sure of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DetectedLanguage {
    /// Most likely language.
    pub language: Language,
    /// True if no other language comes close.
    pub is_reliable: bool,
}

/// Detector of the language of a text.
#[derive(Debug, Clone)]
pub struct LanguageDetector(Detector);

impl Default for LanguageDetector {
    fn default() -> Self {
        let known = LANGUAGES.iter().map(|entry| entry.detected).collect();
        Self(Detector::with_allowlist(known))
    }
}

impl LanguageDetector {
    /// Returns the language of a text; `None` if it is too short to tell.
    pub fn detect(&self, text: &str) -> Option<DetectedLanguage> {
        let sample = &text[..text.floor_char_boundary(MAX_SAMPLE)];
        let letters = sample.chars().filter(|char| char.is_alphabetic());
        if letters.take(MIN_LETTERS).count() < MIN_LETTERS {
            return None;
        }
        let info = self.0.detect(sample)?;
        let at = LANGUAGES
            .iter()
            .position(|entry| entry.detected == info.lang())?;
        Some(DetectedLanguage {
            language: Language(u8::try_from(at).ok()?),
            is_reliable: info.is_reliable(),
        })
    }

    /// Returns the languages of the parts of a document. A part whose language is uncertain has that of the whole.
    pub fn detect_parts<'a>(&self, parts: impl Iterator<Item = &'a str> + Clone) -> Vec<Language> {
        let mut votes: Vec<(Language, usize)> = Vec::new();
        let detected: Vec<_> = parts
            .clone()
            .map(|part| {
                let detected = self.detect(part);
                if let Some(found) = detected {
                    let weight = part.len() * if found.is_reliable { 4 } else { 1 };
                    match votes
                        .iter_mut()
                        .find(|(language, _)| *language == found.language)
                    {
                        Some(vote) => vote.1 += weight,
                        None => votes.push((found.language, weight)),
                    }
                }
                detected
            })
            .collect();
        let main = votes
            .iter()
            .max_by_key(|(language, weight)| (*weight, std::cmp::Reverse(*language)))
            .map_or(Language::UNKNOWN, |(language, _)| *language);
        let of_part = |(detected, part): (Option<DetectedLanguage>, &str)| match detected {
            Some(found) if found.is_reliable && part.len() >= MIN_OWN_BYTES => found.language,
            _ => main,
        };
        detected.into_iter().zip(parts).map(of_part).collect()
    }
}

/// Least size of a part that may have a language other than its document.
const MIN_OWN_BYTES: usize = 160;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_of_sentences_are_detected() {
        let detector = LanguageDetector::default();
        for (code, text) in [
            (
                "en",
                "The harbour was closed for three days because of the storm.",
            ),
            (
                "de",
                "Der Hafen war wegen des Sturms drei Tage lang geschlossen.",
            ),
            (
                "fr",
                "Le port est resté fermé pendant trois jours à cause de la tempête.",
            ),
            (
                "ja",
                "嵐のため、港は三日間閉鎖されました。船は戻ることができませんでした。",
            ),
            (
                "zh",
                "由于暴风雨，港口关闭了三天，船只无法返回，渔民们只好在城里等待天气好转。",
            ),
            (
                "ru",
                "Из-за шторма порт был закрыт три дня, и суда не могли вернуться.",
            ),
        ] {
            let found = detector.detect(text).expect("the text is long enough");
            assert_eq!(found.language.code(), code, "{text}");
        }
        assert_eq!(detector.detect("Heat"), None);
    }

    #[test]
    fn short_parts_have_the_language_of_the_document() {
        let long = "Der Hafen war wegen des Sturms drei Tage lang geschlossen, und die Fischer warteten in der Stadt.";
        let parts = [long, "Ergebnisse", long];
        let languages = LanguageDetector::default().detect_parts(parts.into_iter());
        assert!(languages.iter().all(|language| language.code() == "de"));
    }

    #[test]
    fn codes_and_languages_match() {
        for entry in LANGUAGES {
            assert_eq!(Language::from_code(entry.code).code(), entry.code);
        }
        assert_eq!(Language::from_code("xx"), Language::UNKNOWN);
        assert_eq!(Language::UNKNOWN.stem("ships"), "ships");
        assert_eq!(Language::from_code("en").stem("ships"), "ship");
    }
}
