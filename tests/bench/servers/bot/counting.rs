//! The bot whose memory is measured: it counts what its allocator has given out and not got back, and says so when asked.
#![allow(dead_code, unreachable_pub, missing_docs, reason = "the shapes are shared with the bare handler")]
#![allow(unsafe_code, reason = "an allocator's functions are unsafe; these hand everything on to the system's")]

#[path = "../shapes.rs"]
mod shapes;
mod small;

use bdk::prelude::*;
use serde::Serialize;
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// The system's allocator, and how many bytes of it are in use.
struct Counting {
    live: AtomicUsize,
}

#[global_allocator]
static HEAP: Counting = Counting { live: AtomicUsize::new(0) };

// SAFETY: every function hands its arguments to the system's allocator as they are.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.live.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.live.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.live.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(pointer, layout) }
    }
    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.live.fetch_add(size, Relaxed);
        self.live.fetch_sub(layout.size(), Relaxed);
        unsafe { System.realloc(pointer, layout, size) }
    }
}

/// What is in use.
#[derive(Serialize, schemars::JsonSchema)]
struct Heap {
    live: usize,
}

/// Tell how many bytes of the heap are in use.
#[tool(effect = "read")]
async fn heap() -> Result<Heap> {
    Ok(Heap { live: HEAP.live.load(Relaxed) })
}

#[bdk::main]
async fn main() -> ExitCode {
    bdk::serve().await
}
