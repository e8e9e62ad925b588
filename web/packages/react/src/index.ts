export { useCitations } from "./useCitations.js";
