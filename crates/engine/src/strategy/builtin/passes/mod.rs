//! Passes over the units: each adds the parts of the query that it understands, with the units that ask for
//! them, and leaves the rest to the others.

pub(super) mod absences;
pub(super) mod accounting;
pub(super) mod asked;
pub(super) mod compared;
pub(super) mod conditions;
pub(super) mod counting;
pub(super) mod frequent;
pub(super) mod groups;
pub(super) mod idle;
pub(super) mod left;
pub(super) mod lists;
pub(super) mod measures;
pub(super) mod numbers;
pub(super) mod order;
pub(super) mod orders;
pub(super) mod parts;
pub(super) mod periods;
pub(super) mod ranking;
pub(super) mod ratios;
pub(super) mod read;
pub(super) mod role;
pub(super) mod roles;
pub(super) mod select;
pub(super) mod span;
pub(super) mod states;
pub(super) mod trade;
pub(super) mod within;
