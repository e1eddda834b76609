import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectIn, textIn } from "../kinds/decoding/json-parts.ts";
import { ageOf } from "@purser/kubernetes/age";
import { cell, printer, wide } from "./printer.ts";

/** The field of a core/v1 Event or its counterpart in events.k8s.io/v1. */
function field(event: JsonObject, core: string, newer: string): string {
  return textIn(event, core) || textIn(event, newer);
}

function subject(event: JsonObject): JsonObject {
  return objectIn(event, Object.hasOwn(event, "regarding") ? "regarding" : "involvedObject");
}

function firstSeen(event: JsonObject): string {
  return field(event, "firstTimestamp", "deprecatedFirstTimestamp") || textIn(event, "eventTime");
}

function lastSeen(event: JsonObject): string {
  return (
    textIn(objectIn(event, "series"), "lastObservedTime") ||
    field(event, "lastTimestamp", "deprecatedLastTimestamp") ||
    firstSeen(event)
  );
}

function occurrences(event: JsonObject): number {
  if (Object.hasOwn(event, "series")) return numberIn(objectIn(event, "series"), "count") ?? 0;
  return (numberIn(event, "count") ?? numberIn(event, "deprecatedCount")) || 1;
}

function target(event: JsonObject): string {
  const kind = textIn(subject(event), "kind").toLowerCase();
  const name = textIn(subject(event), "name");
  return name === "" ? kind : `${kind}/${name}`;
}

export const eventPrinter = printer([
  cell("Last Seen", (event, nowMs) => ageOf(lastSeen(event), nowMs)),
  cell("Type", (event) => textIn(event, "type")),
  cell("Reason", (event) => textIn(event, "reason")),
  cell("Object", target),
  wide("Subobject", (event) => textIn(subject(event), "fieldPath")),
  wide("Source", (event) => {
    const source = objectIn(event, Object.hasOwn(event, "deprecatedSource") ? "deprecatedSource" : "source");
    const component = textIn(source, "component") || field(event, "reportingComponent", "reportingController");
    const host = textIn(source, "host") || textIn(event, "reportingInstance");
    return host === "" ? component : `${component}, ${host}`;
  }),
  cell("Message", (event) => field(event, "message", "note").trim()),
  wide("First Seen", (event, nowMs) => ageOf(firstSeen(event), nowMs)),
  wide("Count", (event) => occurrences(event)),
  cell("Name", (event) => textIn(objectIn(event, "metadata"), "name"), { priority: 1, format: "name" }),
]);
