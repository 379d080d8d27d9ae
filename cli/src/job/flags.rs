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
