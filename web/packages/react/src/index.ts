export * from "./canvas/index.js";
export * from "./citations/CitationMarker.js";
export * from "./markdown/Markdown.js";
export { safeHref } from "./markdown/safeHref.js";
export { visibleText } from "./markdown/visibleText.js";
export * from "./useCitations.js";
export * from "./usePinciteThread.js";
