//! Sheets of hand-written code, and what is made of them.

mod compare;
mod made;
mod occupancy;
mod page;
