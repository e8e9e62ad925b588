//! Optional layers of a PDF that can be shown or hidden.

use std::collections::HashSet;

use hayro_syntax::object::{Array, Dict, Name, ObjectIdentifier};
use hayro_syntax::xref::XRef;

/// Layers that are hidden when a file is opened.
#[derive(Debug, Default)]
pub(super) struct HiddenLayers {
    off: HashSet<ObjectIdentifier>,
}

impl HiddenLayers {
    pub(super) fn of_file(xref: &XRef) -> Self {
        Self::stated(xref).unwrap_or_default()
    }

    fn stated(xref: &XRef) -> Option<Self> {
        let properties = xref
            .get::<Dict<'_>>(xref.root_id())?
            .get::<Dict<'_>>("OCProperties")?;
        let defaults = properties.get::<Dict<'_>>("D")?;
        let mut off = HashSet::new();
        if defaults.get::<Name<'_>>("BaseState").as_deref() == Some(b"OFF") {
            off.extend(members(properties.get("OCGs")));
            for on in members(defaults.get("ON")) {
                off.remove(&on);
            }
        }
        off.extend(members(defaults.get("OFF")));
        Some(Self { off })
    }

    /// Returns true if the content with `key` in the dictionary is visible.
    pub(super) fn shows(&self, dict: &Dict<'_>, key: &[u8]) -> bool {
        if self.off.is_empty() {
            return true;
        }
        let Some(layer) = dict.get::<Dict<'_>>(key) else {
            return true;
        };
        let is_off = |id: &ObjectIdentifier| self.off.contains(id);
        if layer.get::<Name<'_>>("Type").as_deref() != Some(b"OCMD") {
            let id = dict.get_ref(key).map(ObjectIdentifier::from);
            return !id.as_ref().is_some_and(is_off);
        }
        let mut groups = members(layer.get("OCGs"));
        if groups.is_empty() {
            groups.extend(layer.get_ref("OCGs").map(ObjectIdentifier::from));
        }
        match layer.get::<Name<'_>>("P").as_deref() {
            _ if groups.is_empty() => true,
            Some(b"AllOn") => !groups.iter().any(is_off),
            Some(b"AnyOff") => groups.iter().any(is_off),
            Some(b"AllOff") => groups.iter().all(is_off),
            _ => !groups.iter().all(is_off),
        }
    }
}

fn members(array: Option<Array<'_>>) -> Vec<ObjectIdentifier> {
    let items = array.into_iter().flat_map(|array| array.raw_iter());
    items
        .filter_map(|item| item.as_obj_ref())
        .map(ObjectIdentifier::from)
        .collect()
}
