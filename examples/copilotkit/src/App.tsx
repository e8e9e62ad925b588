import { useCopilotAction, useCopilotReadable } from "@copilotkit/react-core";
import { CopilotSidebar } from "@copilotkit/react-ui";
import { useState } from "react";
import { CitedAnswer } from "./CitedAnswer";

interface Note {
    id: number;
    text: string;
    done: boolean;
}

/** A page with notes. The assistant reads them, and changes them through actions. */
export function App() {
    const [notes, setNotes] = useState<Note[]>([{ id: 1, text: "Check the length of the quay", done: false }]);
    const [title, setTitle] = useState("Harbour notes");

    useCopilotReadable({ description: "Title of the page", value: title });
    useCopilotReadable({ description: "Notes on the page", value: notes });

    useCopilotAction({
        name: "addNote",
        description: "Add a note to the page",
        parameters: [{ name: "text", type: "string", description: "Text of the note", required: true }],
        handler: ({ text }) => {
            setNotes((all) => [...all, { id: all.length + 1, text, done: false }]);
            return `Added note ${notes.length + 1}`;
        },
    });
    useCopilotAction({
        name: "completeNote",
        description: "Mark a note as done",
        parameters: [{ name: "id", type: "number", description: "Number of the note", required: true }],
        handler: ({ id }) => {
            setNotes((all) => all.map((note) => (note.id === id ? { ...note, done: true } : note)));
            return `Note ${id} is done`;
        },
    });
    useCopilotAction({
        name: "renamePage",
        description: "Change the title of the page",
        parameters: [{ name: "title", type: "string", description: "New title", required: true }],
        handler: ({ title: next }) => {
            setTitle(next);
            return `The title is ${next}`;
        },
    });
    useCopilotAction({
        name: "confirmRemoval",
        description: "Ask the user to confirm that a note is removed",
        parameters: [{ name: "id", type: "number", description: "Number of the note", required: true }],
        renderAndWaitForResponse: ({ args, respond, status }) =>
            status === "complete" ? (
                <p>Answered.</p>
            ) : (
                <p role="group" aria-label="Confirmation">
                    Remove note {args.id}?{" "}
                    <button
                        type="button"
                        onClick={() => {
                            setNotes((all) => all.filter((note) => note.id !== args.id));
                            respond?.("removed");
                        }}
                    >
                        Remove
                    </button>{" "}
                    <button type="button" onClick={() => respond?.("kept")}>
                        Keep
                    </button>
                </p>
            ),
    });

    return (
        <CopilotSidebar
            defaultOpen
            AssistantMessage={CitedAnswer}
            labels={{ title: "Assistant", initial: "Ask about your documents." }}
        >
            <main>
                <h1>{title}</h1>
                <ul aria-label="Notes">
                    {notes.map((note) => (
                        <li key={note.id}>
                            {note.done ? "✓ " : ""}
                            {note.text}
                        </li>
                    ))}
                </ul>
            </main>
        </CopilotSidebar>
    );
}
