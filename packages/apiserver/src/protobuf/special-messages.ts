import { formatMicroTime, formatTime } from "@purser/kubernetes/clock";
import type { JsonValue } from "@purser/kubernetes/json";

/** The decoded fields of a message, by name. */
export type Members = Record<string, JsonValue | undefined>;

export interface SpecialMessage {
  /** Its only field contains JSON text: that is its JSON. */
  readonly raw?: boolean;
  /** Converts to JSON; without members, to that of Go's zero value. */
  readonly read: (members: Members) => JsonValue;
}

/** Year 1 in seconds: Go's zero time, which is null in JSON. */
const zeroTime = -62_135_596_800;

function numberIn(members: Members, key: string): number {
  const value = members[key];
  return typeof value === "number" ? value : 0;
}

/** Formats seconds and nanoseconds; null for Go's zero time, which an empty message stands for too. */
function time(members: Members, form: (seconds: number, nanos: number) => string): JsonValue {
  if (members["seconds"] === undefined && members["nanos"] === undefined) return null;
  const seconds = numberIn(members, "seconds");
  return seconds === zeroTime ? null : form(seconds, numberIn(members, "nanos"));
}

/** `2026-01-02T03:04:05.678901Z`: Go truncates to microseconds. */
function microTime(seconds: number, nanos: number): string {
  const micros = String(Math.trunc(nanos / 1000)).padStart(6, "0");
  return formatMicroTime(seconds * 1000).replace(/\d{6}Z$/, `${micros}Z`);
}

function hasItems(value: JsonValue | undefined): value is readonly JsonValue[] {
  return Array.isArray(value) && value.length > 0;
}

/**
 * Messages whose JSON form is not an object of their fields, as their Go types implement `MarshalJSON` and `Unmarshal`.
 * Of a Time only whole seconds are read.
 */
const specials: ReadonlyMap<string, SpecialMessage> = new Map<string, SpecialMessage>([
  ["meta.v1.Time", { read: (members) => time(members, (seconds) => formatTime(seconds * 1000)) }],
  ["meta.v1.MicroTime", { read: (members) => time(members, microTime) }],
  ["meta.v1.FieldsV1", { raw: true, read: () => null }],
  ["runtime.RawExtension", { raw: true, read: () => null }],
  ["apiextensions.v1.JSON", { raw: true, read: () => null }],
  ["resource.Quantity", { read: ({ string = "0" }) => string }],
  [
    "intstr.IntOrString",
    { read: (members) => (numberIn(members, "type") === 1 ? (members["strVal"] ?? "") : numberIn(members, "intVal")) },
  ],
  ["authentication.v1.ExtraValue", { read: ({ items = [] }) => items }],
  ["authorization.v1.ExtraValue", { read: ({ items = [] }) => items }],
  [
    "apiextensions.v1.JSONSchemaPropsOrArray",
    { read: ({ schema = null, jSONSchemas }) => (hasItems(jSONSchemas) ? jSONSchemas : schema) },
  ],
  ["apiextensions.v1.JSONSchemaPropsOrBool", { read: ({ allows = false, schema = allows }) => schema }],
  [
    "apiextensions.v1.JSONSchemaPropsOrStringArray",
    { read: ({ schema = null, property }) => (hasItems(property) ? property : schema) },
  ],
]);

export function specialMessage(type: string): SpecialMessage | undefined {
  return specials.get(type);
}
