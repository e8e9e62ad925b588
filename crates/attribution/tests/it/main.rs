//! Integration tests of the pipeline, from files to attributions.

mod pipeline;
