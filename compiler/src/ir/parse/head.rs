//! Kernels and their functions: what stands before the body.

use super::*;
use wavepipe_hw::code::FloatMode;

impl Parser {
    pub(super) fn kernel(&mut self) -> Parsed<()> {
        let mut l = self.line()?;
        self.name(&mut l, "kernel")?;
        l.expect("workgroup")?;
        self.kernel.workgroup = [l.number()?, l.number()?, l.number()?];
        l.expect("lds")?;
        self.kernel.lds_bytes = l.number()?;
        self.private(&mut l)?;
        self.kernel.require_full_subgroups = l.take("full_subgroups");
        if l.take("mode") {
            self.kernel.mode = FloatMode(l.number()?);
        }
        if l.take("shared_scratch") {
            self.kernel.shared_scratch = l.number()?;
        }
        l.expect("{")?;
        l.end()?;
        loop {
            let head = self.lines.get(self.at).and_then(|(_, w)| w.first()).map_or("", String::as_str).to_string();
            match head.as_str() {
                "file" => {
                    let mut l = self.line()?;
                    l.next();
                    let name = l.next().trim_start_matches('"').to_string();
                    self.kernel.files.push(name);
                }
                "data" => {
                    let mut l = self.line()?;
                    l.next();
                    let hex = l.next().to_string();
                    for i in (0..hex.len()).step_by(2) {
                        match hex.get(i..i + 2).and_then(|h| u8::from_str_radix(h, 16).ok()) {
                            Some(b) => self.kernel.constants.push(b),
                            None => return l.err("expected pairs of hexadecimal digits"),
                        }
                    }
                }
                "function" => {
                    // It has values and labels of its own.
                    let own = Kernel { files: Vec::new(), ..self.kernel.shell("") };
                    let outer = std::mem::replace(&mut self.kernel, own);
                    self.function()?;
                    let function = std::mem::replace(&mut self.kernel, outer);
                    self.kernel.functions.push(function);
                }
                _ => break,
            }
        }
        self.kernel.body = self.region()?;
        let files = self.kernel.files.clone();
        self.kernel.functions.iter_mut().for_each(|f| f.files.clone_from(&files));
        let mut l = self.line()?;
        l.expect("}")
    }

    fn function(&mut self) -> Parsed<()> {
        let mut l = self.line()?;
        self.name(&mut l, "function")?;
        l.expect("(")?;
        while !l.take(")") {
            let p = self.define(&mut l)?;
            self.kernel.params.push(p);
            if !l.take(",") && l.peek() != ")" {
                return l.err("expected `,` or `)`");
            }
        }
        while let Some(w) = lookup(WIDTHS, l.peek()) {
            l.next();
            self.kernel.results.push(w);
        }
        self.private(&mut l)?;
        l.expect("{")?;
        l.end()?;
        self.kernel.body = self.region()?;
        self.close(&["}"])
    }

    /// `what` and its name.
    fn name(&mut self, l: &mut Line, what: &str) -> Parsed<()> {
        l.expect(what)?;
        match l.next().strip_prefix('"') {
            Some(name) => self.kernel.name = name.to_string(),
            None => return l.err(format!("expected the {what}'s name in quotes")),
        }
        Ok(())
    }

    fn private(&mut self, l: &mut Line) -> Parsed<()> {
        l.expect("scratch")?;
        self.kernel.scratch_bytes = l.number()?;
        while l.take("local") {
            let local = Local { offset: l.number()?, size: l.number()? };
            self.kernel.locals.push(local);
        }
        Ok(())
    }
}
