import "@pincite/react/theme.css";
import { visibleText } from "@pincite/react";
import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { agent } from "./agent.js";
import { ChatMessage } from "./ChatMessage.jsx";

/** One question to the agent, and its answer. */
function Chat() {
  const [shown, setShown] = useState({ messages: agent.messages, state: agent.state });
  const [isRunning, setIsRunning] = useState(false);
  useEffect(() => {
    const show = ({ messages, state }) => setShown({ messages: [...messages], state });
    const subscription = agent.subscribe({ onMessagesChanged: show, onStateChanged: show });
    return () => subscription.unsubscribe();
  }, []);
  const ask = async () => {
    setIsRunning(true);
    agent.addMessage({ id: crypto.randomUUID(), role: "user", content: "How much is the rent?" });
    await agent.runAgent();
    setIsRunning(false);
  };
  return (
    <div className="pincite">
      <h1>Citation middleware</h1>
      <button type="button" onClick={ask} disabled={isRunning}>
        Ask about the rent
      </button>
      {shown.messages.map(({ id, content }) => (
        <ChatMessage
          key={id}
          message={{ id, text: visibleText(String(content), isRunning) }}
          agUiState={shown.state}
        />
      ))}
    </div>
  );
}

createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <Chat />
  </StrictMode>,
);
