//! Choice among verdicts.

use crate::check::Verdict;

/// Returns the best verdict, with its source; the first of several that are equally good.
///
/// The iterator should check lazily: nothing is better than `found`, so nothing is checked after it.
pub fn best_verdict<S>(verdicts: impl IntoIterator<Item = (Verdict, S)>) -> Option<(Verdict, S)> {
    let mut best: Option<(Verdict, S)> = None;
    for (verdict, source) in verdicts {
        let rank = verdict.rank();
        if best.as_ref().is_none_or(|(before, _)| rank < before.rank()) {
            best = Some((verdict, source));
        }
        if rank.0 == 0 {
            break;
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::status::VerificationStatus;

    fn verdict(status: VerificationStatus) -> Verdict {
        let mut verdict = Verdict::default();
        verdict.verification.status = Some(status);
        verdict
    }

    #[test]
    fn the_best_and_first_verdict_wins() {
        let verdicts = [
            VerificationStatus::NotFound,
            VerificationStatus::FoundOnOtherPage,
            VerificationStatus::PartialTextFound,
            VerificationStatus::FoundOnOtherPage,
        ];
        let best = best_verdict(verdicts.map(verdict).into_iter().zip(0..));
        let (best, source) = best.expect("a verdict");
        assert_eq!(best.status(), VerificationStatus::FoundOnOtherPage);
        assert_eq!(source, 1);
    }

    #[test]
    fn the_nearest_passage_comes_from_the_best_source() {
        let near = |distance| {
            let mut verdict = verdict(VerificationStatus::NotFound);
            verdict.distance = distance;
            verdict
        };
        for (distances, expected) in [
            ([None, Some(300), Some(20)], 2),
            ([Some(20), Some(300), None], 0),
            ([Some(20), Some(20), None], 0),
        ] {
            let best = best_verdict(distances.map(near).into_iter().zip(0..));
            assert_eq!(
                best.map(|(_, source)| source),
                Some(expected),
                "{distances:?}"
            );
        }
    }

    #[test]
    fn nothing_is_checked_after_a_quote_is_found() {
        let mut checked = 0;
        let checks = [VerificationStatus::Found, VerificationStatus::NotFound];
        let checks = checks.into_iter().map(|status| {
            checked += 1;
            (verdict(status), ())
        });
        assert!(best_verdict(checks).is_some());
        assert_eq!(checked, 1);
    }
}
