//! A fitted logistic model: from named signs to a probability.

use std::collections::BTreeMap;

/// The weights of one model.
pub struct Logistic {
    /// The log-odds without any sign.
    base: f32,
    /// The amount that one of each sign adds to them.
    weights: BTreeMap<&'static str, f32>,
}

impl Logistic {
    /// Read lines `name weight`, the one named `base` and comments with `#` among them.
    pub fn read(text: &'static str) -> Self {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        let mut weights: BTreeMap<_, f32> = lines
            .filter_map(|line| {
                let (name, weight) = line.split_once(' ')?;
                Some((name, weight.trim().parse().ok()?))
            })
            .collect();
        Self { base: weights.remove("base").unwrap_or_default(), weights }
    }

    /// The probability with these signs, in 0..=1; a sign without a weight counts nothing.
    pub fn probability<'a>(&self, signs: impl IntoIterator<Item = (&'a str, f32)>) -> f32 {
        let weight = |name| self.weights.get(name).copied().unwrap_or_default();
        let sum: f32 = signs.into_iter().map(|(name, value)| weight(name) * value).sum();
        1.0 / (1.0 + (-(self.base + sum)).exp())
    }
}
