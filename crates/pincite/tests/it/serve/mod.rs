//! `pincite serve`: the gateway over HTTP.

mod citation_sdk;
mod citation_sdk_recordings;
mod command;
mod erasure;
mod evidence_pages;
mod failing_upstreams;
mod first_hour;
mod http_verification;
mod official_client;
mod older_clients;
mod openapi_fuzzing;
mod page_images;
mod page_text;
mod principal_isolation;
mod run_inputs;
#[cfg(target_os = "linux")]
mod soak;
#[cfg(target_os = "linux")]
pub(crate) mod storage_failures;
mod traces;
mod uploads;
