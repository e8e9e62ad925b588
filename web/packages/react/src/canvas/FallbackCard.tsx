import { Component, type ReactNode } from "react";
import type { UIPayload } from "./types.js";

/** Longest data that is shown, in characters. */
const MAX_DATA = 20_000;

/** Card for a component that cannot be shown: the reason and its data. */
export function FallbackCard({ payload, reason }: { payload: UIPayload; reason: string }) {
  const text = JSON.stringify(payload.data, null, 2) ?? "";
  return (
    <article
      className="pincite-component"
      data-component="fallback"
      aria-label="Component that cannot be shown"
    >
      <p>
        The agent sent a component <code>{String(payload.component).slice(0, 80)}</code>. {reason}
      </p>
      <details className="pincite-details">
        <summary>Data of the component</summary>
        <pre>{text.length > MAX_DATA ? `${text.slice(0, MAX_DATA)}…` : text}</pre>
      </details>
    </article>
  );
}

interface BoundaryState {
  /** Payload that the state is about. */
  payload: UIPayload | undefined;
  hasFailed: boolean;
}

/** Shows the fallback if a component fails, so that the rest of the page stays. */
export class FailureBoundary extends Component<
  { payload: UIPayload; children: ReactNode },
  BoundaryState
> {
  override state: BoundaryState = { payload: undefined, hasFailed: false };

  static getDerivedStateFromError(): Partial<BoundaryState> {
    return { hasFailed: true };
  }

  /** An update of the payload is a new attempt. */
  static getDerivedStateFromProps(
    props: { payload: UIPayload },
    state: BoundaryState,
  ): BoundaryState | null {
    if (props.payload === state.payload) return null;
    return { payload: props.payload, hasFailed: false };
  }

  override render(): ReactNode {
    const { payload, children } = this.props;
    if (!this.state.hasFailed) return children;
    return <FallbackCard payload={payload} reason="It has data that cannot be shown." />;
  }
}
