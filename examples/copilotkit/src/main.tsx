import { CopilotKit } from "@copilotkit/react-core";
import "@copilotkit/react-ui/styles.css";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { App } from "./App";

const parameters = new URLSearchParams(location.search);
const runtimeUrl = parameters.get("runtime") ?? "http://127.0.0.1:8787/copilotkit";
const threadId = parameters.get("thread") ?? undefined;

createRoot(document.getElementById("root") as HTMLElement).render(
    <StrictMode>
        <CopilotKit runtimeUrl={runtimeUrl} threadId={threadId} showDevConsole={false} enableInspector={false}>
            <App />
        </CopilotKit>
    </StrictMode>,
);
