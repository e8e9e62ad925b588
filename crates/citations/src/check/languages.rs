//! Languages whose words are known.
//!
//! The word lists are the most frequent words of pyspellchecker (MIT licence), made by `scripts/word-lists`.

/// Language with a word list.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct KnownLanguage {
    pub(super) code: &'static str,
    /// Frequent words, normalised and sorted, one per line.
    pub(super) words: &'static str,
    /// Groups of endings. A stem with two endings of one group is the same word in two forms.
    pub(super) endings: &'static [&'static [&'static str]],
    /// Beginnings that inflect a word or join it with a particle.
    pub(super) beginnings: &'static [&'static str],
    /// Words that join others: articles, pronouns, prepositions, conjunctions and auxiliary verbs.
    pub(super) function_words: &'static str,
}

macro_rules! language {
    ($code:literal, $function_words:literal, $endings:expr, $beginnings:expr) => {
        KnownLanguage {
            code: $code,
            words: include_str!(concat!("../../words/", $code, ".txt")),
            endings: $endings,
            beginnings: $beginnings,
            function_words: $function_words,
        }
    };
}

const LATIN_ENDINGS: &[&[&str]] = &[
    &["", "s", "es"],
    &["o", "a", "os", "as"],
    &["o", "a", "i", "e"],
    &["e", "es", "i"],
    &[
        "ar", "a", "an", "ado", "ada", "ados", "adas", "ando", "ó", "aron",
    ],
    &[
        "er", "ir", "e", "en", "ido", "ida", "idos", "idas", "iendo", "ió", "ieron",
    ],
    &["are", "a", "ano", "ato", "ata", "ati", "ate", "ando"],
    &["r", "", "m", "do", "da", "dos", "das", "ndo", "u", "ram"],
];

