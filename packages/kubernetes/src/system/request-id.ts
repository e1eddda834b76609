import { AsyncLocalStorage } from "node:async_hooks";
import { randomBytes } from "node:crypto";

const running = new AsyncLocalStorage<string | undefined>();
const process = randomBytes(4).toString("hex");
let count = 0;

/** An id for one pass of a controller or one answered request; those of two processes differ. */
export function newRequestId(): string {
  count++;
  return `${process}-${count.toString(36)}`;
}

/** Calls `act` so that {@link currentRequestId} is `id` in it and in everything that it awaits; undefined for what outlives the request. */
export function withRequestId<Value>(id: string | undefined, act: () => Value): Value {
  return running.run(id, act);
}

/** The id of what the caller works on; undefined outside of {@link withRequestId}. */
export function currentRequestId(): string | undefined {
  return running.getStore();
}

/** An id that a client sent, when it is one that can be logged. */
export function acceptedRequestId(sent: string | undefined): string | undefined {
  return sent !== undefined && /^[\w.-]{1,64}$/.test(sent) ? sent : undefined;
}
