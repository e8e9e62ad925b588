import type { DocumentInfo } from "@pincite/client";
import { MoreHorizontal } from "lucide-react";
import { useEffect, useState } from "react";
import { useLocation, useSearchParams } from "wouter";
import { client } from "../api/client.js";
import { type RequestState, useRequest } from "../api/useRequest.js";
import { Page } from "../shell/Page.js";
import { ErrorNotice } from "../ui/ErrorNotice.js";
import { Menu } from "../ui/Menu.js";
import { CitingAnswers } from "./CitingAnswers.js";
import { DocumentDetails } from "./DocumentDetails.js";
import { DocumentNavigation } from "./DocumentNavigation.js";
import styles from "./DocumentPage.module.css";
import { deleteDocument, downloadDocument, readAgain } from "./documentActions.js";
import { isBeingRead } from "./documentStore.js";
import { documentName } from "./filterDocuments.js";
import { PageSheet } from "./PageSheet.js";
import { PageToolbar } from "./PageToolbar.js";

/** Interval at which a document that is being read is loaded again, in milliseconds. */
const RELOAD_MS = 1000;

/** Loads a document again until the server has read it. */
function useReloadWhileWorking({ data, reload }: RequestState<DocumentInfo>): void {
  const isWorking = data !== undefined && isBeingRead(data);
  useEffect(() => {
    if (!isWorking) return;
    const timer = setInterval(reload, RELOAD_MS);
    return () => clearInterval(timer);
  }, [isWorking, reload]);
}

/** Document with its pages. Page and passage are part of the address. */
export default function DocumentPage({ id }: { id: string }) {
  const [parameters, setParameters] = useSearchParams();
  const [, navigate] = useLocation();
  const [zoom, setZoom] = useState(1);
  const [showsLines, setShowsLines] = useState(false);
  const document = useRequest(() => client.document(id), [id]);
  useReloadWhileWorking(document);
  const chunkId = parameters.get("chunk") ?? undefined;
  const chunk = useRequest(
    async () => (chunkId === undefined ? undefined : client.chunk(chunkId)),
    [chunkId],
  );
  const page = Math.max(1, Number(parameters.get("page")) || 1);
  const text = useRequest(() => client.pageText(id, page), [id, page]);
  const pageCount = text.data?.pageCount ?? document.data?.pageCount ?? 1;
  const open = (target: number, chunkTarget?: string) =>
    setParameters({
      page: String(Math.min(Math.max(1, target), pageCount)),
      ...(chunkTarget === undefined ? {} : { chunk: chunkTarget }),
    });
  if (document.error) {
    return (
      <Page title="Document">
        <ErrorNotice error={document.error} onAction={document.reload} />
      </Page>
    );
  }
  const info = document.data;
  if (info === undefined) return <Page title="Document">{null}</Page>;
  const name = documentName(info);
  const items = [
    { label: "Download file", onSelect: () => downloadDocument(info) },
    { label: "Read again", onSelect: () => void readAgain(info).then(document.reload) },
    {
      label: "Delete",
      onSelect: () => {
        deleteDocument(info);
        navigate("/library");
      },
    },
  ];
  const boxes = chunk.data?.pages.find((part) => part.page === page)?.boxes ?? [];
  return (
    <Page
      title={name}
      actions={
        <Menu label="Document actions" kind="icon" items={items}>
          <MoreHorizontal size={18} />
        </Menu>
      }
    >
      <div className={styles.layout}>
        <DocumentNavigation id={id} page={page} pageCount={pageCount} onOpen={open} />
        <div className={styles.reader}>
          <PageToolbar
            page={page}
            pageCount={pageCount}
            label={text.data?.label ?? null}
            zoom={zoom}
            showsLines={showsLines}
            onOpen={open}
            onZoom={setZoom}
            onShowLines={setShowsLines}
          />
          <PageSheet
            key={page}
            documentId={id}
            title={name}
            page={page}
            zoom={zoom}
            lines={text.data?.page === page ? text.data.lines : []}
            highlights={boxes}
            showsLines={showsLines}
          />
          {text.error && <ErrorNotice error={text.error} onAction={text.reload} />}
        </div>
        <div className={styles.about}>
          <CitingAnswers documentId={id} page={page} />
          <DocumentDetails document={info} onChanged={document.reload} />
        </div>
      </div>
    </Page>
  );
}
