//! Forward pass of a BERT encoder.

use std::collections::HashMap;

use candle_core::{D, DType, Device, Result, Tensor};
use serde::Deserialize;

/// Shape of a model, as in its `config.json`.
#[derive(Debug, Clone, Deserialize)]
pub(crate) struct BertShape {
    pub(crate) hidden_size: usize,
    pub(crate) num_attention_heads: usize,
    pub(crate) num_hidden_layers: usize,
    pub(crate) layer_norm_eps: f64,
    pub(crate) vocab_size: usize,
    pub(crate) max_position_embeddings: usize,
}

/// Linear layer.
struct Linear {
    /// Weights, transposed.
    weight: Tensor,
    bias: Tensor,
}

impl Linear {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        input.matmul(&self.weight)?.broadcast_add(&self.bias)
    }
}

/// Normalisation of each row.
struct LayerNorm {
    weight: Tensor,
    bias: Tensor,
    epsilon: f64,
}

impl LayerNorm {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let centred = input.broadcast_sub(&input.mean_keepdim(D::Minus1)?)?;
        let variance = centred.sqr()?.mean_keepdim(D::Minus1)?;
        let normal = centred.broadcast_div(&(variance + self.epsilon)?.sqrt()?)?;
        normal
            .broadcast_mul(&self.weight)?
            .broadcast_add(&self.bias)
    }
}

/// Layer of the encoder.
struct EncoderLayer {
    query: Linear,
    key: Linear,
    value: Linear,
    attention: Linear,
    attention_norm: LayerNorm,
    intermediate: Linear,
    output: Linear,
    output_norm: LayerNorm,
    heads: usize,
}

impl EncoderLayer {
    fn forward(&self, input: &Tensor) -> Result<Tensor> {
        let attended = self.attention.forward(&self.attend(input)?)?;
        let attended = self.attention_norm.forward(&(attended + input)?)?;
        let grown = self.intermediate.forward(&attended)?.gelu_erf()?;
        let output = self.output.forward(&grown)?;
        self.output_norm.forward(&(output + attended)?)
    }

    fn attend(&self, input: &Tensor) -> Result<Tensor> {
        let (tokens, size) = input.dims2()?;
        let head_size = size / self.heads;
        let split = |linear: &Linear| -> Result<Tensor> {
            linear
                .forward(input)?
                .reshape((tokens, self.heads, head_size))?
                .transpose(0, 1)?
                .contiguous()
        };
        let (query, key, value) = (split(&self.query)?, split(&self.key)?, split(&self.value)?);
        let scores = query.matmul(&key.t()?)?;
        let scores = (scores / (head_size as f64).sqrt())?;
        let highest = scores.max_keepdim(D::Minus1)?;
        let powers = scores.broadcast_sub(&highest)?.exp()?;
        let shares = powers.broadcast_div(&powers.sum_keepdim(D::Minus1)?)?;
        shares
            .matmul(&value)?
            .transpose(0, 1)?
            .reshape((tokens, size))
    }
}

/// BERT encoder with its embeddings.
pub(crate) struct BertEncoder {
    words: Tensor,
    positions: Tensor,
    /// Embedding of the first segment, the only one.
    segment: Tensor,
    norm: LayerNorm,
    layers: Vec<EncoderLayer>,
}

impl BertEncoder {
    /// Takes the tensors of a model. A tensor that is missing or has another shape is an error.
    pub(crate) fn new(shape: &BertShape, tensors: &HashMap<String, Tensor>) -> Result<Self> {
        let loader = TensorLoader { shape, tensors };
        let size = shape.hidden_size;
        let segments = loader.tensor("embeddings.token_type_embeddings.weight")?;
        Ok(Self {
            words: loader.shaped(
                "embeddings.word_embeddings.weight",
                &[shape.vocab_size, size],
            )?,
            positions: loader.shaped(
                "embeddings.position_embeddings.weight",
                &[shape.max_position_embeddings, size],
            )?,
            segment: segments.get(0)?,
            norm: loader.norm("embeddings.LayerNorm")?,
            layers: (0..shape.num_hidden_layers)
                .map(|layer| loader.layer(layer))
                .collect::<Result<_>>()?,
        })
    }

    /// Returns the vector of a text of tokens: the mean of the last layer, with length 1.
    pub(crate) fn embed(&self, ids: &[u32]) -> Result<Vec<f32>> {
        let ids = Tensor::new(ids, &Device::Cpu)?;
        let positions = self.positions.narrow(0, 0, ids.dim(0)?)?;
        let words = (self.words.index_select(&ids, 0)? + positions)?;
        let mut hidden = self.norm.forward(&words.broadcast_add(&self.segment)?)?;
        for layer in &self.layers {
            hidden = layer.forward(&hidden)?;
        }
        let mean = hidden.mean(0)?;
        let length = mean.sqr()?.sum_all()?.sqrt()?;
        mean.broadcast_div(&length)?.to_vec1()
    }
}

/// Loader of the parts of an encoder.
struct TensorLoader<'a> {
    shape: &'a BertShape,
    tensors: &'a HashMap<String, Tensor>,
}

impl TensorLoader<'_> {
    fn tensor(&self, name: &str) -> Result<Tensor> {
        let tensor = self.tensors.get(name);
        let tensor = tensor
            .ok_or_else(|| candle_core::Error::Msg(format!("the model has no tensor `{name}`")))?;
        tensor.to_dtype(DType::F32)
    }

    fn shaped(&self, name: &str, dims: &[usize]) -> Result<Tensor> {
        let tensor = self.tensor(name)?;
        match tensor.dims() == dims {
            true => Ok(tensor),
            false => Err(candle_core::Error::Msg(format!(
                "the tensor `{name}` has the shape {:?} instead of {dims:?}",
                tensor.dims()
            ))),
        }
    }

    fn linear(&self, name: &str) -> Result<Linear> {
        Ok(Linear {
            weight: self.tensor(&format!("{name}.weight"))?.t()?.contiguous()?,
            bias: self.tensor(&format!("{name}.bias"))?,
        })
    }

    fn norm(&self, name: &str) -> Result<LayerNorm> {
        let size = [self.shape.hidden_size];
        Ok(LayerNorm {
            weight: self.shaped(&format!("{name}.weight"), &size)?,
            bias: self.shaped(&format!("{name}.bias"), &size)?,
            epsilon: self.shape.layer_norm_eps,
        })
    }

    fn layer(&self, number: usize) -> Result<EncoderLayer> {
        let part = |name: &str| format!("encoder.layer.{number}.{name}");
        Ok(EncoderLayer {
            query: self.linear(&part("attention.self.query"))?,
            key: self.linear(&part("attention.self.key"))?,
            value: self.linear(&part("attention.self.value"))?,
            attention: self.linear(&part("attention.output.dense"))?,
            attention_norm: self.norm(&part("attention.output.LayerNorm"))?,
            intermediate: self.linear(&part("intermediate.dense"))?,
            output: self.linear(&part("output.dense"))?,
            output_norm: self.norm(&part("output.LayerNorm"))?,
            heads: self.shape.num_attention_heads.max(1),
        })
    }
}
