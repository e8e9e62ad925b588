import { useCanvasSettings } from "./CanvasSettings.js";
import type { CustomData } from "./types.js";

/** Component that the application registered under a name; without it, its fallback. */
export function CustomComponent({ data }: { data: CustomData }) {
  const { customComponents } = useCanvasSettings();
  const Registered =
    customComponents && Object.hasOwn(customComponents, data.name)
      ? customComponents[data.name]
      : undefined;
  if (Registered) return <Registered data={data} />;
  return (
    <article className="pincite-component" data-component="custom" aria-label={data.name}>
      <p dir="auto">{data.fallback}</p>
    </article>
  );
}
