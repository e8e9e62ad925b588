import { describe, expect, it } from "vitest";
import { paramFields } from "../src/canvas/actionParams.js";
import { monthWeeks } from "../src/canvas/calendar/calendarDays.js";
import {
  linePath,
  stackSeries,
  thinPoints,
  valueAxis,
  valueRange,
} from "../src/canvas/chart/scales.js";
import { seriesColor } from "../src/canvas/colors.js";
import { diffWords } from "../src/canvas/diffWords.js";
import { fileName, toCsv } from "../src/canvas/export.js";
import { fieldError, formErrors, formParams, initialValues } from "../src/canvas/form/formRules.js";
import { asksForSecret } from "../src/canvas/form/secrets.js";
import { formatCell, formatPercent, labelFormat, parseDate } from "../src/canvas/format.js";
import { moveCard } from "../src/canvas/kanban/moveCard.js";
import { baseMap } from "../src/canvas/map/baseMap.js";
import { findCountry } from "../src/canvas/map/countries.js";
import { MAP_HEIGHT, MAP_WIDTH, project } from "../src/canvas/map/projection.js";
import { payloadProblem } from "../src/canvas/payloadProblem.js";
import { numericValue, TableModel } from "../src/canvas/table/tableModel.js";
import type { FormData, FormField, KanbanColumn } from "../src/canvas/types.js";

describe("axes", () => {
  it("has round ticks that contain the values", () => {
    expect(valueAxis(0, 15_000).ticks).toEqual([0, 5_000, 10_000, 15_000]);
    expect(valueAxis(0.1, 0.3).ticks.at(-1)).toBe(0.3);
    for (const [low, high] of [
      [-3, 17],
      [1e-9, 2e-9],
      [-1e12, 4e12],
      [5, 5],
      [0, 0],
    ] as const) {
      const axis = valueAxis(low, high);
      expect(axis.min).toBeLessThanOrEqual(low);
      expect(axis.max).toBeGreaterThanOrEqual(high);
      expect(axis.ticks.length).toBeGreaterThan(1);
      expect(axis.ticks.length).toBeLessThan(12);
    }
  });

  it("survives numbers that are none", () => {
    expect(valueAxis(Number.NaN, Number.POSITIVE_INFINITY)).toEqual({
      min: 0,
      max: 1,
      ticks: [0, 1],
    });
    expect(valueRange([], false)).toEqual([0, 1]);
    const broken = { label: "x", data: [Number.NaN, "7" as unknown as number, 2] };
    expect([...(stackSeries([broken], 3)[0]?.to ?? [])]).toEqual([0, 0, 2]);
  });

  it("stacks positive and negative values apart", () => {
    const [first, second, third] = stackSeries(
      [
        { label: "a", data: [1] },
        { label: "b", data: [-2] },
        { label: "c", data: [3] },
      ],
      1,
    );
    expect([first?.to[0], second?.from[0], second?.to[0], third?.from[0], third?.to[0]]).toEqual([
      1, 0, -2, 1, 4,
    ]);
  });

  it("thins long lines but keeps their peaks", () => {
    const points = Array.from(
      { length: 10_000 },
      (_, at) => [at / 20, at === 5_001 ? -9 : 1] as const,
    );
    const thinned = thinPoints(points, 500);
    expect(thinned.length).toBeLessThanOrEqual(1_001);
    expect(thinned.some(([, y]) => y === -9)).toBe(true);
    expect(
      linePath([
        [0, 1.26],
        [2, 3],
      ]),
    ).toBe("M0 1.3L2 3");
  });
});

describe("colours", () => {
  it("takes safe colours and replaces others by the palette", () => {
    expect(seriesColor("hsl(var(--chart-3))", 0)).toBe("var(--pincite-chart-3)");
    expect(seriesColor("#ff0000", 0)).toBe("#ff0000");
    for (const hostile of [
      "url(https://evil.example)",
      "red;background:url(x)",
      "expression(1)",
      7,
      null,
    ]) {
      expect(seriesColor(hostile, 1)).toBe("var(--pincite-chart-2)");
    }
    expect(seriesColor(undefined, 8)).toBe("var(--pincite-chart-1)");
  });
});

describe("formats", () => {
  it("formats cells by their type", () => {
    expect(formatCell(true, "boolean")).toBe("Yes");
    expect(formatCell(1234.5, "number")).toBe("1,234.5");
    expect(formatPercent(12.5)).toBe("12.5%");
    expect(formatCell("plain", "text")).toBe("plain");
    expect(formatCell("2026-12-01", "date")).toContain("2026");
    expect(formatCell({ a: 1 }, undefined)).toBe('{"a":1}');
  });

  it("reads days in the person's calendar", () => {
    expect(parseDate("2026-12-01")?.getDate()).toBe(1);
    expect(parseDate("next week")).toBeUndefined();
    expect(labelFormat(["2026-01", "2026-02"], undefined)("2026-01")).toBe("Jan 2026");
    expect(labelFormat(["Jan", "2026-02"], undefined)("2026-02")).toBe("2026-02");
  });

  it("shows whole weeks of a month", () => {
    const weeks = monthWeeks({ year: 2026, month: 1 }, 1);
    expect(weeks).toHaveLength(5);
    expect(weeks.every((week) => week.length === 7 && week[0]?.getDay() === 1)).toBe(true);
    expect(monthWeeks({ year: 2026, month: 1 }, 0)).toHaveLength(4);
  });
});

