//! Word tables about names.

/// Given names with their short forms. Two names of one row can mean the same person.
const SHORT_FORMS: &[&[&str]] = &[
    &[
        "alexander",
        "alex",
        "alexi",
        "aleksandr",
        "sasha",
        "sandy",
        "xander",
    ],
    &["alexandra", "alex", "sandra", "sasha", "alexa"],
    &["albert", "al", "bert", "bertie"],
    &["alan", "al", "allan", "allen"],
    &["andrew", "andy", "drew"],
    &["andreas", "andi", "andy"],
    &["anthony", "tony", "antony", "ant"],
    &["antonio", "tony", "toni", "toninho"],
    &["arthur", "art", "artie"],
    &["benjamin", "ben", "benny", "benji"],
    &["bernard", "bernie"],
    &[
        "catherine",
        "cathy",
        "kate",
        "katie",
        "cath",
        "katherine",
        "kathy",
        "kat",
    ],
    &["charles", "charlie", "chuck", "chas", "chaz", "carlos"],
    &["christopher", "chris", "kris", "topher", "christian"],
    &[
        "christina",
        "chris",
        "tina",
        "christine",
        "kristina",
        "kristine",
    ],
    &["daniel", "dan", "danny", "dany"],
    &["david", "dave", "davey", "davy", "dav"],
    &["deborah", "debbie", "debby", "deb"],
    &["dennis", "den", "denny"],
    &["donald", "don", "donnie", "donny"],
    &["dominic", "dom", "nic"],
    &["douglas", "doug", "dougie"],
    &[
        "edward", "ed", "eddie", "eddy", "ted", "teddy", "ned", "edu",
    ],
    &[
        "elizabeth",
        "liz",
        "beth",
        "betty",
        "lisa",
        "eliza",
        "libby",
        "lizzy",
    ],
    &["eric", "erik", "rick", "erick"],
    &["eugene", "gene"],
    &["francis", "frank", "frankie", "fran"],
    &["francisco", "paco", "pancho", "chico", "frank"],
    &["franklin", "frank", "frankie"],
    &["frederick", "fred", "freddie", "freddy", "fredrik", "fritz"],
    &["gabriel", "gabe", "gaby"],
    &["geoffrey", "geoff", "jeff", "jeffrey"],
    &["gerald", "gerry", "jerry"],
    &["gerhard", "gerd", "gert"],
    &["giuseppe", "pino", "beppe", "peppe"],
    &["gregory", "greg", "gregg"],
    &["guillermo", "memo", "willy"],
    &["harold", "harry", "hal"],
    &["henry", "harry", "hank", "hal"],
    &["herbert", "herb", "herbie", "bert"],
    &["hermann", "herman", "armin"],
    &["hubert", "bert", "hugh"],
    &["jacob", "jake", "jack"],
    &["james", "jim", "jimmy", "jimmie", "jamie", "jay", "jem"],
    &["jason", "jay", "jase"],
    &["jeremy", "jerry", "jez", "jem"],
    &["jerome", "jerry"],
    &["jessica", "jess", "jessie"],
    &["joachim", "jochen", "achim"],
    &["johannes", "hans", "johan", "jan", "john"],
    &["john", "johnny", "jon", "jack", "johnnie", "jonny"],
    &["jonathan", "jon", "jonny", "john", "jonathon"],
    &["jose", "pepe", "pepito"],
    &["joseph", "joe", "joey", "jo", "josef"],
    &["joshua", "josh"],
    &["julian", "jules"],
    &["juergen", "jurgen", "jorg"],
    &["kenneth", "ken", "kenny"],
    &["kevin", "kev"],
    &["klaus", "claus", "nikolaus"],
    &["lawrence", "larry", "laurie", "laurence", "lorenzo"],
    &["leonard", "len", "lenny", "leo"],
    &["leslie", "les"],
    &["louis", "lou", "louie", "lewis", "luis"],
    &["luis", "lucho", "louis"],
    &["manuel", "manny", "manolo"],
    &["marcus", "marc", "mark", "markus"],
    &["margaret", "maggie", "meg", "peggy", "greta", "rita"],
    &["martin", "marty", "mart"],
    &["matthew", "matt", "matty", "mat", "matthias"],
    &["maurice", "mo", "moe"],
    &["maximilian", "max", "maxi"],
    &[
        "michael", "mike", "mick", "micky", "mikey", "mickey", "michel", "mikael", "michal",
    ],
    &["miguel", "mike", "mikey"],
    &["mitchell", "mitch"],
    &["nathaniel", "nate", "nat", "nathan"],
    &[
        "nicholas", "nick", "nicky", "nic", "nicolas", "nico", "niklas", "nik",
    ],
    &["nicole", "nikki", "nicky"],
    &["oliver", "ollie", "olly", "oli"],
    &["pamela", "pam"],
    &["patricia", "pat", "patty", "trish", "tricia"],
    &["patrick", "pat", "paddy", "patric"],
    &["paul", "paulie", "pablo"],
    &["peter", "pete", "pieter", "petr", "piet"],
    &["philip", "phil", "pip", "phillip", "philippe"],
    &["raymond", "ray", "ramon"],
    &["rebecca", "becky", "becca"],
    &["reginald", "reg", "reggie"],
    &[
        "richard", "rick", "ricky", "dick", "rich", "richie", "ritchie", "rik", "dickie",
    ],
    &[
        "robert", "rob", "bob", "bobby", "robbie", "bert", "roberto", "robb",
    ],
    &["roderick", "rod", "roddy"],
    &["rodney", "rod"],
    &["roger", "rog", "rodge"],
    &["ronald", "ron", "ronnie", "ronny"],
    &["rudolf", "rudi", "rudy", "rolf"],
    &["russell", "russ", "rusty"],
    &["samuel", "sam", "sammy"],
    &["samantha", "sam"],
    &["sebastian", "seb", "basti", "bastian"],
    &["simon", "si", "simeon"],
    &["solomon", "sol", "solly"],
    &["stanley", "stan"],
    &[
        "stephen", "steve", "stevie", "steven", "stefan", "stephan", "stef",
    ],
    &["susan", "sue", "susie", "suzy", "suzanne"],
    &["terence", "terry", "terrence", "tel"],
    &["theodore", "ted", "teddy", "theo"],
    &["theresa", "terry", "teresa", "tess"],
    &["thomas", "tom", "tommy", "thom", "tomas"],
    &["timothy", "tim", "timmy"],
    &["tobias", "toby", "tobi"],
    &["ulrich", "uli", "ulli"],
    &["valerie", "val"],
    &["vincent", "vince", "vinnie", "vinny", "vincenzo"],
    &["victor", "vic", "vik", "viktor", "vikter"],
    &["victoria", "vicky", "vicki", "tori"],
    &["walter", "wally", "walt", "wolly"],
    &["wesley", "wes", "wez"],
    &["wilhelm", "willi", "willy", "bill"],
    &[
        "william", "bill", "will", "billy", "willie", "willy", "liam",
    ],
    &["wolfgang", "wolf", "wolfi"],
    &["zachary", "zach", "zack", "zak"],
];

