import { useEffect, useRef, useState } from "react";

/** Calls `onFiles` with files that are dropped anywhere on the page. Returns true while files are over the page. */
export function useFileDrop(onFiles: (files: File[]) => void): boolean {
  const [isDragging, setIsDragging] = useState(false);
  const listener = useRef(onFiles);
  listener.current = onFiles;
  useEffect(() => {
    const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
    const over = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsDragging(true);
    };
    const leave = (event: DragEvent) => {
      if (event.relatedTarget === null) setIsDragging(false);
    };
    const drop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setIsDragging(false);
      void droppedFiles(event.dataTransfer).then((files) => listener.current(files));
    };
    document.addEventListener("dragover", over);
    document.addEventListener("dragleave", leave);
    document.addEventListener("drop", drop);
    return () => {
      document.removeEventListener("dragover", over);
      document.removeEventListener("dragleave", leave);
      document.removeEventListener("drop", drop);
    };
  }, []);
  return isDragging;
}

/** Returns dropped files, also those in dropped folders. Hidden files are left out. */
async function droppedFiles(transfer: DataTransfer | null): Promise<File[]> {
  if (transfer === null) return [];
  // Entries must be taken during the event; files without one, such as images of other pages, are taken as they are.
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry());
  const plain = [...transfer.files];
  if (entries.every((entry) => entry === null)) return plain;
  const found = await Promise.all(entries.map((entry) => (entry ? filesOf(entry) : [])));
  return found.flat();
}

async function filesOf(entry: FileSystemEntry): Promise<File[]> {
  if (entry.name.startsWith(".")) return [];
  if (entry.isFile) {
    const file = await new Promise<File | undefined>((resolve) => {
      (entry as FileSystemFileEntry).file(resolve, () => resolve(undefined));
    });
    return file ? [file] : [];
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  const files: File[] = [];
  // A reader returns entries in parts; the last part is empty.
  for (;;) {
    const part = await new Promise<FileSystemEntry[]>((resolve) => {
      reader.readEntries(resolve, () => resolve([]));
    });
    if (part.length === 0) return files;
    for (const child of part) files.push(...(await filesOf(child)));
  }
}
