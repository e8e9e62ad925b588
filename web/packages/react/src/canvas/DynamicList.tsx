import { useState } from "react";
import { safeHref } from "../markdown/safeHref.js";
import { useCanvasSettings } from "./CanvasSettings.js";
import { ComponentFrame } from "./ComponentFrame.js";
import type { ListData } from "./types.js";

/** Items that are shown at first, and that are added. */
const STEP = 100;

/** List of an agent. */
export function DynamicList({ data }: { data: ListData }) {
  const { renderIcon } = useCanvasSettings();
  const [count, setCount] = useState(STEP);
  return (
    <ComponentFrame
      component="list"
      title={data.title}
      description={data.description}
      getRows={() => [
        ["Item", "Description", "Address"],
        ...data.items.map((item) => [item.label, item.description ?? "", item.url ?? ""]),
      ]}
    >
      <ul className="pincite-list">
        {data.items.slice(0, count).map((item, position) => (
          <li key={position}>
            <span className="pincite-icon" aria-hidden="true">
              {(item.icon !== undefined && renderIcon?.(item.icon)) || "•"}
            </span>
            <div>
              <ItemLabel label={item.label} url={item.url} />
              {item.description && <p dir="auto">{item.description}</p>}
            </div>
          </li>
        ))}
      </ul>
      {data.items.length > count && (
        <button type="button" onClick={() => setCount(count + STEP)}>
          Show {Math.min(STEP, data.items.length - count)} more
        </button>
      )}
    </ComponentFrame>
  );
}

/** Label of an item; a link only if its address may be opened, which only the person does. */
function ItemLabel({ label, url }: { label: string; url: string | undefined }) {
  const href = url === undefined ? undefined : safeHref(url);
  if (href === undefined) return <span dir="auto">{label}</span>;
  return (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow" dir="auto">
      {label}
    </a>
  );
}
