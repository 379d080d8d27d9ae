//! An inspected machine with a queue, and kernels for it.

use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use wavepipe_core::{Config, Gpu};
use wavepipe_hw::code::{LineRow, WaveSize};
use wavepipe_hw::fault::GpuFault;
use wavepipe_hw::pm4::{Packet, ReleaseData};
use wavepipe_hw::port::{Advance, GpuPort, Interrupt, QueueDesc, QueueId};
use wavepipe_inspect::{Inspector, Program, Schedule, Session, Turn, Value, What};
use wavepipe_isa::{Gen, asm};
use wavepipe_timing::lab::{Kernel, packets};

/// A queue of a machine, whichever drives it.
pub struct Bench {
    pub gpu: Arc<Gpu>,
    queue: QueueId,
    ring: u64,
    written: u64,
    fence: u64,
    fences: u64,
    pub faults: Receiver<Arc<GpuFault>>,
}

const DWORDS: u32 = 4096;

impl Bench {
    pub fn on(gpu: Arc<Gpu>) -> Bench {
        let ring = gpu.allocate(4 * u64::from(DWORDS), "ring").unwrap().va;
        let report = gpu.allocate(64, "report").unwrap().va;
        let (send, faults) = channel();
        gpu.set_interrupt_handler(Box::new(move |interrupt| {
            if let Interrupt::Fault { fault, .. } = interrupt {
                let _ = send.send(fault);
            }
        }));
        let desc = QueueDesc { ring_base: ring, ring_dwords: DWORDS, rptr_report: report, ..QueueDesc::default() };
        let queue = gpu.map_queue(&desc).unwrap();
        Bench { gpu, queue, ring, written: 0, fence: report + 32, fences: 0, faults }
    }

    /// Address of zeroed memory.
    pub fn memory(&self, bytes: u64) -> u64 {
        self.gpu.allocate(bytes, "data").unwrap().va
    }

    pub fn submit(&mut self, packets: &[Packet]) {
        self.fences += 1;
        let data = ReleaseData::Value64(self.fences);
        let release = Packet::ReleaseMem { address: self.fence, data, interrupt: true };
        let mut words = Vec::new();
        packets.iter().chain([&release]).for_each(|p| p.encode(Gen::Gfx1010, &mut words));
        for word in words {
            let at = self.ring + 4 * (self.written % u64::from(DWORDS));
            self.gpu.write(at, &word.to_le_bytes()).unwrap();
            self.written += 1;
        }
        self.gpu.doorbell(self.queue, self.written);
    }

    /// Until all that was submitted is done.
    pub fn wait(&self) {
        loop {
            let mut fence = [0; 8];
            self.gpu.read(self.fence, &mut fence).unwrap();
            if u64::from_le_bytes(fence) >= self.fences {
                return;
            }
            match self.gpu.advance() {
                Advance::Nothing => panic!("the machine stands still"),
                Advance::ByItself => std::thread::yield_now(),
                Advance::Passed => {}
            }
        }
    }

    pub fn words(&self, va: u64, count: usize) -> Vec<u32> {
        let mut bytes = vec![0; 4 * count];
        self.gpu.read(va, &mut bytes).unwrap();
        bytes.as_chunks::<4>().0.iter().map(|b| u32::from_le_bytes(*b)).collect()
    }

    pub fn code(&self, text: &str, wave: WaveSize) -> (u64, u64) {
        let words = asm::assemble(text, Gen::Gfx1010, wave.lanes()).unwrap_or_else(|e| panic!("{e}\n{text}"));
        let va = self.memory(4 * words.len() as u64 + 256);
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        self.gpu.write(va, &bytes).unwrap();
        (va, bytes.len() as u64)
    }
}

/// Work-groups of four waves of 32: LDS turned around a barrier, a loop that lanes leave one by one, an atomic whose order is that
/// of the waves, stores of both.
pub const MIXED: &str = "
    v_lshlrev_b32 v1, 2, v0
    s_lshl_b32 s7, s8, 7
    v_add_nc_u32 v2, s7, v0
    ds_write_b32 v1, v2
    s_waitcnt lgkmcnt(0)
    s_barrier
    v_xor_b32 v3, 0x1fc, v1
    ds_read_b32 v4, v3
    s_waitcnt lgkmcnt(0)
    v_and_b32 v5, 7, v0
    v_mov_b32 v6, 0
    s_mov_b32 s6, exec_lo
