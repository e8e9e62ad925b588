export * from "./agui/conversation.js";
export * from "./agui/fold.js";
export * from "./agui/patch.js";
export * from "./agui/types.js";
export {
  type BridgedCitation,
  type BridgeOptions,
  bridgeCitationsState,
} from "./citations/bridge.js";
export * from "./citations/display.js";
export * from "./citations/state.js";
export * from "./export/markdown.js";
export type * from "./generated/api.js";
export * from "./http/client.js";
export * from "./http/error.js";
export * from "./sources/extractNew.js";
export * from "./sources/messageState.js";
export * from "./sources/sourceReference.js";
export * from "./sse.js";
export * from "./thread/session.js";
