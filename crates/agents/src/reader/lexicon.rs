//! Words of the languages in which questions are understood: English, German, French, Japanese, Chinese.

use super::question::QuestionKind;

/// Words of one language. Lists are separated by `|`.
#[derive(Debug)]
pub(super) struct Lexicon {
    /// ISO 639-1 code.
    pub(super) code: &'static str,
    /// Question words and the kind of answer they ask for. The earliest in a question counts, then the longest.
    pub(super) question_words: &'static [(QuestionKind, &'static str)],
    /// Words that carry no content.
    pub(super) stop_words: &'static str,
    /// Months, days and other words of dates.
    pub(super) date_words: &'static str,
    /// Numbers written as words.
    pub(super) number_words: &'static str,
    /// Words that introduce a reason or a purpose.
    pub(super) reason_words: &'static str,
    /// Words between a thing and its definition.
    pub(super) definition_words: &'static str,
    /// Prepositions before places.
    pub(super) place_words: &'static str,
    /// Words that turn a statement into its opposite.
    pub(super) negations: &'static str,
    /// Pairs of words with opposite meanings.
    pub(super) opposites: &'static str,
    /// Sentence with which a refusal begins.
    pub(super) refusal: &'static str,
    /// Sentence that asks for a narrower question.
    pub(super) narrower: &'static str,
    /// Sentence before what was found although a part of the question is missing.
    pub(super) partly: &'static str,
    /// Sentence after an answer with thin evidence.
    pub(super) thin: &'static str,
}

use QuestionKind::{
    Comparison, Count, Definition, List, Manner, Other, Person, Place, Reason, Time,
};

const ENGLISH: Lexicon = Lexicon {
    code: "en",
    question_words: &[
        (
            Person,
            "who|whom|whose|what person|which person|what is the name of the person",
        ),
        (
            Time,
            "when|what year|which year|what date|what day|which day|what month|what century|which century\
         |what decade|what time|since when|what years|which month|what season",
        ),
        (
            Count,
            "how many|how much|how long|how old|how far|how tall|how high|how large|how big|how often|how fast\
         |how deep|how wide|how heavy|what percentage|what percent|what number|what proportion|what fraction\
         |what temperature|what share|what is the population|what was the population|how frequently|how hot\
         |how cold|at what age|what age|how soon",
        ),
        (
            Place,
            "where|what country|which country|what city|which city|what place|what town|what state|which state\
         |what location|what region|which continent|what continent|which town",
        ),
        (
            Reason,
            "why|what caused|what is the reason|what was the reason|for what reason|what causes|what purpose",
        ),
        (Manner, "how|in what way|by what means"),
        (
            Definition,
            "what is a|what is an|what are|what does|what is meant|define|what is the meaning",
        ),
        (
            List,
            "list|name the|which of|what are the|name two|name three|what two|what three|which two",
        ),
        (
            Comparison,
            "what is the difference|difference between|compared to|compare|how does|how do",
        ),
        (Other, "what|which"),
    ],
    stop_words: "a|an|the|of|in|on|at|by|to|for|from|with|without|into|onto|and|or|but|nor|is|are|was|were|be|been\
         |being|am|do|does|did|done|has|have|had|having|will|would|shall|should|can|could|may|might|must|it\
         |its|he|she|they|them|his|her|their|this|that|these|those|there|here|as|than|then|so|not|no|about\
         |between|during|after|before|under|over|through|who|whom|whose|what|which|when|where|why|how|many\
         |much|i|you|we|me|my|your|our|us|if|also|s|t|some|any|all|up|out|off|within|among|while|such|other\
         |one|kind|type|name|called|named|known|give|tell|list|does|according|large|high|old|long|far|tall|big|fast|deep|wide|heavy|often|document|documents|say|says\
         |please|per|via|each|own|many|get",
    date_words: "january|february|march|april|may|june|july|august|september|october|november|december|monday|tuesday\
         |wednesday|thursday|friday|saturday|sunday|century|decade|spring|summer|autumn|winter|year|years\
         |today|yesterday|era|morning|evening|midnight|noon",
    number_words: "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fifteen|twenty|thirty|forty\
         |fifty|hundred|thousand|million|billion|half|third|quarter|dozen|once|twice|double|several|none|zero\
         |both|percent",
    reason_words: "because|since|due|therefore|reason|reasons|cause|caused|causes|so|thus|hence|order|avoid|prevent\
         |purpose|result|resulted|led|owing|enable|allow|ensure",
    definition_words: "is|are|was|were|means|refers|called|defined|denotes|known",
    place_words: "in|at|near|from|to|on|outside|north|south|east|west",
    negations: "not|no|never|none|nor|neither|without|cannot|unable|unlike|fail|fails|failed",
    opposites: "first:last|largest:smallest|biggest:smallest|highest:lowest|most:least|more:less|more:fewer\
         |before:after|increase:decrease|rise:fall|best:worst|oldest:youngest|oldest:newest\
         |earliest:latest|north:south|east:west|northern:southern|eastern:western|longest:shortest\
         |above:below|upper:lower|positive:negative|public:private|legal:illegal|always:never\
         |minimum:maximum|inside:outside|internal:external|win:lose|won:lost|support:oppose|accept:reject\
         |strong:weak|rich:poor|male:female|men:women|king:queen|summer:winter|same:different|start:end\
         |begin:end|rural:urban|major:minor|majority:minority|older:newer|older:younger|hot:cold\
         |fastest:slowest|primary:secondary|allow:prohibit|permit:forbid|import:export|buy:sell\
         |successful:unsuccessful",
    refusal: "I could not find this in your documents.",
    narrower: "Try a narrower question, or add a document that covers it.",
    partly: "I found only part of this in your documents.",
    thin: "The evidence is thin; a narrower question may help.",
};

