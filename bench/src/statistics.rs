//! Order statistics of samples.
//!
//! Owns the definitions. Times on a shared machine have a long tail to one side, so there are no means here.

/// The middle of samples, and how far they are spread.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The median.
    pub median: f64,
    /// The first quartile.
    pub q1: f64,
    /// The third quartile.
    pub q3: f64,
    /// The median of the distances to the median.
    pub mad: f64,
}

impl Summary {
    /// Of at least one sample, none of which is NaN.
    pub fn of(samples: impl IntoIterator<Item = f64>) -> Summary {
        let mut sorted: Vec<f64> = samples.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        let median = quantile(&sorted, 0.5);
        let mut distances: Vec<f64> = sorted.iter().map(|sample| (sample - median).abs()).collect();
        distances.sort_by(f64::total_cmp);
        Summary { median, q1: quantile(&sorted, 0.25), q3: quantile(&sorted, 0.75), mad: quantile(&distances, 0.5) }
    }

    /// Of the ratios of two contestants, round by round: what disturbs both of a round cancels.
    pub fn of_ratios(numerators: &[f64], denominators: &[f64]) -> Summary {
        Summary::of(numerators.iter().zip(denominators).map(|(numerator, denominator)| numerator / denominator))
    }

    /// Half of the distance between the quartiles.
    pub fn spread(&self) -> f64 {
        (self.q3 - self.q1) / 2.0
    }
}

/// The value below which the part `p` of the sorted samples lies, interpolated between the two around it.
pub fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = p * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_interpolate() {
        let sorted = [1.0, 2.0, 3.0, 4.0];
        assert_eq!(quantile(&sorted, 0.0), 1.0);
        assert_eq!(quantile(&sorted, 0.25), 1.75);
        assert_eq!(quantile(&sorted, 0.5), 2.5);
        assert_eq!(quantile(&sorted, 1.0), 4.0);
        assert_eq!(quantile(&[7.0], 0.75), 7.0);
    }

    #[test]
    fn order_and_outliers_do_not_matter() {
        let summary = Summary::of([5.0, 1.0, 3.0, 2.0, 4.0]);
        assert_eq!(summary, Summary { median: 3.0, q1: 2.0, q3: 4.0, mad: 1.0 });
        assert_eq!(Summary::of([1e9, 1.0, 3.0, 2.0, 4.0]).median, 3.0);
        assert_eq!(summary.spread(), 1.0);
    }

    #[test]
    fn what_slows_a_whole_round_leaves_its_ratio() {
        let base = [100.0, 110.0, 500.0];
        let other = [50.0, 55.0, 250.0];
        assert_eq!(Summary::of_ratios(&other, &base), Summary { median: 0.5, q1: 0.5, q3: 0.5, mad: 0.0 });
    }
}
