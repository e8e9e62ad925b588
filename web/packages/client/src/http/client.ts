import type {
  AccessKeyInfo,
  AccessKeyList,
  AccessKeyRequest,
  AgentInfo,
  AgentList,
  CallerInfo,
  ChunkInfo,
  CitingAnswerList,
  CreatedAccessKey,
  DeletedThread,
  DocumentChangeRequest,
  DocumentInfo,
  DocumentInfoPage,
  EventPage,
  EvidenceInfo,
  LabelList,
  MessageJson,
  OutlineList,
  PageLines,
  ReviewInfo,
  ReviewRequest,
  RunAgentBody,
  RunInfoPage,
  SearchResultPage,
  ServerInfo,
  SessionInfo,
  SignedLink,
  StateJson,
  ThreadChangeRequest,
  ThreadInfo,
  ThreadInfoPage,
  ThreadTurn,
  UpstreamCheckInfo,
  UpstreamRequest,
  VerifyBody,
  VerifyEvent,
  VerifyResponse,
} from "../generated/api.js";
import { readServerSentEvents, type ServerSentEvent } from "../sse.js";
import { RequestError } from "./error.js";

/** Options of a `PinciteClient`. */
export interface ClientOptions {
  /** Address of the server; the origin of the page if absent. */
  baseUrl?: string;
  /** Headers of every request, such as `Authorization`. */
  headers?: () => Record<string, string>;
  /** Function used instead of the global `fetch`. */
  fetch?: typeof globalThis.fetch;
}

/** Values that become the query string; absent ones are left out. */
export type Query = Record<string, string | number | boolean | undefined>;

/** Options of one request. */
export interface RequestOptions {
  query?: Query;
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

/** Builds a path with escaped segments: `` path`/threads/${id}` ``. */
export function path(strings: TemplateStringsArray, ...values: (string | number)[]): string {
  return String.raw({ raw: strings }, ...values.map((value) => encodeURIComponent(value)));
}

/** Typed client of the HTTP API. Every method rejects with a `RequestError`. */
export class PinciteClient {
  private readonly baseUrl: string;
  private readonly headers: () => Record<string, string>;
  private readonly fetchFunction: typeof globalThis.fetch;

  constructor(options: ClientOptions = {}) {
    this.baseUrl = (options.baseUrl ?? "").replace(/\/+$/, "");
    this.headers = options.headers ?? (() => ({}));
    this.fetchFunction = options.fetch ?? globalThis.fetch.bind(globalThis);
  }

  /** Returns the address of a path, for links and images. */
  url(path: string, query: Query = {}): string {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (value !== undefined) parameters.set(name, String(value));
    }
    const text = parameters.toString();
    return `${this.baseUrl}${path}${text === "" ? "" : `?${text}`}`;
  }

  /** Sends a request and returns the successful response. */
  async send(method: string, path: string, options: RequestOptions = {}): Promise<Response> {
    const { query, body, signal } = options;
    const headers: Record<string, string> = { ...this.headers(), ...options.headers };
    const isForm = body instanceof FormData;
    if (body !== undefined && !isForm) headers["Content-Type"] = "application/json";
    let response: Response;
    try {
      response = await this.fetchFunction(this.url(path, query), {
        method,
        headers,
        credentials: "same-origin",
        ...(signal ? { signal } : {}),
        ...(body === undefined ? {} : { body: isForm ? body : JSON.stringify(body) }),
      });
    } catch (error) {
      if (signal?.aborted) throw error;
      throw RequestError.offline(error);
    }
    if (!response.ok) throw await RequestError.fromResponse(response);
    return response;
  }

  /** Sends a request and returns the JSON body of the response. */
  async json<T>(method: string, path: string, options: RequestOptions = {}): Promise<T> {
    const response = await this.send(method, path, options);
    return (await response.json()) as T;
  }

