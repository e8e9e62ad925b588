//! The sample catalogue through all steps: import, resolution, scoring, corrections.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;

use attribution::{
    AttributionRecord, Calibration, Correction, CorrectionStatus, CreditRole, CreditSource,
    EarlierEntities, ImportedItem, NormalizedRecord, ReviewDecision, ReviewerRole,
    accept_correction, build_attribution, import_file, resolve, undo_correction,
};

const NOW: &str = "2026-11-18T12:00:00Z";

fn sample_records() -> Vec<NormalizedRecord> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../samples/catalogue");
    let mut records = Vec::new();
    for (source, name) in [
        (CreditSource::Discogs, "discogs_releases.xml"),
        (CreditSource::MusicBrainz, "musicbrainz_recordings.jsonl"),
        (CreditSource::AcoustId, "acoustid.json"),
        (CreditSource::ArtistInput, "artist_credits.csv"),
    ] {
        let path = folder.join(name);
        let file = File::open(&path).expect("a sample file");
        import_file(source, &path, file, &mut |item| {
            match item {
                ImportedItem::Records(found) => records.extend(found),
                ImportedItem::Problem(problem) => panic!("{name}: {problem}"),
            }
            Ok(())
        })
        .expect("readable");
    }
    records
}

fn attributions(
    records: &[NormalizedRecord],
    previous: &[AttributionRecord],
) -> Vec<AttributionRecord> {
    let mut earlier = EarlierEntities::default();
    for record in previous {
        for reference in &record.source_records {
            earlier
                .ids
                .insert(reference.record_id.clone(), record.work_entity_id.clone());
        }
    }
    let resolution = resolve(records, &earlier, &[], NOW);
    let names: HashMap<String, String> = resolution
        .people
        .iter()
        .map(|person| (person.entity_id.clone(), person.canonical_name.clone()))
        .collect();
    let known: HashMap<&str, &AttributionRecord> = previous
        .iter()
        .map(|record| (record.work_entity_id.as_str(), record))
        .collect();
    let calibration = Calibration::new(&[], 0.9);
    let built = resolution.works.iter().filter_map(|work| {
        let before = known.get(work.entity.entity_id.as_str()).copied();
        build_attribution(work, records, &names, before, &calibration, NOW)
    });
    built.collect()
}

fn find<'a>(works: &'a [AttributionRecord], title: &str) -> &'a AttributionRecord {
    works
        .iter()
        .find(|work| work.work_title == title)
        .expect(title)
}

#[test]
fn sample_catalogue_has_120_works_with_real_conflicts() {
    let records = sample_records();
    let works = attributions(&records, &[]);
    assert_eq!(works.len(), 120);
    let lanterns = find(&works, "Paper Lanterns");
    let producers: Vec<&str> = lanterns
        .credits
        .iter()
        .filter(|credit| credit.role == CreditRole::Producer)
        .map(|credit| credit.entity_name.as_str())
        .collect();
    assert_eq!(producers.len(), 2, "{producers:?}");
    assert!(
        producers.contains(&"Mira Solberg") && producers.contains(&"Jonas Feld"),
        "{producers:?}"
    );
    assert!(lanterns.needs_review);
    assert!(
        lanterns
            .conflicts
            .iter()
            .any(|conflict| conflict.field == "producer")
    );
    // One performer, although Discogs numbers the name and the sources have different ids.
    let performers = lanterns
        .credits
        .iter()
        .filter(|credit| credit.role == CreditRole::Performer);
    assert_eq!(performers.count(), 1);
    assert!(works.iter().any(|work| work.confidence_score > 0.8));
    assert!(
        works
            .iter()
            .all(|work| (0.0..=1.0).contains(&work.confidence_score))
    );
}

#[test]
fn repeating_the_pipeline_changes_nothing() {
    let mut records = sample_records();
    records.sort_by(|a, b| a.record_id.cmp(&b.record_id));
    let works = attributions(&records, &[]);
    assert_eq!(attributions(&records, &works), []);
}

#[test]
fn a_correction_makes_a_new_version_and_can_be_undone() {
    let works = attributions(&sample_records(), &[]);
    let mut record = find(&works, "Paper Lanterns").clone();
    let before = record.credits.clone();
    record.corrections.push(Correction {
        correction_id: "c1".to_owned(),
        field: "producer".to_owned(),
        current_value: "Jonas Feld".to_owned(),
        corrected_value: "Mira Solberg".to_owned(),
        entity_id: None,
        confidence_in_correction: 0.9,
        evidence: None,
        status: CorrectionStatus::Pending,
        feedback_id: "f1".to_owned(),
        reviewer_role: Some(ReviewerRole::Artist),
        replaced: Vec::new(),
    });
    let decision = ReviewDecision {
        reviewer_id: "ann".to_owned(),
        reviewer_role: ReviewerRole::Artist,
        feedback_id: "f1".to_owned(),
        at: NOW.to_owned(),
    };
    let calibration = Calibration::new(&[], 0.9);
    accept_correction(&mut record, "c1", &decision, &calibration).expect("accepted");
    let producers: Vec<&str> = record
        .credits
        .iter()
        .filter(|credit| credit.role == CreditRole::Producer)
        .map(|credit| credit.entity_name.as_str())
        .collect();
    assert_eq!(
        (producers.as_slice(), record.version),
        (["Mira Solberg"].as_slice(), 2)
    );
    undo_correction(&mut record, "c1", &decision, &calibration).expect("undone");
    assert_eq!(record.version, 3);
    let key = |credit: &attribution::Credit| (credit.role, credit.entity_name.clone());
    let mut expected: Vec<_> = before.iter().map(key).collect();
    let mut found: Vec<_> = record.credits.iter().map(key).collect();
    expected.sort();
    found.sort();
    assert_eq!(found, expected);
}
