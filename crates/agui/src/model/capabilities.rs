//! Declared capabilities of an agent. Absent means undeclared, not unsupported.

use json::JsonObject;
use json::typed::SafeCount;
use json::typed_object;

use super::run::Tool;

macro_rules! optional_object {
    ($(#[$meta:meta])* $name:ident { $( $(#[$field_meta:meta])* $field:ident: $type:ty = $key:literal, )* }) => {
        typed_object! {
            $(#[$meta])*
            #[derive(Default)]
            $name { $( $(#[$field_meta])* $field: Option<$type> = $key, )* }
        }
    };
}

optional_object! {
    /// All declared capabilities.
    AgentCapabilities {
        /// Identity of the agent.
        identity: Identity = "identity",
        /// Transports.
        transport: Transport = "transport",
        /// Tool support.
        tools: ToolCapabilities = "tools",
        /// Output formats.
        output: Output = "output",
        /// Shared state.
        state: StateCapabilities = "state",
        /// Cooperation with other agents.
        multi_agent: MultiAgent = "multiAgent",
        /// Reasoning output.
        reasoning: ReasoningCapabilities = "reasoning",
        /// Media formats.
        multimodal: Multimodal = "multimodal",
        /// Code execution.
        execution: Execution = "execution",
        /// Human participation.
        human_in_the_loop: HumanInTheLoop = "humanInTheLoop",
        /// Other capabilities.
        custom: JsonObject = "custom",
    }
}

optional_object! {
    /// Identity of an agent.
    Identity {
        /// Name.
        name: String = "name",
        /// Kind of agent.
        kind: String = "type",
        /// Description of its purpose.
        description: String = "description",
        /// Version.
        version: String = "version",
        /// Provider.
        provider: String = "provider",
        /// URL of the documentation.
        documentation_url: String = "documentationUrl",
        /// Metadata with arbitrary keys.
        metadata: JsonObject = "metadata",
    }
}

optional_object! {
    /// Supported transports.
    Transport {
        /// Streaming of events.
        streaming: bool = "streaming",
        /// WebSocket.
        websocket: bool = "websocket",
        /// Protobuf encoding.
        http_binary: bool = "httpBinary",
        /// Push notifications.
        push_notifications: bool = "pushNotifications",
        /// Resumable streams.
        resumable: bool = "resumable",
    }
}

optional_object! {
    /// Tool support of an agent.
    ToolCapabilities {
        /// Tool calls.
        supported: bool = "supported",
        /// Tools of the agent itself.
        items: Vec<Tool> = "items",
        /// Parallel tool calls.
        parallel_calls: bool = "parallelCalls",
        /// Tools provided by the client.
        client_provided: bool = "clientProvided",
    }
}

optional_object! {
    /// Output formats of an agent.
    Output {
        /// Structured output.
        structured_output: bool = "structuredOutput",
        /// Supported media types.
        supported_mime_types: Vec<String> = "supportedMimeTypes",
    }
}

optional_object! {
    /// Shared state of an agent.
    StateCapabilities {
        /// State snapshots.
        snapshots: bool = "snapshots",
        /// State patches.
        deltas: bool = "deltas",
        /// Memory across runs.
        memory: bool = "memory",
        /// State that survives a restart.
        persistent_state: bool = "persistentState",
    }
}

optional_object! {
    /// Cooperation with other agents.
    MultiAgent {
        /// Supported at all.
        supported: bool = "supported",
        /// Delegation to subagents.
        delegation: bool = "delegation",
        /// Handoff to other agents.
        handoffs: bool = "handoffs",
        /// Available subagents.
        subagents: Vec<Subagent> = "subagents",
    }
}

typed_object! {
    /// Subagent that an agent may call.
    Subagent {
        /// Name.
        name: String = "name",
        /// Description of its purpose.
        description: Option<String> = "description",
    }
}

optional_object! {
    /// Reasoning output of an agent.
    ReasoningCapabilities {
        /// Supported at all.
        supported: bool = "supported",
        /// Streaming of reasoning.
        streaming: bool = "streaming",
        /// Encrypted reasoning.
        encrypted: bool = "encrypted",
    }
}

optional_object! {
    /// Media formats of an agent.
    Multimodal {
        /// Input formats.
        input: MultimodalInput = "input",
        /// Output formats.
        output: MultimodalOutput = "output",
    }
}

optional_object! {
    /// Media that an agent accepts.
    MultimodalInput {
        /// Images.
        image: bool = "image",
        /// Audio.
        audio: bool = "audio",
        /// Video.
        video: bool = "video",
        /// PDF documents.
        pdf: bool = "pdf",
        /// Other files.
        file: bool = "file",
    }
}

optional_object! {
    /// Media that an agent produces.
    MultimodalOutput {
        /// Images.
        image: bool = "image",
        /// Audio.
        audio: bool = "audio",
    }
}

optional_object! {
    /// Code execution of an agent.
    Execution {
        /// Supported at all.
        code_execution: bool = "codeExecution",
        /// Execution in a sandbox.
        sandboxed: bool = "sandboxed",
        /// Maximum number of steps.
        max_iterations: SafeCount = "maxIterations",
        /// Maximum execution time in milliseconds.
        max_execution_time: SafeCount = "maxExecutionTime",
    }
}

optional_object! {
    /// Human participation.
    HumanInTheLoop {
        /// Supported at all.
        supported: bool = "supported",
        /// Approvals.
        approvals: bool = "approvals",
        /// Interventions during a run.
        interventions: bool = "interventions",
        /// Feedback.
        feedback: bool = "feedback",
        /// Interrupts raised by the agent.
        interrupts: bool = "interrupts",
        /// Approvals with edits.
        approve_with_edits: bool = "approveWithEdits",
    }
}
