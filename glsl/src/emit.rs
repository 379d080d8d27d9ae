//! A module of SPIR-V while it is written: its sections, its types and constants once each, and the function that is open.

use spirv::{Capability, Decoration, Op};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// What a function consists of while its body is written.
#[derive(Default)]
pub struct Body {
    /// The function and its parameters.
    pub head: Vec<u32>,
    vars: Vec<u32>,
    code: Vec<u32>,
    /// The block that is open, or 0 where nothing can be reached.
    pub label: u32,
    first: u32,
    said: (u32, u32),
    /// Code that goes on later, and code that is behind it.
    aside: Vec<Vec<u32>>,
}

#[derive(Default)]
pub struct Builder {
    last: u32,
    capabilities: BTreeSet<u32>,
    extensions: BTreeSet<&'static str>,
    imports: BTreeMap<&'static str, u32>,
    physical: bool,
    entry: Vec<u32>,
    modes: Vec<u32>,
    strings: Vec<u32>,
    names: Vec<u32>,
    decorations: Vec<u32>,
    globals: Vec<u32>,
    functions: Vec<u32>,
    once: HashMap<Vec<u32>, u32>,
    pub body: Option<Body>,
    /// Code was written where there is no function, and is lost.
    pub lost: bool,
    /// The string of the file, and the line, that instructions are of.
    pub line: (u32, u32),
    pub exact: bool,
}

fn put(out: &mut Vec<u32>, op: Op, words: &[u32]) {
    out.push((words.len() as u32 + 1) << 16 | op as u32);
    out.extend_from_slice(words);
}

/// A string's words, with its zero.
pub fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize((bytes.len() / 4 + 1) * 4, 0);
    bytes.chunks_exact(4).map(|c| u32::from_le_bytes([c[0], c[1], c[2], c[3]])).collect()
}

impl Builder {
    pub fn id(&mut self) -> u32 {
        self.last += 1;
        self.last
    }

    pub fn capability(&mut self, capability: Capability) {
        self.capabilities.insert(capability as u32);
    }

    pub fn extension(&mut self, name: &'static str) {
        self.extensions.insert(name);
    }

    /// Pointers to buffers are values.
    pub fn pointers(&mut self) {
        self.physical = true;
        self.capability(Capability::PhysicalStorageBufferAddresses);
        self.extension("SPV_KHR_physical_storage_buffer");
    }

    /// A set of extended instructions.
    pub fn import(&mut self, name: &'static str) -> u32 {
        if let Some(id) = self.imports.get(name) {
            return *id;
        }
        let id = self.id();
        self.imports.insert(name, id);
        id
    }

    pub fn entry(&mut self, function: u32, interface: &[u32]) {
        let mut words = vec![spirv::ExecutionModel::GLCompute as u32, function];
        words.extend(text("main"));
        words.extend_from_slice(interface);
        put(&mut self.entry, Op::EntryPoint, &words);
    }

    pub fn mode(&mut self, words: &[u32]) {
        put(&mut self.modes, Op::ExecutionMode, words);
    }

    pub fn string(&mut self, string: &str) -> u32 {
        let id = self.id();
        let mut words = vec![id];
        words.extend(text(string));
        put(&mut self.strings, Op::String, &words);
        id
    }

    /// The shader's text, for who shows lines of it.
    pub fn source(&mut self, version: u32, es: bool, file: u32, source: &str) {
        let language = if es { spirv::SourceLanguage::ESSL } else { spirv::SourceLanguage::GLSL };
        let most = 60_000;
        let (mut rest, mut op, mut words) = (source, Op::Source, vec![language as u32, version, file]);
        loop {
            let mut end = rest.len().min(most);
            while !rest.is_char_boundary(end) {
                end -= 1;
            }
            words.extend(text(&rest[..end]));
            put(&mut self.strings, op, &words);
            (rest, op, words) = (&rest[end..], Op::SourceContinued, Vec::new());
            if rest.is_empty() {
                return;
            }
        }
    }

    pub fn name(&mut self, id: u32, name: &str) {
        let mut words = vec![id];
        words.extend(text(name));
        put(&mut self.names, Op::Name, &words);
    }

    pub fn member_name(&mut self, id: u32, member: u32, name: &str) {
        let mut words = vec![id, member];
        words.extend(text(name));
        put(&mut self.names, Op::MemberName, &words);
    }

    pub fn decorate(&mut self, id: u32, decoration: Decoration, words: &[u32]) {
        put(&mut self.decorations, Op::Decorate, &[&[id, decoration as u32], words].concat());
    }

    pub fn decorate_member(&mut self, id: u32, member: u32, decoration: Decoration, words: &[u32]) {
        put(&mut self.decorations, Op::MemberDecorate, &[&[id, member, decoration as u32], words].concat());
    }

    /// A type: the same one for the same words.
    pub fn ty(&mut self, op: Op, words: &[u32]) -> u32 {
        let key = [&[op as u32], words].concat();
        if let Some(id) = self.once.get(&key) {
            return *id;
        }
        let id = self.new_ty(op, words);
        self.once.insert(key, id);
        id
    }

    /// A type of its own.
    pub fn new_ty(&mut self, op: Op, words: &[u32]) -> u32 {
        let id = self.id();
        put(&mut self.globals, op, &[&[id], words].concat());
        id
    }

    /// A constant: the same one for the same words.
    pub fn constant(&mut self, op: Op, ty: u32, words: &[u32]) -> u32 {
        let key = [&[op as u32, ty], words].concat();
        if let Some(id) = self.once.get(&key) {
            return *id;
        }
        let id = self.global(op, ty, words);
        self.once.insert(key, id);
        id
    }

