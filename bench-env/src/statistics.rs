//! Medians, spreads, and ratios within a round.

use crate::figure::Figure;
use crate::result::{Measurement, Outcome};

/// Several values of the same figure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Spread {
    /// Half are below.
    pub median: f64,

    /// The least.
    pub min: f64,

    /// The greatest.
    pub max: f64,

    /// How many there are.
    pub count: usize,
}

impl Spread {
    /// Of these values, if there are any.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (min, max) = (*values.first()?, *values.last()?);

        let middle = values.len() / 2;
        let median = if values.len().is_multiple_of(2) {
            f64::midpoint(values[middle - 1], values[middle])
        } else {
            values[middle]
        };
        Some(Self {
            median,
            min,
            max,
            count: values.len(),
        })
    }
}

/// A figure over the rounds that count.
pub fn spread(outcome: &Outcome, contender: &str, case: &str, figure: Figure) -> Option<Spread> {
    let clean = of(outcome, contender, case).filter(|measurement| measurement.is_clean());
    Spread::of(
        clean
            .filter_map(|measurement| measurement.get(figure))
            .collect(),
    )
}

/// A figure divided by that of `base` in the same round. Across rounds a ratio would
/// compare the machine with itself.
pub fn ratio(
    outcome: &Outcome,
    contender: &str,
    base: &str,
    case: &str,
    figure: Figure,
) -> Option<Spread> {
    let ratios = of(outcome, contender, case).filter_map(|own| {
        let other = of(outcome, base, case).find(|other| other.round == own.round)?;
        if !own.is_clean() || !other.is_clean() {
            return None;
        }
        Some(own.get(figure)? / other.get(figure)?).filter(|ratio| ratio.is_finite())
    });
    Spread::of(ratios.collect())
}

fn of<'a>(
    outcome: &'a Outcome,
    contender: &'a str,
    case: &'a str,
) -> impl Iterator<Item = &'a Measurement> {
    let all = outcome.measurements.iter();
    all.filter(move |measurement| measurement.contender == contender && measurement.case == case)
}

#[cfg(test)]
mod tests {
    use super::Spread;

    #[test]
    fn the_median_of_an_even_number_lies_between() {
        let spread = Spread::of(vec![4.0, 1.0, 2.0, 9.0]).unwrap();
        assert_eq!((spread.median, spread.min, spread.max), (3.0, 1.0, 9.0));
        assert_eq!(Spread::of(vec![5.0]).unwrap().median, 5.0);
        assert_eq!(Spread::of(vec![]), None);
    }
}
