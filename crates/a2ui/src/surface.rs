//! Surfaces: components and data, built from checked messages in their order.

use std::collections::BTreeMap;

use serde_json::Value;
use thiserror::Error;

use crate::data_model::{DataModel, DataModelError};

/// Most surfaces at a time.
pub const MAX_SURFACES: usize = 100;
/// Most components of one surface.
pub const MAX_COMPONENTS: usize = 5_000;

/// One area of generated UI.
#[derive(Clone, Debug, Default)]
pub struct Surface {
    /// The id its agent gave it.
    pub id: String,
    /// The catalog its components come from.
    pub catalog_id: String,
    /// Components by id.
    pub components: BTreeMap<String, Value>,
    /// The data they are bound to.
    pub data: DataModel,
}

/// All surfaces of one conversation, in the order of their creation.
#[derive(Clone, Debug, Default)]
pub struct SurfaceSet {
    surfaces: Vec<Surface>,
}

/// A message that cannot be applied.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum SurfaceError {
    /// A second surface of the same id.
    #[error("surface \"{0}\" exists already; delete it first")]
    Exists(String),
    /// No surface of this id.
    #[error("surface \"{0}\" does not exist; create it first")]
    Missing(String),
    /// More surfaces than allowed.
    #[error("there are more than {MAX_SURFACES} surfaces; delete those that are no longer needed")]
    TooManySurfaces,
    /// More components than allowed.
    #[error(
        "surface \"{0}\" has more than {MAX_COMPONENTS} components; use a list template for repeated parts"
    )]
    TooManyComponents(String),
    /// A write that the data does not allow.
    #[error(transparent)]
    Data(#[from] DataModelError),
    /// No operation of A2UI 0.9.
    #[error("the message has no operation of A2UI 0.9")]
    NoOperation,
}

impl SurfaceSet {
    /// The surfaces, oldest first.
    #[must_use]
    pub fn surfaces(&self) -> &[Surface] {
        &self.surfaces
    }

    /// Applies one message.
    ///
    /// # Errors
    ///
    /// The surface is missing or exists already, a limit is exceeded, or the data does not allow the write.
    pub fn apply(&mut self, message: &Value) -> Result<(), SurfaceError> {
        if let Some(body) = message.get("createSurface") {
            self.create(body)
        } else if let Some(body) = message.get("updateComponents") {
            let components = body.get("components").and_then(Value::as_array);
            update_components(self.surface(body)?, components.into_iter().flatten())
        } else if let Some(body) = message.get("updateDataModel") {
            let path = body.get("path").and_then(Value::as_str).unwrap_or("/");
            Ok(self
                .surface(body)?
                .data
                .set(path, body.get("value").cloned())?)
        } else if let Some(body) = message.get("deleteSurface") {
            let id = self.surface(body)?.id.clone();
            self.surfaces.retain(|surface| surface.id != id);
            Ok(())
        } else {
            Err(SurfaceError::NoOperation)
        }
    }

    fn create(&mut self, body: &Value) -> Result<(), SurfaceError> {
        let id = text(body, "surfaceId");
        if self.surfaces.iter().any(|surface| surface.id == id) {
            return Err(SurfaceError::Exists(id));
        }
        if self.surfaces.len() == MAX_SURFACES {
            return Err(SurfaceError::TooManySurfaces);
        }
        let catalog_id = text(body, "catalogId");
        self.surfaces.push(Surface {
            id,
            catalog_id,
            ..Surface::default()
        });
        Ok(())
    }

    fn surface(&mut self, body: &Value) -> Result<&mut Surface, SurfaceError> {
        let id = text(body, "surfaceId");
        let surface = self.surfaces.iter_mut().find(|surface| surface.id == id);
        surface.ok_or(SurfaceError::Missing(id))
    }
}

fn update_components<'a>(
    surface: &mut Surface,
    components: impl Iterator<Item = &'a Value>,
) -> Result<(), SurfaceError> {
    for component in components {
        surface
            .components
            .insert(text(component, "id"), component.clone());
        if surface.components.len() > MAX_COMPONENTS {
            return Err(SurfaceError::TooManyComponents(surface.id.clone()));
        }
    }
    Ok(())
}

fn text(body: &Value, key: &str) -> String {
    body.get(key)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}
