//! The meaning of drafts, read once for all checks and notices of a question.

use std::cell::RefCell;
use std::rc::Rc;

use crate::context::Context;
use crate::guard::draft::{self, Draft};

/// Drafts whose meaning a question caches.
const MAX_DRAFTS: usize = 8;

/// The latest drafts of a question by their text.
#[derive(Default)]
struct Drafts(RefCell<Vec<(String, Rc<Draft>)>>);

impl Context<'_> {
    /// Returns the meaning of a draft in the catalog.
    pub fn draft(&self, sql: &str) -> Rc<Draft> {
        let mut drafts = self.memos.get_or_init(Drafts::default).0.borrow_mut();
        if let Some((_, known)) = drafts.iter().find(|(known, _)| known == sql) {
            return Rc::clone(known);
        }
        let new = Rc::new(draft::read(&self.catalog, self.database().dialect(), sql));
        if drafts.len() == MAX_DRAFTS {
            drafts.remove(0);
        }
        drafts.push((sql.to_owned(), Rc::clone(&new)));
        new
    }
}