const GERMAN: Lexicon = Lexicon {
    code: "de",
    question_words: &[
        (
            Person,
            "wer|wem|wen|wessen|welche person|welcher mann|welche frau",
        ),
        (
            Time,
            "wann|in welchem jahr|welchem jahr|welches jahr|seit wann|bis wann|an welchem tag|welchem datum\
         |in welchem jahrhundert|welchem jahrhundert|welchem monat|um wie viel uhr|in welchen jahren|wie spät\
         |welchem zeitraum|welchem jahrzehnt",
        ),
        (
            Count,
            "wie viel|wie viele|wieviel|wieviele|wie lange|wie lang|wie alt|wie weit|wie hoch|wie groß|wie oft\
         |wie schnell|wie tief|wie breit|wie schwer|wie häufig|wie stark|welcher anteil|welcher prozentsatz\
         |wie vielen|wie vieler|welchen anteil|welche anzahl|welcher betrag|wie teuer",
        ),
        (
            Place,
            "wo|wohin|woher|in welchem land|welchem land|in welcher stadt|welcher stadt|welches land|welche stadt\
         |an welchem ort|welchem ort|welcher region|welchem staat|welchem kontinent",
        ),
        (
            Reason,
            "warum|weshalb|wieso|weswegen|aus welchem grund|welcher grund|welchen grund|was ist der grund|wozu\
         |was verursachte",
        ),
        (Manner, "wie|auf welche weise|wodurch|womit"),
        (
            Definition,
            "was ist ein|was ist eine|was sind|was bedeutet|was versteht man|was heißt",
        ),
        (List, "welche|nenne|nennen sie|zähle|welche sind"),
        (Comparison, "unterschied|im vergleich|vergleiche"),
        (
            Other,
            "was|welcher|welches|welchen|welchem|worauf|worin|woran|wofür|wovon|worüber|wie heißt|wie heißen\
         |wie lautet|wie nennt|wie wird|wie hieß",
        ),
    ],
    stop_words: "der|die|das|den|dem|des|ein|eine|einen|einem|einer|eines|und|oder|aber|in|im|an|am|auf|aus|bei|beim\
         |mit|nach|von|vom|vor|zu|zum|zur|für|über|unter|durch|um|gegen|ohne|bis|seit|während|zwischen|ist\
         |sind|war|waren|sein|wird|werden|wurde|wurden|worden|hat|haben|hatte|hatten|kann|können|konnte\
         |konnten|muss|müssen|soll|sollen|sollte|darf|dürfen|er|sie|es|sich|ihr|ihre|ihren|ihrem|ihrer|seine\
         |seinen|seinem|seiner|dieser|diese|dieses|diesem|diesen|jener|als|wie|wo|wer|was|wann|warum|welche\
         |welcher|welches|welchem|welchen|wem|wen|viel|viele|vielen|nicht|kein|keine|auch|noch|nur|so|dass|da\
         |dann|denn|man|wurde|heißt|heißen|genannt|nennt|wessen|art|name|namen|bzw|etwa|ihm|ihn|uns|wir|ich\
         |du|mir|sagt|gibt|gab|laut|lautet|lange|hoch|anderen|andere|anderer|anderes|wieder|dort|hier|sowie\
         |einige|je",
    date_words: "januar|februar|märz|april|mai|juni|juli|august|september|oktober|november|dezember|montag|dienstag\
         |mittwoch|donnerstag|freitag|samstag|sonntag|jahrhundert|jahrhunderts|jahr|jahre|jahren|jahrzehnt\
         |frühling|sommer|herbst|winter|uhr|morgen|abend|mittag|heute",
    number_words: "eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn|elf|zwölf|zwanzig|dreißig|vierzig|fünfzig\
         |hundert|tausend|million|millionen|milliarde|milliarden|hälfte|drittel|viertel|dutzend|einmal\
         |zweimal|dreimal|doppelt|mehrere|beide|beiden|prozent|null",
    reason_words: "weil|da|denn|wegen|aufgrund|deshalb|daher|darum|grund|gründe|gründen|ursache|um|damit|dadurch\
         |infolge|führte|zweck|verhindern|vermeiden|dank|somit",
    definition_words: "ist|sind|war|waren|bedeutet|bezeichnet|heißt|genannt|versteht|nennt",
    place_words: "in|im|an|am|bei|nach|aus|nördlich|südlich|östlich|westlich|zu|auf",
    negations: "nicht|kein|keine|keinen|keinem|keiner|keines|nie|niemals|ohne|weder",
    opposites: "erste:letzte|größte:kleinste|höchste:niedrigste|meisten:wenigsten|mehr:weniger|älteste:jüngste\
         |älteste:neueste|längste:kürzeste|nördlich:südlich|östlich:westlich|beste:schlechteste\
         |öffentlich:privat|legal:illegal|immer:nie|minimum:maximum|gewinnen:verlieren|gewann:verlor\
         |unterstützen:ablehnen|stark:schwach|reich:arm|männlich:weiblich|männer:frauen|könig:königin\
         |sommer:winter|beginn:ende|mehrheit:minderheit|heiß:kalt|kaufen:verkaufen|erlaubt:verboten",
    refusal: "Das habe ich in Ihren Dokumenten nicht gefunden.",
    narrower: "Stellen Sie eine engere Frage, oder fügen Sie ein Dokument dazu hinzu.",
    partly: "Ich habe nur einen Teil davon in Ihren Dokumenten gefunden.",
    thin: "Die Belege sind dünn; eine engere Frage hilft vielleicht weiter.",
};

