//! Words of the data model. On the wire they are in upper case with underscores.

/// Declares an enum whose values are words in upper case with underscores.
macro_rules! words {
    ($(#[doc = $about:literal] $name:ident { $(#[doc = $doc:literal] $variant:ident = $word:literal,)* })*) => {
        $(
            #[doc = $about]
            #[derive(
                Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize,
                schemars::JsonSchema,
            )]
            pub enum $name {
                $(#[doc = $doc] #[serde(rename = $word)] $variant,)*
            }

            impl $name {
                /// All values.
                pub const ALL: &[Self] = &[$(Self::$variant,)*];

                /// Returns the word on the wire.
                pub fn as_str(self) -> &'static str {
                    match self {
                        $(Self::$variant => $word,)*
                    }
                }

                /// Returns the value of a word, in any case and with blanks or hyphens for underscores.
                pub fn from_word(word: &str) -> Option<Self> {
                    let word = word.trim().to_ascii_uppercase().replace([' ', '-'], "_");
                    Self::ALL.iter().copied().find(|value| value.as_str() == word)
                }
            }
        )*
    };
}

words! {
    #[doc = "Kind of source."]
    CreditSource {
        #[doc = "MusicBrainz."]
        MusicBrainz = "MUSICBRAINZ",
        #[doc = "Discogs."]
        Discogs = "DISCOGS",
        #[doc = "AcoustID."]
        AcoustId = "ACOUSTID",
        #[doc = "Input of artists or their managers."]
        ArtistInput = "ARTIST_INPUT",
        #[doc = "Tags of audio files."]
        FileMetadata = "FILE_METADATA",
    }
    #[doc = "Type of an entity."]
    EntityType {
        #[doc = "Recording."]
        Recording = "RECORDING",
        #[doc = "Work."]
        Work = "WORK",
        #[doc = "Artist."]
        Artist = "ARTIST",
        #[doc = "Release."]
        Release = "RELEASE",
        #[doc = "Label."]
        Label = "LABEL",
        #[doc = "Credit."]
        Credit = "CREDIT",
    }
    #[doc = "Type of a relationship between entities."]
    RelationshipType {
        #[doc = "Performed."]
        Performed = "PERFORMED",
        #[doc = "Wrote."]
        Wrote = "WROTE",
        #[doc = "Produced."]
        Produced = "PRODUCED",
        #[doc = "Engineered."]
        Engineered = "ENGINEERED",
        #[doc = "Arranged."]
        Arranged = "ARRANGED",
        #[doc = "Mastered."]
        Mastered = "MASTERED",
        #[doc = "Mixed."]
        Mixed = "MIXED",
        #[doc = "Featured."]
        Featured = "FEATURED",
        #[doc = "Sampled."]
        Sampled = "SAMPLED",
        #[doc = "Remixed."]
        Remixed = "REMIXED",
    }
    #[doc = "Evidence by which records were merged."]
    ResolutionMethod {
        #[doc = "Exact id."]
        ExactId = "EXACT_ID",
        #[doc = "Fuzzy string."]
        FuzzyString = "FUZZY_STRING",
        #[doc = "Embedding."]
        Embedding = "EMBEDDING",
        #[doc = "Graph."]
        Graph = "GRAPH",
        #[doc = "Llm."]
        Llm = "LLM",
        #[doc = "Manual."]
        Manual = "MANUAL",
    }
    #[doc = "Level of assurance, from no data to verified by the artist."]
    AssuranceLevel {
        #[doc = "A0: no identified source."]
        Level0 = "LEVEL_0",
        #[doc = "A1: one source with an identifier."]
        Level1 = "LEVEL_1",
        #[doc = "A2: independent sources agree."]
        Level2 = "LEVEL_2",
        #[doc = "A3: confirmed by the artist and a database."]
        Level3 = "LEVEL_3",
    }
    #[doc = "Severity of a conflict between sources."]
    ConflictSeverity {
        #[doc = "Low."]
        Low = "LOW",
        #[doc = "Medium."]
        Medium = "MEDIUM",
        #[doc = "High."]
        High = "HIGH",
        #[doc = "Critical."]
        Critical = "CRITICAL",
    }
    #[doc = "Role of a credit."]
    CreditRole {
        #[doc = "Performer."]
        Performer = "PERFORMER",
        #[doc = "Songwriter."]
        Songwriter = "SONGWRITER",
        #[doc = "Composer."]
        Composer = "COMPOSER",
        #[doc = "Lyricist."]
        Lyricist = "LYRICIST",
        #[doc = "Producer."]
        Producer = "PRODUCER",
        #[doc = "Engineer."]
        Engineer = "ENGINEER",
        #[doc = "Mixing engineer."]
        MixingEngineer = "MIXING_ENGINEER",
        #[doc = "Mastering engineer."]
        MasteringEngineer = "MASTERING_ENGINEER",
        #[doc = "Arranger."]
        Arranger = "ARRANGER",
        #[doc = "Session musician."]
        SessionMusician = "SESSION_MUSICIAN",
        #[doc = "Featured artist."]
        FeaturedArtist = "FEATURED_ARTIST",
        #[doc = "Conductor."]
        Conductor = "CONDUCTOR",
        #[doc = "Dj."]
        Dj = "DJ",
        #[doc = "Remixer."]
        Remixer = "REMIXER",
    }
    #[doc = "Type of a provenance event."]
    ProvenanceEventType {
        #[doc = "Fetch."]
        Fetch = "FETCH",
        #[doc = "Resolve."]
        Resolve = "RESOLVE",
        #[doc = "Score."]
        Score = "SCORE",
        #[doc = "Review."]
        Review = "REVIEW",
        #[doc = "Update."]
        Update = "UPDATE",
        #[doc = "Feedback."]
        Feedback = "FEEDBACK",
    }
    #[doc = "Role of a reviewer."]
    ReviewerRole {
        #[doc = "Artist."]
        Artist = "ARTIST",
        #[doc = "Manager."]
        Manager = "MANAGER",
        #[doc = "Musicologist."]
        Musicologist = "MUSICOLOGIST",
        #[doc = "Producer."]
        Producer = "PRODUCER",
        #[doc = "Fan."]
        Fan = "FAN",
    }
    #[doc = "Kind of evidence behind a correction."]
    EvidenceType {
        #[doc = "Liner notes."]
        LinerNotes = "LINER_NOTES",
        #[doc = "Memory."]
        Memory = "MEMORY",
        #[doc = "Document."]
        Document = "DOCUMENT",
        #[doc = "Session notes."]
        SessionNotes = "SESSION_NOTES",
        #[doc = "Other."]
        Other = "OTHER",
    }
    #[doc = "Use that a permission is about."]
    PermissionType {
        #[doc = "Stream."]
        Stream = "STREAM",
        #[doc = "Download."]
        Download = "DOWNLOAD",
        #[doc = "Sync license."]
        SyncLicense = "SYNC_LICENSE",
        #[doc = "Ai training."]
        AiTraining = "AI_TRAINING",
        #[doc = "Ai training composition."]
        AiTrainingComposition = "AI_TRAINING_COMPOSITION",
        #[doc = "Ai training recording."]
        AiTrainingRecording = "AI_TRAINING_RECORDING",
        #[doc = "Ai training style."]
        AiTrainingStyle = "AI_TRAINING_STYLE",
        #[doc = "Dataset inclusion."]
        DatasetInclusion = "DATASET_INCLUSION",
        #[doc = "Voice cloning."]
        VoiceCloning = "VOICE_CLONING",
        #[doc = "Style learning."]
        StyleLearning = "STYLE_LEARNING",
        #[doc = "Lyrics in chatbots."]
        LyricsInChatbots = "LYRICS_IN_CHATBOTS",
        #[doc = "Cover versions."]
        CoverVersions = "COVER_VERSIONS",
        #[doc = "Remix."]
        Remix = "REMIX",
        #[doc = "Sample."]
        Sample = "SAMPLE",
        #[doc = "Derivative work."]
        DerivativeWork = "DERIVATIVE_WORK",
    }
    #[doc = "Answer of a permission, from the most to the least restrictive."]
    PermissionValue {
        #[doc = "Deny."]
        Deny = "DENY",
        #[doc = "Ask."]
        Ask = "ASK",
        #[doc = "Allow with royalty."]
        AllowWithRoyalty = "ALLOW_WITH_ROYALTY",
        #[doc = "Allow with attribution."]
        AllowWithAttribution = "ALLOW_WITH_ATTRIBUTION",
        #[doc = "Allow."]
        Allow = "ALLOW",
    }
    #[doc = "Reach of a bundle of permissions."]
    PermissionScope {
        #[doc = "Catalog."]
        Catalog = "CATALOG",
        #[doc = "Release."]
        Release = "RELEASE",
        #[doc = "Recording."]
        Recording = "RECORDING",
        #[doc = "Work."]
        Work = "WORK",
    }
    #[doc = "Role in a chain of delegation."]
    DelegationRole {
        #[doc = "Owner."]
        Owner = "OWNER",
        #[doc = "Manager."]
        Manager = "MANAGER",
        #[doc = "Label."]
        Label = "LABEL",
        #[doc = "Distributor."]
        Distributor = "DISTRIBUTOR",
    }
}

