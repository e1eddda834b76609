import type { ObjectWrite, Written, WriteRefusal } from "../apis/object-write.ts";
import type { Result } from "../result.ts";

/** @throws only when the server does not respond (connection lost, signal aborted) */
export interface ObjectWriter {
  write(write: ObjectWrite, signal: AbortSignal): Promise<Result<Written, WriteRefusal>>;
}

/** Writers by identity, so that a scoped installation writes with the permissions of its ServiceAccount. */
export interface Identities {
  own(): ObjectWriter;
  serviceAccount(ref: { readonly namespace: string; readonly name: string }): ObjectWriter;
}
