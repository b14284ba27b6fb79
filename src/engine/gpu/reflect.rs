//! Layouts of bind groups and shader structs, taken from the compiled shader; the engine repeats none.

use std::collections::BTreeMap;

use super::buffers::CLOCK;
use super::device::Gpu;
use flockwork_model::vector::{DIMENSIONS, Point};
use naga::{
    AddressSpace, ArraySize, GlobalVariable, Handle, Module, ScalarKind, StorageAccess, Type,
    TypeInner,
};

/// One number in a buffer.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Field {
    /// Bytes from the start of the struct.
    pub offset: u32,
    /// The shader's type.
    pub kind: ScalarKind,
}

/// The numbers of a struct, by path: `separation.weight`, `size.0`.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StructLayout {
    /// Bytes of the struct, or of one element if the binding is an array.
    pub size: u32,
    /// All its numbers.
    pub fields: BTreeMap<String, Field>,
}

impl StructLayout {
    /// Number of axes of the vector at `path`: 3 if it has a third component, else 2.
    #[must_use]
    pub fn axes(&self, path: &str) -> usize {
        if self.fields.contains_key(&join(path, 2)) { 3 } else { 2 }
    }
}

/// A binding of a shader.
#[derive(Clone, Debug, PartialEq)]
pub struct Binding {
    /// Its number in group 0.
    pub index: u32,
    /// Its name in the shader's file.
    pub name: String,
    /// A buffer and its access, a picture, or a sampler.
    pub ty: wgpu::BindingType,
}

fn globals(module: &Module) -> impl Iterator<Item = (u32, &GlobalVariable)> {
    module.global_variables.iter().filter_map(|(_, global)| Some((global.binding?.binding, global)))
}

/// The bindings of a shader. Fails if two have the same number.
pub fn bindings(module: &Module) -> Result<Vec<Binding>, String> {
    let mut found = Vec::new();
    for (index, global) in globals(module) {
        let name = global.name.clone().unwrap_or_default();
        let buffer = |ty| wgpu::BindingType::Buffer {
            ty,
            has_dynamic_offset: name == CLOCK,
            min_binding_size: None,
        };
        let ty = match (global.space, &module.types[global.ty].inner) {
            (AddressSpace::Uniform, _) => buffer(wgpu::BufferBindingType::Uniform),
            (AddressSpace::Storage { access }, _) => {
                let read_only = !access.contains(StorageAccess::STORE);
                buffer(wgpu::BufferBindingType::Storage { read_only })
            }
            (AddressSpace::Handle, TypeInner::Sampler { .. }) => {
                wgpu::BindingType::Sampler(wgpu::SamplerBindingType::Filtering)
            }
            (AddressSpace::Handle, TypeInner::Image { .. }) => wgpu::BindingType::Texture {
                sample_type: wgpu::TextureSampleType::Float { filterable: true },
                view_dimension: wgpu::TextureViewDimension::D2,
                multisampled: false,
            },
            _ => return Err(format!("`{name}` is not a buffer, a picture or a sampler")),
        };
        found.push(Binding { index, name, ty });
    }
    found.sort_by_key(|binding| binding.index);
    match found.windows(2).find(|pair| pair[0].index == pair[1].index) {
        Some(pair) => Err(format!("`{}` and `{}` share a binding", pair[0].name, pair[1].name)),
        None => Ok(found),
    }
}

/// The layout of the bind group of a shader that computes.
#[must_use]
pub fn group_layout(gpu: &Gpu, label: &str, bindings: &[Binding]) -> wgpu::BindGroupLayout {
    let entry = |binding: &Binding| wgpu::BindGroupLayoutEntry {
        binding: binding.index,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: binding.ty,
        count: None,
    };
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(label),
        entries: &bindings.iter().map(entry).collect::<Vec<_>>(),
    })
}

/// The layout of the struct bound as `name`, or of its elements if it is an array.
#[must_use]
pub fn layout(module: &Module, name: &str) -> Option<StructLayout> {
    let (_, global) = globals(module).find(|(_, global)| global.name.as_deref() == Some(name))?;
    Some(layout_of(module, element_of(module, global.ty).0))
}

/// A member of a bound struct.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Member {
    /// Bytes from the start of the struct.
    pub offset: u32,
    /// Number of elements if it is an array; `None` if the buffer's length sets it.
    pub count: Option<u32>,
    /// The layout of the member, or of its elements.
    pub element: StructLayout,
}

