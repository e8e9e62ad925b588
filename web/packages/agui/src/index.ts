/** Name of `createCitationMiddleware` in specification 000. */
export {
  createCitationMiddleware,
  createCitationMiddleware as createDeepCitationMiddleware,
} from "./citationMiddleware.js";
export { isSafeKey } from "./statePatches.js";
export type {
  CitationMiddlewareConfig,
  DeepCitationAgUIState,
  MessageCitationState,
  VerifyOptions,
} from "./types.js";
export { INITIAL_DEEPCITATION_STATE } from "./types.js";
export { type CitationReview, withReview } from "./withReview.js";
