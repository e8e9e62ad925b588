//! Statistics of columns.

/// Number of standard deviations beyond which a value is unusual.
const OUTLIER_DEVIATIONS: f64 = 3.0;
/// Number of unusual values that are named.
const MAX_OUTLIERS: usize = 3;

/// Statistics of the numbers of a column.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct ColumnStatistics {
    pub(super) sum: f64,
    pub(super) mean: f64,
    pub(super) min: f64,
    pub(super) max: f64,
    /// Row of the largest number.
    pub(super) peak: usize,
    /// Change from the first to the last number in percent; `None` if the first is 0.
    pub(super) growth: Option<f64>,
    /// Rows with unusual numbers.
    pub(super) outliers: Vec<usize>,
}

impl ColumnStatistics {
    /// Computes the statistics; `None` without numbers.
    pub(super) fn of(values: &[Option<f64>]) -> Option<Self> {
        let known: Vec<(usize, f64)> = { values.iter().enumerate() }
            .filter_map(|(row, value)| Some((row, (*value)?)))
            .collect();
        let (first, last) = (known.first()?.1, known.last()?.1);
        #[allow(clippy::cast_precision_loss)]
        let count = known.len() as f64;
        let sum: f64 = known.iter().map(|(_, value)| value).sum();
        let mean = sum / count;
        let variance = known
            .iter()
            .map(|(_, value)| (value - mean).powi(2))
            .sum::<f64>()
            / count;
        let limit = OUTLIER_DEVIATIONS * variance.sqrt();
        let mut peak = known[0];
        for entry in &known {
            if entry.1 > peak.1 {
                peak = *entry;
            }
        }
        Some(Self {
            sum,
            mean,
            min: known
                .iter()
                .map(|(_, value)| *value)
                .fold(f64::INFINITY, f64::min),
            max: peak.1,
            peak: peak.0,
            growth: (known.len() > 1 && first != 0.0).then(|| (last - first) / first.abs() * 100.0),
            outliers: { known.iter() }
                .filter(|(_, value)| limit > 0.0 && (value - mean).abs() > limit)
                .map(|(row, _)| *row)
                .take(MAX_OUTLIERS)
                .collect(),
        })
    }
}

/// Returns the correlation of two columns over the rows in which both have numbers; `None` if one does not vary.
pub(super) fn correlation(left: &[Option<f64>], right: &[Option<f64>]) -> Option<f64> {
    let pairs: Vec<(f64, f64)> = { left.iter().zip(right) }
        .filter_map(|(left, right)| Some(((*left)?, (*right)?)))
        .collect();
    #[allow(clippy::cast_precision_loss)]
    let count = pairs.len() as f64;
    let mean = |side: fn(&(f64, f64)) -> f64| pairs.iter().map(side).sum::<f64>() / count;
    let (left_mean, right_mean) = (mean(|pair| pair.0), mean(|pair| pair.1));
    let mut sums = (0.0, 0.0, 0.0);
    for (left, right) in &pairs {
        let (a, b) = (left - left_mean, right - right_mean);
        sums = (sums.0 + a * b, sums.1 + a * a, sums.2 + b * b);
    }
    let scale = (sums.1 * sums.2).sqrt();
    (pairs.len() > 2 && scale > 0.0).then(|| sums.0 / scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_skip_gaps() {
        let values = [Some(10.0), None, Some(30.0), Some(20.0)];
        let statistics = ColumnStatistics::of(&values).expect("numbers");
        assert_eq!((statistics.sum, statistics.mean), (60.0, 20.0));
        assert_eq!(
            (statistics.min, statistics.max, statistics.peak),
            (10.0, 30.0, 2)
        );
        assert_eq!(statistics.growth, Some(100.0));
        assert!(statistics.outliers.is_empty());
        assert!(ColumnStatistics::of(&[None]).is_none());
    }

    #[test]
    fn unusual_values_are_found() {
        let mut values = vec![Some(1.0); 50];
        values[20] = Some(100.0);
        let statistics = ColumnStatistics::of(&values).expect("numbers");
        assert_eq!(statistics.outliers, [20]);
    }

    #[test]
    fn correlation_is_between_minus_one_and_one() {
        let rising: Vec<Option<f64>> = (0..5).map(|value| Some(f64::from(value))).collect();
        let falling: Vec<Option<f64>> = (0..5).map(|value| Some(-2.0 * f64::from(value))).collect();
        assert!((correlation(&rising, &falling).expect("both vary") + 1.0).abs() < 1e-9);
        assert_eq!(correlation(&rising, &[Some(1.0); 5]), None);
    }
}
