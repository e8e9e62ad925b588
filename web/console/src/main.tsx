import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
// Styles of components follow those of the page, which they override.
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";
import { App } from "./App.js";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element with the id `root`.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
