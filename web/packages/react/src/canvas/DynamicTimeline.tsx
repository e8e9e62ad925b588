import { useState } from "react";
import { useCanvasSettings } from "./CanvasSettings.js";
import { ComponentFrame } from "./ComponentFrame.js";
import { formatDate } from "./format.js";
import type { TimelineData } from "./types.js";

/** Events that are shown at first, and that are added. */
const STEP = 100;

/** Timeline of an agent. */
export function DynamicTimeline({ data }: { data: TimelineData }) {
  const { renderIcon } = useCanvasSettings();
  const [count, setCount] = useState(STEP);
  return (
    <ComponentFrame
      component="timeline"
      title={data.title}
      description={data.description}
      getRows={() => [
        ["Time", "Event", "Description"],
        ...data.events.map((event) => [event.timestamp, event.title, event.description ?? ""]),
      ]}
    >
      <ol className="pincite-timeline">
        {data.events.slice(0, count).map((event, position) => (
          <li key={position}>
            {event.icon !== undefined && (
              <span className="pincite-icon" aria-hidden="true">
                {renderIcon?.(event.icon)}
              </span>
            )}
            <span className="pincite-time">{timeText(event.timestamp)}</span>
            <strong dir="auto">{event.title}</strong>
            {event.description && <p dir="auto">{event.description}</p>}
          </li>
        ))}
      </ol>
      {data.events.length > count && (
        <button type="button" onClick={() => setCount(count + STEP)}>
          Show {Math.min(STEP, data.events.length - count)} more
        </button>
      )}
    </ComponentFrame>
  );
}

function timeText(timestamp: string | number): string {
  if (typeof timestamp === "string") return formatDate(timestamp);
  const date = new Date(timestamp);
  if (Number.isNaN(date.getTime())) return String(timestamp);
  return date.toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" });
}
