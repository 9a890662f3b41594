//! Values that a question computes at most once. Each module has its own, found by their type, so
//! that a question need not know them.

use std::any::Any;
use std::cell::OnceCell;

/// The values of one question, one of each type. They stay until the question ends.
#[derive(Default)]
pub struct Memos(OnceCell<Box<Memo>>);

struct Memo {
    value: Box<dyn Any>,
    next: Memos,
}

impl Memos {
    /// Returns the value of this type, if there is one.
    pub fn get<T: 'static>(&self) -> Option<&T> {
        let mut at = self;
        while let Some(memo) = at.0.get() {
            if let Some(value) = memo.value.downcast_ref() {
                return Some(value);
            }
            at = &memo.next;
        }
        None
    }

    /// Returns the value of this type, which `make` makes the first time.
    pub fn get_or_init<T: 'static>(&self, make: impl FnOnce() -> T) -> &T {
        match self.get() {
            Some(known) => known,
            None => self.put(make()),
        }
    }

    /// Returns the value of this type, which `make` makes the first time that it does not fail.
    pub fn get_or_try_init<T: 'static, E>(
        &self,
        make: impl FnOnce() -> Result<T, E>,
    ) -> Result<&T, E> {
        match self.get() {
            Some(known) => Ok(known),
            None => Ok(self.put(make()?)),
        }
    }

    /// Adds a value. Requires: none of its type is there.
    pub fn put<T: 'static>(&self, value: T) -> &T {
        let mut at = self;
        while let Some(memo) = at.0.get() {
            at = &memo.next;
        }
        let memo = || Box::new(Memo { value: Box::new(value), next: Self::default() });
        at.0.get_or_init(memo).value.downcast_ref().expect("it was put there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_type_has_one_value_made_once() {
        let memos = Memos::default();
        let outer: &String = memos.get_or_init(|| {
            assert_eq!(*memos.get_or_init(|| 7_u32), 7, "one may need another");
            "a".to_owned()
        });
        let known: &u32 = memos.get_or_init(|| unreachable!("it is there"));
        assert_eq!(known, &7);
        assert_eq!(outer, "a");
        assert_eq!(memos.get_or_try_init(|| Err::<u8, _>("no")), Err("no"));
        assert_eq!(memos.get_or_try_init(|| Ok::<_, &str>(1_u8)), Ok(&1), "an error is not cached");
        assert_eq!(memos.get::<u64>(), None);
    }
}