/// The member `member` of the struct bound as `name`.
#[must_use]
pub fn member(module: &Module, name: &str, member: &str) -> Option<Member> {
    let (_, global) = globals(module).find(|(_, global)| global.name.as_deref() == Some(name))?;
    let TypeInner::Struct { members, .. } = &module.types[global.ty].inner else { return None };
    let found = members.iter().find(|found| found.name.as_deref() == Some(member))?;
    let (element, count) = element_of(module, found.ty);
    Some(Member { offset: found.offset, count, element: layout_of(module, element) })
}

/// The type and number of an array's elements; any other type counts as one element of itself.
fn element_of(module: &Module, ty: Handle<Type>) -> (Handle<Type>, Option<u32>) {
    match module.types[ty].inner {
        TypeInner::Array { base, size: ArraySize::Constant(count), .. } => {
            (base, Some(count.get()))
        }
        TypeInner::Array { base, .. } => (base, None),
        _ => (ty, Some(1)),
    }
}

fn layout_of(module: &Module, ty: Handle<Type>) -> StructLayout {
    let mut layout = StructLayout { size: size_of(module, ty), ..StructLayout::default() };
    collect(module, ty, "", 0, &mut layout.fields);
    layout
}

fn size_of(module: &Module, ty: Handle<Type>) -> u32 {
    module.types[ty].inner.size(module.to_ctx())
}

fn join(path: &str, part: impl std::fmt::Display) -> String {
    if path.is_empty() { part.to_string() } else { format!("{path}.{part}") }
}

fn collect(
    module: &Module,
    ty: Handle<Type>,
    path: &str,
    offset: u32,
    fields: &mut BTreeMap<String, Field>,
) {
    match &module.types[ty].inner {
        TypeInner::Scalar(scalar) | TypeInner::Atomic(scalar) => {
            fields.insert(path.into(), Field { offset, kind: scalar.kind });
        }
        TypeInner::Vector { size, scalar } => {
            for i in 0..*size as u32 {
                let field = Field { offset: offset + i * 4, kind: scalar.kind };
                fields.insert(join(path, i), field);
            }
        }
        TypeInner::Struct { members, .. } => {
            for member in members {
                let name = member.name.as_deref().unwrap_or_default();
                collect(module, member.ty, &join(path, name), offset + member.offset, fields);
            }
        }
        TypeInner::Array { base, size: ArraySize::Constant(count), stride } => {
            for i in 0..count.get() {
                collect(module, *base, &join(path, i), offset + i * stride, fields);
            }
        }
        _ => {}
    }
}

/// A struct's bytes, written field by field.
#[derive(Clone, Debug)]
pub struct Record<'a> {
    layout: &'a StructLayout,
    /// In the shader's layout.
    pub bytes: Vec<u8>,
    missing: Option<String>,
}

impl<'a> Record<'a> {
    /// All bytes zero.
    #[must_use]
    pub fn new(layout: &'a StructLayout) -> Self {
        Self { layout, bytes: vec![0; layout.size as usize], missing: None }
    }

    /// Writes a number, converted to the shader's type.
    pub fn put(&mut self, path: &str, value: f64) -> &mut Self {
        let Some(field) = self.layout.fields.get(path) else {
            self.missing.get_or_insert_with(|| path.into());
            return self;
        };
        let bytes = match field.kind {
            ScalarKind::Uint => (value as u32).to_le_bytes(),
            ScalarKind::Sint => (value as i32).to_le_bytes(),
            _ => (value as f32).to_le_bytes(),
        };
        let at = field.offset as usize;
        self.bytes[at..at + 4].copy_from_slice(&bytes);
        self
    }

    /// Writes the components of a point on the axes that the shader's vector has.
    pub fn put_point(&mut self, path: &str, point: Point) -> &mut Self {
        self.put_each(path, point.to_array())
    }

    /// Writes one number for each axis that the shader's vector has: two or three.
    pub fn put_each(&mut self, path: &str, numbers: [impl Into<f64>; DIMENSIONS]) -> &mut Self {
        let axes = self.layout.axes(path);
        for (axis, number) in numbers.into_iter().enumerate().take(axes) {
            self.put(&join(path, axis), number.into());
        }
        self
    }

    /// The bytes. Fails with the first path that is not in the shader.
    pub fn finish(self) -> Result<Vec<u8>, String> {
        match self.missing {
            Some(path) => Err(format!("the shader has no field `{path}`")),
            None => Ok(self.bytes),
        }
    }
}