pub(super) static LANGUAGES: [KnownLanguage; 10] = [
    language!(
        "en",
        "a an the this that these those it its he she they we you i him her them us me his their our your my \
         who whom whose which what of in on at by for to from with into onto upon as than then and or but so \
         if when while because though although since until be am is are was were been being do does did done \
         has have had having there here such also just very too own now thus hence between \
         among within toward towards via per during through throughout across along around",
        &[
            &["", "s", "ed", "ing", "\"s", "s\""],
            &["e", "es", "ed", "ing", "e\"s"],
            &["y", "ies", "ied", "ying"],
            &["", "es"],
            &["is", "es"],
        ],
        &[]
    ),
    language!(
        "de",
        "der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem jener jene \
         er sie es wir ihr ich du ihm ihn ihnen uns euch sich sein seine seinen seinem seiner seines ihre ihren \
         ihrem ihrer ihres unser unsere und oder aber sondern denn weil dass wenn als wie ob damit obwohl da zu \
         zum zur in im ins an am ans auf bei beim von vom aus für durch um gegen mit bis seit ist sind war waren \
         bin bist sein hat haben hatte hatten worden wurde wurden geworden auch so dann doch noch schon hier dort \
         welche welcher welches man was wer wo",
        &[
            &["", "e", "en", "es", "s", "n", "em", "t"],
            &["e", "en", "em", "er", "es"],
            &[
                "en", "t", "te", "ten", "tet", "st", "e", "end", "ende", "enden"
            ],
        ],
        &["ge"]
    ),
    language!(
        "fr",
        "le la les l un une des du de d au aux ce cet cette ces il elle ils elles on nous vous je tu lui leur \
         leurs son sa ses mon ma mes ton ta tes notre nos votre vos se s y en qui que qu dont où quoi à dans sur \
         par pour avec vers chez entre et ou mais donc car si comme quand lorsque puis est sont était étaient \
         être été a ont avait avaient avoir ayant aussi ainsi alors là ici même tel telle",
        &[
            &["", "s", "e", "es", "x"],
            &[
                "er", "e", "es", "ent", "é", "ée", "és", "ées", "ait", "aient", "ant", "a", "era"
            ],
            &["al", "aux", "ale", "ales"],
        ],
        &[]
    ),
    language!(
        "es",
        "el la los las lo un una unos unas de del a al en por para con y e o u pero que quien cual cuyo donde \
         cuando como si se su sus mi mis tu tus nuestro nuestra le les me te nos él ella ellos ellas es son era \
         eran fue fueron ser sido está están estaba ha han había haber este esta estos estas ese esa esos esas \
         aquel aquella también así ya aquí",
        LATIN_ENDINGS,
        &[]
    ),
    language!(
        "it",
        "il lo la i gli le un uno una di del dello della dei degli delle a al allo alla ai agli alle da dal dalla \
         in nel nella nei nelle su sul sulla per tra fra con e ed o ma che chi cui quale dove quando come se si \
         suo sua suoi sue mio mia loro lui lei noi voi è sono era erano essere stato stata ha hanno aveva avere \
         questo questa questi queste quello quella anche così",
        LATIN_ENDINGS,
        &[]
    ),
    language!(
        "pt",
        "o a os as um uma uns umas de do da dos das em no na nos nas por pelo pela para com e ou mas que quem \
         qual onde quando como se seu sua seus suas meu minha nosso lhe ele ela eles elas é são era eram foi \
         foram ser sido está estão há tem têm tinha ter este esta estes estas esse essa isso aquele também assim",
        LATIN_ENDINGS,
        &[]
    ),
    language!(
        "nl",
        "de het een dit dat deze die hij zij ze wij we je jij u ik hem haar hun ons onze zijn mijn van in op aan \
         bij voor door om uit tot te ter ten en of maar want omdat als dan wanneer hoewel is was waren ben bent \
         geweest heeft hebben had hadden werd werden worden ook zo toen er hier daar wie wat welke",
        &[
            &["", "e", "en", "n", "s", "t", "te", "ten", "de", "den"],
            &["en", "t", "te", "ten", "de", "den", "d"],
        ],
        &["ge"]
    ),
    language!(
        "ru",
        "и а но или да в во на за из к ко по о об от с со у до для при через между это этот эта эти этого этой \
         тот та те того той он она оно они его её ее их ему ей им мы вы я ты нас вас что который которая которое \
         которые чтобы как когда если то же бы ли был была было были есть быть себя свой своя свои также там тут",
        &[
            &[
                "", "а", "я", "ы", "и", "у", "ю", "е", "о", "ом", "ем", "ой", "ей", "ам", "ям",
                "ами", "ями", "ах", "ях", "ов", "ев", "ь", "ью",
            ],
            &[
                "ый", "ий", "ой", "ая", "яя", "ое", "ее", "ые", "ие", "ого", "его", "ому", "ему",
                "ых", "их", "ым", "им", "ую", "юю", "ом", "ем",
            ],
            &[
                "ть", "л", "ла", "ло", "ли", "т", "ет", "ит", "ют", "ут", "ят", "ат", "н", "на",
                "но", "ны"
            ],
        ],
        &[]
    ),
    language!(
        "fa",
        "و در به از که این آن را با برای تا یا اما اگر چون است بود شد هم نیز هر یک بر او ما شما آنها ایشان خود \
         من تو می ها های ای باشد شده کرد کرده شود دارد پس همین همان چه",
        &[
            &[
                "", "ها", "های", "هایی", "ی", "ای", "ان", "ات", "م", "ت", "ش", "مان", "شان", "یی"
            ],
            &["", "ند", "د", "م", "یم", "ید", "ه"],
        ],
        &["می"]
    ),
    language!(
        "ar",
        "في من إلى على عن مع هذا هذه ذلك تلك الذي التي الذين و أو ثم أن إن كان كانت يكون هو هي هم هن نحن أنا أنت \
         قد كما حيث إذا لكن بعد كل ما مما فيه فيها له لها به بها",
        &[&[
            "", "ة", "ه", "ات", "ون", "ين", "ان", "ها", "هم", "ي", "نا", "ا"
        ]],
        &["ال", "و", "وال", "لل", "بال"]
    ),
];