  /** Sends a request and yields the server-sent events of the response. */
  async *events(
    method: string,
    path: string,
    options: RequestOptions = {},
  ): AsyncGenerator<ServerSentEvent> {
    const headers = { ...options.headers, Accept: "text/event-stream" };
    const response = await this.send(method, path, { ...options, headers });
    if (response.body) yield* readServerSentEvents(response.body);
  }

  agents(signal?: AbortSignal): Promise<AgentList> {
    return this.json("GET", "/agents", { signal });
  }

  /** Adds an upstream agent, or changes one that was added. Needs the scope `admin`. */
  addUpstream(name: string, body: UpstreamRequest): Promise<AgentInfo> {
    return this.json("PUT", path`/agents/${name}`, { body });
  }

  async removeUpstream(name: string): Promise<void> {
    await this.send("DELETE", path`/agents/${name}`);
  }

  /** Sends an empty conversation to an upstream agent. Needs the scope `admin`. */
  checkUpstream(name: string): Promise<UpstreamCheckInfo> {
    return this.json("POST", path`/agents/${name}/check`);
  }

  /** Returns version, models, projections and storage of the server. */
  server(signal?: AbortSignal): Promise<ServerInfo> {
    return this.json("GET", "/server", { signal });
  }

  /** Lists the access keys of all principals. Needs the scope `admin`. */
  keys(signal?: AbortSignal): Promise<AccessKeyList> {
    return this.json("GET", "/keys", { signal });
  }

  createKey(body: AccessKeyRequest): Promise<CreatedAccessKey> {
    return this.json("POST", "/keys", { body });
  }

  revokeKey(id: string): Promise<AccessKeyInfo> {
    return this.json("DELETE", path`/keys/${id}`);
  }

  me(signal?: AbortSignal): Promise<CallerInfo> {
    return this.json("GET", "/me", { signal });
  }

  /** Runs an agent, or reconnects to a run if `lastEventId` is given. */
  runAgent(
    agent: string,
    body: RunAgentBody,
    options: { lastEventId?: string | undefined; signal?: AbortSignal } = {},
  ): AsyncGenerator<ServerSentEvent> {
    const { lastEventId, signal } = options;
    const headers = lastEventId === undefined ? {} : { "Last-Event-ID": lastEventId };
    return this.events("POST", path`/agents/${agent}`, { body, headers, signal });
  }

  threads(query: Query = {}, signal?: AbortSignal): Promise<ThreadInfoPage> {
    return this.json("GET", "/threads", { query, signal });
  }

  thread(id: string, signal?: AbortSignal): Promise<ThreadInfo> {
    return this.json("GET", path`/threads/${id}`, { signal });
  }

  changeThread(id: string, body: ThreadChangeRequest): Promise<ThreadInfo> {
    return this.json("PATCH", path`/threads/${id}`, { body });
  }

  deleteThread(id: string): Promise<DeletedThread> {
    return this.json("DELETE", path`/threads/${id}`);
  }

  threadMessages(id: string, signal?: AbortSignal): Promise<MessageJson[]> {
    return this.json("GET", path`/threads/${id}/messages`, { signal });
  }

  threadState(id: string, signal?: AbortSignal): Promise<StateJson> {
    return this.json("GET", path`/threads/${id}/state`, { signal });
  }

  /** Streams the events of a thread until no run is in progress. Without `after` it begins with snapshots. */
  threadEvents(
    id: string,
    options: { after?: number | undefined; signal?: AbortSignal } = {},
  ): AsyncGenerator<ServerSentEvent> {
    const { after, signal } = options;
    return this.events("GET", path`/threads/${id}/events`, {
      query: { after, live: false },
      signal,
    });
  }

  /** Returns a page of the logged events of a thread. */
  threadEventPage(id: string, after: number, limit: number): Promise<EventPage> {
    return this.json("GET", path`/threads/${id}/events`, {
      query: { after, limit },
      headers: { Accept: "application/json" },
    });
  }

  /** Lists the runs of a thread in the order in which they began. */
  runs(id: string, query: Query = {}): Promise<RunInfoPage> {
    return this.json("GET", path`/threads/${id}/runs`, { query });
  }

