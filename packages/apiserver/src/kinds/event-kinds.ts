import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { events, eventsV1 } from "@purser/kubernetes/apis/resources";
import { eventPrinter } from "../printing/event-printer.ts";
import { defineKind } from "./define-kind.ts";
import { validateCoreEvent, validateNewerEvent } from "./event-validation.ts";
import type { DeletionRule } from "./deletion-rule.ts";

/** Field name in core/v1 and in events.k8s.io/v1, where they differ. */
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

const deletion: DeletionRule = { finalizers: ({ metadata }) => metadata.finalizers ?? [] };

export const eventKind = defineKind(events, {
  deletion,
  shortNames: ["ev"],
  nameRule: "pathSegment",
  looksAtMetadataLast: true,
  createsOnPut: true,
  validate: validateCoreEvent,
  printer: eventPrinter,
});

export const newerEventKind = defineKind(eventsV1, {
  deletion,
  struct: "events.Event",
  shortNames: ["ev"],
  nameRule: "pathSegment",
  createsOnPut: true,
  storedAs: events,
  toStored: (event) => eventKind.decode(rename(event, toCore, "v1")).value,
  fromStored: (event) => newerEventKind.decode(rename(event, toNewer, "events.k8s.io/v1")).value,
  validate: (event, _context, old) =>
    validateNewerEvent(rename(event, toCore, "v1"), old === undefined ? undefined : rename(old, toCore, "v1")),
  printer: { columns: eventPrinter.columns, row: (event, nowMs) => eventPrinter.row(event, nowMs) },
});
