import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { RefusedOutcome } from "./command.ts";
import { failure, type FailureCode } from "./failure.ts";

/** What the API server's refusal is to the user. */
export function failureCodeOf(kind: WriteRefusal["kind"]): FailureCode {
  switch (kind) {
    case "forbidden":
      return "Forbidden";
    case "notFound":
      return "NotFound";
    case "alreadyExists":
      return "AlreadyExists";
    case "conflict":
    case "gone":
      return "Conflict";
    case "invalid":
    case "busy":
    case "other":
      return "Refused";
  }
}

/** Why the API server refused a write, with a command to run where there is one. */
export function refusedWrite(what: string, { kind, status }: WriteRefusal, reference: string): RefusedOutcome {
  const ways = kind === "alreadyExists" ? ([[`purser status ${reference}`, "look at it"]] as const) : [];
  return { explanation: failure(failureCodeOf(kind), `Cannot ${what}: ${status.message}`, ways) };
}
