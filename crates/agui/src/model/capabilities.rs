//! What an agent says it can do. Absent means undeclared, not unsupported.

use crate::json::JsonObject;
use crate::typed::{Count, object};

use super::run::Tool;

macro_rules! optional_object {
    ($(#[$meta:meta])* $name:ident { $( $(#[$field_meta:meta])* $field:ident: $type:ty = $key:literal, )* }) => {
        object! {
            $(#[$meta])*
            #[derive(Default)]
            $name { $( $(#[$field_meta])* $field: Option<$type> = $key, )* }
        }
    };
}

optional_object! {
    /// Everything an agent declares.
    AgentCapabilities {
        /// Who it is.
        identity: Identity = "identity",
        /// How it can be reached.
        transport: Transport = "transport",
        /// Its tools.
        tools: ToolCapabilities = "tools",
        /// What it produces.
        output: Output = "output",
        /// How it shares state.
        state: StateCapabilities = "state",
        /// Whether it works with others.
        multi_agent: MultiAgent = "multiAgent",
        /// Whether it shows its reasoning.
        reasoning: ReasoningCapabilities = "reasoning",
        /// Which media it takes and makes.
        multimodal: Multimodal = "multimodal",
        /// Whether it runs code.
        execution: Execution = "execution",
        /// How people take part.
        human_in_the_loop: HumanInTheLoop = "humanInTheLoop",
        /// Anything else.
        custom: JsonObject = "custom",
    }
}

optional_object! {
    /// Who an agent is.
    Identity {
        /// Its name.
        name: String = "name",
        /// Its kind.
        kind: String = "type",
        /// What it is for.
        description: String = "description",
        /// Its version.
        version: String = "version",
        /// Who makes it.
        provider: String = "provider",
        /// Where it is documented.
        documentation_url: String = "documentationUrl",
        /// Open by key.
        metadata: JsonObject = "metadata",
    }
}

optional_object! {
    /// How an agent can be reached.
    Transport {
        /// It streams events.
        streaming: bool = "streaming",
        /// It speaks WebSocket.
        websocket: bool = "websocket",
        /// It speaks the protobuf form.
        http_binary: bool = "httpBinary",
        /// It pushes.
        push_notifications: bool = "pushNotifications",
        /// A broken stream can be taken up again.
        resumable: bool = "resumable",
    }
}

optional_object! {
    /// An agent's tools.
    ToolCapabilities {
        /// It calls tools.
        supported: bool = "supported",
        /// Its own tools.
        items: Vec<Tool> = "items",
        /// It makes several calls at once.
        parallel_calls: bool = "parallelCalls",
        /// It takes the client's tools.
        client_provided: bool = "clientProvided",
    }
}

optional_object! {
    /// What an agent produces.
    Output {
        /// Structured output.
        structured_output: bool = "structuredOutput",
        /// Media types.
        supported_mime_types: Vec<String> = "supportedMimeTypes",
    }
}

optional_object! {
    /// How an agent shares state.
    StateCapabilities {
        /// By snapshots.
        snapshots: bool = "snapshots",
        /// By patches.
        deltas: bool = "deltas",
        /// It remembers across runs.
        memory: bool = "memory",
        /// Its state survives a restart.
        persistent_state: bool = "persistentState",
    }
}

optional_object! {
    /// Whether an agent works with others.
    MultiAgent {
        /// It does.
        supported: bool = "supported",
        /// It delegates.
        delegation: bool = "delegation",
        /// It hands over.
        handoffs: bool = "handoffs",
        /// To whom.
        subagents: Vec<Subagent> = "subagents",
    }
}

object! {
    /// A subagent that an agent may call.
    Subagent {
        /// Its name.
        name: String = "name",
        /// What it is for.
        description: Option<String> = "description",
    }
}

optional_object! {
    /// Whether an agent shows its reasoning.
    ReasoningCapabilities {
        /// It does.
        supported: bool = "supported",
        /// As it thinks.
        streaming: bool = "streaming",
        /// Encrypted.
        encrypted: bool = "encrypted",
    }
}

optional_object! {
    /// Which media an agent takes and makes.
    Multimodal {
        /// Takes.
        input: MultimodalInput = "input",
        /// Makes.
        output: MultimodalOutput = "output",
    }
}

optional_object! {
    /// Which media an agent takes.
    MultimodalInput {
        /// Pictures.
        image: bool = "image",
        /// Sound.
        audio: bool = "audio",
        /// Films.
        video: bool = "video",
        /// PDF documents.
        pdf: bool = "pdf",
        /// Other files.
        file: bool = "file",
    }
}

optional_object! {
    /// Which media an agent makes.
    MultimodalOutput {
        /// Pictures.
        image: bool = "image",
        /// Sound.
        audio: bool = "audio",
    }
}

optional_object! {
    /// Whether an agent runs code.
    Execution {
        /// It does.
        code_execution: bool = "codeExecution",
        /// In a sandbox.
        sandboxed: bool = "sandboxed",
        /// Steps it takes at most.
        max_iterations: Count = "maxIterations",
        /// Milliseconds it runs at most.
        max_execution_time: Count = "maxExecutionTime",
    }
}

optional_object! {
    /// How people take part.
    HumanInTheLoop {
        /// They do.
        supported: bool = "supported",
        /// They approve.
        approvals: bool = "approvals",
        /// They step in.
        interventions: bool = "interventions",
        /// They give feedback.
        feedback: bool = "feedback",
        /// The agent interrupts itself for them.
        interrupts: bool = "interrupts",
        /// They approve with changes.
        approve_with_edits: bool = "approveWithEdits",
    }
}
