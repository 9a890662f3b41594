//! Many short lists, one after the other in one array: a list in memory of its own takes several times
//! as much as the few numbers in it.

use serde::{Deserialize, Serialize};

/// Lists by their number.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Lists<T> {
    /// Where each list ends; it begins where the one before does.
    ends: Box<[u32]>,
    items: Box<[T]>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { ends: Box::default(), items: Box::default() }
    }
}

impl<T: Copy> Lists<T> {
    /// These lists, in their order.
    pub fn of<'a>(lists: impl Iterator<Item = &'a [T]> + Clone) -> Self
    where
        T: 'a,
    {
        let mut items = Vec::with_capacity(lists.clone().map(<[T]>::len).sum());
        let end = |list: &[T]| {
            items.extend_from_slice(list);
            items.len() as u32
        };
        let ends = lists.map(end).collect();
        Self { ends, items: items.into() }
    }

    /// The list at a place.
    pub fn at(&self, place: usize) -> &[T] {
        let from = place.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.items[from as usize..self.ends[place] as usize]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.ends.len()
    }

    /// All of them, in their order.
    pub fn iter(&self) -> impl Iterator<Item = &[T]> {
        (0..self.count()).map(|place| self.at(place))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_those_that_were_put_in() {
        for given in [vec![], vec![vec![]], vec![vec![1, 2], vec![], vec![3], vec![]]] {
            let lists = Lists::of(given.iter().map(Vec::as_slice));
            assert_eq!(lists.iter().collect::<Vec<_>>(), given, "{given:?}");
            assert_eq!(lists.count(), given.len());
        }
    }
}
