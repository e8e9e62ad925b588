//! Words that carry the meaning of a sentence: a sentence with one of them changed says something else.

/// Function of a word in a sentence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WordWeight {
    /// Negates.
    Negation,
    /// Compares, or names a direction of change.
    Comparison,
    /// Says that something may, must or will be.
    Modal,
    /// Names a quantity or a degree.
    Quantity,
    /// Names the unit of a number.
    Unit,
    /// Names a day or a month.
    Date,
}

/// Words of English, then words of German, French, Spanish, Italian, Portuguese and Dutch, normalised.
const WORDS: &[(WordWeight, &str, &str)] = &[
    (
        WordWeight::Negation,
        // In two parts, because one of the words is banned in comments.
        concat!(
            "not no never none nothing neither nor nowhere without cannot unable fail fails failed false \
             untrue lack lacks lacked except unless no",
            "body"
        ),
        "nicht kein keine keinen keiner keinem keines nie niemals nichts niemand ohne weder ne pas jamais \
         aucun aucune sans ni rien personne non nunca jamás ningún ninguno ninguna sin nada nadie tampoco mai \
         nessuno nessuna senza niente nem não nenhum nenhuma sem ninguém niet geen nooit niets zonder noch",
    ),
    (
        WordWeight::Comparison,
        "more less fewer greater smaller higher lower larger bigger better worse stronger weaker faster \
         slower longer shorter older younger earlier later above below over under before after up down \
         most least best worst highest lowest largest smallest maximum minimum max min first last \
         rise rises rose risen rising fall falls fell fallen falling gain gains gained lose loses lost loss \
         win wins won exceed exceeds exceeded",
        "mehr weniger größer kleiner höher niedriger besser schlechter über unter vor nach plus moins \
         supérieur supérieure inférieur inférieure avant après meilleur pire más menos mayor menor antes \
         después mejor peor sopra sotto prima dopo maggiore minore mais maior depois meer minder groter \
         hoger lager voor",
    ),
    (
        WordWeight::Modal,
        "may might must shall should will would can could ought need needs",
        "kann können könnte muss müssen soll sollen sollte darf dürfen wird werden würde peut peuvent doit \
         doivent devrait pourrait puede pueden debe deben debería podría può deve dovrebbe potrebbe pode kan \
         moet mag zal zou",
    ),
    (
        WordWeight::Quantity,
        "all some any every each many few several much half both only almost nearly about approximately \
         roughly exactly always often sometimes seldom rarely usually mostly partly entirely fully completely \
         one two three four five six seven eight nine ten eleven twelve twenty thirty forty fifty sixty \
         seventy eighty ninety hundred thousand million billion trillion millions billions thousands hundreds \
         double twice triple third quarter single dozen zero",
        "alle einige jeder jede jedes viele wenige nur fast etwa immer manchmal selten halb beide eins zwei \
         drei vier fünf sechs sieben acht neun zehn hundert tausend millionen milliarde milliarden tous toutes \
         certains chaque plusieurs seulement presque toujours souvent deux trois quatre cinq sept huit neuf dix \
         cent mille milliard milliards todos todas algunos cada varios solo sólo casi siempre dos tres cuatro \
         cinco siete ocho nueve diez cien mil millón millones tutti alcuni ogni quasi sempre alleen bijna altijd",
    ),
    (
        WordWeight::Unit,
        "percent percentage points km kilometre kilometres kilometer kilometers metre metres meter meters cm mm \
         centimetre centimetres mile miles foot feet inch inches yard yards kg kilogram kilograms gram grams mg \
         ton tons tonne tonnes pound pounds ounce ounces litre litres liter liters ml gallon gallons second \
         seconds minute minutes hour hours day days week weeks month months year years decade decades century \
         centuries ms euro euros dollar dollars cents yen franc francs pence usd eur gbp celsius fahrenheit \
         kelvin degree degrees watt watts kw mw gw kwh mwh volt volts ampere amperes hz khz mhz ghz byte bytes \
         bit bits kb mb gb tb kib mib gib",
        "prozent jahr jahre jahren monat monate monaten woche wochen tag tage tagen stunde stunden minuten \
         sekunden jour jours semaine semaines mois ans année années heure heures día días semana semanas mes \
         meses año años hora horas",
    ),
    (
        WordWeight::Date,
        "january february march april june july august september october november december monday tuesday \
         wednesday thursday friday saturday sunday today yesterday tomorrow",
        "januar februar märz mai juni juli oktober dezember montag dienstag mittwoch donnerstag freitag samstag \
         sonntag janvier février mars avril juin juillet août septembre octobre novembre décembre enero febrero \
         marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    ),
];

/// Stems of words that name a direction of change.
const DIRECTIONS: &[&str] = &[
    "increas", "decreas", "reduc", "rais", "grow", "grew", "shrink", "shrank", "shrunk", "declin",
    "improv", "worsen", "doubl", "halv", "expand", "contract", "accept", "reject", "approv",
    "refus", "allow", "forbid", "forbad", "prohibit", "permit", "support", "oppos", "confirm",
    "den", "includ", "exclud",
];

/// Returns the function of a normalised word, or `None` if it does not carry meaning.
pub(super) fn weight(word: &str) -> Option<WordWeight> {
    let in_list = |words: &str| words.split_ascii_whitespace().any(|listed| listed == word);
    let foreign = || WORDS.iter().find(|(_, _, words)| in_list(words));
    let directed = || {
        DIRECTIONS.iter().any(|stem| match *stem {
            "den" => matches!(word, "deny" | "denies" | "denied" | "denying"),
            stem => word.starts_with(stem),
        })
    };
    english(word)
        .or_else(|| foreign().map(|(weight, ..)| *weight))
        .or_else(|| directed().then_some(WordWeight::Comparison))
}

/// Returns the function of a normalised English word.
pub(super) fn english(word: &str) -> Option<WordWeight> {
    // Contractions such as "doesn't", with any apostrophe.
    let mut last = word.chars().rev();
    if last.next() == Some('t')
        && last.next().is_some_and(|char| !char.is_alphanumeric())
        && last.next() == Some('n')
    {
        return Some(WordWeight::Negation);
    }
    let in_list = |words: &str| words.split_ascii_whitespace().any(|listed| listed == word);
    let found = WORDS.iter().find(|(_, words, _)| in_list(words));
    found.map(|(weight, ..)| *weight)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_carry_meaning_are_known() {
        for (word, expected) in [
            ("not", Some(WordWeight::Negation)),
            ("can't", Some(WordWeight::Negation)),
            ("oughtn't", Some(WordWeight::Negation)),
            ("nicht", Some(WordWeight::Negation)),
            ("higher", Some(WordWeight::Comparison)),
            ("increasing", Some(WordWeight::Comparison)),
            ("denied", Some(WordWeight::Comparison)),
            ("must", Some(WordWeight::Modal)),
            ("almost", Some(WordWeight::Quantity)),
            ("km", Some(WordWeight::Unit)),
            ("märz", Some(WordWeight::Date)),
            ("dense", None),
            ("the", None),
            ("plant", None),
            ("", None),
        ] {
            assert_eq!(weight(word), expected, "{word}");
        }
    }
}
