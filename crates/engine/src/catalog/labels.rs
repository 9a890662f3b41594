//! The permitted values of columns. An enum may have thousands and be the type of hundreds of columns,
//! which share them.

use std::ops::Deref;
use std::slice;
use std::sync::Arc;

/// The permitted values of a column, in their order.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
pub struct Labels(Arc<[String]>);

impl Labels {
    /// The address of the shared storage: equal for clones, different for separately created values.
    pub(super) fn address(&self) -> *const String {
        self.0.as_ptr()
    }
}

impl From<Vec<String>> for Labels {
    fn from(labels: Vec<String>) -> Self {
        Self(labels.into())
    }
}

impl Deref for Labels {
    type Target = [String];

    fn deref(&self) -> &[String] {
        &self.0
    }
}

impl<'a> IntoIterator for &'a Labels {
    type Item = &'a String;
    type IntoIter = slice::Iter<'a, String>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.iter()
    }
}
