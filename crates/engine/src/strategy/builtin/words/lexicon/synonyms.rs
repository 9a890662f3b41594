//! Thousands of nouns that mean the same as others. Every session that asks has them, so they take as
//! little memory as can be: one text, and an index by numbers.

use crate::stored::Texts;
use crate::text::stem;

/// The stems of groups of words that mean the same.
#[derive(Debug, Default)]
pub struct Synonyms {
    /// All stems, group by group.
    stems: Texts,
    /// Where the groups begin among the stems, and where the last one ends.
    groups: Box<[u32]>,
    /// All stems, sorted.
    sorted: Box<[u32]>,
}

impl Synonyms {
    /// Those of the words of these groups.
    pub fn new<'t>(groups: impl Iterator<Item = impl Iterator<Item = &'t str>>) -> Self {
        let (mut stems, mut bounds) = (Vec::new(), vec![0]);
        for group in groups {
            stems.extend(group.map(stem));
            bounds.push(stems.len() as u32);
        }
        let mut sorted: Box<[u32]> = (0..stems.len() as u32).collect();
        // in the order of the groups where stems are the same
        sorted.sort_by_key(|&at| (&stems[at as usize], at));
        Self { stems: stems.iter().map(|stem| &**stem).collect(), groups: bounds.into(), sorted }
    }

    fn stem(&self, at: u32) -> &str {
        self.stems.at(at as usize)
    }

    /// The other stems of the groups that a stem is in, each once.
    pub fn of(&self, stem: &str) -> Vec<&str> {
        let from = self.sorted.partition_point(|&at| self.stem(at) < stem);
        let same = self.sorted[from..].iter().take_while(|&&at| self.stem(at) == stem);
        let mut others = Vec::new();
        for &at in same {
            let end = self.groups.partition_point(|&bound| bound <= at);
            for other in (self.groups[end - 1]..self.groups[end]).map(|at| self.stem(at)) {
                if other != stem && !others.contains(&other) {
                    others.push(other);
                }
            }
        }
        others
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_are_the_others_of_all_groups_of_a_word() {
        let groups = ["pay salary", "trip journeys", "", "wage pay pays", "alone"];
        let synonyms = Synonyms::new(groups.iter().map(|group| group.split_whitespace()));
        assert_eq!(synonyms.of("pay"), ["salari", "wage"]);
        assert_eq!(synonyms.of("wage"), ["pay"]);
        assert_eq!(synonyms.of("trip"), ["journey"]);
        assert_eq!(synonyms.of("alone"), [""; 0]);
        assert_eq!(synonyms.of("nobody"), [""; 0]);
    }
}
