//! An empty description.

chacha_dsl::chacha! {}

fn main() {}
