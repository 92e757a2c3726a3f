//! Order statistics: times on a shared machine have a long tail to one side, so there are no means here.

/// The middle of samples, and the quartiles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Summary {
    /// The median.
    pub median: f64,
    /// The first quartile.
    pub q1: f64,
    /// The third quartile.
    pub q3: f64,
}

impl Summary {
    /// Of at least one sample.
    pub fn of(samples: impl IntoIterator<Item = f64>) -> Summary {
        let mut sorted: Vec<f64> = samples.into_iter().collect();
        sorted.sort_by(f64::total_cmp);
        Summary { median: quantile(&sorted, 0.5), q1: quantile(&sorted, 0.25), q3: quantile(&sorted, 0.75) }
    }

    /// Of the ratios of two contestants, round by round: what disturbs both of a round cancels.
    pub fn of_ratios(numerators: &[f64], denominators: &[f64]) -> Summary {
        Summary::of(numerators.iter().zip(denominators).map(|(numerator, denominator)| numerator / denominator))
    }
}

/// The value below which the part `p` of the sorted samples lies, interpolated between the two around it.
fn quantile(sorted: &[f64], p: f64) -> f64 {
    let place = p * (sorted.len() - 1) as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_is_between_the_quartiles() {
        assert_eq!(Summary::of([5.0, 1.0, 3.0, 2.0, 4.0]), Summary { median: 3.0, q1: 2.0, q3: 4.0 });
        assert_eq!(Summary::of([1.0, 2.0]), Summary { median: 1.5, q1: 1.25, q3: 1.75 });
        assert_eq!(Summary::of([7.0]), Summary { median: 7.0, q1: 7.0, q3: 7.0 });
    }

    #[test]
    fn what_slows_a_whole_round_leaves_its_ratio() {
        assert_eq!(Summary::of_ratios(&[50.0, 55.0, 250.0], &[100.0, 110.0, 500.0]), Summary { median: 0.5, q1: 0.5, q3: 0.5 });
    }
}