describe("tables", () => {
  const rows = [
    ["b", "$1,000", "2026-02-01"],
    ["a10", "$20", "2026-01-01"],
    ["a9", "-$5", ""],
  ];

  it("sorts texts, amounts and dates by value", () => {
    const model = new TableModel(rows, ["text", "currency", "date"]);
    const order = (column: number, direction: "ascending" | "descending") => [
      ...model.select("", { column, direction }),
    ];
    expect(order(0, "ascending")).toEqual([2, 1, 0]);
    expect(order(0, "descending")).toEqual([0, 1, 2]);
    expect(order(1, "ascending")).toEqual([2, 1, 0]);
    expect(order(2, "ascending")).toEqual([2, 1, 0]);
  });

  it("filters by all words, as stored and as shown", () => {
    const model = new TableModel(
      [
        ["Ada", 12_345],
        ["Bob", 7],
      ],
      ["text", "number"],
    );
    expect([...model.select("ada 12,3", undefined)]).toEqual([0]);
    expect([...model.select("12345", undefined)]).toEqual([0]);
    expect([...model.select("absent words", undefined)]).toEqual([]);
  });

  it("reads numbers in texts", () => {
    expect(numericValue("$10,000")).toBe(10_000);
    expect(numericValue("12 %")).toBe(12);
    expect(numericValue("-5 €")).toBe(-5);
    expect(numericValue("Berlin")).toBeUndefined();
    expect(numericValue("2026-01-01")).toBeUndefined();
  });

  it("keeps the order of equal rows", () => {
    const same = Array.from({ length: 100 }, () => ["x"]);
    const model = new TableModel(same);
    expect([...model.select("", { column: 0, direction: "descending" })]).toEqual(
      same.map((_, row) => row),
    );
  });
});

describe("forms", () => {
  const field = (part: Partial<FormField>): FormField => ({
    name: "x",
    label: "X",
    type: "text",
    ...part,
  });

  it("checks required fields, types, limits and patterns", () => {
    expect(fieldError(field({ required: true }), "")).toBe("A value is needed.");
    expect(fieldError(field({ type: "checkbox", required: true }), false)).toBe(
      "This must be checked.",
    );
    expect(fieldError(field({ type: "number" }), "1,5x")).toBe("This is not a number.");
    expect(fieldError(field({ type: "number", validation: { min: 2 } }), "1")).toBe("At least 2.");
    expect(fieldError(field({ validation: { maxLength: 2 } }), "😀😀")).toBeUndefined();
    expect(fieldError(field({ validation: { maxLength: 1 } }), "ab")).toBe("At most 1 characters.");
    expect(fieldError(field({ type: "email" }), "a@b")).toBe("This is not an e-mail address.");
    const coded = field({ validation: { pattern: "[A-Z]{2}", message: "Two capitals." } });
    expect(fieldError(coded, "DE")).toBeUndefined();
    expect(fieldError(coded, "DEU")).toBe("Two capitals.");
    expect(fieldError(field({ validation: { pattern: "(" } }), "x")).toBeUndefined();
    expect(fieldError(field({ type: "select", options: ["a"] }), "b")).toBe(
      "Choose one of the options.",
    );
  });

  it("checks comparisons between fields", () => {
    const form: FormData = {
      title: "t",
      onSubmitActionId: "go",
      fields: [field({ name: "from", type: "date" }), field({ name: "to", type: "date" })],
      checks: [{ field: "to", operator: "ge", other: "from", message: "Ends before it begins." }],
    };
    const values = { from: "2026-02-01", to: "2026-01-01" };
    expect(formErrors(form, values)).toEqual({ to: "Ends before it begins." });
    expect(formErrors(form, { ...values, to: "" })).toEqual({});
    expect(formErrors(form, { ...values, to: "2026-02-01" })).toEqual({});
  });

  it("sends numbers as numbers and leaves out empty fields", () => {
    const fields = [
      field({ name: "count", type: "number", defaultValue: 3 }),
      field({ name: "note" }),
      field({ name: "ok", type: "checkbox", defaultValue: true }),
      field({ name: "day", type: "date", defaultValue: "2026-12-01T10:00:00Z" }),
    ];
    const values = initialValues(fields);
    expect(values).toEqual({ count: "3", note: "", ok: true, day: "2026-12-01" });
    expect(formParams(fields, values)).toEqual({ count: 3, ok: true, day: "2026-12-01" });
  });

  it("finds fields that ask for secrets, as the server does", () => {
    for (const secret of [
      "Password",
      "apiKey",
      "api_key",
      "Card Number",
      "Your PIN code",
      "Пароль",
      "OTP",
    ]) {
      expect(asksForSecret(secret), secret).toBe(true);
    }
    for (const harmless of ["Passenger", "Option", "Postcode", "Company", "Key result"]) {
      expect(asksForSecret(harmless), harmless).toBe(false);
    }
  });

  it("makes fields of a JSON Schema", () => {
    const fields = paramFields(
      {
        type: "object",
        required: ["format"],
        properties: {
          format: { type: "string", enum: ["pdf", "csv"] },
          pages: { type: "integer", minimum: 1, maximum: 9, default: 2 },
        },
      },
      { format: "pdf" },
    );
    expect(fields).toMatchObject([
      {
        name: "format",
        type: "select",
        required: true,
        options: ["pdf", "csv"],
        defaultValue: "pdf",
      },
      { name: "pages", type: "number", defaultValue: 2, validation: { min: 1, max: 9 } },
    ]);
    expect(paramFields(undefined, {})).toEqual([]);
  });
});

