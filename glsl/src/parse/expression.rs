//! Expressions of a text.

use super::{At, LONGEST, Parser};
use crate::Result;
use crate::lex::{Kind, LEVELS};
use crate::syntax::{Expr, ExprKind, Spec};
use crate::types::{FLOAT, INT, Scalar};

const ASSIGNMENTS: &[(&str, Option<&str>)] = &[
    ("=", None),
    ("+=", Some("+")),
    ("-=", Some("-")),
    ("*=", Some("*")),
    ("/=", Some("/")),
    ("%=", Some("%")),
    ("<<=", Some("<<")),
    (">>=", Some(">>")),
    ("&=", Some("&")),
    ("|=", Some("|")),
    ("^=", Some("^")),
];

fn expr(at: At, kind: ExprKind) -> Expr {
    Expr { at, kind }
}

impl Parser<'_> {
    pub(super) fn expression(&mut self) -> Result<Expr> {
        let mut left = self.assignment()?;
        let mut count = 0;
        while self.is(",") {
            self.counted(&mut count)?;
            let at = self.place();
            self.at += 1;
            left = expr(at, ExprKind::Comma(Box::new(left), Box::new(self.assignment()?)));
        }
        Ok(left)
    }

    /// What stands behind `=` in a layout.
    pub(super) fn unary_or_more(&mut self) -> Result<Expr> {
        self.choice()
    }

    pub(super) fn initializer(&mut self) -> Result<Expr> {
        if !self.is("{") {
            return self.assignment();
        }
        let at = self.place();
        self.at += 1;
        let mut list = Vec::new();
        while !self.takes("}") {
            list.push(self.deeper(Self::initializer)?);
            if !self.takes(",") {
                self.wants("}")?;
                break;
            }
        }
        Ok(expr(at, ExprKind::List(list)))
    }

    fn assignment(&mut self) -> Result<Expr> {
        self.deeper(|p| {
            let left = p.choice()?;
            let sign = p.peek().text.clone();
            let found = ASSIGNMENTS.iter().find(|(s, _)| **s == *sign && p.peek().kind == Kind::Sign);
            let Some((_, op)) = found else { return Ok(left) };
            p.at += 1;
            let at = left.at;
            Ok(expr(at, ExprKind::Assign(*op, Box::new(left), Box::new(p.assignment()?))))
        })
    }

    fn choice(&mut self) -> Result<Expr> {
        let condition = self.binary(0)?;
        if !self.takes("?") {
            return Ok(condition);
        }
        self.deeper(|p| {
            let at = condition.at;
            let then = p.expression()?;
            p.wants(":")?;
            let otherwise = p.assignment()?;
            Ok(expr(at, ExprKind::Choose(Box::new(condition), Box::new(then), Box::new(otherwise))))
        })
    }

    fn binary(&mut self, level: usize) -> Result<Expr> {
        let Some(signs) = LEVELS.get(level) else { return self.unary() };
        let mut left = self.binary(level + 1)?;
        let mut count = 0;
        while let Some(sign) = signs.iter().find(|s| self.is(s)) {
            self.counted(&mut count)?;
            self.at += 1;
            let at = left.at;
            left = expr(at, ExprKind::Binary(sign, Box::new(left), Box::new(self.binary(level + 1)?)));
        }
        Ok(left)
    }

    fn unary(&mut self) -> Result<Expr> {
        let at = self.place();
        let Some(sign) = ["++", "--", "-", "+", "!", "~"].into_iter().find(|s| self.is(s)) else {
            return self.postfix();
        };
        self.at += 1;
        Ok(expr(at, ExprKind::Unary(sign, Box::new(self.deeper(Self::unary)?))))
    }

    /// One more in a row.
    fn counted(&self, count: &mut usize) -> Result<()> {
        *count += 1;
        if *count <= LONGEST { Ok(()) } else { Err(self.refuse(format!("these are more than {LONGEST} in a row"))) }
    }

    fn arguments(&mut self) -> Result<Vec<Expr>> {
        self.wants("(")?;
        let mut out = Vec::new();
        if self.is("void") && &*self.ahead(1).text == ")" {
            self.at += 1;
        }
        while !self.takes(")") {
            out.push(self.assignment()?);
            if !self.takes(",") {
                self.wants(")")?;
                break;
            }
        }
        Ok(out)
    }

    fn postfix(&mut self) -> Result<Expr> {
        let mut out = self.primary()?;
        let mut count = 0;
        loop {
            self.counted(&mut count)?;
            let at = self.place();
            let kind = if self.takes("[") {
                let index = self.expression()?;
                self.wants("]")?;
                ExprKind::Index(Box::new(out), Box::new(index))
            } else if self.takes(".") {
                let name = self.word()?;
                if self.is("(") {
                    self.arguments()?;
                    ExprKind::Method(Box::new(out), name)
                } else {
                    ExprKind::Member(Box::new(out), name)
                }
            } else if self.takes("++") {
                ExprKind::Behind("+", Box::new(out))
            } else if self.takes("--") {
                ExprKind::Behind("-", Box::new(out))
            } else {
                return Ok(out);
            };
            out = expr(at, kind);
        }
    }

    fn primary(&mut self) -> Result<Expr> {
        let (at, token) = (self.place(), self.peek().clone());
        let kind = match token.kind {
            Kind::Number => {
                self.at += 1;
                number(&token.text).ok_or_else(|| self.text.refuse(&token, format!("`{}` is no number", token.text)))?
            }
            Kind::Text => {
                self.at += 1;
                ExprKind::Text(token.text.clone())
            }
            Kind::Word if matches!(&*token.text, "true" | "false") => {
                self.at += 1;
                ExprKind::Bool(&*token.text == "true")
            }
            Kind::Word if self.names_type(0) => {
                let spec: Spec = self.spec()?;
                ExprKind::Make(spec, self.arguments()?)
            }
            Kind::Word => {
                self.at += 1;
                match self.is("(") {
                    true => ExprKind::Call(token.text.clone(), self.arguments()?),
                    false => ExprKind::Name(token.text.clone()),
                }
            }
            Kind::Sign if &*token.text == "(" => {
                self.at += 1;
                let inner = self.expression()?;
                self.wants(")")?;
                return Ok(inner);
            }
            _ => return Err(self.refuse(format!("an expression is wanted in front of `{}`", token.text))),
        };
        Ok(expr(at, kind))
    }
}

