import type { ReactElement } from "react";
import { useCanvasSettings } from "../canvas/CanvasSettings.js";
import { PLAIN_PARTS } from "../canvas/plainParts.js";
import { Markdown } from "../markdown/Markdown.js";
import { A2uiButton } from "./A2uiButton.js";
import { A2uiChoicePicker } from "./A2uiChoicePicker.js";
import { A2uiCheckBox, A2uiDateTimeInput, A2uiSlider, A2uiTextField } from "./A2uiInputs.js";
import { A2uiImage, A2uiMediaLink } from "./A2uiMedia.js";
import { A2uiModal, A2uiTabs } from "./A2uiPanels.js";
import { childrenOf, type DataScope, textOf } from "./resolve.js";
import { useSurface } from "./SurfaceContext.js";
import { type A2uiComponent, isRecord } from "./types.js";

/** Deepest component that is rendered; cycles end there as well. */
export const MAX_COMPONENT_DEPTH = 32;

/** Properties of the view of one component. */
export interface ComponentViewProps {
  component: A2uiComponent;
  scope: DataScope;
  /** Renders the children of a property. */
  renderChildren: (value: unknown) => ReactElement[];
}

/** Renders the component of an id. A child that has not arrived is a placeholder. */
export function A2uiComponentView({
  id,
  scope,
  depth,
}: {
  id: string;
  scope: DataScope;
  depth: number;
}) {
  const { surface } = useSurface();
  const component = surface.components.get(id);
  if (depth > MAX_COMPONENT_DEPTH) return <p>Deeper parts are not shown.</p>;
  if (!component) return <span aria-busy="true" className="pincite-a2ui-pending" />;
  const renderChildren = (value: unknown) =>
    childrenOf(value, scope).map((child) => (
      <A2uiComponentView key={child.key} id={child.id} scope={child.scope} depth={depth + 1} />
    ));
  const props = { component, scope, renderChildren };
  const label = isRecord(component.accessibility)
    ? textOf(component.accessibility.label, scope)
    : "";
  return label === "" ? (
    <ViewByName {...props} />
  ) : (
    <div role="group" aria-label={label} className="pincite-a2ui-labelled">
      <ViewByName {...props} />
    </div>
  );
}

function ViewByName(props: ComponentViewProps) {
  const { component, scope, renderChildren } = props;
  switch (component.component) {
    case "Text":
      return <TextView component={component} scope={scope} />;
    case "Image":
      return <A2uiImage component={component} scope={scope} />;
    case "Icon":
      return <IconView name={textOf(component.name, scope)} />;
    case "Video":
    case "AudioPlayer":
      return <A2uiMediaLink component={component} scope={scope} />;
    case "Row":
    case "Column":
      return (
        <div
          className={`pincite-a2ui-${component.component.toLowerCase()}`}
          data-justify={component.justify}
          data-align={component.align}
        >
          {renderChildren(component.children)}
        </div>
      );
    case "List":
      return <ListView {...props} />;
    case "Card":
      return <div className="pincite-a2ui-card">{renderChildren(component.child)}</div>;
    case "Tabs":
      return <A2uiTabs {...props} />;
    case "Modal":
      return <A2uiModal {...props} />;
    case "Divider":
      return <hr data-axis={component.axis} />;
    case "Button":
      return <A2uiButton {...props} />;
    case "TextField":
      return <A2uiTextField {...props} />;
    case "CheckBox":
      return <A2uiCheckBox {...props} />;
    case "ChoicePicker":
      return <A2uiChoicePicker {...props} />;
    case "Slider":
      return <A2uiSlider {...props} />;
    case "DateTimeInput":
      return <A2uiDateTimeInput {...props} />;
    default:
      return <UnknownView component={component} />;
  }
}

function TextView({ component, scope }: { component: A2uiComponent; scope: DataScope }) {
  const text = textOf(component.text, scope);
  const variant = String(component.variant ?? "body");
  if (/^h[1-5]$/.test(variant)) return <h2 data-variant={variant}>{text}</h2>;
  if (variant === "caption") return <p data-variant="caption">{text}</p>;
  return <Markdown text={text} parts={PLAIN_PARTS} />;
}

function IconView({ name }: { name: string }) {
  const { renderIcon } = useCanvasSettings();
  const kebab = name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const icon = renderIcon?.(kebab);
  return <span className="pincite-a2ui-icon">{icon ?? name.replaceAll(/([A-Z])/g, " $1")}</span>;
}

function ListView({ component, renderChildren }: ComponentViewProps) {
  return (
    <ul className="pincite-a2ui-list" data-direction={component.direction}>
      {renderChildren(component.children).map((child) => (
        <li key={child.key}>{child}</li>
      ))}
    </ul>
  );
}

/** Component of another catalog or version, as data that people can read. */
function UnknownView({ component }: { component: A2uiComponent }) {
  const { id, component: name, ...properties } = component;
  return (
    <details className="pincite-a2ui-card">
      <summary>{name}: this component is not known here</summary>
      <pre>{JSON.stringify(properties, undefined, 2)}</pre>
    </details>
  );
}
