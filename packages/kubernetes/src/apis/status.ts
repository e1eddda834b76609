import type { ApiStatus } from "./object-write.ts";
import type { JsonObject, JsonValue } from "../json.ts";
import { isJsonObject, member } from "../json.ts";

type Details = NonNullable<ApiStatus["details"]>;

/** HTTP codes of apimachinery's status reasons. */
const codes = {
  BadRequest: 400,
  Unauthorized: 401,
  Forbidden: 403,
  NotFound: 404,
  MethodNotAllowed: 405,
  NotAcceptable: 406,
  AlreadyExists: 409,
  Conflict: 409,
  Expired: 410,
  Gone: 410,
  RequestEntityTooLarge: 413,
  UnsupportedMediaType: 415,
  Invalid: 422,
  TooManyRequests: 429,
  InternalError: 500,
  ServiceUnavailable: 503,
  Timeout: 504,
} as const;

export type StatusReason = keyof typeof codes;

/** A refusal; the code is derived from the reason. */
export function statusOf(reason: StatusReason, message: string, details?: Details): ApiStatus {
  return { code: codes[reason], reason, message, ...(details === undefined ? {} : { details }) };
}

/** The `metav1.Status` object of a response body. */
export function statusObject(status: ApiStatus): JsonObject {
  const { details } = status;
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: status.message,
    ...(status.reason === "" ? {} : { reason: status.reason }),
    ...(details === undefined ? {} : { details: details as unknown as JsonObject }),
    code: status.code,
  };
}

/** The `metav1.Status` of a successful request that returns no object, such as a deletion. */
export function successObject(details: Details): JsonObject {
  return {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Success",
    details: details as unknown as JsonObject,
  };
}

function textOf(object: JsonObject, key: string): string | undefined {
  const found = member(object, key);
  return typeof found === "string" ? found : undefined;
}

function causesOf(value: JsonValue | undefined): NonNullable<Details["causes"]> | undefined {
  if (!Array.isArray(value)) return undefined;
  return (value as readonly JsonValue[]).filter(isJsonObject).map((cause) => {
    const [reason, message, field] = ["reason", "message", "field"].map((key) => textOf(cause, key));
    return {
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
      ...(field === undefined ? {} : { field }),
    };
  });
}

function detailsOf(value: JsonValue | undefined): Details | undefined {
  if (!isJsonObject(value)) return undefined;
  const [name, group, kind, uid] = ["name", "group", "kind", "uid"].map((key) => textOf(value, key));
  const causes = causesOf(member(value, "causes"));
  const retryAfterSeconds = member(value, "retryAfterSeconds");
  return {
    ...(name === undefined ? {} : { name }),
    ...(group === undefined ? {} : { group }),
    ...(kind === undefined ? {} : { kind }),
    ...(uid === undefined ? {} : { uid }),
    ...(causes === undefined ? {} : { causes }),
    ...(typeof retryAfterSeconds === "number" ? { retryAfterSeconds } : {}),
  };
}

/**
 * The refusal in a response with `code`. A body that is not a Status (a proxy's page, an empty body) also yields one,
 * so that the caller always has a code and a message.
 */
export function readStatus(code: number, body: JsonValue | undefined): ApiStatus {
  if (!isJsonObject(body) || textOf(body, "kind") !== "Status")
    return { code, reason: "", message: `the server answered ${code} without a Status` };
  const details = detailsOf(member(body, "details"));
  return {
    code: typeof body["code"] === "number" ? body["code"] : code,
    reason: textOf(body, "reason") ?? "",
    message: textOf(body, "message") ?? "",
    ...(details === undefined ? {} : { details }),
  };
}
