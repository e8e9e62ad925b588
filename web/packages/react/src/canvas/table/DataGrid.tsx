import { useMemo, useState } from "react";
import { formatCell, formatNumber } from "../format.js";
import type { CellKind, CellValue } from "../types.js";
import { numericValue, type SortOrder, TableModel } from "./tableModel.js";

/** Rows of a page unless the agent says otherwise. */
const DEFAULT_PAGE_SIZE = 50;

/** Content of a grid. */
export interface GridData {
  headers: readonly string[];
  rows: readonly (readonly CellValue[])[];
  columnTypes?: readonly CellKind[] | undefined;
  totals?: readonly CellValue[] | undefined;
}

/** Page that the person asks the agent for. */
export interface PageQuery {
  page: number;
  pageSize: number;
  sort?: { column: string; direction: SortOrder["direction"] };
  filter?: string;
}

/** Table with sorting, filter and pages. With `remote` the rows are one page, and others come from the agent. */
export function DataGrid({
  label,
  data,
  isSortable,
  isFilterable,
  pageSize = DEFAULT_PAGE_SIZE,
  firstPage = 1,
  remote,
}: {
  /** Accessible name. */
  label: string;
  data: GridData;
  isSortable: boolean;
  isFilterable: boolean;
  pageSize?: number;
  firstPage?: number;
  remote?: { totalPages: number; onQuery: (query: PageQuery) => void } | undefined;
}) {
  const [order, setOrder] = useState<SortOrder>();
  const [filter, setFilter] = useState("");
  const [chosenPage, setPage] = useState(firstPage);
  const model = useMemo(
    () => new TableModel(data.rows, data.columnTypes),
    [data.rows, data.columnTypes],
  );
  const selected = useMemo(
    () => model.select(remote ? "" : filter, remote ? undefined : order),
    [model, filter, order, remote],
  );
  const pageCount = remote?.totalPages ?? Math.max(1, Math.ceil(selected.length / pageSize));
  const page = Math.min(Math.max(1, remote ? firstPage : chosenPage), pageCount);
  const shown = remote ? selected : selected.subarray((page - 1) * pageSize, page * pageSize);

  const query = (change: { page?: number; order?: SortOrder | undefined; filter?: string }) => {
    const next = { order, filter, page: 1, ...change };
    setOrder(next.order);
    setFilter(next.filter);
    setPage(next.page);
    const column = next.order === undefined ? undefined : data.headers[next.order.column];
    remote?.onQuery({
      page: next.page,
      pageSize,
      ...(next.order && column !== undefined
        ? { sort: { column, direction: next.order.direction } }
        : {}),
      ...(next.filter === "" ? {} : { filter: next.filter }),
    });
  };
  return (
    <div className="pincite-grid">
      {isFilterable && (
        <GridFilter
          label={label}
          value={filter}
          isRemote={remote !== undefined}
          onChange={(next) => query({ filter: next })}
        />
      )}
      <section className="pincite-scroll" tabIndex={0} aria-label={`Rows of ${label}`}>
        <table>
          <GridHead
            data={data}
            order={order}
            onSort={isSortable ? (next) => query({ order: next }) : undefined}
          />
          <tbody>
            {Array.from(shown, (position) => (
              <GridRow key={position} cells={data.rows[position] ?? []} kinds={data.columnTypes} />
            ))}
          </tbody>
          {data.totals && (
            <tfoot>
              <GridRow cells={data.totals} kinds={data.columnTypes} />
            </tfoot>
          )}
        </table>
      </section>
      <GridPages
        label={label}
        page={page}
        pageCount={pageCount}
        text={
          remote
            ? `Page ${formatNumber(page)} of ${formatNumber(pageCount)}`
            : rangeText(page, pageSize, selected.length, data.rows.length)
        }
        onPage={(next) => query({ page: next })}
      />
    </div>
  );
}

function rangeText(page: number, pageSize: number, count: number, total: number): string {
  if (count === 0) return total === 0 ? "No rows" : "No row contains this";
  const first = (page - 1) * pageSize + 1;
  const last = Math.min(page * pageSize, count);
  const of = count === total ? "" : `, ${formatNumber(total)} in all`;
  return `${formatNumber(first)}–${formatNumber(last)} of ${formatNumber(count)}${of}`;
}

/** Field with the filter. An agent that pages is asked when the person presses Enter. */
function GridFilter({
  label,
  value,
  isRemote,
  onChange,
}: {
  label: string;
  value: string;
  isRemote: boolean;
  onChange: (value: string) => void;
}) {
  const [draft, setDraft] = useState(value);
  return (
    <input
      type="search"
      className="pincite-filter"
      aria-label={`Filter ${label}`}
      placeholder={isRemote ? "Filter, then Enter" : "Filter"}
      value={draft}
      onChange={(event) => {
        setDraft(event.target.value);
        if (!isRemote) onChange(event.target.value);
      }}
      onKeyDown={(event) => {
        if (isRemote && event.key === "Enter") onChange(draft);
      }}
    />
  );
}

function GridHead({
  data,
  order,
  onSort,
}: {
  data: GridData;
  order: SortOrder | undefined;
  onSort: ((order: SortOrder) => void) | undefined;
}) {
  return (
    <thead>
      <tr>
        {data.headers.map((header, column) => {
          const isSorted = order?.column === column;
          const direction =
            isSorted && order.direction === "ascending" ? "descending" : "ascending";
          return (
            <th
              key={column}
              scope="col"
              data-align={isNumeric(data, column) ? "end" : undefined}
              aria-sort={isSorted ? order.direction : undefined}
            >
              {onSort ? (
                <button type="button" onClick={() => onSort({ column, direction })}>
                  {header}
                  <span aria-hidden="true">
                    {isSorted ? (order.direction === "ascending" ? "↑" : "↓") : "↕"}
                  </span>
                </button>
              ) : (
                header
              )}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** Returns true if the cells of a column are numbers, judged by its type or its first row. */
function isNumeric(data: GridData, column: number): boolean {
  const kind = data.columnTypes?.[column];
  if (kind) return kind === "number" || kind === "currency" || kind === "percent";
  return numericValue(data.rows[0]?.[column]) !== undefined;
}

function GridRow({
  cells,
  kinds,
}: {
  cells: readonly CellValue[];
  kinds: readonly CellKind[] | undefined;
}) {
  return (
    <tr>
      {cells.map((cell, column) => (
        <td
          key={column}
          dir="auto"
          data-align={numericValue(cell) === undefined ? undefined : "end"}
        >
          {formatCell(cell, kinds?.[column])}
        </td>
      ))}
    </tr>
  );
}

function GridPages({
  label,
  page,
  pageCount,
  text,
  onPage,
}: {
  label: string;
  page: number;
  pageCount: number;
  text: string;
  onPage: (page: number) => void;
}) {
  return (
    <div className="pincite-pages">
      <span role="status">{text}</span>
      {pageCount > 1 && (
        <>
          <button
            type="button"
            aria-label={`Previous page of ${label}`}
            disabled={page <= 1}
            onClick={() => onPage(page - 1)}
          >
            <span aria-hidden="true">‹</span>
          </button>
          <button
            type="button"
            aria-label={`Next page of ${label}`}
            disabled={page >= pageCount}
            onClick={() => onPage(page + 1)}
          >
            <span aria-hidden="true">›</span>
          </button>
        </>
      )}
    </div>
  );
}
