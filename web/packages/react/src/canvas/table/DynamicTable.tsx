import { useMemo } from "react";
import { ComponentFrame } from "../ComponentFrame.js";
import type { ActionHandler, TableData } from "../types.js";
import { DataGrid, type PageQuery } from "./DataGrid.js";

/** Table of an agent. If the agent pages, sorting, filter and pages are requests to it. */
export function DynamicTable({ data, onAction }: { data: TableData; onAction?: ActionHandler }) {
  const { onPageActionId, pagination, title } = data;
  const totalPages = pagination?.totalPages;
  const remote = useMemo(() => {
    if (onPageActionId === undefined || totalPages === undefined || !onAction) return undefined;
    const onQuery = (query: PageQuery) =>
      void onAction({ actionId: onPageActionId, params: { ...query }, isConfirmed: false });
    return { totalPages, onQuery };
  }, [onPageActionId, totalPages, onAction]);
  return (
    <ComponentFrame
      component="table"
      title={title}
      description={data.description}
      getRows={() => [data.headers, ...data.rows, ...(data.totals ? [data.totals] : [])]}
    >
      <DataGrid
        label={title}
        data={data}
        isSortable={data.sortable === true}
        isFilterable={data.filterable === true}
        {...(pagination
          ? { pageSize: pagination.pageSize, firstPage: pagination.currentPage }
          : {})}
        remote={remote}
      />
    </ComponentFrame>
  );
}
