//! Many short lists, one after the other in one array: a list in memory of its own takes several times
//! as much as the few numbers in it.

use bytemuck::{AnyBitPattern, NoUninit};

use super::{Array, Reader, Writer};

/// Lists of numbers, by their own number.
#[derive(Debug)]
pub struct Lists<T: 'static = u32> {
    /// Where each list ends; it begins where the one before does.
    ends: Array<u32>,
    items: Array<T>,
}

impl<T> Default for Lists<T> {
    fn default() -> Self {
        Self { ends: Array::default(), items: Array::default() }
    }
}

impl<T: NoUninit + AnyBitPattern> Lists<T> {
    /// These lists, in their order.
    pub fn of(lists: impl Iterator<Item = impl AsRef<[T]>>) -> Self {
        let mut items = Vec::new();
        let mut end = |list: &[T]| {
            items.extend_from_slice(list);
            items.len() as u32
        };
        let ends = lists.map(|list| end(list.as_ref())).collect();
        Self { ends, items: items.into() }
    }

    /// Those that were written at this place.
    pub fn read(from: &mut Reader) -> Option<Self> {
        Some(Self { ends: from.array()?, items: from.array()? })
    }

    /// Write them.
    pub fn write(&self, to: &mut Writer) {
        to.array(&self.ends);
        to.array(&self.items);
    }

    /// The list at a place.
    pub fn at(&self, place: usize) -> &[T] {
        let ends = &*self.ends;
        let from = place.checked_sub(1).map_or(0, |before| ends[before]);
        &self.items[from as usize..ends[place] as usize]
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
