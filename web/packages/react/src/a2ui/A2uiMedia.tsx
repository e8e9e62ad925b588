import { useState } from "react";
import { safeHref } from "../markdown/safeHref.js";
import { type DataScope, textOf } from "./resolve.js";
import type { A2uiComponent } from "./types.js";

interface MediaProps {
  component: A2uiComponent;
  scope: DataScope;
}

/** Picture of another host. It is loaded only after the person agrees, since loading tells that host who reads. */
export function A2uiImage({ component, scope }: MediaProps) {
  const [state, setState] = useState<"asked" | "shown" | "failed">("asked");
  const description = textOf(component.description, scope);
  const href = safeHref(textOf(component.url, scope));
  if (href === undefined) return <p data-variant="caption">[picture] {description}</p>;
  const host = hostOf(href);
  if (state === "shown") {
    return (
      <img
        className="pincite-a2ui-image"
        data-variant={component.variant}
        data-fit={component.fit}
        src={href}
        alt={description}
        referrerPolicy="no-referrer"
        onError={() => setState("failed")}
      />
    );
  }
  return (
    <p className="pincite-a2ui-consent">
      {description !== "" && <span>{description} </span>}
      {state === "asked" ? (
        <button type="button" onClick={() => setState("shown")}>
          Load picture from {host}
        </button>
      ) : (
        <a href={href} target="_blank" rel="noreferrer noopener">
          Open picture at {host}
        </a>
      )}
    </p>
  );
}

/** Film or sound, as a link. */
export function A2uiMediaLink({ component, scope }: MediaProps) {
  const href = safeHref(textOf(component.url, scope));
  const kind = component.component === "Video" ? "film" : "sound";
  const name = textOf(component.description, scope) || `Open ${kind}`;
  if (href === undefined) return <p data-variant="caption">{name}</p>;
  return (
    <a href={href} target="_blank" rel="noreferrer noopener">
      {name} ({hostOf(href)})
    </a>
  );
}

function hostOf(href: string): string {
  return URL.parse(href)?.host ?? href;
}