    /// A constant or a variable of the module, of its own.
    pub fn global(&mut self, op: Op, ty: u32, words: &[u32]) -> u32 {
        let id = self.id();
        put(&mut self.globals, op, &[&[ty, id], words].concat());
        id
    }

    /// A type is announced, that of a pointer.
    pub fn forward(&mut self, id: u32, class: u32) {
        put(&mut self.globals, Op::TypeForwardPointer, &[id, class]);
    }

    pub fn global_as(&mut self, op: Op, words: &[u32]) {
        put(&mut self.globals, op, words);
    }

    // The function that is open.

    fn here(&mut self, op: Op, words: &[u32]) {
        let line = self.line;
        let Some(body) = self.body.as_mut() else {
            self.lost = true;
            return;
        };
        if body.label == 0 {
            return;
        }
        if body.said != line && line.1 != 0 {
            body.said = line;
            put(&mut body.code, Op::Line, &[line.0, line.1, 0]);
        }
        put(&mut body.code, op, words);
    }

    /// An instruction with a result.
    pub fn value(&mut self, op: Op, ty: u32, words: &[u32]) -> u32 {
        let id = self.id();
        self.here(op, &[&[ty, id], words].concat());
        let arithmetic = [Op::FAdd, Op::FSub, Op::FMul, Op::FDiv, Op::FNegate, Op::Dot, Op::MatrixTimesMatrix];
        let arithmetic = arithmetic.contains(&op)
            || [Op::MatrixTimesVector, Op::VectorTimesMatrix, Op::VectorTimesScalar, Op::MatrixTimesScalar]
                .contains(&op);
        if self.exact && arithmetic {
            self.decorate(id, Decoration::NoContraction, &[]);
        }
        id
    }

    pub fn effect(&mut self, op: Op, words: &[u32]) {
        self.here(op, words);
    }

    pub fn variable(&mut self, pointer: u32, value: Option<u32>) -> u32 {
        let id = self.id();
        let class = spirv::StorageClass::Function as u32;
        let words: Vec<u32> = [pointer, id, class].into_iter().chain(value).collect();
        match self.body.as_mut() {
            Some(body) => put(&mut body.vars, Op::Variable, &words),
            None => self.lost = true,
        }
        id
    }

    pub fn open(&mut self) -> bool {
        self.body.as_ref().is_none_or(|b| b.label != 0)
    }

    pub fn label(&self) -> u32 {
        self.body.as_ref().map_or(0, |b| b.label)
    }

    /// The block `label` begins.
    pub fn begin(&mut self, label: u32) {
        let Some(body) = self.body.as_mut() else { return };
        if body.first == 0 {
            body.first = label;
        } else {
            put(&mut body.code, Op::Label, &[label]);
        }
        (body.label, body.said) = (label, (0, 0));
    }

    /// The last instruction of a block, with what stands right in front of it.
    pub fn end(&mut self, merge: Option<(Op, &[u32])>, op: Op, words: &[u32]) {
        if let Some((op, words)) = merge {
            self.here(op, words);
            // No line may stand between the two.
            if let Some(body) = self.body.as_mut() {
                body.said = self.line;
            }
        }
        self.here(op, words);
        if let Some(body) = self.body.as_mut() {
            body.label = 0;
        }
    }

    pub fn branch(&mut self, to: u32) {
        self.end(None, Op::Branch, &[to]);
    }

    /// The block that is open goes on behind what is written from here to [`Self::resume`].
    pub fn suspend(&mut self) {
        if let Some(body) = self.body.as_mut() {
            body.aside.push(std::mem::take(&mut body.code));
            body.label = 0;
        }
    }

    /// It goes on, up to [`Self::settle`].
    pub fn resume(&mut self, label: u32) {
        if let Some(body) = self.body.as_mut() {
            let before = body.aside.pop().unwrap_or_default();
            body.aside.push(std::mem::replace(&mut body.code, before));
            (body.label, body.said) = (label, (0, 0));
        }
    }

    pub fn settle(&mut self) {
        if let Some(body) = self.body.as_mut() {
            let behind = body.aside.pop().unwrap_or_default();
            body.code.extend(behind);
        }
    }

    /// The function is done.
    pub fn finish(&mut self, body: Body) {
        self.functions.extend(&body.head);
        put(&mut self.functions, Op::Label, &[body.first]);
        self.functions.extend(&body.vars);
        self.functions.extend(&body.code);
        put(&mut self.functions, Op::FunctionEnd, &[]);
    }

    pub fn head(op: Op, words: &[u32], body: &mut Body) {
        put(&mut body.head, op, words);
    }

    pub fn module(mut self) -> Vec<u32> {
        self.capability(Capability::Shader);
        let mut out = vec![spirv::MAGIC_NUMBER, 0x0001_0300, 0, self.last + 1, 0];
        for capability in &self.capabilities {
            put(&mut out, Op::Capability, &[*capability]);
        }
        for extension in &self.extensions {
            put(&mut out, Op::Extension, &text(extension));
        }
        for (name, id) in &self.imports {
            put(&mut out, Op::ExtInstImport, &[&[*id], &text(name)[..]].concat());
        }
        let addressing = match self.physical {
            true => spirv::AddressingModel::PhysicalStorageBuffer64,
            false => spirv::AddressingModel::Logical,
        };
        put(&mut out, Op::MemoryModel, &[addressing as u32, spirv::MemoryModel::GLSL450 as u32]);
        for section in [&self.entry, &self.modes, &self.strings, &self.names, &self.decorations, &self.globals] {
            out.extend(section);
        }
        out.extend(&self.functions);
        out
    }
}
