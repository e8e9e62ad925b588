export { MAX_COMPONENT_DEPTH } from "./A2uiComponentView.js";
export { type A2uiProps, A2uiRenderer } from "./A2uiRenderer.js";
export { foldOperations } from "./surfaces.js";
export type { A2uiAction, A2uiComponent, A2uiSurfaceState } from "./types.js";
