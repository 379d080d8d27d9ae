//! A code object as bytes that may come back damaged: `magic, length, SHA-256 of all that follows, key, code object`.

use super::Key;
use sha2::{Digest as _, Sha256};
use wavepipe_hw::code::CodeObject;

const MAGIC: [u8; 4] = *b"wpc1";
const HEAD: usize = MAGIC.len() + 4 + 32;
const KEY: usize = 32;

/// Appends an entry.
pub fn encode(key: &Key, code: &CodeObject, out: &mut Vec<u8>) {
    let Ok(body) = postcard::to_stdvec(code) else { return };
    let Ok(bytes) = u32::try_from(KEY + body.len()) else { return };
    let mut hash = Sha256::new();
    hash.update(key.0);
    hash.update(&body);
    out.extend(MAGIC);
    out.extend(bytes.to_le_bytes());
    out.extend(<[u8; 32]>::from(hash.finalize()));
    out.extend(key.0);
    out.extend(body);
}

/// The next entry and its bytes in all; `None` = damaged, or the end.
pub fn decode(data: &[u8]) -> Option<(Key, CodeObject, usize)> {
    let (head, rest) = data.split_at_checked(HEAD)?;
    let (magic, head) = head.split_at(MAGIC.len());
    let (bytes, sum) = head.split_first_chunk()?;
    let content = rest.get(..u32::from_le_bytes(*bytes) as usize)?;
    if magic != MAGIC || sum != <[u8; 32]>::from(Sha256::digest(content)) {
        return None;
    }
    let (key, body) = content.split_first_chunk()?;
    let code: CodeObject = postcard::from_bytes(body).ok()?;
    // Instructions are words; a hash that is right says nothing of who computed it.
    let is_code = !code.text.is_empty() && code.text.len().is_multiple_of(4);
    is_code.then_some((Key(*key), code, HEAD + content.len()))
}

/// Bytes that are looked at for each byte of data before the search behind damaged entries is given up: each that claims to
/// be long has its hash computed.
const SEARCH: usize = 16;

/// All whole entries; after a damaged one, what still can be found behind it.
pub fn decode_all(mut data: &[u8]) -> Vec<(Key, CodeObject)> {
    let mut entries = Vec::new();
    let mut left = data.len().saturating_mul(SEARCH);
    while !data.is_empty() {
        match decode(data) {
            Some((key, code, bytes)) => {
                entries.push((key, code));
                data = &data[bytes..];
            }
            None => {
                let claimed = data.get(MAGIC.len()..MAGIC.len() + 4).and_then(|b| b.try_into().ok());
                let claimed = claimed.map_or(0, u32::from_le_bytes) as usize;
                // One that claims more than there is was not hashed.
                let hashed = if claimed <= data.len().saturating_sub(HEAD) { claimed } else { 0 };
                let Some(rest) = left.checked_sub(hashed) else { break };
                left = rest;
                let next = data[1..].windows(MAGIC.len()).position(|w| w == MAGIC);
                data = next.map_or(&[], |n| &data[1 + n..]);
            }
        }
    }
    entries
}
