//! Empty. What is built here, the extensions, the evaluation and the fuzzing, has many crates in common, asks for some of
//! them in different features, and cargo would compile these, and all that stands on them, once for each. So each depends on
//! this package, whose Cargo.toml asks for the features of all. The libraries do not: their users need none of it.
//!
//! `tools/features.py` says what is missing.
