import type { ApiStatus, WriteRefusal } from "../apis/object-write.ts";
import { invariant } from "../invariant.ts";
import { isJsonObject, type JsonValue } from "../json.ts";
import { done, failed, type Result } from "../result.ts";

/**
 * The API server refused a request. Thrown where a refusal cannot be returned as a value: by reads, and by {@link
 * written}.
 */
export class ApiRefusedError extends Error {
  override readonly name = "ApiRefusedError";
  readonly refusal: WriteRefusal;
  constructor(refusal: WriteRefusal) {
    super(refusal.status.message);
    this.refusal = refusal;
  }
}

/** A pass could not finish for a reason that the status of its objects shows. Thrown so that the key is retried. */
export class UnfinishedPassError extends Error {
  override readonly name = "UnfinishedPassError";
}

/**
 * The value of a write that must succeed.
 * @throws ApiRefusedError so that the controller retries the key with backoff
 */
export function written<Value>(result: Result<Value, WriteRefusal>): Value {
  if (!result.ok) throw new ApiRefusedError(result.problem);
  return result.value;
}

/**
 * Ends a write to an object that may have been deleted since it was read: then there is nothing to write.
 * @throws ApiRefusedError for every other refusal, as {@link written}
 */
export function writtenUnlessDeleted(result: Result<unknown, WriteRefusal>): void {
  if (!result.ok && result.problem.kind !== "notFound") written(result);
}

/**
 * A read whose refusal is a normal result.
 * @throws errors other than refusals by the server
 */
export async function readOrRefusal<Value>(reading: Promise<Value>): Promise<Result<Value, WriteRefusal>> {
  try {
    return done(await reading);
  } catch (error) {
    if (error instanceof ApiRefusedError) return failed(error.refusal);
    throw error;
  }
}

/** Whether `error` is a refusal of this kind by the API server. */
export function isRefused(error: unknown, kind: WriteRefusal["kind"]): boolean {
  return error instanceof ApiRefusedError && error.refusal.kind === kind;
}

/** Whether the API server's authorizer refused a request; admission refuses with the same status and other words. */
export function isMissingRight(error: unknown): error is ApiRefusedError {
  return (
    isRefused(error, "forbidden") &&
    / cannot \S+ resource | is attempting to grant RBAC permissions not currently held/.test(String(error))
  );
}

/** Classifies a `Status`: by reason first, by code when there is no reason. */
export function refusalOf(status: ApiStatus): WriteRefusal {
  switch (status.reason) {
    case "NotFound":
      return { kind: "notFound", status };
    case "AlreadyExists":
      return { kind: "alreadyExists", status };
    case "Conflict":
      return { kind: "conflict", status };
    case "Invalid":
      return { kind: "invalid", status };
    case "Forbidden":
      return { kind: "forbidden", status };
    case "Gone":
    case "Expired":
      return { kind: "gone", status };
    case "TooManyRequests":
    case "ServerTimeout":
    case "Timeout":
    case "ServiceUnavailable":
      return { kind: "busy", status };
    default:
      return { kind: kindByCode[status.code] ?? "other", status };
  }
}

const kindByCode: Readonly<Record<number, WriteRefusal["kind"]>> = {
  403: "forbidden",
  404: "notFound",
  409: "conflict",
  410: "gone",
  422: "invalid",
  429: "busy",
  503: "busy",
  504: "busy",
};

/**
 * The `metav1.Status` of a response body; derived from the HTTP code when there is none (proxies and overloaded servers
 * respond in plain text).
 */
export function statusOf(code: number, body: JsonValue | undefined, text: string, retryAfter?: string): ApiStatus {
  invariant(code >= 400, `an answer with code ${code} is no refusal`);
  if (isJsonObject(body) && body["kind"] === "Status" && typeof body["message"] === "string") {
    const status = body as unknown as ApiStatus;
    return { ...status, code: status.code ?? code, reason: status.reason ?? "" };
  }
  const seconds = Number(retryAfter);
  return {
    code,
    reason: "",
    message: text.trim() === "" ? `the server answered ${code}` : text.trim().slice(0, 1024),
    ...(Number.isFinite(seconds) && seconds > 0 ? { details: { retryAfterSeconds: seconds } } : {}),
  };
}