again:
    v_add_nc_u32 v6, v6, v4
    v_add_nc_u32 v5, -1, v5
    v_cmp_le_i32 vcc_lo, 0, v5
    s_and_b32 exec_lo, exec_lo, vcc_lo
    s_cbranch_execnz again
    s_mov_b32 exec_lo, s6
    v_mov_b32 v7, 0
    global_atomic_add v8, v7, v6, s[0:1] glc
    s_waitcnt vmcnt(0)
    s_barrier
    ds_write_b32 v1, v8
    s_lshl_b32 s7, s8, 10
    v_lshlrev_b32 v9, 3, v0
    v_add_nc_u32 v9, s7, v9
    global_store_dwordx2 v9, v[5:6], s[0:1] offset:16
    global_store_dword v9, v8, s[0:1] offset:16
    s_endpgm";

/// Dwords that [`MIXED`] has of a number of work-groups: a sum, and pairs behind 16 bytes.
pub fn mixed_dwords(groups: u32) -> usize {
    4 + 2 * 128 * groups as usize
}

pub fn mixed(bench: &Bench, groups: u32) -> (Kernel, u64, u64) {
    let (code, bytes) = bench.code(MIXED, WaveSize::W32);
    let out = bench.memory(4 * mixed_dwords(groups) as u64);
    let user_data = vec![out as u32, (out >> 32) as u32, 0, 0, 0, 0, 0, 0];
    let kernel = Kernel {
        code,
        wave: WaveSize::W32,
        vgprs: 16,
        lds_bytes: 512,
        user_data,
        workgroup: 128,
        groups,
        wgp_mode: true,
    };
    (kernel, out, bytes)
}

/// A program whose instructions are on lines as its text has them, of [`asm`]'s encoding; line 1 is the text's first.
pub fn lines(text: &str, address: u64, bytes: u64) -> Program {
    let mut program = Program::plain("kernel", address, bytes);
    program.files = vec!["kernels/mixed.s".into()];
    let mut before = String::new();
    let mut at = 0;
    for (n, line) in text.lines().enumerate() {
        before.push_str(line);
        before.push('\n');
        // A label that is not there yet is a branch of any distance.
        let known = before.replace("s_cbranch_execnz again", "s_cbranch_execnz 0");
        let words = asm::assemble(&known, Gen::Gfx1010, 32).unwrap().len() as u32;
        if 4 * words > at {
            program.lines.push(LineRow { pc: at, file: 0, line: n as u32 + 1 });
            at = 4 * words;
        }
    }
    program
}

/// An inspected machine, in front of the first instruction of [`MIXED`].
pub struct Inspected {
    pub bench: Bench,
    pub session: Session,
    pub out: u64,
    pub groups: u32,
}

pub fn inspected(groups: u32) -> Inspected {
    following(groups, Vec::new())
}

/// In the order of a clock.
pub fn following(groups: u32, schedules: Vec<Schedule>) -> Inspected {
    let inspector = Inspector::new(Config::default());
    let mut bench = Bench::on(inspector.gpu().clone());
    let (kernel, out, bytes) = mixed(&bench, groups);
    let mut session = inspector.session().unwrap();
    assert!(inspector.session().is_none(), "one session at a time");
    bench.submit(&packets(&kernel));
    session.add_program(lines(MIXED, kernel.code, bytes));
    session.follow(schedules);
    assert!(session.next_dispatch().is_some());
    Inspected { bench, session, out, groups }
}

/// Everything that there is to see.
#[derive(PartialEq, Debug)]
pub struct Seen {
    turn: Option<Turn>,
    waves: Vec<(Turn, String)>,
    memory: Vec<u32>,
}

impl Inspected {
    pub fn see(&self) -> Seen {
        let mut waves = Vec::new();
        for wave in self.session.waves() {
            let read = |what: &str| self.session.read_of(wave.turn, &what.parse::<What>().unwrap()).unwrap();
            let mut all: Vec<Value> = (0..16).map(|n| read(&format!("v{n}"))).collect();
            all.extend((0..128).map(|n| read(&format!("s{n}"))));
            all.extend(["exec", "vcc", "scc", "m0", "mode", "pc", "lds[0;128]"].map(read));
            waves.push((wave.turn, format!("{wave:?} {all:?}")));
        }
        let memory = self.bench.words(self.out, mixed_dwords(self.groups));
        Seen { turn: self.session.turn(), waves, memory }
    }
}
