import type { Token, Tokens } from "marked";
import { Fragment, type ReactNode } from "react";
import type { MarkdownParts } from "./Markdown.js";
import { safeHref } from "./safeHref.js";
import { splitMarkers } from "./splitMarkers.js";

/** Renders inline tokens. Markers inside code and links are not citations. */
export function InlineContent({
  tokens = [],
  parts,
}: {
  tokens?: Token[] | undefined;
  parts: MarkdownParts;
}): ReactNode {
  return tokens.map((token, position) => <Inline key={position} token={token} parts={parts} />);
}

function Inline({ token, parts }: { token: Token; parts: MarkdownParts }): ReactNode {
  switch (token.type) {
    case "strong":
      return (
        <strong>
          <InlineContent tokens={token.tokens} parts={parts} />
        </strong>
      );
    case "em":
      return (
        <em>
          <InlineContent tokens={token.tokens} parts={parts} />
        </em>
      );
    case "del":
      return (
        <del>
          <InlineContent tokens={token.tokens} parts={parts} />
        </del>
      );
    case "codespan":
      return <code>{(token as Tokens.Codespan).text}</code>;
    case "br":
      return <br />;
    case "link":
      return <SafeLink link={token as Tokens.Link} parts={parts} />;
    case "image": {
      // Images of other servers would tell them who reads the answer.
      const image = token as Tokens.Image;
      return <Anchor href={image.href}>{image.text || image.href}</Anchor>;
    }
    case "text":
      return token.tokens ? (
        <InlineContent tokens={token.tokens} parts={parts} />
      ) : (
        <TextWithMarkers text={(token as Tokens.Text).text} parts={parts} />
      );
    case "escape":
      return (token as Tokens.Escape).text;
    default:
      return token.raw;
  }
}

const NO_MARKERS = () => false;

function SafeLink({ link, parts }: { link: Tokens.Link; parts: MarkdownParts }) {
  return (
    <Anchor href={link.href}>
      <InlineContent tokens={link.tokens} parts={{ ...parts, isMarker: NO_MARKERS }} />
    </Anchor>
  );
}

/** Link to an address from an answer, or its text alone if the address is not safe. */
function Anchor({ href, children }: { href: string; children: ReactNode }) {
  const address = safeHref(href);
  if (address === undefined) return children;
  return (
    <a href={address} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
}

/** Longest end of a word that a marker is kept together with. */
const MAX_KEPT_LENGTH = 24;

/** Renders text; each marker stays on the line of the word before it. */
function TextWithMarkers({ text, parts }: { text: string; parts: MarkdownParts }) {
  const split = splitMarkers(text, parts.isMarker);
  return split.map((part, position) => {
    if (part.kind === "text") {
      const isBeforeMarker = split[position + 1]?.kind === "markers";
      return (
        <Fragment key={position}>{isBeforeMarker ? wordsBefore(part.text) : part.text}</Fragment>
      );
    }
    const before = split[position - 1];
    const word = before?.kind === "text" ? lastWord(before.text) : "";
    return (
      <span key={position} data-citation-group="">
        {word}
        {part.numbers.map((number) => (
          <Fragment key={number}>
            {"\u00a0"}
            {parts.renderMarker(number)}
          </Fragment>
        ))}
      </span>
    );
  });
}

function lastWord(text: string): string {
  const word = /\S+$/u.exec(text)?.[0] ?? "";
  return word.length <= MAX_KEPT_LENGTH ? word : "";
}

function wordsBefore(text: string): string {
  return text.slice(0, text.length - lastWord(text).length);
}