  /** Returns the sources of each turn. */
  turns(id: string, signal?: AbortSignal): Promise<ThreadTurn[]> {
    return this.json("GET", path`/threads/${id}/turns`, { signal });
  }

  async cancelRun(threadId: string): Promise<void> {
    await this.send("POST", path`/threads/${threadId}/cancel`);
  }

  documents(query: Query = {}, signal?: AbortSignal): Promise<DocumentInfoPage> {
    return this.json("GET", "/documents", { query, signal });
  }

  document(id: string, signal?: AbortSignal): Promise<DocumentInfo> {
    return this.json("GET", path`/documents/${id}`, { signal });
  }

  addDocument(file: File, signal?: AbortSignal): Promise<DocumentInfo> {
    const body = new FormData();
    body.set("file", file, file.name);
    return this.json("POST", "/documents", { body, signal });
  }

  addDocumentByUrl(url: string): Promise<DocumentInfo> {
    return this.json("POST", "/documents", { body: { url } });
  }

  async deleteDocument(id: string): Promise<void> {
    await this.send("DELETE", path`/documents/${id}`);
  }

  evidence(id: string, signal?: AbortSignal): Promise<EvidenceInfo> {
    return this.json("GET", path`/p/${id}`, { query: { format: "json" }, signal });
  }

  /** Describes the access of the browser; the request succeeds also if the browser must sign in. */
  session(signal?: AbortSignal): Promise<SessionInfo> {
    return this.json("GET", "/session", { signal });
  }

  /** Exchanges a key for a session cookie. */
  signIn(key: string): Promise<SessionInfo> {
    return this.json("POST", "/session", { body: { key } });
  }

  signOut(): Promise<SessionInfo> {
    return this.json("DELETE", "/session");
  }

  changeDocument(id: string, body: DocumentChangeRequest): Promise<DocumentInfo> {
    return this.json("PATCH", path`/documents/${id}`, { body });
  }

  /** Returns the lines of a page with their places. */
  pageText(id: string, page: number): Promise<PageLines> {
    return this.json("GET", path`/documents/${id}/text`, { query: { page } });
  }

  outline(id: string): Promise<OutlineList> {
    return this.json("GET", path`/documents/${id}/outline`);
  }

  /** Lists the answers that cite a document, or one of its pages. */
  citingAnswers(id: string, page?: number): Promise<CitingAnswerList> {
    return this.json("GET", path`/documents/${id}/citations`, { query: { page } });
  }

  /** Has a document read again from its file, in the background. */
  readAgain(id: string): Promise<DocumentInfo> {
    return this.json("POST", path`/documents/${id}/read`);
  }

  labels(signal?: AbortSignal): Promise<LabelList> {
    return this.json("GET", "/labels", { signal });
  }

  search(query: Query, signal?: AbortSignal): Promise<SearchResultPage> {
    return this.json("GET", "/search", { query, signal });
  }

  /** Returns a chunk, or the passage of a citation key, with its boxes on the pages. */
  chunk(id: string, signal?: AbortSignal): Promise<ChunkInfo> {
    return this.json("GET", path`/chunks/${id}`, { signal });
  }

  verify(body: VerifyBody, signal?: AbortSignal): Promise<VerifyResponse> {
    return this.json("POST", "/verify", { body, signal });
  }

  /** Verifies the citations of an answer, or single citations, and yields each result as soon as it is known. */
  async *verifyEach(body: VerifyBody, signal?: AbortSignal): AsyncGenerator<VerifyEvent> {
    for await (const { event, data } of this.events("POST", "/verify", { body, signal })) {
      if (event !== "end") yield JSON.parse(data) as VerifyEvent;
    }
  }

  addReview(key: string, body: ReviewRequest): Promise<ReviewInfo> {
    return this.json("POST", path`/citations/${key}/reviews`, { body });
  }

  createEvidenceLink(evidenceId: string): Promise<SignedLink> {
    return this.json("POST", path`/p/${evidenceId}/links`, { body: {} });
  }
}
