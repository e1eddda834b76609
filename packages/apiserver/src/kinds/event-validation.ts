import { labelKeyFaults } from "@purser/kubernetes/apis/label-syntax";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { invalid, required, type FieldError } from "@purser/kubernetes/object/field-error";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { goJson } from "@purser/kubernetes/text/go-json";
import { hasMember, numberIn, objectIn, textIn } from "./decoding/json-parts.ts";

const longest = 128;
const longestNote = 1024;

/**
 * Rules of both versions; `event` is in core/v1 form. `controller`: name of the reporting controller's field in the
 * requested version.
 */
function validateBasics(event: JsonObject, controller: string): readonly FieldError[] {
  const namespace = textIn(objectIn(event, "metadata"), "namespace");
  const about = textIn(objectIn(event, "involvedObject"), "namespace");
  const mismatch = invalid("involvedObject.namespace", about, "does not match event.namespace");
  if (!hasMember(event, "eventTime")) {
    const fits = about === "" ? namespace === "default" : about === namespace;
    return fits ? [] : [mismatch];
  }
  const errors: FieldError[] = [];
  if (about === "" && namespace !== "default" && namespace !== "kube-system") errors.push(mismatch);
  const reporter = textIn(event, "reportingComponent");
  if (reporter === "") errors.push(required(controller));
  errors.push(...labelKeyFaults(reporter).map((fault) => invalid(controller, reporter, fault)));
  for (const key of ["reportingInstance", "action", "reason"]) {
    const value = textIn(event, key);
    if (value === "") errors.push(required(key));
    if (value.length > longest) errors.push(invalid(key, "", `can have at most ${longest} characters`));
  }
  if (textIn(event, "message").length > longestNote)
    errors.push(invalid("message", "", `can have at most ${longestNote} characters`));
  return errors;
}

/** Validates a core/v1 Event. */
export function validateCoreEvent(event: JsonObject): readonly FieldError[] {
  return validateBasics(event, "reportingComponent");
}

function validateSeries(event: JsonObject): readonly FieldError[] {
  if (!hasMember(event, "series")) return [];
  const series = objectIn(event, "series");
  return [
    ...((numberIn(series, "count") ?? 0) < 2 ? [invalid("series.count", "", "should be at least 2")] : []),
    ...(hasMember(series, "lastObservedTime") ? [] : [required("series.lastObservedTime")]),
  ];
}

/** Validates an events.k8s.io/v1 Event, given in core/v1 form; updates may change only the series. */
export function validateNewerEvent(event: JsonObject, old: JsonObject | undefined): readonly FieldError[] {
  const basics = validateBasics(event, "reportingController");
  if (old !== undefined) {
    const same = deepEqual(event["series"] ?? null, old["series"] ?? null);
    return [
      ...basics,
      ...(same ? [] : validateSeries(event)),
      ...immutable.flatMap((part) => changed(part, event, old)),
    ];
  }
  const type = textIn(event, "type");
  const source = objectIn(event, "source");
  return [
    ...basics,
    ...validateSeries(event),
    ...(hasMember(event, "eventTime") ? [] : [required("eventTime")]),
    ...(type === "Normal" || type === "Warning" ? [] : [invalid("type", "", `has invalid value: ${type}`)]),
    ...["firstTimestamp", "lastTimestamp"]
      .filter((key) => hasMember(event, key))
      .map((key) => invalid(key, "", "needs to be unset")),
    ...((numberIn(event, "count") ?? 0) === 0 ? [] : [invalid("count", "", "needs to be unset")]),
    ...(textIn(source, "component") === "" && textIn(source, "host") === ""
      ? []
      : [invalid("source", "", "needs to be unset")]),
  ];
}

interface Immutable {
  readonly key: string;
  readonly zero: JsonValue;
  readonly name?: string;
  /** How kube-apiserver prints the value, where it is an internal struct. */
  readonly text?: (value: JsonObject) => string;
}

function structText(fields: readonly (readonly [name: string, key: string])[]): (value: JsonObject) => string {
  return (value) => `{${fields.map(([name, key]) => `${goJson(name)}:${goJson(textIn(value, key))}`).join(",")}}`;
}

const referenceText = structText([
  ["Kind", "kind"],
  ["Namespace", "namespace"],
  ["Name", "name"],
  ["UID", "uid"],
  ["APIVersion", "apiVersion"],
  ["ResourceVersion", "resourceVersion"],
  ["FieldPath", "fieldPath"],
]);

const immutable: readonly Immutable[] = [
  { key: "involvedObject", zero: {}, text: referenceText },
  { key: "reason", zero: "" },
  { key: "message", zero: "" },
  {
    key: "source",
    zero: {},
    text: structText([
      ["Component", "component"],
      ["Host", "host"],
    ]),
  },
  { key: "firstTimestamp", zero: null },
  { key: "lastTimestamp", zero: null },
  { key: "count", zero: 0 },
  { key: "type", zero: "" },
  { key: "eventTime", zero: null },
  { key: "action", zero: "" },
  { key: "related", zero: null, text: referenceText },
  { key: "reportingComponent", zero: "", name: "reportingController" },
  { key: "reportingInstance", zero: "" },
];

function changed(
  { key, zero, name = key, text }: Immutable,
  event: JsonObject,
  old: JsonObject,
): readonly FieldError[] {
  const [value, before] = [event[key] ?? zero, old[key] ?? zero];
  if (deepEqual(value, before)) return [];
  const error = invalid(name, value, "field is immutable");
  return [text === undefined || value === null ? error : { ...error, badText: text(objectIn(event, key)) }];
}
