import type { DocumentInfo } from "@pincite/client";
import { ArrowDown, ArrowUp, MoreHorizontal } from "lucide-react";
import { useState } from "react";
import { Link, useLocation } from "wouter";
import { Button } from "../ui/Button.js";
import { formatBytes, formatNumber, formatTime } from "../ui/format.js";
import { Menu } from "../ui/Menu.js";
import { DocumentState } from "./DocumentState.js";
import styles from "./DocumentTable.module.css";
import { deleteDocument, downloadDocument, readAgain } from "./documentActions.js";
import { type DocumentColumn, type DocumentOrder, documentName } from "./filterDocuments.js";

/** Number of rows that are added to the table at a time. */
const PAGE_ROWS = 200;

/** Table of documents. Column heads sort it; a long one is shown in parts. */
export function DocumentTable({
  documents,
  order,
  onOrder,
}: {
  documents: readonly DocumentInfo[];
  order: DocumentOrder;
  onOrder: (order: DocumentOrder) => void;
}) {
  const [limit, setLimit] = useState(PAGE_ROWS);
  const hidden = documents.length - limit;
  return (
    <div className={styles.frame}>
      <table className={styles.table} aria-label="Documents">
        <thead>
          <tr>
            <SortableHead column="name" label="Name" order={order} onOrder={onOrder} />
            <th scope="col">State</th>
            <SortableHead column="pages" label="Pages" order={order} onOrder={onOrder} />
            <th scope="col">Labels</th>
            <SortableHead column="size" label="Size" order={order} onOrder={onOrder} />
            <SortableHead column="added" label="Added" order={order} onOrder={onOrder} />
            <th scope="col">
              <span className="visually-hidden">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {documents.slice(0, limit).map((document) => (
            <DocumentRow key={document.id} document={document} />
          ))}
        </tbody>
      </table>
      {hidden > 0 && (
        <Button className={styles.more ?? ""} onClick={() => setLimit(limit + PAGE_ROWS)}>
          Show {formatNumber(Math.min(hidden, PAGE_ROWS))} more
        </Button>
      )}
    </div>
  );
}

function SortableHead({
  column,
  label,
  order,
  onOrder,
}: {
  column: DocumentColumn;
  label: string;
  order: DocumentOrder;
  onOrder: (order: DocumentOrder) => void;
}) {
  const isSorted = order.column === column;
  const direction = order.isDescending ? "descending" : "ascending";
  return (
    <th scope="col" data-column={column} aria-sort={isSorted ? direction : undefined}>
      <button
        type="button"
        onClick={() => onOrder({ column, isDescending: isSorted ? !order.isDescending : false })}
      >
        {label}
        {isSorted && (order.isDescending ? <ArrowDown size={14} /> : <ArrowUp size={14} />)}
      </button>
    </th>
  );
}

function DocumentRow({ document }: { document: DocumentInfo }) {
  const [, navigate] = useLocation();
  const name = documentName(document);
  const items = [
    { label: "Open", onSelect: () => navigate(`/library/${document.id}`) },
    { label: "Download file", onSelect: () => downloadDocument(document) },
    { label: "Read again", onSelect: () => void readAgain(document) },
    { label: "Delete", onSelect: () => deleteDocument(document) },
  ];
  return (
    <tr>
      <th scope="row">
        <Link href={`/library/${encodeURIComponent(document.id)}`}>
          <bdi>{name}</bdi>
        </Link>
        {document.filename !== undefined && document.filename !== name && (
          <span className={styles.file}>
            <bdi>{document.filename}</bdi>
          </span>
        )}
      </th>
      <td>
        <DocumentState document={document} />
      </td>
      <td data-column="pages">
        {document.pageCount === undefined ? "" : formatNumber(document.pageCount)}
      </td>
      <td>
        <ul className={styles.labels} aria-label={`Labels of ${name}`}>
          {document.labels.map((label) => (
            <li key={label}>{label}</li>
          ))}
        </ul>
      </td>
      <td data-column="size">{formatBytes(document.fileSize)}</td>
      <td data-column="added">
        <time dateTime={document.createdAt}>{formatTime(document.createdAt)}</time>
      </td>
      <td>
        <Menu label={`Actions for ${name}`} kind="icon" items={items}>
          <MoreHorizontal size={18} />
        </Menu>
      </td>
    </tr>
  );
}