/// Surnames that very many people have.
const COMMON_SURNAMES: &str = " adams allen andersen anderson andersson armstrong bailey baker barnes bell bennett berg black brooks brown bryant burke burns butler campbell carlson carter chen clark clarke cohen coleman collins cook cooper cox cruz cunningham davies davis dean diaz dixon douglas duncan edwards ellis evans fernandez fisher fleming ford foster fox francis freeman garcia gibson gomez gonzalez gordon graham grant gray green griffin hall hamilton hansen hansson harris harrison hart harvey hayes henderson henry hernandez hill holmes howard hoffman hudson hughes hunt hunter jackson james jenkins jensen johansson johnson johnston jones jordan kelly kennedy kim king klein knight larsen lawrence lawson lee lewis lopez marshall martin martinez mason matthews mcdonald meyer miller mills mitchell moore morgan morris morrison murphy murray myers nelson nielsen nilsson olsen olson owens palmer parker patterson perez perry peters petersen peterson phillips pierce porter powell price ramirez reed reid reynolds rice richards richardson riley rivera roberts robertson robinson rodriguez rogers rose ross russell ryan sanchez sanders schmidt schneider scott shaw silva simmons simpson smith spencer stevens stewart stone sullivan svensson taylor thomas thompson thomson torres tucker turner wagner walker wallace walsh ward warren washington watson weaver weber webb wells west wheeler white williams williamson wilson wolf wood woods wright young ";

