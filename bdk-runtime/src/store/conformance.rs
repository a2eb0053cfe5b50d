//! What every store must do: one suite, run over each of them.