const FRENCH: Lexicon = Lexicon {
    code: "fr",
    question_words: &[
        (
            Person,
            "qui|à qui|de qui|quelle personne|par qui|quel homme|quelle femme",
        ),
        (
            Time,
            "quand|en quelle année|quelle année|quelles années|à quelle date|quelle date|quel jour|quel mois\
         |quel siècle|depuis quand|quelle époque|quelle heure|quelle décennie|quelle période|à quel moment",
        ),
        (
            Count,
            "combien|quel nombre|quelle distance|quel pourcentage|quelle proportion|quelle taille|quel âge\
         |quelle hauteur|quelle longueur|quelle quantité|quel montant|quelle vitesse|quelle part|quelle durée\
         |quelle température|quelle est la population|quelle superficie|quelle fréquence|à quel prix",
        ),
        (
            Place,
            "où|dans quel pays|quel pays|dans quelle ville|quelle ville|quel endroit|quelle région|quel lieu\
         |quel état|quel continent|d'où|quelle province",
        ),
        (
            Reason,
            "pourquoi|pour quelle raison|quelle raison|quelle est la raison|quelle est la cause|à cause de quoi\
         |dans quel but",
        ),
        (
            Manner,
            "comment|de quelle manière|de quelle façon|par quel moyen",
        ),
        (
            Definition,
            "qu'est-ce qu'un|qu'est-ce qu'une|qu'est-ce que|que signifie|que veut dire|qu est ce que",
        ),
        (
            List,
            "quels sont|quelles sont|citez|nommez|quels|quelles|énumérez",
        ),
        (
            Comparison,
            "différence entre|quelle est la différence|par rapport à|comparez",
        ),
        (
            Other,
            "que|quel|quelle|quoi|qu|lequel|laquelle|comment s'appelle|comment s'appelait|comment appelle",
        ),
    ],
    stop_words: "le|la|les|l|un|une|des|du|de|d|et|ou|mais|à|au|aux|en|dans|sur|sous|par|pour|avec|sans|entre|vers\
         |chez|est|sont|était|étaient|été|être|fut|furent|a|ont|avait|avaient|avoir|eu|peut|peuvent|doit\
         |doivent|il|elle|ils|elles|on|se|s|sa|son|ses|leur|leurs|ce|cet|cette|ces|c|qui|que|qu|quoi|dont|où\
         |quel|quelle|quels|quelles|quand|comment|combien|pourquoi|ne|n|pas|plus|aussi|comme|si|y|t|m|j|je\
         |nous|vous|tu|me|te|lui|nom|appelle|appelé|sorte|type|selon|après|avant|lors|fait|font|faire|autre\
         |autres|très|même|ainsi|dit|cela|ça|depuis|lorsque",
    date_words: "janvier|février|mars|avril|mai|juin|juillet|août|septembre|octobre|novembre|décembre|lundi|mardi\
         |mercredi|jeudi|vendredi|samedi|dimanche|siècle|année|années|an|ans|décennie|printemps|été|automne\
         |hiver|heure|heures|matin|soir|midi|minuit",
    number_words: "deux|trois|quatre|cinq|six|sept|huit|neuf|dix|onze|douze|quinze|vingt|trente|quarante|cinquante\
         |soixante|cent|cents|mille|million|millions|milliard|milliards|moitié|tiers|quart|douzaine|double\
         |plusieurs|zéro|aucun|aucune|fois",
    reason_words: "parce|car|raison|raisons|cause|causes|afin|pour|puisque|grâce|donc|ainsi|éviter|empêcher|but\
         |entraîné|provoqué|conséquence|permettre|suite",
    definition_words: "est|sont|était|étaient|désigne|signifie|appelle|appelé|appelée|définit",
    place_words: "à|au|en|dans|sur|près|aux|nord|sud|est|ouest|chez",
    negations: "pas|jamais|aucun|aucune|sans|ni",
    opposites: "premier:dernier|première:dernière|meilleur:pire|minimum:maximum|nord:sud|public:privé\
         |légal:illégal|toujours:jamais|gagner:perdre|fort:faible|riche:pauvre|hommes:femmes|roi:reine\
         |hiver:été|majorité:minorité|chaud:froid|acheter:vendre|augmentation:diminution\
         |augmenter:diminuer|ancien:nouveau|autorisé:interdit|court:long",
    refusal: "Je n’ai pas trouvé cela dans vos documents.",
    narrower: "Posez une question plus précise, ou ajoutez un document à ce sujet.",
    partly: "Je n’ai trouvé qu’une partie de la réponse dans vos documents.",
    thin: "Les preuves sont minces ; une question plus précise pourrait aider.",
};

