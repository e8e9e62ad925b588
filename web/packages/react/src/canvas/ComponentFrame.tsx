import { type ReactNode, useEffect, useId, useRef, useState } from "react";
import { fileName, printElement, saveFile, toCsv, toPng, toSvgText } from "./export.js";

/** Frame of a component: title, description, and a menu to save, enlarge and print it. */
export function ComponentFrame({
  component,
  title,
  description,
  getRows,
  hasPicture = false,
  children,
}: {
  component: string;
  title: string | undefined;
  description?: string | undefined;
  /** Returns the data as rows, the headers first; without it there is no CSV. */
  getRows?: () => readonly (readonly unknown[])[];
  /** True if the content contains one SVG element with the class `pincite-picture`, which can be saved. */
  hasPicture?: boolean;
  children: ReactNode;
}) {
  const frame = useRef<HTMLElement>(null);
  const heading = useId();
  const name = title === undefined || title === "" ? component : title;
  return (
    <article
      ref={frame}
      className="pincite-component"
      data-component={component}
      aria-labelledby={heading}
    >
      <header className="pincite-head">
        <div>
          <h2 id={heading} dir="auto" className={title ? undefined : "pincite-hidden"}>
            {name}
          </h2>
          {description && <p dir="auto">{description}</p>}
        </div>
        <FrameMenu frame={frame} name={name} getRows={getRows} hasPicture={hasPicture} />
      </header>
      {children}
    </article>
  );
}

function FrameMenu({
  frame,
  name,
  getRows,
  hasPicture,
}: {
  frame: React.RefObject<HTMLElement | null>;
  name: string;
  getRows: (() => readonly (readonly unknown[])[]) | undefined;
  hasPicture: boolean;
}) {
  const menu = useRef<HTMLDetailsElement>(null);
  const [problem, setProblem] = useState<string>();
  useCloseOutside(menu);
  const run = (action: (element: HTMLElement) => void | Promise<void>) => async () => {
    setProblem(undefined);
    if (menu.current) menu.current.open = false;
    menu.current?.querySelector("summary")?.focus();
    try {
      if (frame.current) await action(frame.current);
    } catch (error) {
      setProblem(`This did not work: ${(error as Error).message}`);
    }
  };
  const picture = (element: HTMLElement) => {
    const svg = element.querySelector<SVGSVGElement>("svg.pincite-picture");
    if (!svg) throw new Error("there is no picture to save.");
    return svg;
  };
  return (
    <details ref={menu} className="pincite-menu">
      <summary aria-label={`Save, enlarge or print ${name}`}>
        <span aria-hidden="true">⋯</span>
      </summary>
      <div className="pincite-menu-items">
        {hasPicture && (
          <>
            <button
              type="button"
              onClick={run(async (element) =>
                saveFile(fileName(name, "png"), await toPng(picture(element))),
              )}
            >
              Save as PNG
            </button>
            <button
              type="button"
              onClick={run((element) =>
                saveFile(
                  fileName(name, "svg"),
                  new Blob([toSvgText(picture(element))], { type: "image/svg+xml" }),
                ),
              )}
            >
              Save as SVG
            </button>
          </>
        )}
        {getRows && (
          <button
            type="button"
            onClick={run(() =>
              saveFile(fileName(name, "csv"), new Blob([toCsv(getRows())], { type: "text/csv" })),
            )}
          >
            Save as CSV
          </button>
        )}
        {typeof document !== "undefined" && document.fullscreenEnabled && (
          <button type="button" onClick={run(toggleFullScreen)}>
            Full screen
          </button>
        )}
        <button type="button" onClick={run(printElement)}>
          Print
        </button>
      </div>
      {problem && <p role="alert">{problem}</p>}
    </details>
  );
}

async function toggleFullScreen(element: HTMLElement): Promise<void> {
  if (document.fullscreenElement === element) await document.exitFullscreen();
  else await element.requestFullscreen();
}

/** Closes an open menu on Escape and on a click elsewhere. */
function useCloseOutside(menu: React.RefObject<HTMLDetailsElement | null>): void {
  useEffect(() => {
    const close = (event: Event) => {
      const element = menu.current;
      if (!element?.open) return;
      if (event instanceof KeyboardEvent) {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        element.querySelector("summary")?.focus();
      } else if (element.contains(event.target as Node)) return;
      element.open = false;
    };
    document.addEventListener("pointerdown", close);
    document.addEventListener("keydown", close, true);
    return () => {
      document.removeEventListener("pointerdown", close);
      document.removeEventListener("keydown", close, true);
    };
  }, [menu]);
}
