//! What the suite tests beyond the public interface. It is no interface: it changes without notice.

pub mod bench {
    pub use crate::bench::checks::{CostRow, Mean, checks, means};
    pub use crate::bench::measure::median;
    pub use crate::bench::report::{Report, Rival, SampleRow};
}

pub mod debug {
    pub use crate::debug::desk::Desk;
    pub use crate::debug::marks::Times;
    pub use crate::debug::tui::app::App;
    pub use crate::debug::tui::draw::draw;
}

pub mod driver {
    pub use crate::driver::folders::searched;
    pub use crate::driver::manifest::{Library, check, read, text};
}

pub mod exec {
    pub use crate::exec::complaint;
    pub use crate::exec::mark::{Reached, findings, reached};
    pub use crate::exec::watch::{Seen, Witness, family, parent};
}

pub mod flags {
    pub use crate::job::flags::{buffer_flag, image_flag, sampler_flag};
    pub use crate::seeds::{again, quoted, range};
    pub use crate::watch::{At, Spec};
}

pub mod kernels {
    pub use crate::bench::kernels::report::{Column, KernelRow, Report, Timing};
}

pub mod machine {
    pub use crate::machine::{page, source};
}

pub mod test {
    pub use crate::test::coverage::{Coverage, class};
    pub use crate::test::find::{Partition, hash, is_test};
    pub use crate::test::pool::Worker;
    pub use crate::test::report::{Format, Ran, case};
}

pub mod timing {
    pub use crate::timing::table;
}

pub mod tunnel {
    pub use crate::tunnel::picture::{BINS, averages, spacing};
    pub use crate::tunnel::scene::{Change, LONG, URGENT};
}

pub mod wire {
    pub use crate::debug::dap::wire::{Sender, read};
}
