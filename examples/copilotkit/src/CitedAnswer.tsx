import { useCoAgent } from "@copilotkit/react-core";
import { type AssistantMessageProps, Markdown } from "@copilotkit/react-ui";
import { type CSSProperties, useState } from "react";
import { type CitationState, citationOf, statusWords, visibleText } from "./citations";

const COLOURS: Record<string, string> = {
    verified: "#1a7f37",
    "partly found": "#9a6700",
    "not found": "#cf222e",
    "being checked": "#57606a",
};

/** An answer of the assistant. Its markers show the result of the check, and open the evidence. */
export function CitedAnswer({ message, isLoading, subComponent }: AssistantMessageProps) {
    const { state } = useCoAgent<CitationState>({ name: "default" });
    const [open, setOpen] = useState<string>();
    const content = typeof message?.content === "string" ? message.content : "";
    const text = visibleText(content);
    const messageId = message?.id ?? "";
    const markers = [...new Set([...text.matchAll(/\[(\d+)\]/g)].map((match) => match[1]))];
    const shown = open ? citationOf(state, messageId, open) : undefined;
    return (
        <div className="copilotKitMessage copilotKitAssistantMessage">
            {text && <Markdown content={text} />}
            {isLoading && !text && <span>…</span>}
            {markers.length > 0 && (
                <p aria-label="Sources">
                    {markers.map((marker) => {
                        const words = statusWords(citationOf(state, messageId, marker)?.verification?.status);
                        return (
                            <button
                                key={marker}
                                type="button"
                                aria-expanded={open === marker}
                                aria-label={`Source ${marker}: ${words}`}
                                onClick={() => setOpen(open === marker ? undefined : marker)}
                                style={markerStyle(COLOURS[words] ?? "#57606a")}
                            >
                                [{marker}] {words}
                            </button>
                        );
                    })}
                </p>
            )}
            {shown && (
                <section aria-label="Evidence">
                    <blockquote>{shown.quote}</blockquote>
                    {shown.verification?.evidence?.src && (
                        <img
                            src={shown.verification.evidence.src}
                            alt={`The passage in ${shown.verification.label ?? "the source"}`}
                            style={{ maxWidth: "100%" }}
                        />
                    )}
                    {shown.verification?.evidenceUrl && (
                        <a href={shown.verification.evidenceUrl} target="_blank" rel="noreferrer">
                            {shown.verification.label}, page {shown.verification.document?.verifiedPageNumber ?? "?"}
                        </a>
                    )}
                </section>
            )}
            {subComponent}
        </div>
    );
}

function markerStyle(color: string): CSSProperties {
    return {
        color,
        border: `1px solid ${color}`,
        borderRadius: 6,
        background: "transparent",
        marginInlineEnd: 6,
        padding: "2px 6px",
        cursor: "pointer",
    };
}
