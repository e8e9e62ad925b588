//! Surroundings of the process.

use std::path::PathBuf;

use agents::model::ModelProvider;

/// Surroundings of the process, as people see them in the settings of the console.
#[derive(Debug, Clone, Default)]
pub struct ServerEnvironment {
    /// Data directory; `None` if nothing is stored.
    pub data: Option<PathBuf>,
    /// Configuration file that was read.
    pub configuration: Option<PathBuf>,
    /// Providers of models whose key is in the environment.
    pub provider_keys: Vec<ModelProvider>,
}
