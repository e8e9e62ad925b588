//! Values that the generator picks from.

/// Strings with edge cases of some encoding.
pub(super) const TEXTS: &[&str] = &[
    "\u{0}\u{1}\u{1f}\u{7f}",
    "\"\\/\u{8}\u{c}\n\r\t",
    "\r\n\r\ndata: {}\n\n",
    "\u{2028}\u{2029}\u{85}",
    "\u{feff}",
    "\u{fffd}",
    "é漢🙂\u{10ffff}",
    "null",
    "[object Object]",
    "{\"a\":1}",
    "a rather long text, longer than any word and longer than a chunk of eight bytes",
];

/// Numbers with edge cases; the last does not fit a double.
pub(super) const NUMBERS: &[&str] = &[
    "0",
    "1",
    "-1",
    "-0",
    "1.0",
    "1.50",
    "-2.5e-7",
    "1e21",
    "9007199254740993",
    "-9223372036854775808",
    "12345678901234567890",
    "5e-324",
    "0.1000000000000000055511151231257827",
    "1E+3",
    "1e400",
];

pub(super) const KEYS: &[&str] = &[
    "a",
    "b",
    "c",
    "",
    "0",
    "1",
    "10",
    "01",
    "-",
    "a/b",
    "m~n",
    "type",
    "__proto__",
    "constructor",
    "prototype",
    "toString",
    "é",
    "\"",
    "\n",
];

pub(super) const SEGMENTS: &[&str] = &[
    "a",
    "b",
    "c",
    "0",
    "1",
    "2",
    "-",
    "",
    "01",
    "a~1b",
    "m~0n",
    "__proto__",
    "4294967296",
    "10",
];

/// Documents, and pointers into them.
pub(super) const STATES: &[&str] = &[
    "{}",
    r#"{"a":1}"#,
    r#"{"a":{"b":[1]},"b":{}}"#,
    r#"[{"a":1},2]"#,
    r#"{"b":null,"0":"x"}"#,
    "null",
    "\"x\"",
    "0",
];
pub(super) const STATE_PLACES: &[&str] = &[
    "/a", "/b", "", "/a/b", "/a/b/-", "/a/b/0", "/0", "/0/a", "/-",
];

/// Event types that refer to each other; the frequent ones occur more than once.
pub(super) const RELATED: &[&str] = &[
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_CONTENT",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_START",
    "TEXT_MESSAGE_END",
    "TEXT_MESSAGE_END",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_ARGS",
    "TOOL_CALL_START",
    "TOOL_CALL_START",
    "TOOL_CALL_END",
    "TOOL_CALL_END",
    "TOOL_CALL_RESULT",
    "TOOL_CALL_RESULT",
    "TEXT_MESSAGE_CHUNK",
    "TOOL_CALL_CHUNK",
    "REASONING_MESSAGE_CHUNK",
    "STATE_SNAPSHOT",
    "STATE_DELTA",
    "MESSAGES_SNAPSHOT",
    "ACTIVITY_SNAPSHOT",
    "ACTIVITY_DELTA",
    "REASONING_START",
    "REASONING_MESSAGE_START",
    "REASONING_MESSAGE_CONTENT",
    "REASONING_MESSAGE_END",
    "REASONING_END",
    "REASONING_ENCRYPTED_VALUE",
    "SUBAGENT_STARTED",
    "SUBAGENT_FINISHED",
    "STEP_STARTED",
    "STEP_FINISHED",
    "CUSTOM",
    "RUN_FINISHED",
    "RUN_ERROR",
];