/// Given names that very many people have, beside those with short forms.
const COMMON_GIVEN_NAMES: &str = " adam amanda amy andre andrea angela anna anne barbara brian bruce bryan carl carla carol caroline claudia colin craig darren dean derek diana eva frank gary gavin george glenn gloria gordon graham hans helen ian ingrid jan jane janet jef jennifer jens joan jordan joyce juan juan karen karl keith kim lars laura lee lena linda lisa lucas luke marc maria marie mark marta mary marvin maya monica monique nancy nathan neil nina norman oscar pedro peter ralph rachel roland roy ruth ryan sara sarah scott sean sharon sofia sonia sophie stuart sven tina todd uwe vera wayne ";

/// Returns true if both given names can be forms of one name.
pub(super) fn are_forms_of_one_name(one: &str, other: &str) -> bool {
    SHORT_FORMS.iter().any(|row| {
        row.contains(&one)
            && row.contains(&other)
            && (row[0] == one || row[0] == other || one[..1] == other[..1])
    })
}

fn contains_word(list: &str, word: &str) -> bool {
    list.split(' ').any(|entry| entry == word)
}

/// Returns true for a surname that very many people have.
pub(crate) fn is_common_surname(word: &str) -> bool {
    contains_word(COMMON_SURNAMES, word)
}

/// Returns true for a given name that very many people have.
pub(crate) fn is_common_given_name(word: &str) -> bool {
    contains_word(COMMON_GIVEN_NAMES, word) || SHORT_FORMS.iter().any(|row| row.contains(&word))
}

/// Parts between given name and surname that are written or left out freely.
pub(super) fn is_particle(word: &str) -> bool {
    matches!(
        word,
        "van"
            | "von"
            | "der"
            | "den"
            | "de"
            | "di"
            | "da"
            | "do"
            | "dos"
            | "del"
            | "della"
            | "du"
            | "des"
            | "la"
            | "le"
            | "el"
            | "al"
            | "zu"
            | "ten"
            | "ter"
            | "af"
            | "av"
            | "y"
            | "vd"
            | "v"
            | "d"
    )
}

/// Titles before a name.
pub(super) fn is_title(word: &str) -> bool {
    matches!(
        word,
        "dj" | "mc"
            | "mr"
            | "mrs"
            | "ms"
            | "miss"
            | "dr"
            | "prof"
            | "professor"
            | "sir"
            | "dame"
            | "major"
            | "captain"
            | "capt"
            | "rev"
            | "reverend"
            | "saint"
            | "st"
    )
}

/// Suffixes that tell the generations of a family apart.
pub(super) fn generation(word: &str) -> Option<u8> {
    Some(match word {
        "sr" | "senior" => 1,
        "jr" | "junior" | "jnr" | "ii" => 2,
        "iii" => 3,
        "iv" => 4,
        _ => return None,
    })
}

/// Words that make a name one of a group.
pub(super) fn is_group_word(word: &str) -> bool {
    matches!(
        word,
        "orchestra"
            | "orchester"
            | "orchestre"
            | "orkester"
            | "band"
            | "trio"
            | "quartet"
            | "quartett"
            | "quintet"
            | "sextet"
            | "ensemble"
            | "choir"
            | "chor"
            | "chorus"
            | "project"
            | "group"
            | "brothers"
            | "sisters"
            | "singers"
            | "philharmonic"
            | "symphony"
            | "family"
            | "boys"
            | "girls"
            | "crew"
            | "allstars"
            | "kids"
            | "and"
            | "records"
            | "productions"
            | "music"
            | "studio"
            | "studios"
            | "experience"
            | "collective"
            | "society"
    )
}

/// Returns the full form of an abbreviated word.
pub(super) fn expanded(word: &str) -> &str {
    match word {
        "bros" => "brothers",
        "orch" | "orchestre" | "orchester" | "orkester" => "orchestra",
        "phil" => "phil",
        "gebr" => "gebruder",
        "2" => "two",
        "3" => "three",
        "4" => "four",
        "5" => "five",
        "6" => "six",
        "7" => "seven",
        "8" => "eight",
        "9" => "nine",
        "1" => "one",
        _ => word,
    }
}
