export * from "./AgentUI.js";
export * from "./error.js";
export type * from "./messages.js";
