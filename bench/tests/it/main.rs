//! Tests of the generated input and of the load.

mod corpus;
mod serving;
