import type { JsonObject, JsonValue } from "../../json.ts";
import { events, eventsV1 } from "../../apis/resources.ts";
import { invalid, type FieldError } from "../../object/field-error.ts";
import { eventPrinter } from "../printing/event-printer.ts";
import { defineKind } from "./define-kind.ts";
import { objectIn, textIn } from "./json-parts.ts";

/** Core field, events.k8s.io field. Everything else has the same name in both. */
const renamed: readonly (readonly [string, string])[] = [
  ["involvedObject", "regarding"],
  ["message", "note"],
  ["source", "deprecatedSource"],
  ["firstTimestamp", "deprecatedFirstTimestamp"],
  ["lastTimestamp", "deprecatedLastTimestamp"],
  ["count", "deprecatedCount"],
  ["reportingComponent", "reportingController"],
];

const toCore = new Map(renamed.map(([core, newer]) => [newer, core]));
const toNewer = new Map(renamed);

function rename(object: JsonObject, names: ReadonlyMap<string, string>, apiVersion: string): JsonObject {
  const entries = Object.entries(object).map(([key, value]): [string, JsonValue | undefined] => [
    names.get(key) ?? key,
    value,
  ]);
  return { ...Object.fromEntries(entries), apiVersion };
}

/** An event about a cluster-scoped object lives in `default`. */
function validateSubject(event: JsonObject, field: string): readonly FieldError[] {
  const namespace = textIn(objectIn(event, "metadata"), "namespace");
  const about = textIn(objectIn(event, field), "namespace");
  const fits = about === "" ? namespace === "default" || namespace === "kube-system" : about === namespace;
  return fits
    ? []
    : [
        invalid(
          `${field === "regarding" ? "involvedObject" : field}.namespace`,
          about,
          "does not match event.namespace",
        ),
      ];
}

export const eventKind = defineKind(events, {
  shortNames: ["ev"],
  createsOnPut: true,
  validate: (event) => validateSubject(event, "involvedObject"),
  printer: eventPrinter,
});

export const newerEventKind = defineKind(eventsV1, {
  struct: "events.Event",
  shortNames: ["ev"],
  createsOnPut: true,
  storedAs: events,
  toStored: (event) => eventKind.decode(rename(event, toCore, "v1")).value,
  fromStored: (event) => newerEventKind.decode(rename(event, toNewer, "events.k8s.io/v1")).value,
  validate: (event) => validateSubject(event, "regarding"),
  printer: { columns: eventPrinter.columns, row: (event, nowMs) => eventPrinter.row(event, nowMs) },
});
