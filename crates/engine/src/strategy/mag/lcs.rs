//! Longest common substring of one question with many values: a suffix automaton of the
//! question (Blumer et al. 1985) reads each value once, in time linear in the value's length.

use std::collections::HashMap;

use crate::text::fold;

/// A state: how long its longest string is, the state of its longest proper suffix in another
/// class, and its transitions.
#[derive(Debug, Default)]
struct State {
    length: usize,
    link: Option<usize>,
    next: HashMap<char, usize>,
}

/// All substrings of a text.
#[derive(Debug)]
pub struct Substrings {
    states: Vec<State>,
}

impl Substrings {
    /// Index a text, folded (case and accents do not count).
    pub fn new(text: &str) -> Self {
        let mut states = vec![State::default()];
        let mut last = 0;
        for c in fold(text).chars() {
            let current = states.len();
            let length = states[last].length + 1;
            states.push(State { length, ..State::default() });
            let mut at = Some(last);
            while let Some(p) = at.filter(|&p| !states[p].next.contains_key(&c)) {
                states[p].next.insert(c, current);
                at = states[p].link;
            }
            let link = match at {
                None => 0,
                Some(p) => {
                    let q = states[p].next[&c];
                    if states[p].length + 1 == states[q].length {
                        q
                    } else {
                        split(&mut states, p, q, c)
                    }
                }
            };
            states[current].link = Some(link);
            last = current;
        }
        Self { states }
    }

    /// Characters of the longest substring that `value` shares with the text.
    pub fn longest_common(&self, value: &str) -> usize {
        let (mut state, mut length, mut best) = (0, 0, 0);
        for c in fold(value).chars() {
            loop {
                if let Some(&next) = self.states[state].next.get(&c) {
                    state = next;
                    length += 1;
                    break;
                }
                match self.states[state].link {
                    Some(link) => {
                        state = link;
                        length = self.states[link].length;
                    }
                    None => {
                        length = 0;
                        break;
                    }
                }
            }
            best = best.max(length);
        }
        best
    }
}

/// Give the strings of `q` that end a shorter context their own state.
fn split(states: &mut Vec<State>, p: usize, q: usize, c: char) -> usize {
    let clone = states.len();
    let copy =
        State { length: states[p].length + 1, link: states[q].link, next: states[q].next.clone() };
    states.push(copy);
    states[q].link = Some(clone);
    let mut at = Some(p);
    while let Some(p) = at.filter(|&p| states[p].next.get(&c) == Some(&q)) {
        states[p].next.insert(c, clone);
        at = states[p].link;
    }
    clone
}

#[cfg(test)]
mod tests {
    use super::*;

    /// By definition: the longest window of `b` that occurs in `a`.
    fn plain(a: &str, b: &str) -> usize {
        let (a, b): (String, Vec<char>) = (fold(a), fold(b).chars().collect());
        let windows = (0..b.len()).flat_map(|i| (i + 1..=b.len()).map(move |j| (i, j)));
        windows
            .filter(|&(i, j)| a.contains(&b[i..j].iter().collect::<String>()))
            .map(|(i, j)| j - i)
            .max()
            .unwrap_or(0)
    }

    #[test]
    fn the_automaton_agrees_with_the_definition() {
        let text = "List the zip codes of charter schools in Fresno County Office of Éducation";
        let substrings = Substrings::new(text);
        for value in [
            "Fresno County Office of Education",
            "FRESNO",
            "County of Fresno",
            "school school schools",
            "xyz",
            "",
            "aabbaabbaa in in in",
        ] {
            assert_eq!(substrings.longest_common(value), plain(text, value), "{value}");
        }
        assert_eq!(substrings.longest_common("Fresno County Office of Education"), 33);
        // a text full of repetitions splits states
        let repeats = "abcbcabcabcbcbcab".repeat(3);
        let automaton = Substrings::new(&repeats);
        for value in ["bcbcbc", "cabcabcab", "aab", "abcbcabcabcbcbcababcbc"] {
            assert_eq!(automaton.longest_common(value), plain(&repeats, value), "{value}");
        }
    }
}
