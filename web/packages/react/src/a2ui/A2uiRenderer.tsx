import { useMemo, useState } from "react";
import { A2uiComponentView } from "./A2uiComponentView.js";
import { writePath } from "./dataModel.js";
import { SurfaceContext, type SurfaceContextValue } from "./SurfaceContext.js";
import { foldOperations } from "./surfaces.js";
import type { A2uiAction, A2uiSurfaceState } from "./types.js";

/** Properties of `A2uiRenderer`. */
export interface A2uiProps {
  /** Operations of A2UI 0.9 in their order, as `content.a2ui_operations` of an activity has them. */
  operations: readonly unknown[];
  /** Sends an action to the agent; without it, buttons are disabled. */
  onAction?: ((action: A2uiAction) => void) | undefined;
}

/**
 * Renders the surfaces that A2UI operations describe. Texts are never HTML, pictures of other hosts are loaded only
 * after a click, and no function of an agent is executed.
 */
export function A2uiRenderer({ operations, onAction }: A2uiProps) {
  const { surfaces, problems } = useMemo(() => foldOperations(operations), [operations]);
  return (
    <>
      {surfaces.map((surface) => (
        <SurfaceView key={surface.id} surface={surface} onAction={onAction} />
      ))}
      {problems.length > 0 && (
        <p role="status" className="pincite-a2ui-note">
          Part of this could not be shown: {problems[0]}
        </p>
      )}
    </>
  );
}

function SurfaceView({
  surface,
  onAction,
}: {
  surface: A2uiSurfaceState;
  onAction: A2uiProps["onAction"];
}) {
  const [edited, setEdited] = useState({ source: surface.data, data: surface.data });
  // New data of the agent replaces what a person entered.
  const data = edited.source === surface.data ? edited.data : surface.data;
  const value = useMemo<SurfaceContextValue>(
    () => ({
      surface: { ...surface, data },
      onInput: (path, entered) =>
        setEdited((current) => {
          const base = current.source === surface.data ? current.data : surface.data;
          return { source: surface.data, data: writePath(base, path, entered) };
        }),
      onEvent:
        onAction &&
        ((component, name, context) =>
          onAction({
            name,
            surfaceId: surface.id,
            sourceComponentId: component.id,
            context,
            timestamp: new Date().toISOString(),
          })),
    }),
    [surface, data, onAction],
  );
  return (
    <SurfaceContext.Provider value={value}>
      <section className="pincite-component pincite-a2ui" aria-label={`Surface ${surface.id}`}>
        {surface.components.has("root") ? (
          <A2uiComponentView id="root" scope={{ data, base: "" }} depth={0} />
        ) : (
          <p aria-busy="true">Waiting for content…</p>
        )}
      </section>
    </SurfaceContext.Provider>
  );
}
