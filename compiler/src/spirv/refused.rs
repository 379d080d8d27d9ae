//! Instructions that are refused by name, and why. What is neither here nor translated is an instruction of a capability
//! that the driver does not report.

use spirv::Op;

/// Why the front end does not translate `op`.
pub fn refusal(op: Op) -> Option<&'static str> {
    Some(match op {
        Op::DPdx
        | Op::DPdy
        | Op::Fwidth
        | Op::DPdxFine
        | Op::DPdyFine
        | Op::FwidthFine
        | Op::DPdxCoarse
        | Op::DPdyCoarse
        | Op::FwidthCoarse => "compute shaders have no derivatives without derivative groups",
        Op::Kill | Op::TerminateInvocation | Op::DemoteToHelperInvocation | Op::IsHelperInvocationEXT => {
            "it ends or asks for a fragment, which compute shaders have not"
        }
        Op::EmitVertex
        | Op::EndPrimitive
        | Op::EmitStreamVertex
        | Op::EndStreamPrimitive
        | Op::EmitMeshTasksEXT
        | Op::SetMeshOutputsEXT => "compute shaders emit no geometry",
        Op::CopyMemorySized
        | Op::SizeOf
        | Op::AtomicFlagTestAndSet
        | Op::AtomicFlagClear
        | Op::SatConvertSToU
        | Op::SatConvertUToS
        | Op::GenericCastToPtr
        | Op::GenericCastToPtrExplicit
        | Op::PtrCastToGeneric
        | Op::GenericPtrMemSemantics
        | Op::IsFinite
        | Op::IsNormal
        | Op::SignBitSet
        | Op::ConstantSampler => "it belongs to OpenCL kernels, not to Vulkan's shaders",
        Op::TypeCooperativeMatrixKHR
        | Op::CooperativeMatrixLoadKHR
        | Op::CooperativeMatrixStoreKHR
        | Op::CooperativeMatrixMulAddKHR
        | Op::CooperativeMatrixLengthKHR => "gfx1010 has no matrix units, and cooperative matrices are not reported",
        Op::TypeAccelerationStructureKHR
        | Op::TypeRayQueryKHR
        | Op::RayQueryInitializeKHR
        | Op::RayQueryTerminateKHR
        | Op::RayQueryGenerateIntersectionKHR
        | Op::RayQueryConfirmIntersectionKHR
        | Op::RayQueryProceedKHR
        | Op::RayQueryGetIntersectionTypeKHR
        | Op::ConvertUToAccelerationStructureKHR => "gfx1010 has no ray units, and ray queries are not reported",
        _ => return None,
    })
}
