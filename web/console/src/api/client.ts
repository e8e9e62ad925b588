import { PinciteClient } from "@pincite/client";

/** Token that protects requests which change something, once the person has signed in. */
let csrfToken: string | undefined;
let onUnauthorized: () => void = () => undefined;

/** Sets the token that a session requires; `undefined` without a session. */
export function setCsrfToken(token: string | undefined): void {
  csrfToken = token;
}

/** Sets the function that is called when the server no longer knows the sender of a request. */
export function setUnauthorizedListener(listener: () => void): void {
  onUnauthorized = listener;
}

/** Returns the headers of every request. */
export function requestHeaders(): Record<string, string> {
  return csrfToken === undefined ? {} : { "X-CSRF-Token": csrfToken };
}

/** Client of the server that serves this console. */
export const client = new PinciteClient({
  headers: requestHeaders,
  fetch: async (...request) => {
    const response = await fetch(...request);
    if (response.status === 401) onUnauthorized();
    return response;
  },
});
