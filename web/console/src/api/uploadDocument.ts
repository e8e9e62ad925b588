import { type DocumentInfo, RequestError } from "@pincite/client";
import { client, requestHeaders } from "./client.js";

/**
 * Uploads a document. With `wait: false` the response comes before the document is read. `XMLHttpRequest` is used
 * because `fetch` does not report the progress of a request body.
 */
export function uploadDocument(
  file: File,
  onProgress: (part: number) => void,
  signal: AbortSignal,
  query: { wait?: boolean } = {},
): Promise<DocumentInfo> {
  const body = new FormData();
  body.set("file", file, file.name);
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("POST", client.url("/documents", query));
    for (const [name, value] of Object.entries(requestHeaders())) {
      request.setRequestHeader(name, value);
    }
    request.upload.onprogress = (event) => {
      if (event.lengthComputable) onProgress(event.loaded / event.total);
    };
    request.onerror = () => reject(RequestError.offline(undefined));
    request.onload = async () => {
      const response = new Response(request.responseText, { status: request.status });
      if (response.ok) resolve((await response.json()) as DocumentInfo);
      else reject(await RequestError.fromResponse(response));
    };
    signal.addEventListener("abort", () => request.abort());
    request.send(body);
  });
}
