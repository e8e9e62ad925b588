import { useDeepCitationAgUI } from "@pincite/agui/react";
import { CitationComponent } from "@pincite/react";

function ChatMessage({ message, agUiState }) {
  const { citations, verifications, status } = useDeepCitationAgUI({
    agUiState,
    messageId: message.id,
  });

  return (
    <div>
      {message.text}
      {Object.entries(citations).map(([key, citation]) => (
        <CitationComponent
          key={key}
          citation={citation}
          verification={verifications[key]}
          isLoading={status === "verifying"}
          variant="superscript"
        />
      ))}
    </div>
  );
}

export { ChatMessage };
