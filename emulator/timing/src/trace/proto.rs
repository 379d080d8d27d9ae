//! Protocol buffers as bytes: what a trace needs of the wire format,
//! <https://protobuf.dev/programming-guides/encoding/>.

/// Wire types.
const VARINT: u32 = 0;
const FIXED64: u32 = 1;
const BYTES: u32 = 2;

/// A message while it is written.
#[derive(Default)]
pub struct Message(Vec<u8>);

impl Message {
    pub fn bytes(&self) -> &[u8] {
        &self.0
    }

    /// Begins another one in the same memory.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds all fields of another message.
    pub fn append(&mut self, other: &Message) {
        self.0.extend(&other.0);
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }

    fn key(&mut self, field: u32, wire: u32) {
        self.varint((field << 3 | wire).into());
    }

    pub fn uint(&mut self, field: u32, value: u64) {
        self.key(field, VARINT);
        self.varint(value);
    }

    pub fn fixed64(&mut self, field: u32, value: u64) {
        self.key(field, FIXED64);
        self.0.extend(value.to_le_bytes());
    }

    pub fn double(&mut self, field: u32, value: f64) {
        self.fixed64(field, value.to_bits());
    }

    pub fn data(&mut self, field: u32, bytes: &[u8]) {
        self.key(field, BYTES);
        self.varint(bytes.len() as u64);
        self.0.extend(bytes);
    }

    pub fn text(&mut self, field: u32, text: &str) {
        self.data(field, text.as_bytes());
    }

    /// A message in this one, shorter than 256 MiB. Its length has four bytes, whatever it is: nothing has to move.
    pub fn message(&mut self, field: u32, write: impl FnOnce(&mut Message)) {
        self.key(field, BYTES);
        let at = self.0.len();
        self.0.extend([0; 4]);
        write(self);
        let length = self.0.len() - at - 4;
        for i in 0..4 {
            let more = if i < 3 { 0x80 } else { 0 };
            self.0[at + i] = (length >> (7 * i)) as u8 & 0x7f | more;
        }
    }
}
