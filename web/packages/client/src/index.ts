export * from "./agui/fold.js";
export * from "./agui/patch.js";
export * from "./agui/types.js";
export * from "./citations/display.js";
export * from "./citations/state.js";
export type * from "./generated/api.js";
export * from "./http/client.js";
export * from "./http/error.js";
export * from "./sse.js";