fn number(text: &str) -> Option<ExprKind> {
    let lower = text.to_ascii_lowercase();
    let hex = lower.strip_prefix("0x");
    if hex.is_none() && (lower.contains(['.', 'e']) || lower.ends_with('f')) {
        let (digits, scalar) = match lower.as_str() {
            t if t.ends_with("lf") => (&t[..t.len() - 2], Scalar::Float(64)),
            t if t.ends_with("hf") => (&t[..t.len() - 2], Scalar::Float(16)),
            t => (t.strip_suffix('f').unwrap_or(t), FLOAT),
        };
        return digits.parse().ok().map(|v| ExprKind::Float(v, scalar));
    }
    let suffixes = [
        ("ul", Scalar::Uint(64)),
        ("us", Scalar::Uint(16)),
        ("u", Scalar::Uint(32)),
        ("l", Scalar::Int(64)),
        ("s", Scalar::Int(16)),
    ];
    let digits = hex.unwrap_or(&lower);
    let found = suffixes.iter().find_map(|(s, scalar)| Some((digits.strip_suffix(s)?, *scalar)));
    let (digits, scalar) = found.unwrap_or((digits, INT));
    let (digits, base) = match (hex, digits.strip_prefix('0')) {
        (Some(_), _) => (digits, 16),
        (None, Some(octal)) if !octal.is_empty() => (octal, 8),
        _ => (digits, 10),
    };
    let value = u64::from_str_radix(digits, base).ok()?;
    let fits = scalar.bits() == 64 || value >> scalar.bits() == 0;
    fits.then_some(ExprKind::Int(value, scalar))
}
