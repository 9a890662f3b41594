//! Thousands of nouns that mean the same as others. Every session that asks has them, so they take as
//! little memory as can be: one text, and an index by numbers.

use crate::stored::Texts;
use crate::text::stem;

/// The stems of groups of words that mean the same, group by group.
#[derive(Debug, Default)]
pub struct Synonyms {
    stems: Texts,
    /// The group of each.
    groups: Box<[u32]>,
    /// All stems, sorted: every word of a question that names nothing is looked up.
    sorted: Box<[u32]>,
}

impl Synonyms {
    /// Those of the words of these groups.
    pub fn new<'t>(groups: impl Iterator<Item = impl Iterator<Item = &'t str>>) -> Self {
        let in_group = |(group, words)| Iterator::map(words, move |word| (stem(word), group));
        let (stems, groups): (Vec<String>, Vec<u32>) = (0..).zip(groups).flat_map(in_group).unzip();
        let mut sorted: Box<[u32]> = (0..stems.len() as u32).collect();
        sorted.sort_by_key(|&at| &stems[at as usize]);
        let stems = stems.iter().map(|stem| &**stem).collect();
        Self { stems, groups: groups.into(), sorted }
    }

    /// The other stems of the groups that a stem is in, each once.
    pub fn of(&self, stem: &str) -> Vec<&str> {
        let at = |at: &u32| self.stems.at(*at as usize);
        let from = self.sorted.partition_point(|own| at(own) < stem);
        let own = self.sorted[from..].iter().take_while(|own| at(own) == stem);
        let start = |group| self.groups.partition_point(|other| *other < group);
        let groups = own.map(|own| self.groups[*own as usize]);
        let members = groups.flat_map(|group| start(group)..start(group + 1));
        let mut others = Vec::new();
        for other in members.map(|at| self.stems.at(at)) {
            if other != stem && !others.contains(&other) {
                others.push(other);
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
