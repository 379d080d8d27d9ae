//! Packets as a trace shows them: a name, and arguments.

use super::stream::Arg;
use wavepipe_hw::pm4::{CopyDest, CopySource, DmaSource, Packet, ReleaseData, WaitFunc};

/// Name of a packet, and what is in it.
pub fn describe(packet: &Packet) -> (&'static str, Vec<(&'static str, Arg<'static>)>) {
    use Arg::{Address, Number, Text};
    match packet {
        Packet::Nop { body } => ("NOP", vec![("dwords", Number(body.len() as u64))]),
        Packet::SetShReg { reg, values } => ("SET_SH_REG", registers(*reg, values)),
        Packet::SetUconfigReg { reg, values } => ("SET_UCONFIG_REG", registers(*reg, values)),
        Packet::DispatchDirect { groups, .. } => {
            let [x, y, z] = groups.map(|n| Number(n.into()));
            ("DISPATCH_DIRECT", vec![("groups x", x), ("groups y", y), ("groups z", z)])
        }
        Packet::DispatchIndirect { address, .. } => ("DISPATCH_INDIRECT", vec![("address", Address(*address))]),
        Packet::SetBase { address } => ("SET_BASE", vec![("address", Address(*address))]),
        Packet::DispatchAtBase { offset, .. } => ("DISPATCH_INDIRECT", vec![("offset", Number((*offset).into()))]),
        Packet::AcquireMem { gcr_cntl, base, size } => {
            let range = [("address", Address(*base)), ("bytes", Number(*size))];
            ("ACQUIRE_MEM", [vec![("GCR_CNTL", Address((*gcr_cntl).into()))], range.to_vec()].concat())
        }
        Packet::CsPartialFlush => ("CS_PARTIAL_FLUSH", Vec::new()),
        Packet::SamplePipelineStat { address } => ("SAMPLE_PIPELINESTAT", vec![("address", Address(*address))]),
        Packet::ReleaseMem { address, data, interrupt } => {
            let value = match data {
                ReleaseData::None => Text("none"),
                ReleaseData::Value32(v) => Number((*v).into()),
                ReleaseData::Value64(v) => Number(*v),
                ReleaseData::Clock => Text("clock"),
            };
            let interrupt = Number((*interrupt).into());
            ("RELEASE_MEM", vec![("address", Address(*address)), ("value", value), ("interrupt", interrupt)])
        }
        Packet::WaitRegMem { address, reference, mask, func, .. } => {
            let func = Text(match func {
                WaitFunc::Always => "always",
                WaitFunc::Less => "<",
                WaitFunc::LessEqual => "<=",
                WaitFunc::Equal => "==",
                WaitFunc::NotEqual => "!=",
                WaitFunc::GreaterEqual => ">=",
                WaitFunc::Greater => ">",
            });
            let reference = [("reference", Number(*reference)), ("mask", Address(*mask))];
            ("WAIT_REG_MEM", [vec![("address", Address(*address)), ("until", func)], reference.to_vec()].concat())
        }
        Packet::WaitClock { tick } => ("WAIT_REG_MEM", vec![("tick", Number(*tick))]),
        Packet::WriteData { address, data } => {
            ("WRITE_DATA", vec![("address", Address(*address)), ("dwords", Number(data.len() as u64))])
        }
        Packet::CopyData { source, dest, .. } => {
            let source = match source {
                CopySource::Memory(at) => Address(*at),
                CopySource::Immediate(value) => Number(*value),
                CopySource::Clock => Text("clock"),
                CopySource::Counter(counter) => Address(4 * u64::from(counter.register())),
            };
            let dest = match dest {
                CopyDest::Memory(at) => Address(*at),
                CopyDest::ShReg(reg) => Number((*reg).into()),
            };
            ("COPY_DATA", vec![("source", source), ("destination", dest)])
        }
        Packet::DmaData { source, dest, bytes, .. } => {
            let source = match source {
                DmaSource::Memory(at) => ("source", Address(*at)),
                DmaSource::Fill(value) => ("fill", Number((*value).into())),
            };
            ("DMA_DATA", vec![source, ("destination", Address(*dest)), ("bytes", Number((*bytes).into()))])
        }
        Packet::IndirectBuffer { address, dwords } => {
            ("INDIRECT_BUFFER", vec![("address", Address(*address)), ("dwords", Number((*dwords).into()))])
        }
    }
}

fn registers(reg: u16, values: &[u32]) -> Vec<(&'static str, Arg<'static>)> {
    vec![("register", Arg::Address(reg.into())), ("count", Arg::Number(values.len() as u64))]
}

/// The memory word by which a packet tells others that something is done, and that which it waited for.
pub fn signals(packet: &Packet) -> (Option<u64>, Option<u64>) {
    match packet {
        Packet::ReleaseMem { address, data: ReleaseData::Value32(_) | ReleaseData::Value64(_), .. } => {
            (Some(*address), None)
        }
        Packet::WriteData { address, .. } => (Some(*address), None),
        Packet::WaitRegMem { address, .. } => (None, Some(*address)),
        _ => (None, None),
    }
}
