import type { JsonObject } from "@purser/kubernetes/json";
import { hasMember, numberIn, objectAt, objectIn, objectsIn, textIn, textsIn } from "../kinds/decoding/json-parts.ts";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { ageOf, formatDuration } from "@purser/kubernetes/age";
import { ageCell, cell, nameCell, printer, wide, type Cell } from "./printer.ts";

function spec(object: JsonObject): JsonObject {
  return objectIn(object, "spec");
}

function count(object: JsonObject, key: string): number {
  return numberIn(objectIn(object, "status"), key) ?? 0;
}

/** A label selector as text: `a=b,c in (d,e)`; `<none>` when it is empty. */
export function selectorText(selector: JsonObject): string {
  const labels = Object.entries(objectIn(selector, "matchLabels")).map(([key, value]): readonly [string, string] => [
    key,
    `${key}=${typeof value === "string" ? value : ""}`,
  ]);
  const expressions = objectsIn(selector, "matchExpressions").map((requirement): readonly [string, string] => {
    const key = textIn(requirement, "key");
    const values = textsIn(requirement, "values").toSorted().join(",");
    switch (textIn(requirement, "operator")) {
      case "In":
        return [key, `${key} in (${values})`];
      case "NotIn":
        return [key, `${key} notin (${values})`];
      case "DoesNotExist":
        return [key, `!${key}`];
      default:
        return [key, key];
    }
  });
  const sorted = [...labels, ...expressions].toSorted(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return sorted.map(([, text]) => text).join(",") || "<none>";
}

function templateCells(template: (object: JsonObject) => JsonObject): readonly Cell[] {
  const all = (object: JsonObject, key: string): string =>
    objectsIn(objectIn(template(object), "spec"), "containers")
      .map((container) => textIn(container, key))
      .join(",");
  return [wide("Containers", (object) => all(object, "name")), wide("Images", (object) => all(object, "image"))];
}

const podTemplate = (object: JsonObject): JsonObject => objectIn(spec(object), "template");
const selectorCell = wide("Selector", (object) => selectorText(objectIn(spec(object), "selector")));

function integer(name: string, value: (object: JsonObject) => number): Cell {
  return cell(name, value, { type: "integer" });
}

export const deploymentPrinter = printer([
  nameCell,
  cell("Ready", (object) => `${count(object, "readyReplicas")}/${numberIn(spec(object), "replicas") ?? 0}`),
  cell("Up-to-date", (object) => count(object, "updatedReplicas")),
  cell("Available", (object) => count(object, "availableReplicas")),
  ageCell,
  ...templateCells(podTemplate),
  selectorCell,
]);

export const replicaSetPrinter = printer([
  nameCell,
  integer("Desired", (object) => numberIn(spec(object), "replicas") ?? 0),
  integer("Current", (object) => count(object, "replicas")),
  integer("Ready", (object) => count(object, "readyReplicas")),
  ageCell,
  ...templateCells(podTemplate),
  selectorCell,
]);

export const statefulSetPrinter = printer([
  nameCell,
  cell("Ready", (object) => `${count(object, "readyReplicas")}/${numberIn(spec(object), "replicas") ?? 0}`),
  ageCell,
  ...templateCells(podTemplate),
]);

export const daemonSetPrinter = printer([
  nameCell,
  integer("Desired", (object) => count(object, "desiredNumberScheduled")),
  integer("Current", (object) => count(object, "currentNumberScheduled")),
  integer("Ready", (object) => count(object, "numberReady")),
  integer("Up-to-date", (object) => count(object, "updatedNumberScheduled")),
  integer("Available", (object) => count(object, "numberAvailable")),
  cell("Node Selector", (object) =>
    selectorText({ matchLabels: objectAt(podTemplate(object), "spec", "nodeSelector") }),
  ),
  ageCell,
  ...templateCells(podTemplate),
  selectorCell,
]);

/** `statefulset.apps/s`, the format for owners of other kinds. */
function controllerText(object: JsonObject): string {
  const owner = objectsIn(objectIn(object, "metadata"), "ownerReferences").find(
    ({ controller }) => controller === true,
  );
  if (owner === undefined) return "<none>";
  const { group } = parseApiVersion(textIn(owner, "apiVersion"));
  const kind = textIn(owner, "kind").toLowerCase();
  return `${group === "" ? kind : `${kind}.${group}`}/${textIn(owner, "name")}`;
}

export const controllerRevisionPrinter = printer([
  nameCell,
  cell("Controller", controllerText),
  cell("Revision", (revision) => numberIn(revision, "revision") ?? 0),
  ageCell,
]);

function jobStatus(job: JsonObject): string {
  const held = (type: string): boolean =>
    objectsIn(objectIn(job, "status"), "conditions").some(
      (condition) => condition["type"] === type && condition["status"] === "True",
    );
  if (held("Complete")) return "Complete";
  if (held("Failed")) return "Failed";
  if (hasMember(objectIn(job, "metadata"), "deletionTimestamp")) return "Terminating";
  if (held("Suspended")) return "Suspended";
  if (held("FailureTarget")) return "FailureTarget";
  return held("SuccessCriteriaMet") ? "SuccessCriteriaMet" : "Running";
}

export const jobPrinter = printer([
  nameCell,
  cell("Status", jobStatus),
  cell("Completions", (job) => {
    const done = count(job, "succeeded");
    const wanted = numberIn(spec(job), "completions");
    if (wanted !== undefined) return `${done}/${wanted}`;
    const parallelism = numberIn(spec(job), "parallelism") ?? 0;
    return parallelism > 1 ? `${done}/1 of ${parallelism}` : `${done}/1`;
  }),
  cell("Duration", (job, nowMs) => {
    const status = objectIn(job, "status");
    const start = textIn(status, "startTime");
    if (start === "") return "";
    const end = textIn(status, "completionTime");
    return end === "" ? ageOf(start, nowMs) : formatDuration(Date.parse(end) - Date.parse(start));
  }),
  ageCell,
  ...templateCells(podTemplate),
  selectorCell,
]);

const jobTemplate = (object: JsonObject): JsonObject => objectAt(spec(object), "jobTemplate", "spec");

export const cronJobPrinter = printer([
  nameCell,
  cell("Schedule", (job) => textIn(spec(job), "schedule")),
  cell("Timezone", (job) => textIn(spec(job), "timeZone") || "<none>"),
  // A string although the column has type boolean: kube-apiserver formats it with Go's %v.
  cell("Suspend", (job) => (spec(job)["suspend"] === true ? "True" : "False"), { type: "boolean" }),
  integer("Active", (job) => objectsIn(objectIn(job, "status"), "active").length),
  cell("Last Schedule", (job, nowMs) => {
    const last = textIn(objectIn(job, "status"), "lastScheduleTime");
    return last === "" ? "<none>" : ageOf(last, nowMs);
  }),
  ageCell,
  ...templateCells((job) => objectIn(jobTemplate(job), "template")),
  wide("Selector", (job) =>
    hasMember(jobTemplate(job), "selector") ? selectorText(objectIn(jobTemplate(job), "selector")) : "<none>",
  ),
]);
