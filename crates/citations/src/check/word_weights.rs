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
    /// Is a number.
    Number,
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
         nessuno nessuna senza niente nem não nenhum nenhuma sem ninguém niet geen nooit niets zonder noch не \
         нет ни без никогда никто ничто نیست نبود نشد نه هیچ بدون بی لا لم لن ليس ليست غير بدون دون לא אין בלי değil \
         yok",
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
        "all some any every each many few several much both only almost nearly about approximately roughly \
         exactly always often sometimes seldom rarely usually mostly mainly partly entirely fully completely \
         hardly barely scarcely merely solely probably possibly perhaps allegedly reportedly",
        "alle einige jeder jede jedes viele wenige nur fast etwa immer manchmal selten beide kaum vielleicht \
         angeblich tous toutes certains chaque plusieurs seulement presque toujours souvent todos todas algunos \
         cada varios solo sólo casi siempre tutti alcuni ogni quasi sempre alleen bijna altijd",
    ),
    (
        WordWeight::Number,
        "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen \
         seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand \
         million billion trillion millions billions thousands hundreds half third quarter fifth tenth thirds \
         quarters double twice triple thrice single dozen zero",
        "eins zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreissig vierzig fünfzig hundert \
         tausend million millionen milliarde milliarden halb drittel viertel deux trois quatre cinq sept huit \
         neuf dix vingt trente cent mille milliard milliards dos tres cuatro cinco siete ocho nueve diez veinte \
         cien mil millón millones due tre quattro cinque sei sette otto nove dieci cento dois três quatro oito \
         dez twee drie vijf zes zeven acht negen tien honderd duizend miljoen miljard один два три четыре пять \
         шесть семь восемь девять десять сто тысяча миллион миллиард یک دو سه چهار پنج شش هفت هشت ده صد هزار \
         میلیون میلیارد واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة مائة ألف مليون",
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

/// Returns the function of a normalised word, or `None` if it does not carry meaning.
pub(super) fn weight(word: &str) -> Option<WordWeight> {
    let in_list = |words: &str| words.split_ascii_whitespace().any(|listed| listed == word);
    let foreign = || WORDS.iter().find(|(_, _, words)| in_list(words));
    english(word).or_else(|| foreign().map(|(weight, ..)| *weight))
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
            ("without", Some(WordWeight::Negation)),
            ("не", Some(WordWeight::Negation)),
            ("seven", Some(WordWeight::Number)),
            ("must", Some(WordWeight::Modal)),
            ("almost", Some(WordWeight::Quantity)),
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
