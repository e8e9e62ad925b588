//! Limits of messages. A message beyond a limit is refused with the limit; nothing is cut silently.

/// Longest message, in bytes of JSON.
pub const MAX_MESSAGE_BYTES: usize = 4 << 20;
/// Deepest nesting of a message.
pub const MAX_MESSAGE_DEPTH: usize = 32;
/// Largest number of JSON values in a message.
pub const MAX_MESSAGE_NODES: usize = 250_000;
/// Largest number of points of all series of a chart.
pub const MAX_CHART_POINTS: usize = 50_000;
/// Largest number of cells of a table.
pub const MAX_TABLE_CELLS: usize = 200_000;
/// Largest number of messages that join one run.
pub const MAX_MESSAGES_PER_RUN: usize = 1_000;