const JAPANESE: Lexicon = Lexicon {
    code: "ja",
    question_words: &[
        (Person, "誰|だれ|どなた|何者|どの人物|人物は"),
        (
            Time,
            "いつ|何年|何月|何日|何世紀|何時|どの年|どの時代|何年代|何曜日|時期",
        ),
        (
            Count,
            "いくつ|いくら|どのくらい|どれくらい|どれほど|何人|何個|何回|何度|何パーセント|何％|何%|何本|何冊|何枚|何台|何メートル|何キロ|何歳|何倍|何割|何種類|何名|何カ国|何か国|何点\
         |何ドル|何円|何件|何隻|何ヶ月|何時間|何分|何フィート|割合|人口は|何マイル|どの程度|何社",
        ),
        (
            Place,
            "どこ|どの国|どの都市|どの場所|どの地域|どの州|何処|どの町|どの大陸|場所は",
        ),
        (Reason, "なぜ|どうして|何故|理由|原因"),
        (Manner, "どのように|どうやって|どうやり|どんな方法"),
        (Definition, "とは何|とはなん|とは、何|の意味|とはどういう"),
        (List, "挙げ|どれとどれ|何と何"),
        (Comparison, "違い|比べ|比較"),
        (Other, "何|なに|どの|どれ|どんな|どういう|どちら|なん"),
    ],
    stop_words: "という|として|について|により|による|よって|ですか|でしょうか|ましたか|ますか|でしたか|のは|名前|もの|こと|呼ばれ|教えて|ください|次|場合|人|的|等|中|後|前|上|時|間|数|年",
    date_words: "年|月|日|世紀|時代|年代|時|曜日|春|夏|秋|冬",
    number_words: "一|二|三|四|五|六|七|八|九|十|百|千|万|億|半|倍|複数",
    reason_words: "ため|ので|から|理由|原因|よう|目的|よって|により",
    definition_words: "とは|である|です|こと|を指す|意味する|と呼ばれ",
    place_words: "に|で|から|へ|にある|市|県|国|州|町|村|島",
    negations: "",
    opposites: "最大:最小|最高:最低|最初:最後|最長:最短|最多:最少|最古:最新|増加:減少",
    refusal: "お手元の文書には見つかりませんでした。",
    narrower: "質問を絞り込むか、関連する文書を追加してください。",
    partly: "文書からは一部しか見つかりませんでした。",
    thin: "根拠が少ないため、質問を絞り込んでください。",
};

