import type { Message } from "@pincite/client";
import { lazy, Suspense } from "react";
import { isRenderedActivity } from "../canvas/canvasMessage.js";
import { formatJson } from "../ui/format.js";
import styles from "./Steps.module.css";

const CanvasActivity = lazy(() => import("../canvas/CanvasActivity.js"));

/** Activity of an agent: a message of the canvas, or the data of an activity that the console has no own form for. */
export function Activity({ message }: { message: Message }) {
  if (isRenderedActivity(message)) {
    return (
      <Suspense fallback={<div aria-busy="true" />}>
        <CanvasActivity message={message} />
      </Suspense>
    );
  }
  return (
    <details className={`${styles.steps} ${styles.tool}`}>
      <summary>Activity {message.activityType}</summary>
      <pre>{formatJson(JSON.stringify(message.content))}</pre>
    </details>
  );
}
