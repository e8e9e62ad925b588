//! Measured figures by contestant and round.

/// Contestant of a benchmark.
pub(crate) trait NamedContestant: Copy + PartialEq {
    /// Returns the name in the tables.
    fn name(&self) -> &'static str;
}

/// Figures of each contestant; a failed round makes its result an error.
pub(crate) struct Rounds<C, F>(Vec<(C, Result<Vec<F>, String>)>);

impl<C: NamedContestant, F> Rounds<C, F> {
    pub(crate) fn new(contestants: &[C]) -> Self {
        Self(
            contestants
                .iter()
                .map(|one| (*one, Ok(Vec::new())))
                .collect(),
        )
    }

    /// Returns true if a round of the contestant failed.
    pub(crate) fn has_failed(&self, contestant: &C) -> bool {
        self.of(contestant).is_err()
    }

    /// Returns the figures of a contestant, in the order of the rounds.
    pub(crate) fn of(&self, contestant: &C) -> Result<&[F], String> {
        let found = self.0.iter().find(|(one, _)| one == contestant);
        match found {
            Some((_, Ok(rounds))) => Ok(rounds),
            Some((_, Err(error))) => Err(format!("{}: {error}", contestant.name())),
            None => Err(format!("{} did not take part", contestant.name())),
        }
    }

    /// Adds one round of a contestant; a failure becomes its result.
    pub(crate) fn add(&mut self, contestant: &C, figures: Result<F, String>) {
        let known = self.0.iter_mut().find(|(one, _)| one == contestant);
        let Some((_, rounds)) = known else {
            return;
        };
        match (&mut *rounds, figures) {
            (Ok(rounds), Ok(figures)) => rounds.push(figures),
            (_, Err(error)) => *rounds = Err(error),
            (Err(_), Ok(_)) => {}
        }
    }

    /// Returns all contestants with their figures.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(C, Result<Vec<F>, String>)> {
        self.0.iter()
    }
}
