//! Descriptors, pipelines, memory, fences and semaphores as a program sees them. Each program runs on the driver linked into this test, then in
//! processes of its own through the Vulkan loader: on the driver under the Khronos validation layer, which must find
//! nothing to say, and on lavapipe, which must give the same answers.

mod bed;
#[allow(dead_code)]
#[path = "../common/child.rs"]
mod child;
mod descriptors;
mod executables;
#[path = "../../../tests/src/host_time.rs"]
mod host_time;
mod images;
mod limits;
mod memory;
mod pipelines;
mod presentation;
mod queries;
mod queues;
mod robustness;
mod sync;
