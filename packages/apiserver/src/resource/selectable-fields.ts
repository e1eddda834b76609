import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson } from "@purser/kubernetes/apis/object";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { ServedKind } from "../registry/served-kind.ts";

interface FieldSet {
  readonly fields: ReadonlySet<string>;
  /** The refusal of any other field. */
  readonly refusal: (field: string) => string;
}

const generic = ["metadata.name", "metadata.namespace"];

const labelNotSupported = (field: string): string => `field label not supported: ${field}`;
const quotedFor =
  (kind: string) =>
  (field: string): string =>
    `field label "${field}" not supported for ${kind}`;
const notKnown = (field: string): string =>
  `"${field}" is not a known field selector: only "metadata.name", "metadata.namespace"`;

function set(refusal: FieldSet["refusal"], ...fields: readonly string[]): FieldSet {
  return { fields: new Set([...generic, ...fields]), refusal };
}

/** Cluster-scoped kinds that read field selectors themselves know no namespace. */
function clusterScoped(field: string): FieldSet {
  return { fields: new Set(["metadata.name", field]), refusal: labelNotSupported };
}

const involved = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

const builtIn: ReadonlyMap<string, FieldSet> = new Map([
  [
    "/pods",
    set(
      labelNotSupported,
      "spec.nodeName",
      "spec.host",
      "spec.restartPolicy",
      "spec.schedulerName",
      "spec.serviceAccountName",
      "spec.hostNetwork",
      "status.phase",
      "status.podIP",
      "status.podIPs",
      "status.nominatedNodeName",
    ),
  ],
  [
    "/events",
    set(
      labelNotSupported,
      ...involved.map((field) => `involvedObject.${field}`),
      "reason",
      "reportingComponent",
      "source",
      "type",
    ),
  ],
  [
    "events.k8s.io/events",
    set(labelNotSupported, ...involved.map((field) => `regarding.${field}`), "reason", "reportingController", "type"),
  ],
  ["/namespaces", clusterScoped("status.phase")],
  ["/secrets", set(labelNotSupported, "type")],
  ["/services", set(labelNotSupported, "spec.clusterIP", "spec.type")],
  ["/nodes", clusterScoped("spec.unschedulable")],
  ["batch/jobs", set(quotedFor("Job"), "status.successful")],
]);

const others = set(notKnown);

/** Which fields of a kind a field selector may name. */
export function selectableFields(kind: ServedKind): FieldSet {
  if (kind.custom !== undefined)
    return set(
      labelNotSupported,
      ...(kind.custom.version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.replace(/^\./, "")),
    );
  return builtIn.get(`${kind.type.group}/${kind.type.plural}`) ?? others;
}

/** The text that a field selector compares with; absent fields are the empty text. */
export function fieldText(object: KubeObject, field: string): string {
  switch (field) {
    case "metadata.name":
      return object.metadata.name ?? "";
    case "metadata.namespace":
      return object.metadata.namespace ?? "";
    case "spec.host":
      return fieldText(object, "spec.nodeName");
    case "source":
      return textAt(asJson(object), ["source", "component"]) || textAt(asJson(object), ["reportingComponent"]);
    case "spec.hostNetwork":
    case "spec.unschedulable":
      return textAt(asJson(object), field.split(".")) || "false";
    case "status.successful":
      return textAt(asJson(object), ["status", "succeeded"]) || "0";
    case "status.podIPs":
      return textAt(asJson(object), ["status", "podIP"]);
    default:
      return textAt(asJson(object), field.split("."));
  }
}

function textAt(object: JsonObject, path: readonly string[]): string {
  let value: JsonValue | undefined = object;
  for (const key of path) value = isJsonObject(value) ? member(value, key) : undefined;
  return value === undefined || value === null || typeof value === "object" ? "" : String(value);
}
