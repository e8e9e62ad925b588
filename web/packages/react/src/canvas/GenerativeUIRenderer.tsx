import { lazy, Suspense } from "react";
import { FailureBoundary, FallbackCard } from "./FallbackCard.js";
import { PlacedComponent } from "./PlacedComponent.js";
import { isComponentName, payloadProblem } from "./payloadProblem.js";
import type {
  ActionExecution,
  ActionHandler,
  ComponentDataMap,
  ComponentName,
  UIPayload,
} from "./types.js";

const DynamicChart = lazy(() => import("./chart/DynamicChart.js").then(named("DynamicChart")));
const DynamicTable = lazy(() => import("./table/DynamicTable.js").then(named("DynamicTable")));
const DynamicCard = lazy(() => import("./DynamicCard.js").then(named("DynamicCard")));
const DynamicForm = lazy(() => import("./form/DynamicForm.js").then(named("DynamicForm")));
const DynamicList = lazy(() => import("./DynamicList.js").then(named("DynamicList")));
const DynamicTimeline = lazy(() => import("./DynamicTimeline.js").then(named("DynamicTimeline")));
const DynamicCalendar = lazy(() =>
  import("./calendar/DynamicCalendar.js").then(named("DynamicCalendar")),
);
const DynamicKanban = lazy(() => import("./kanban/DynamicKanban.js").then(named("DynamicKanban")));
const DynamicMap = lazy(() => import("./map/DynamicMap.js").then(named("DynamicMap")));
const DynamicDiff = lazy(() => import("./DynamicDiff.js").then(named("DynamicDiff")));
const DynamicMarkdown = lazy(() => import("./DynamicMarkdown.js").then(named("DynamicMarkdown")));
const CustomComponent = lazy(() => import("./CustomComponent.js").then(named("CustomComponent")));

/** Makes a named export the default one, as `lazy` needs it. */
function named<N extends string>(name: N) {
  return <M extends Record<N, unknown>>(module: M): { default: M[N] } => ({
    default: module[name],
  });
}

/** Properties of `GenerativeUIRenderer`. */
export interface GenerativeUIProps {
  payload: UIPayload;
  /** Executes actions of the component; without it, its buttons are disabled. */
  onAction?: ActionHandler | undefined;
  /** Executions of the component's actions, the oldest first. */
  executions?: readonly ActionExecution[];
  /** True if the component has just arrived: a modal or sidebar then opens by itself. */
  isNew?: boolean;
}

/**
 * Renders a component that an agent sent. Its data is only ever shown as text, and nothing in it is executed. Components
 * that are not known or have wrong data are shown as a readable card.
 */
export function GenerativeUIRenderer({
  payload,
  onAction,
  executions = [],
  isNew = false,
}: GenerativeUIProps) {
  const problem = payloadProblem(payload);
  if (problem !== undefined || !isComponentName(payload.component)) {
    return <FallbackCard payload={payload} reason={problem ?? ""} />;
  }
  const { title } = payload.data as { title?: unknown };
  return (
    <FailureBoundary payload={payload}>
      <PlacedComponent
        layout={payload.layout}
        name={typeof title === "string" ? title : payload.component}
        isNew={isNew}
      >
        <Suspense fallback={<div className="pincite-component pincite-loading" aria-busy="true" />}>
          <ComponentByName
            name={payload.component}
            payload={payload}
            onAction={onAction}
            executions={executions}
          />
        </Suspense>
      </PlacedComponent>
    </FailureBoundary>
  );
}

function ComponentByName({
  name,
  payload,
  onAction,
  executions,
}: {
  name: ComponentName;
  payload: UIPayload;
  onAction: ActionHandler | undefined;
  executions: readonly ActionExecution[];
}) {
  const data = payload.data as never;
  const handler = onAction ? { onAction } : {};
  switch (name) {
    case "chart": {
      const height = pixels(payload.layout?.height);
      return <DynamicChart data={data} {...(height === undefined ? {} : { height })} />;
    }
    case "table":
      return <DynamicTable data={data} {...handler} />;
    case "card":
      return <DynamicCard data={data} executions={executions} {...handler} />;
    case "form": {
      const { onSubmitActionId } = payload.data as ComponentDataMap["form"];
      const execution = executions.findLast(({ actionId }) => actionId === onSubmitActionId);
      return <DynamicForm data={data} execution={execution} {...handler} />;
    }
    case "list":
      return <DynamicList data={data} />;
    case "timeline":
      return <DynamicTimeline data={data} />;
    case "calendar":
      return <DynamicCalendar data={data} />;
    case "kanban":
      return <DynamicKanban data={data} {...handler} />;
    case "map":
      return <DynamicMap data={data} />;
    case "diff":
      return <DynamicDiff data={data} />;
    case "markdown":
      return <DynamicMarkdown data={data} />;
    case "custom":
      return <CustomComponent data={data} />;
  }
}

/** Returns a height in pixels, within sensible bounds; other units are left to the style sheet. */
function pixels(height: string | undefined): number | undefined {
  const value = /^(\d+(?:\.\d+)?)px$/.exec(height ?? "")?.[1];
  return value === undefined ? undefined : Math.min(Math.max(Number(value), 120), 2_000);
}
