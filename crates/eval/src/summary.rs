//! Figures of a run, with their confidence, and the comparison of two runs.

use std::collections::BTreeMap;

use crate::record::{Record, Verdict};

/// Counts over some records.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Tally {
    /// Questions that have an answer and whose gold query runs.
    pub asked: usize,
    /// Of these, SQL was given.
    pub answered: usize,
    /// Of these, SQL was given and is right.
    pub right: usize,
    /// Of these, declined.
    pub abstained: usize,
    /// No runnable SQL for another reason.
    pub failed: usize,
    /// The gold query does not run; counted nowhere else.
    pub gold_failed: usize,
    /// Gold result empty; counted in the others as well.
    pub empty_gold: usize,
    /// Of these right.
    pub empty_right: usize,
    /// Questions that have no answer in the database; counted in none of the above.
    pub unanswerable: usize,
    /// Of these, SQL was given.
    pub unanswerable_answered: usize,
}

impl Tally {
    /// Count records.
    pub fn of<'a>(records: impl IntoIterator<Item = &'a Record>) -> Tally {
        let mut tally = Tally::default();
        records.into_iter().for_each(|record| tally.add(record));
        tally
    }

    fn add(&mut self, record: &Record) {
        if record.verdict == Verdict::GoldFailed {
            self.gold_failed += 1;
            return;
        }
        let (answered, right) = (record.sql.is_some(), record.verdict == Verdict::Right);
        let count = |yes: bool| usize::from(yes);
        if record.gold.is_none() {
            self.unanswerable += 1;
            self.unanswerable_answered += count(answered);
            return;
        }
        self.asked += 1;
        self.answered += count(answered);
        self.right += count(right);
        self.abstained += count(record.verdict == Verdict::Abstained);
        self.failed += count(record.verdict == Verdict::Failed);
        self.empty_gold += count(record.empty_gold);
        self.empty_right += count(record.empty_gold && right);
    }

    /// Right among all, in 0..=1.
    pub fn accuracy(&self) -> f64 {
        share(self.right, self.asked)
    }

    /// Answers given, those to questions without an answer included.
    pub fn answers(&self) -> usize {
        self.answered + self.unanswerable_answered
    }

    /// Right among the answers given, in 0..=1.
    pub fn precision(&self) -> f64 {
        share(self.right, self.answers())
    }
}

/// `part / whole`; 0 if there is no whole.
pub fn share(part: usize, whole: usize) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

/// Tallies by some key of the records.
pub fn by<'a>(
    records: &'a [Record],
    key: impl Fn(&'a Record) -> &'a str,
) -> BTreeMap<&'a str, Tally> {
    let mut groups: BTreeMap<&str, Tally> = BTreeMap::new();
    for record in records {
        groups.entry(key(record)).or_default().add(record);
    }
    groups
}

/// Difficulties from easy to hard, then other names; for sorting.
pub fn difficulty_rank(name: &str) -> (usize, &str) {
    const ORDER: [&str; 7] =
        ["easy", "medium", "hard", "extra", "simple", "moderate", "challenging"];
    (ORDER.iter().position(|known| *known == name).unwrap_or(ORDER.len()), name)
}

/// 95 % confidence interval of a share (Wilson score interval), in 0..=1.
pub fn wilson(part: usize, whole: usize) -> (f64, f64) {
    if whole == 0 {
        return (0.0, 1.0);
    }
    const Z: f64 = 1.959_963_984_540_054;
    let (n, p) = (whole as f64, part as f64 / whole as f64);
    let middle = (p + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
    let reach = Z / (1.0 + Z * Z / n) * (p * (1.0 - p) / n + Z * Z / (4.0 * n * n)).sqrt();
    ((middle - reach).max(0.0), (middle + reach).min(1.0))
}

/// Answers whose confidence lies in one tenth.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Tenth {
    /// Answers given.
    pub given: usize,
    /// Of these right.
    pub right: usize,
    /// The sum of their confidence.
    pub confidence: f64,
}

/// Answers by confidence, from 0 to 0.1 on; None without any confidence. Questions without an answer
/// count where one was given.
pub fn tenths(records: &[Record]) -> Option<[Tenth; 10]> {
    let mut tenths = [Tenth::default(); 10];
    let answered = |r: &&Record| r.sql.is_some() && r.verdict != Verdict::GoldFailed;
    for record in records.iter().filter(answered) {
        let Some(confidence) = record.confidence else { continue };
        let tenth = &mut tenths[((confidence * 10.0) as usize).min(9)];
        tenth.given += 1;
        tenth.right += usize::from(record.verdict == Verdict::Right);
        tenth.confidence += confidence;
    }
    tenths.iter().any(|tenth| tenth.given > 0).then_some(tenths)
}

/// Two runs over the same questions.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Paired {
    /// Questions in both.
    pub both: usize,
    /// Right only in the first.
    pub only_first: usize,
    /// Right only in the second.
    pub only_second: usize,
    /// Two-sided exact McNemar test: the probability of a difference at least as large if the runs
    /// are equally good.
    pub p: f64,
}

/// Compare by question; questions whose gold query failed in either run are left out.
pub fn paired(first: &[Record], second: &[Record]) -> Paired {
    let verdicts: BTreeMap<&str, Verdict> =
        second.iter().map(|r| (r.id.as_str(), r.verdict)).collect();
    let (mut both, mut only_first, mut only_second) = (0, 0, 0);
    for record in first {
        let Some(&other) = verdicts.get(record.id.as_str()) else { continue };
        if record.verdict == Verdict::GoldFailed || other == Verdict::GoldFailed {
            continue;
        }
        both += 1;
        match (record.verdict == Verdict::Right, other == Verdict::Right) {
            (true, false) => only_first += 1,
            (false, true) => only_second += 1,
            _ => {}
        }
    }
    Paired { both, only_first, only_second, p: mcnemar(only_first, only_second) }
}

/// Exact two-sided McNemar test: the binomial tail of the discordant pairs at 1/2.
pub fn mcnemar(b: usize, c: usize) -> f64 {
    let n = b + c;
    // log of the binomial coefficients, so that large n does not overflow
    let mut log_term = -(n as f64) * std::f64::consts::LN_2;
    let mut tail = 0.0;
    for k in 0..=b.min(c) {
        tail += log_term.exp();
        log_term += ((n - k) as f64).ln() - ((k + 1) as f64).ln();
    }
    (2.0 * tail).min(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wilson_agrees_with_published_values() {
        let check = |part, whole, expect: (f64, f64)| {
            let (low, high) = wilson(part, whole);
            assert!(
                (low - expect.0).abs() < 5e-4 && (high - expect.1).abs() < 5e-4,
                "{low} {high}"
            );
        };
        // Newcombe 1998, table I
        check(81, 263, (0.2553, 0.3662));
        check(15, 148, (0.0624, 0.1605));
        check(0, 20, (0.0, 0.1611));
        check(1, 29, (0.0061, 0.1718));
    }

    #[test]
    fn mcnemar_is_the_binomial_tail() {
        let check = |b, c, expect: f64| assert!((mcnemar(b, c) - expect).abs() < 1e-6, "{b} {c}");
        check(0, 0, 1.0);
        check(5, 5, 1.0);
        check(1, 9, 0.021_484_375);
        check(9, 1, 0.021_484_375);
        check(0, 10, 0.001_953_125);
        assert!(mcnemar(1000, 1300) < 1e-8);
    }
}
