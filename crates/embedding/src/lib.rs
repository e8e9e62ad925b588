//! Models that turn texts into vectors: all-MiniLM-L6-v2 on this machine, and HTTP endpoints.
//!
//! Both implement [`search::Embedder`]. [`MiniLm`] reads the files that `make model` fetches; [`EndpointEmbedder`]
//! calls a server that speaks the protocol of OpenAI or Ollama.

mod bert;
mod endpoint;
mod minilm;
mod word_pieces;

pub use endpoint::{EndpointAccess, EndpointEmbedder, EndpointProtocol};
pub use minilm::{MINILM, MiniLm, has_model};
