import { PinciteClient } from "@pincite/client";

/** Client of the server that serves this console. */
export const client = new PinciteClient();
