// biome-ignore-all lint/suspicious/noTemplateCurlyInString: templates of A2UI are written like this
/** Longest template, in characters. */
const MAX_LENGTH = 10_000;
/** Most parts of one template. */
const MAX_PARTS = 1_000;
/** Deepest nesting of expressions. */
const MAX_DEPTH = 100;

/** Template of `formatString` that cannot be read. */
export class ExpressionError extends Error {}

/**
 * Divides a template into parts: literal values, bindings `{path}` and calls `{call, args}`. Throws an
 * `ExpressionError`.
 */
export function parseTemplate(template: string): unknown[] {
  if (template.length > MAX_LENGTH) throw new ExpressionError("the template is too long");
  const scanner = new TemplateScanner(template);
  const parts: unknown[] = [];
  let text = "";
  const pushText = () => {
    if (text !== "") parts.push(text);
    text = "";
  };
  while (!scanner.isAtEnd) {
    if (scanner.take("${")) {
      pushText();
      const part = parseWhole(scanner.expressionText(), 1);
      if (part !== "") parts.push(part);
    } else if (scanner.take("\\${")) text += "${";
    else text += scanner.advance();
    if (parts.length >= MAX_PARTS) throw new ExpressionError("the template has too many parts");
  }
  pushText();
  return parts;
}

function parseWhole(text: string, depth: number): unknown {
  const scanner = new TemplateScanner(text.trim());
  const value = parseExpression(scanner, depth);
  if (!scanner.isAtEnd) throw new ExpressionError(`unexpected characters: ${scanner.rest}`);
  return value;
}

function parseExpression(scanner: TemplateScanner, depth: number): unknown {
  if (depth > MAX_DEPTH) throw new ExpressionError("expressions are nested too deeply");
  scanner.skipSpace();
  if (scanner.take("${")) return parseWhole(scanner.expressionText(), depth + 1);
  const quote = scanner.match(/['"]/y);
  if (quote !== undefined) return scanner.stringLiteral(quote);
  const number = scanner.match(/[+-]?(?=[0-9]|\.[0-9])[0-9.]*(?:[eE][+-]?[0-9]*)?/y);
  if (number !== undefined) return parseNumber(number);
  const word = scanner.match(/(?:true|false|null)(?![\p{L}\p{N}_])/uy);
  if (word !== undefined) return word === "null" ? "" : word === "true";
  const name = scanner.match(/[\p{L}\p{N}_/.-]+/uy) ?? "";
  scanner.skipSpace();
  if (scanner.take("(")) return parseCall(name, scanner, depth);
  return name === "" ? "" : { path: name };
}

function parseCall(call: string, scanner: TemplateScanner, depth: number): unknown {
  const args: Record<string, unknown> = {};
  scanner.skipSpace();
  while (!scanner.isAtEnd && !scanner.startsWith(")")) {
    const name = scanner.match(/[\p{L}\p{N}_]+/uy) ?? "";
    scanner.skipSpace();
    if (!scanner.take(":")) throw new ExpressionError(`":" is missing after "${name}"`);
    args[name] = parseExpression(scanner, depth + 1);
    scanner.skipSpace();
    scanner.take(",");
    scanner.skipSpace();
  }
  if (!scanner.take(")")) throw new ExpressionError(`")" is missing after "${call}"`);
  return { call, args };
}

function parseNumber(text: string): number {
  const valid = /^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(text);
  const number = Number(text);
  if (!valid || !Number.isFinite(number)) throw new ExpressionError(`${text} is not a number`);
  return number;
}

class TemplateScanner {
  private position = 0;

  constructor(private readonly text: string) {}

  get isAtEnd(): boolean {
    return this.position >= this.text.length;
  }

  get rest(): string {
    return this.text.slice(this.position);
  }

  startsWith(expected: string): boolean {
    return this.text.startsWith(expected, this.position);
  }

  take(expected: string): boolean {
    const found = this.startsWith(expected);
    if (found) this.position += expected.length;
    return found;
  }

  advance(): string {
    return this.text.charAt(this.position++);
  }

  /** Takes what a sticky pattern matches here. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0];
    if (!found) return undefined;
    this.position += found.length;
    return found;
  }

  skipSpace(): void {
    this.match(/\s+/y);
  }

  /** Characters up to the brace that closes an expression; braces inside quotation marks do not count. */
  expressionText(): string {
    const start = this.position;
    for (let open = 1; !this.isAtEnd; ) {
      const character = this.advance();
      if (character === "{") open += 1;
      else if (character === "}") open -= 1;
      else if (character === "'" || character === '"') this.stringLiteral(character);
      if (open === 0) return this.text.slice(start, this.position - 1);
    }
    throw new ExpressionError('"}" is missing');
  }

  /** Text up to the closing quotation mark, whose opening mark was read. */
  stringLiteral(quote: string): string {
    let text = "";
    while (!this.isAtEnd) {
      const character = this.advance();
      if (character === quote) break;
      text += character === "\\" ? escapedCharacter(this.advance()) : character;
    }
    return text;
  }
}

function escapedCharacter(character: string): string {
  return { n: "\n", t: "\t", r: "\r" }[character] ?? character;
}
