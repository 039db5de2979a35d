//! From values to places.

/// An axis.
#[derive(Debug, Clone, Copy)]
pub struct Scale {
    from: (f64, f64),

    to: (f64, f64),

    logarithmic: bool,
}

impl Scale {
    /// Values in `from` go to places in `to`.
    pub fn linear(from: (f64, f64), to: (f64, f64)) -> Self {
        Self {
            from,
            to,
            logarithmic: false,
        }
    }

    /// Equal ratios have equal lengths; for values above zero.
    pub fn logarithmic(from: (f64, f64), to: (f64, f64)) -> Self {
        Self {
            from,
            to,
            logarithmic: true,
        }
    }

    pub fn place(&self, value: f64) -> f64 {
        let bend = |value: f64| if self.logarithmic { value.ln() } else { value };
        let (first, last) = (bend(self.from.0), bend(self.from.1));
        let part = if last > first {
            (bend(value) - first) / (last - first)
        } else {
            0.5
        };
        self.to.0 + part * (self.to.1 - self.to.0)
    }

    /// Round values for a grid.
    pub fn ticks(&self) -> Vec<f64> {
        if self.logarithmic {
            self.decades()
        } else {
            self.steps()
        }
    }

    fn steps(&self) -> Vec<f64> {
        let range = self.from.1 - self.from.0;
        let rough = 10_f64.powf((range / 5.0).log10().floor());
        let factor = [1.0, 2.0, 5.0, 10.0]
            .into_iter()
            .find(|f| range / (rough * f) <= 6.0);
        let step = rough * factor.unwrap_or(10.0);

        let mut tick = (self.from.0 / step).ceil() * step;
        let mut ticks = Vec::new();
        while tick <= self.from.1 && ticks.len() < 20 {
            ticks.push(tick);
            tick += step;
        }
        ticks
    }

    fn decades(&self) -> Vec<f64> {
        let mut ticks = Vec::new();
        let mut decade = 10_f64.powf(self.from.0.log10().floor());
        while decade <= self.from.1 {
            ticks.extend([1.0, 2.0, 5.0].map(|factor| factor * decade));
            decade *= 10.0;
        }
        ticks.retain(|tick| (self.from.0..=self.from.1).contains(tick));
        ticks
    }
}

#[cfg(test)]
mod tests {
    use super::Scale;

    #[test]
    fn ticks_are_round_and_inside() {
        let linear = Scale::linear((0.0, 47_300.0), (0.0, 100.0));
        assert_eq!(
            linear.ticks(),
            [0.0, 10_000.0, 20_000.0, 30_000.0, 40_000.0]
        );

        let logarithmic = Scale::logarithmic((1.0, 500.0), (0.0, 100.0));
        assert_eq!(logarithmic.ticks().len(), 9);
        assert!((logarithmic.place(500.0) - 100.0).abs() < 1e-9);
    }

    #[test]
    fn a_single_value_stands_in_the_middle() {
        let scale = Scale::linear((7.0, 7.0), (0.0, 100.0));
        assert!((scale.place(7.0) - 50.0).abs() < 1e-9);
    }
}
