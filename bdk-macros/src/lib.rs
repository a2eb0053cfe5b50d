//! bdk-macros
