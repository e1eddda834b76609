import { goQuote } from "../go-quote.ts";
import { goJson } from "../text/go-json.ts";
import { type JsonValue } from "../json.ts";

/** Kubernetes' reasons for an invalid field, as in `details.causes[].reason` of a Status. */
export type FieldErrorType =
  | "FieldValueRequired"
  | "FieldValueInvalid"
  | "FieldValueTypeInvalid"
  | "FieldValueNotSupported"
  | "FieldValueForbidden"
  | "FieldValueDuplicate"
  | "FieldValueNotFound"
  | "FieldValueTooLong"
  | "FieldValueTooMany"
  | "InternalError";

/** One invalid field. Without `badValue` the message has no value. */
export interface FieldError {
  readonly type: FieldErrorType;
  /** Path as Kubernetes prints it: `spec.list[0].name`, `spec.map[key]`; `<nil>` where Kubernetes has none. */
  readonly field: string;
  readonly detail: string;
  readonly badValue?: JsonValue;
  /** The printed value, where its members are in struct order instead of sorted. */
  readonly badText?: string;
}

const titles: Readonly<Record<FieldErrorType, string>> = {
  FieldValueRequired: "Required value",
  FieldValueInvalid: "Invalid value",
  FieldValueTypeInvalid: "Invalid value",
  FieldValueNotSupported: "Unsupported value",
  FieldValueForbidden: "Forbidden",
  FieldValueDuplicate: "Duplicate value",
  FieldValueNotFound: "Not found",
  FieldValueTooLong: "Too long",
  FieldValueTooMany: "Too many",
  InternalError: "Internal error",
};

/** Types whose messages never contain the value. */
const withoutValue = new Set<FieldErrorType>([
  "FieldValueRequired",
  "FieldValueForbidden",
  "FieldValueTooLong",
  "InternalError",
]);

/** `Required value`: the field is missing or empty. */
export function required(field: string, detail = ""): FieldError {
  return { type: "FieldValueRequired", field, detail };
}

/** `Invalid value`; a bad value of undefined is left out of the text. */
export function invalid(field: string, badValue: JsonValue | undefined, detail: string): FieldError {
  return badValue === undefined
    ? { type: "FieldValueInvalid", field, detail }
    : { type: "FieldValueInvalid", field, detail, badValue };
}

/** A value of the wrong JSON type; `found` is the type's name. */
export function typeInvalid(field: string, found: JsonValue, detail: string): FieldError {
  return { type: "FieldValueTypeInvalid", field, detail, badValue: found };
}

/** `Forbidden`: the field may not be set, or not be changed, here. */
export function forbidden(field: string, detail: string): FieldError {
  return { type: "FieldValueForbidden", field, detail };
}

/** `Duplicate value`: another item of the list has it already. */
export function duplicate(field: string, badValue: JsonValue | undefined): FieldError {
  return badValue === undefined
    ? { type: "FieldValueDuplicate", field, detail: "" }
    : { type: "FieldValueDuplicate", field, detail: "", badValue };
}

/** `Not found`: the value refers to something that does not exist. */
export function notFound(field: string, badValue: JsonValue): FieldError {
  return { type: "FieldValueNotFound", field, detail: "", badValue };
}

/** `Unsupported value`, with the values that are allowed in the order given. */
export function notSupported(field: string, badValue: JsonValue, supported: readonly string[]): FieldError {
  const detail = supported.length === 0 ? "" : `supported values: ${supported.map(goQuote).join(", ")}`;
  return { type: "FieldValueNotSupported", field, detail, badValue };
}

/** `Too long`: more than `maximum` bytes; below 0 the limit is not named. */
export function tooLong(field: string, maximum: number): FieldError {
  return {
    type: "FieldValueTooLong",
    field,
    detail: maximum >= 0 ? `may not be more than ${maximum} bytes` : "value is too long",
  };
}

/** `Too many`: more than `maximum` items; below 0 the limit is not named. */
export function tooMany(field: string, actual: number, maximum: number): FieldError {
  const detail =
    maximum >= 0 ? `must have at most ${maximum} ${maximum === 1 ? "item" : "items"}` : "has too many items";
  return { type: "FieldValueTooMany", field, detail, badValue: actual };
}

function formatBadValue(value: JsonValue): string {
  if (typeof value === "string") return goQuote(value);
  return goJson(value);
}

/** The message after `<field>: `; also the `message` of the cause in a Status. */
function formatFieldErrorBody(error: FieldError): string {
  const title = titles[error.type];
  const body =
    withoutValue.has(error.type) || error.badValue === undefined
      ? title
      : `${title}: ${error.badText ?? formatBadValue(error.badValue)}`;
  return error.detail === "" ? body : `${body}: ${error.detail}`;
}

/** `spec.a: Invalid value: "x": detail`, as Kubernetes prints it. */
export function formatFieldError(error: FieldError): string {
  return `${error.field}: ${formatFieldErrorBody(error)}`;
}

/** A single error, or several as `[a, b]` without duplicates, as in `… is invalid: …`. */
export function formatFieldErrors(errors: readonly FieldError[]): string {
  const texts = [...new Set(errors.map(formatFieldError))];
  return texts.length === 1 ? (texts[0] ?? "") : `[${texts.join(", ")}]`;
}

export interface StatusCause {
  readonly reason: FieldErrorType;
  readonly message: string;
  readonly field: string;
}

/** The errors as `details.causes` of a Status. */
export function statusCauses(errors: readonly FieldError[]): readonly StatusCause[] {
  return errors.map((error) => ({
    reason: error.type,
    message: formatFieldErrorBody(error),
    field: error.field,
  }));
}
