//! A buffer, an image or a sampler as a flag writes it.

use crate::failure::{Failure, Result};
use wavepipe::job::{Given, ImageGiven, What, format_size, sampling, typed_count};

/// `KEY[=TYPE][:INIT]`, apart.
fn split(text: &str) -> (&str, Option<&str>, &str) {
    let (key, rest) = match text.find(['=', ':']) {
        Some(at) => text.split_at(at),
        None => (text, ""),
    };
    match rest.strip_prefix('=') {
        Some(typed) => {
            let (ty, init) = typed.split_once(':').unwrap_or((typed, ""));
            (key, Some(ty), init)
        }
        None => (key, None, rest.strip_prefix(':').unwrap_or("")),
    }
}

pub fn buffer_flag(text: &str) -> Result<Given> {
    let source = format!("--buffer {text}");
    let in_flag = |e: Failure| Failure::usage(format!("{source}: {e}"));
    let (key, ty, init) = split(text);
    let key = key.parse().map_err(in_flag)?;
    let (element, count) = typed_count(ty.unwrap_or("")).map_err(in_flag)?;
    let init = init.parse().map_err(in_flag)?;
    Ok(Given { key, what: What::Buffer { element, count, init }, folder: ".".into(), source, flag: true })
}

pub fn image_flag(text: &str) -> Result<Given> {
    let source = format!("--image {text}");
    let in_flag = |e: Failure| Failure::usage(format!("{source}: {e}"));
    let (key, ty, init) = split(text);
    let key = key.parse().map_err(in_flag)?;
    let (format, size) = format_size(ty.unwrap_or("")).map_err(in_flag)?;
    let init = init.parse().map_err(in_flag)?;
    Ok(Given { key, what: What::Image(ImageGiven { format, size, init }), folder: ".".into(), source, flag: true })
}

pub fn sampler_flag(text: &str) -> Result<Given> {
    let source = format!("--sampler {text}");
    let in_flag = |e: Failure| Failure::usage(format!("{source}: {e}"));
    let (key, how) = text.split_once('=').ok_or_else(|| Failure::usage(format!("{source}: write KEY=HOW")))?;
    let how: Vec<&str> = how.split(',').collect();
    let what = What::Sampler(sampling(&how).map_err(in_flag)?);
    Ok(Given { key: key.parse().map_err(in_flag)?, what, folder: ".".into(), source, flag: true })
}

#[cfg(test)]
mod tests {
    use super::*;
    use wavepipe::data::Init;
    use wavepipe::job::{BindingSlot, Named};

    #[test]
    fn flags_parse() {
        let b = buffer_flag("1.3=u32[8]:iota").unwrap();
        assert_eq!(b.key.named, Named::Slot(BindingSlot { set: 1, binding: 3 }));
        assert!(matches!(b.what, What::Buffer { element: Some(_), count: Some(8), init: Init::Iota }));
        let b = buffer_flag("data[2]:1,2,-3.5").unwrap();
        assert_eq!((b.key.named, b.key.element), (Named::Name("data".into()), Some(2)));
        assert!(matches!(b.what, What::Buffer { element: None, count: None, init: Init::Values(v) } if v.len() == 3));
        let b = buffer_flag("out=[64*2]").unwrap();
        assert!(matches!(b.what, What::Buffer { element: None, count: Some(128), init: Init::Zero }));
        assert!(buffer_flag("0=f33[4]").is_err() && buffer_flag("a b=f32[4]").is_err());
        let i = image_flag("photo:a/photo.png").unwrap();
        assert!(matches!(i.what, What::Image(ImageGiven { format: None, size: None, init: Init::File(_) })));
        let i = image_flag("2=rgba8[16x8]").unwrap();
        assert!(matches!(i.what, What::Image(ImageGiven { format: Some(_), size: Some(s), .. }) if s == [16, 8]));
        assert!(image_flag("2=rgba8[16x0]").is_err() && sampler_flag("2=soft").is_err());
    }
}
