//! Passes over the units: each consumes what it understands and leaves the rest to the others.

pub(super) mod absences;
pub(super) mod accounting;
pub(super) mod alike;
pub(super) mod asked;
pub(super) mod compared;
pub(super) mod conditions;
pub(super) mod flags;
pub(super) mod groups;
pub(super) mod lists;
pub(super) mod measures;
pub(super) mod numbers;
pub(super) mod orders;
pub(super) mod periods;
pub(super) mod ranking;
pub(super) mod ratios;
pub(super) mod read;
pub(super) mod restated;
pub(super) mod roles;
pub(super) mod select;
pub(super) mod sides;
pub(super) mod states;
pub(super) mod superlatives;
pub(super) mod trade;
pub(super) mod within;
