/** Text of one message while it streams, up to a limit of bytes. */
export class TextAccumulator {
  private readonly parts: string[] = [];
  private readonly encoder = new TextEncoder();
  private readonly limit: number;
  private bytes = 0;
  /** True once text was rejected because the limit is reached. */
  isFull = false;

  constructor(limit: number) {
    this.limit = limit;
  }

  /** Adds text. Returns false, and keeps nothing of it, if it exceeds the limit. */
  append(delta: string): boolean {
    const size = this.encoder.encode(delta).length;
    this.isFull ||= this.bytes + size > this.limit;
    if (this.isFull) return false;
    this.bytes += size;
    this.parts.push(delta);
    return true;
  }

  /** Returns the text so far. */
  get text(): string {
    return this.parts.join("");
  }
}