const CHINESE: Lexicon = Lexicon {
    code: "zh",
    question_words: &[
        (Person, "谁|何人|哪位|哪个人|什么人|誰"),
        (
            Time,
            "什么时候|何时|哪一年|哪年|哪一天|哪天|哪个月|几月|几号|哪个世纪|什么时间|何年|哪个年代|几年|哪个时期|什么年份|多久前|哪几年|什麼時候|什么日期",
        ),
        (
            Count,
            "多少|几个|几次|几种|几位|几名|几|多大|多长|多高|多远|多久|多重|多深|多宽|多快|百分之几|百分比|比例|人口|多厚|多老|多岁",
        ),
        (
            Place,
            "哪里|哪儿|在哪|何处|哪个国家|哪个城市|哪个地方|哪个州|哪个省|什么地方|哪国|哪个地区|何地|哪座城市",
        ),
        (Reason, "为什么|为何|原因|为啥|理由|為什麼|因为什么"),
        (Manner, "怎么|怎样|如何|怎麼"),
        (Definition, "什么是|是什么意思|指的是什么|是指什么|的定义"),
        (List, "哪些|列出|哪几个|哪两个|哪三个|哪两"),
        (Comparison, "区别|不同之处|相比|差异"),
        (Other, "什么|哪|何|甚么|什麼"),
    ],
    stop_words: "的|是|在|了|和|与|及|或|有|被|为|于|之|其|个|这|那|他|她|它|们|对|从|到|由|以|吗|呢|吧|也|都|就|而|所|把|将|向|上|中|下|里|会|能|可以|名字|叫|称为|被称\
         |哪种|一个|进行|时|后|前|使用|发生|地|得|着|过|年|多|人",
    date_words: "年|月|日|世纪|时代|年代|时|星期|春|夏|秋|冬",
    number_words: "一|二|两|三|四|五|六|七|八|九|十|百|千|万|亿|半|倍|几",
    reason_words: "因为|由于|因此|所以|为了|以便|原因|导致|使|因|从而|以",
    definition_words: "是|指|称为|即|意味着|定义",
    place_words: "在|于|位于|从|到|市|省|国|州|县|岛|地区",
    negations: "",
    opposites: "最大:最小|最高:最低|最早:最晚|最长:最短|最多:最少|第一:最后|增加:减少|最古老:最新",
    refusal: "在您的文档中没有找到相关内容。",
    narrower: "请提出更具体的问题，或添加相关文档。",
    partly: "在您的文档中只找到了一部分内容。",
    thin: "依据较少，请提出更具体的问题。",
};

const LEXICONS: [Lexicon; 5] = [ENGLISH, GERMAN, FRENCH, JAPANESE, CHINESE];

/// Returns the words of a language; those of English for other languages.
pub(super) fn lexicon(code: &str) -> &'static Lexicon {
    LEXICONS
        .iter()
        .find(|lexicon| lexicon.code == code)
        .unwrap_or(&LEXICONS[0])
}

/// Returns the languages with their words.
pub(super) fn lexicons() -> &'static [Lexicon] {
    &LEXICONS
}

/// Returns the words of a list.
pub(super) fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split('|')
}

/// Returns true if a list has a word.
pub(super) fn has_word(list: &'static str, word: &str) -> bool {
    words(list).any(|other| other == word)
}