describe("boards", () => {
  const card = (id: string) => ({ id, title: id });
  const board: KanbanColumn[] = [
    { id: "todo", title: "To do", cards: [card("a"), card("b")] },
    { id: "done", title: "Done", cards: [card("c")], limit: 1 },
    { id: "later", title: "Later", cards: [] },
  ];
  const ids = (columns: readonly KanbanColumn[] | undefined) =>
    columns?.map(({ cards }) => cards.map(({ id }) => id).join(""));

  it("moves cards within and between columns", () => {
    expect(ids(moveCard(board, "a", { column: 0, position: 1 }))).toEqual(["ba", "c", ""]);
    expect(ids(moveCard(board, "a", { column: 2, position: 0 }))).toEqual(["b", "c", "a"]);
  });

  it("refuses moves to nowhere, to a full column, and of unknown cards", () => {
    expect(moveCard(board, "a", { column: 1, position: 0 })).toBeUndefined();
    expect(moveCard(board, "a", { column: 0, position: 0 })).toBeUndefined();
    expect(moveCard(board, "a", { column: 9, position: 0 })).toBeUndefined();
    expect(moveCard(board, "z", { column: 0, position: 0 })).toBeUndefined();
  });
});

describe("maps", () => {
  it("places countries and points within the map", () => {
    expect(baseMap().length).toBeGreaterThan(170);
    expect(findCountry("DE")?.numeric).toBe("276");
    expect(findCountry("DEU")).toBe(findCountry("276"));
    expect(findCountry("XX")).toBeUndefined();
    const germany = baseMap().find(({ numeric }) => numeric === "276");
    const [x, y] = project(52.5, 13.4);
    const points = [...(germany?.path ?? "").matchAll(/[ML]([\d.]+) ([\d.]+)/g)];
    const xs = points.map((point) => Number(point[1]));
    const ys = points.map((point) => Number(point[2]));
    expect(x).toBeGreaterThan(Math.min(...xs));
    expect(x).toBeLessThan(Math.max(...xs));
    expect(y).toBeGreaterThan(Math.min(...ys));
    expect(y).toBeLessThan(Math.max(...ys));
    for (const [lat, lon] of [
      [84, -180],
      [-55, 180],
      [0, 0],
    ] as const) {
      const [px, py] = project(lat, lon);
      expect(px).toBeGreaterThanOrEqual(0);
      expect(px).toBeLessThanOrEqual(MAP_WIDTH);
      expect(py).toBeGreaterThanOrEqual(0);
      expect(py).toBeLessThanOrEqual(MAP_HEIGHT);
    }
  });
});

describe("exports", () => {
  it("writes CSV that spreadsheets do not execute", () => {
    expect(
      toCsv([
        ["a", 'say "hi"', 1],
        ["=1+1", "-5", "x,y"],
      ]),
    ).toBe('\uFEFFa,"say ""hi""",1\r\n\'=1+1,-5,"x,y"\r\n');
    expect(fileName("Revenue / 2026: “Q1”", "csv")).toBe("Revenue-2026-Q1.csv");
    expect(fileName("///", "png")).toBe("component.png");
  });

  it("marks words that differ", () => {
    expect(diffWords("born 1930 in Oslo", "born 1931 in Oslo")).toEqual([
      { kind: "same", text: "born " },
      { kind: "removed", text: "1930" },
      { kind: "added", text: "1931" },
      { kind: "same", text: " in Oslo" },
    ]);
    expect(diffWords("", "new")).toEqual([{ kind: "added", text: "new" }]);
    const long = "word ".repeat(5_000);
    expect(diffWords(long, `${long}x`).map(({ kind }) => kind)).toEqual(["removed", "added"]);
  });
});

describe("payloads", () => {
  it("says what is wrong with data that cannot be shown", () => {
    const problem = (component: string, data: unknown) => payloadProblem({ component, data });
    expect(
      problem("chart", { title: "t", chartType: "bar", labels: [], datasets: [] }),
    ).toBeUndefined();
    expect(problem("iframe", {})).toContain("not known");
    expect(problem("__proto__", {})).toContain("not known");
    expect(problem("table", { title: "t", headers: [] })).toContain('"rows"');
    expect(problem("markdown", null)).toContain("no data");
    let deep: unknown = 1;
    for (let level = 0; level < 40; level += 1) deep = [deep];
    expect(problem("card", { title: "t", content: deep })).toContain("too large");
  });
});
