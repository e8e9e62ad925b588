import { safeHref } from "../markdown/safeHref.js";
import type { ComponentViewProps } from "./A2uiComponentView.js";
import { failedCheck } from "./checks.js";
import { resolve, textOf } from "./resolve.js";
import { useSurface } from "./SurfaceContext.js";
import { isRecord } from "./types.js";

/** Button: sends an event to the agent, or is a link that the person opens. */
export function A2uiButton({ component, scope, renderChildren }: ComponentViewProps) {
  const { onEvent } = useSurface();
  const action = isRecord(component.action) ? component.action : {};
  const problem = failedCheck(component.checks, scope);
  const call = isRecord(action.functionCall) ? action.functionCall : undefined;
  const label = renderChildren(component.child);
  if (call?.call === "openUrl" && isRecord(call.args)) {
    const href = safeHref(textOf(call.args.url, scope));
    return href === undefined ? (
      <span className="pincite-a2ui-button">{label}</span>
    ) : (
      <a className="pincite-a2ui-button" href={href} target="_blank" rel="noreferrer noopener">
        {label}
      </a>
    );
  }
  const event = isRecord(action.event) ? action.event : undefined;
  const send = () => {
    const context = isRecord(event?.context) ? event.context : {};
    const entries = Object.entries(context).map(([key, value]) => [key, resolve(value, scope)]);
    onEvent?.(component, String(event?.name), Object.fromEntries(entries));
  };
  return (
    <>
      <button
        type="button"
        className="pincite-a2ui-button"
        data-variant={component.variant}
        disabled={!onEvent || !event || problem !== undefined}
        onClick={send}
      >
        {label}
      </button>
      {problem !== undefined && <p className="pincite-a2ui-note">{problem}</p>}
    </>
  );
}
