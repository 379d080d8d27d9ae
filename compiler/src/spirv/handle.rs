//! Handles of images and samplers, symbolic until an instruction needs a descriptor.

use super::image_type::ImageTy;
use crate::ir::{Access, Value};
use wavepipe_hw::launch::BindingKind;

/// A variable of images or samplers, or an element of one that is an array.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OpaqueVariable {
    pub set: u32,
    pub binding: u32,
    pub element: Option<Value>,
}

/// One binding's element, as a type sees it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Resource {
    pub set: u32,
    pub binding: u32,
    pub element: Option<Value>,
    /// Kind that the shader's type asks for.
    pub declared: BindingKind,
    pub access: Access,
}

impl Resource {
    /// How sampling reads it: nothing writes a sampled image.
    pub fn sampled_access(&self) -> Access {
        Access { readonly: !self.access.volatile, coherent: false, ..self.access }
    }
}

/// An image, a sampler, both, or a texel of an image.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Opaque {
    pub image: Option<(Resource, ImageTy)>,
    pub sampler: Option<Resource>,
    /// Coordinates, with the sample's number: OpImageTexelPointer.
    pub texel: Vec<Value>,
}

impl Opaque {
    fn elements(&mut self) -> impl Iterator<Item = &mut Value> {
        let image = self.image.as_mut().and_then(|(r, _)| r.element.as_mut());
        let sampler = self.sampler.as_mut().and_then(|r| r.element.as_mut());
        image.into_iter().chain(sampler).chain(&mut self.texel)
    }

    /// The values that the handle consists of.
    pub fn parts(&self) -> Vec<Value> {
        self.clone().elements().map(|v| *v).collect()
    }

    /// The handle with other values, in the order of [`Opaque::parts`].
    pub fn rebuild(mut self, values: &[Value]) -> Opaque {
        self.elements().zip(values).for_each(|(v, &new)| *v = new);
        self
    }
}
