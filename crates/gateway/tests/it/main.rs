//! Integration tests of the crate.

mod library_search;
mod test_library;
mod vector_search;
