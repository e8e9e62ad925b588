import type { Citation, PatchOperation, Verification, VerifyEvent } from "@pincite/client";
import type { SharedState } from "./sharedState.js";
import { add, countStatus, isSafeKey } from "./statePatches.js";
import { TextAccumulator } from "./textAccumulator.js";
import { EMPTY_SUMMARY, type MessageCitationState } from "./types.js";

/** Longest text that may begin a marker, a tag or a block, of which only the end has arrived yet. */
const TAIL_LENGTH = 32;

/** Ends of citations in the text: of the block of citation data, and of a citation tag. */
const CITATION_END = /<<<END_CITATION_DATA>>>|<\/cite>|\/>/g;

/** Limit on verifications of one message before its end. */
const MAX_EARLY_CHECKS = 8;

/** Message of the agent while it streams and is verified. */
export class MessageVerification {
  readonly id: string;
  private readonly shared: SharedState;
  private readonly buffer: TextAccumulator;
  private tail = "";
  private earlyChecks = 0;
  /** Last verification that was started; its result is an error message if it failed. */
  lastCheck: Promise<string | undefined> = Promise.resolve(undefined);
  /** Text that was verified, or is being verified. */
  private checkedText: string | undefined;
  /** Times at which markers were seen, by number. */
  private readonly seenAt = new Map<number, number>();

  constructor(id: string, shared: SharedState, maxBufferBytes: number) {
    this.id = id;
    this.shared = shared;
    this.buffer = new TextAccumulator(maxBufferBytes);
  }

  private get entry(): MessageCitationState {
    return this.shared.own.messages[this.id] as MessageCitationState;
  }

  private change(members: Partial<MessageCitationState>): PatchOperation[] {
    Object.assign(this.entry, members);
    return Object.entries(members).map(([name, value]) =>
      add(this.shared.pathOf("messages", this.id, name), value),
    );
  }

  /** Begins the message, without what was known about an earlier one with its id. */
  start(): PatchOperation[] {
    const entry: MessageCitationState = {
      messageId: this.id,
      citations: {},
      verifications: {},
      markers: {},
      summary: EMPTY_SUMMARY,
      status: "streaming",
    };
    this.shared.own.messages[this.id] = entry;
    return [add(this.shared.pathOf("messages", this.id), structuredClone(entry))];
  }

  /** Adds text. Returns the numbers of new markers, and true if citations are complete and can be verified. */
  append(delta: string, now: number): { numbers: number[]; isCitationComplete: boolean } {
    const isComplete = this.buffer.append(delta) && this.scan(delta);
    const numbers: number[] = [];
    for (const [, digits] of this.tail.matchAll(/\[(\d{1,6})\]/g)) {
      const number = Number(digits);
      if (!this.seenAt.has(number)) numbers.push(number);
      this.seenAt.set(number, this.seenAt.get(number) ?? now);
    }
    this.tail = this.tail.slice(-TAIL_LENGTH);
    const isCitationComplete = isComplete && this.earlyChecks < MAX_EARLY_CHECKS;
    return { numbers, isCitationComplete };
  }

  /** Adds text to the tail. Returns true if the end of a citation is in it. */
  private scan(delta: string): boolean {
    this.tail += delta;
    const known = this.tail.length - delta.length;
    for (const match of this.tail.matchAll(CITATION_END)) {
      if (match.index + match[0].length > known) return true;
    }
    return false;
  }

  /** Returns the text to verify now, or `undefined` if it was verified before. */
  nextText(isEnd: boolean): string | undefined {
    const text = this.buffer.text.trimEnd();
    if (text === this.checkedText || text === "") return undefined;
    if (!isEnd) this.earlyChecks += 1;
    this.checkedText = text;
    return text;
  }

  /** Changes the status. */
  setStatus(status: MessageCitationState["status"]): PatchOperation[] {
    return this.change({ status });
  }

  /** Ends the verification: with an error if one occurred, or if the text was too long. */
  finish(error: string | undefined): PatchOperation[] {
    const reason =
      error ?? (this.buffer.isFull ? "The answer is too long to be verified whole." : undefined);
    if (reason === undefined) return this.change({ status: "complete" });
    return this.change({ status: "error", error: reason });
  }

  /** Adds a result: the citation, its verification, its marker, and the summary. */
  addResult(result: VerifyEvent): PatchOperation[] {
    const { key } = result;
    if (!isSafeKey(key)) return [];
    const { shared } = this;
    const citation = result.citation as Citation;
    const verification = result.verification as Verification;
    const { entry } = this;
    const { citations, verifications } = entry;
    const before = Object.hasOwn(verifications, key) ? verifications[key]?.status : undefined;
    const number = citation.citationNumber;
    citations[key] = citation;
    verifications[key] = verification;
    entry.summary = countStatus(entry.summary, before, verification.status);
    if (number !== undefined && entry.markers) entry.markers[number] = key;
    shared.own.citations[key] = citation;
    shared.own.verifications[key] = verification;
    const at = (...segments: string[]) => shared.pathOf("messages", this.id, ...segments);
    return [
      add(shared.pathOf("citations", key), citation),
      add(at("citations", key), citation),
      ...(number === undefined ? [] : [add(at("markers", String(number)), key)]),
      add(shared.pathOf("verifications", key), verification),
      add(at("verifications", key), verification),
      add(at("summary"), entry.summary),
    ];
  }

  /** Returns the time from the first sight of a marker to now, in milliseconds. */
  timeSince(number: unknown, now: number): number | undefined {
    const seen = this.seenAt.get(number as number);
    return seen === undefined ? undefined : now - seen;
  }
}
