import type { Token, Tokens } from "marked";
import { createElement, type ReactNode } from "react";
import { InlineContent } from "./InlineContent.js";
import type { MarkdownParts } from "./Markdown.js";

/** Headings of an answer begin at this level, below those of the page. */
const FIRST_HEADING = 3;

/** Renders a block token. Unknown tokens, such as HTML, are shown as text. */
export function BlockContent({ token, parts }: { token: Token; parts: MarkdownParts }): ReactNode {
  switch (token.type) {
    case "space":
    case "def":
      return null;
    case "paragraph":
      return (
        <p dir="auto">
          <InlineContent tokens={token.tokens} parts={parts} />
        </p>
      );
    case "text":
      return token.tokens ? (
        <InlineContent tokens={token.tokens} parts={parts} />
      ) : (
        <InlineContent tokens={[token]} parts={parts} />
      );
    case "heading": {
      // Texts begin with a heading of the first or of the second level; both are the first below the page's.
      const { depth } = token as Tokens.Heading;
      const level = Math.min(6, FIRST_HEADING + Math.max(0, depth - 2));
      return createElement(
        `h${level}`,
        { dir: "auto" },
        <InlineContent tokens={token.tokens} parts={parts} />,
      );
    }
    case "blockquote":
      return (
        <blockquote>
          <Blocks tokens={token.tokens} parts={parts} />
        </blockquote>
      );
    case "list":
      return <List list={token as Tokens.List} parts={parts} />;
    case "table":
      return <Table table={token as Tokens.Table} parts={parts} />;
    case "code":
      return <Code code={token as Tokens.Code} parts={parts} />;
    case "hr":
      return <hr />;
    default:
      return <p dir="auto">{token.raw}</p>;
  }
}

function Blocks({ tokens = [], parts }: { tokens?: Token[] | undefined; parts: MarkdownParts }) {
  return tokens.map((token, position) => (
    <BlockContent key={position} token={token} parts={parts} />
  ));
}

function List({ list, parts }: { list: Tokens.List; parts: MarkdownParts }) {
  const items = list.items.map((item, position) => (
    <li key={position} dir="auto">
      {item.task && (
        <input type="checkbox" checked={item.checked ?? false} disabled aria-label={item.text} />
      )}
      <Blocks tokens={item.tokens} parts={parts} />
    </li>
  ));
  if (!list.ordered) return <ul>{items}</ul>;
  return <ol start={typeof list.start === "number" ? list.start : 1}>{items}</ol>;
}

function Table({ table, parts }: { table: Tokens.Table; parts: MarkdownParts }) {
  const cell = (cell: Tokens.TableCell) => <InlineContent tokens={cell.tokens} parts={parts} />;
  return (
    // A wide table scrolls inside its own region, which the keyboard reaches too.
    <div data-table="" tabIndex={0} role="group" aria-label="Table">
      <table>
        <thead>
          <tr>
            {table.header.map((header, position) => (
              <th key={position} scope="col" data-align={header.align ?? "left"}>
                {cell(header)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {table.rows.map((row, position) => (
            <tr key={position}>
              {row.map((data, column) => (
                <td key={column} data-align={data.align ?? "left"}>
                  {cell(data)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Code({ code, parts }: { code: Tokens.Code; parts: MarkdownParts }) {
  const language = code.lang?.split(/\s/, 1)[0] ?? "";
  return parts.renderCode ? (
    parts.renderCode(code.text, language)
  ) : (
    <pre>
      <code>{code.text}</code>
    </pre>
  );
}
