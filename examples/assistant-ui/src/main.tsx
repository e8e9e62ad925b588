import "@pincite/react/theme.css";
import { HttpAgent } from "@ag-ui/client";
import { AssistantRuntimeProvider } from "@assistant-ui/react";
import { useAgUiRuntime } from "@assistant-ui/react-ag-ui";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { Thread } from "./Thread.jsx";

const agent = new HttpAgent({ url: "/agents/reader" });

function App() {
  const runtime = useAgUiRuntime({ agent });
  return (
    <AssistantRuntimeProvider runtime={runtime}>
      <Thread agent={agent} />
    </AssistantRuntimeProvider>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <App />
  </StrictMode>,
);
