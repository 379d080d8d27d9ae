//! The emulated GPU: memory, command processor and ACEs, work-group placement, waves, execution