impl AssuranceLevel {
    /// Returns the short form that people see: A0 to A3.
    pub fn short_name(self) -> &'static str {
        match self {
            Self::Level0 => "A0",
            Self::Level1 => "A1",
            Self::Level2 => "A2",
            Self::Level3 => "A3",
        }
    }
}

impl CreditRole {
    /// Returns the word that people use.
    pub fn label(self) -> &'static str {
        match self {
            Self::Performer => "performer",
            Self::Songwriter => "songwriter",
            Self::Composer => "composer",
            Self::Lyricist => "lyricist",
            Self::Producer => "producer",
            Self::Engineer => "engineer",
            Self::MixingEngineer => "mixing engineer",
            Self::MasteringEngineer => "mastering engineer",
            Self::Arranger => "arranger",
            Self::SessionMusician => "session musician",
            Self::FeaturedArtist => "featured artist",
            Self::Conductor => "conductor",
            Self::Dj => "DJ",
            Self::Remixer => "remixer",
        }
    }
}

impl CreditSource {
    /// Returns the name that people use.
    pub fn label(self) -> &'static str {
        match self {
            Self::MusicBrainz => "MusicBrainz",
            Self::Discogs => "Discogs",
            Self::AcoustId => "AcoustID",
            Self::ArtistInput => "artist input",
            Self::FileMetadata => "file tags",
        }
    }
}
