import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App.js";
import "./styles/fonts.css";
import "./styles/tokens.css";
import "./styles/base.css";

const root = document.getElementById("root");
if (!root) throw new Error("The page has no element with the id `root`.");
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
