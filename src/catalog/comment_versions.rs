//! Comments and labels by their row versions, because PostgreSQL does not report their changes.
//!
//! Labels are few and compared at every call. There may be a comment per column, so an event
//! trigger (`sql/comments.sql`) reports them as changes of their relations; where event triggers
//! are off, they are compared again after `comments_max_age`.

use std::collections::HashSet;
use std::time::Instant;

use pgrx::pg_sys::{self, Oid};
use pgrx::prelude::*;
use text2sql_engine::error::Error;
use text2sql_engine::settings::Settings;

use super::columns::DESCRIPTIONS;
use crate::pg::row_versions::{ByObject, add_by_object};
use crate::pg::spi;

/// Comments and labels of objects.
pub struct CommentVersions {
    comments: ByObject,
    labels: ByObject,
    /// When the comments were last compared.
    since: Instant,
}

impl CommentVersions {
    /// The current ones.
    pub fn read() -> Result<Self, Error> {
        let since = Instant::now();
        Ok(Self { comments: comments(), labels: labels()?, since })
    }

    /// Compare again. Produces: the relations whose comments or labels have changed; None if those
    /// of a schema have, because they apply to everything in it.
    pub fn refresh(&mut self, settings: &Settings) -> Result<Option<HashSet<Oid>>, Error> {
        let labels = labels()?;
        let mut changed = differing(&self.labels, &labels);
        self.labels = labels;
        if self.since.elapsed() >= settings.comments_max_age {
            self.since = Instant::now();
            let comments = comments();
            changed.extend(differing(&self.comments, &comments));
            self.comments = comments;
        }
        let relation =
            |(class, object): (Oid, Oid)| (class == pg_sys::RelationRelationId).then_some(object);
        Ok(changed.into_iter().map(relation).collect())
    }
}

fn differing(before: &ByObject, after: &ByObject) -> HashSet<(Oid, Oid)> {
    if before == after {
        return HashSet::new();
    }
    let gone = before.iter().filter(|(object, version)| after.get(*object) != Some(*version));
    let new = after.iter().filter(|(object, version)| before.get(*object) != Some(*version));
    gone.chain(new).map(|(object, _)| *object).collect()
}

/// Those of relations that are not PostgreSQL's own.
fn comments() -> ByObject {
    let wanted = |(class, object): (Oid, Oid)| {
        class == pg_sys::RelationRelationId && object.to_u32() >= pg_sys::FirstNormalObjectId
    };
    let mut comments = ByObject::new();
    // SAFETY: a catalog that always exists.
    spi::as_of_now(|| unsafe { add_by_object(DESCRIPTIONS, wanted, &mut comments) });
    comments
}

/// Security labels and those of [`crate::catalog::security_labels`].
fn labels() -> Result<ByObject, Error> {
    let own = spi::own_table(c"label").ok_or_else(|| spi::missing(c"label"))?;
    let mut labels = ByObject::new();
    // SAFETY: a catalog that always exists, and a table that was just looked up.
    spi::as_of_now(|| unsafe {
        add_by_object(pg_sys::SecLabelRelationId, |_| true, &mut labels);
        add_by_object(own, |_| true, &mut labels);
    });
    Ok(labels)
}

/// Tell every session that a relation changed. Only for the event trigger.
#[pg_extern(
    schema = "text2sql",
    sql = r#"
    CREATE FUNCTION text2sql.tell_of_change(relation oid) RETURNS void
    STRICT PARALLEL UNSAFE LANGUAGE c AS 'MODULE_PATHNAME', '@FUNCTION_NAME@';
    REVOKE EXECUTE ON FUNCTION text2sql.tell_of_change(oid) FROM PUBLIC;
"#
)]
fn tell_of_change(relation: Oid) {
    // SAFETY: registers a message that is sent when the transaction commits; an error if there is
    // no such relation.
    unsafe { pg_sys::CacheInvalidateRelcacheByRelid(relation) }
}
