import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import type { ApiStatus } from "@purser/kubernetes/apis/object-write";
import { apiVersionOf } from "@purser/kubernetes/apis/resource-type";
import { selectorText as printedSelector } from "../../printing/workload-printers.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { withMember } from "@purser/kubernetes/object/patches/json-edit";
import { type FieldError, invalid as invalidField } from "@purser/kubernetes/object/field-error";
import { goText } from "@purser/kubernetes/object/go-text";
import type { Result } from "@purser/kubernetes/result";
import { done } from "@purser/kubernetes/result";
import type { ServedKind } from "../../registry/served-kind.ts";
import { badRequest, internalError, invalid } from "../../request/refusal.ts";
import { withManagedFields } from "../ownership.ts";
import { managersOfParent, managersOfScale, type ReplicasPaths } from "./scale-managers.ts";

interface ScalePaths {
  readonly spec: readonly string[];
  readonly status: readonly string[];
  readonly selector: readonly string[] | undefined;
}

const builtInPaths: ScalePaths = {
  spec: ["spec", "replicas"],
  status: ["status", "replicas"],
  selector: ["spec", "selector"],
};

function fieldsOf(path: string): readonly string[] {
  return path.replace(/^\./, "").split(".");
}

function pathsOf(kind: ServedKind): ScalePaths {
  const scale = kind.custom?.version.subresources?.scale;
  if (scale === undefined) return builtInPaths;
  return {
    spec: fieldsOf(scale.specReplicasPath),
    status: fieldsOf(scale.statusReplicasPath),
    selector: scale.labelSelectorPath === undefined ? undefined : fieldsOf(scale.labelSelectorPath),
  };
}

function read(object: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = object;
  for (const key of path) value = isJsonObject(value) ? member(value, key) : undefined;
  return value;
}

function selectorText(value: JsonValue | undefined): string {
  if (typeof value === "string") return value;
  if (!isJsonObject(value)) return "";
  const shown = printedSelector(value);
  return shown === "<none>" ? "" : shown;
}

/** The `autoscaling/v1` Scale of an object. */
export function scaleOf(kind: ServedKind, object: KubeObject): Result<KubeObject, ApiStatus> {
  const paths = pathsOf(kind);
  const json = asJson(object);
  const replicas = read(json, paths.spec);
  if (typeof replicas !== "number")
    return internalError(`the spec replicas field ".${paths.spec.join(".")}" does not exist`);
  const current = read(json, paths.status);
  const selector = paths.selector === undefined ? "" : selectorText(read(json, paths.selector));
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  return done({
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: {
      ...(name === undefined ? {} : { name }),
      ...(namespace === undefined ? {} : { namespace }),
      ...(uid === undefined ? {} : { uid }),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
      ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    },
    spec: replicas === 0 ? {} : { replicas },
    status: {
      replicas: typeof current === "number" ? current : 0,
      ...(selector === "" ? {} : { selector }),
    },
  });
}

/** What is wrong with the replicas of a custom resource that has a scale. */
export function replicasErrors(
  scale: { readonly specReplicasPath: string; readonly statusReplicasPath: string } | undefined,
  object: JsonObject,
  statusOnly: boolean,
): readonly FieldError[] {
  if (scale === undefined) return [];
  const { specReplicasPath: spec, statusReplicasPath: status } = scale;
  return [...(statusOnly ? [] : [spec]), status].flatMap((path) => replicasError(path, object) ?? []);
}

function replicasError(path: string, object: JsonObject): FieldError | undefined {
  let held: JsonValue | undefined = object;
  let at = "";
  for (const key of fieldsOf(path)) {
    at += `.${key}`;
    if (held === undefined) return undefined;
    if (!isJsonObject(held)) return invalidField(path, 0, accessFault(at, held, "map[string]interface{}"));
    held = member(held, key);
  }
  if (held === undefined) return undefined;
  if (typeof held !== "number" || !Number.isInteger(held)) return invalidField(path, 0, accessFault(at, held, "int64"));
  if (held < 0) return invalidField(path, held, "should be a non-negative integer");
  return held > mostReplicas ? invalidField(path, held, `should be less than or equal to ${mostReplicas}`) : undefined;
}

const mostReplicas = 2 ** 31 - 1;

function accessFault(path: string, found: JsonValue, wanted: string): string {
  return `${path} accessor error: ${goText(found)} is of the type ${goTypeOf(found)}, expected ${wanted}`;
}

function goTypeOf(value: JsonValue): string {
  if (value === null) return "<nil>";
  if (Array.isArray(value)) return "[]interface {}";
  if (isJsonObject(value)) return "map[string]interface {}";
  if (typeof value === "number") return Number.isInteger(value) ? "int64" : "float64";
  return typeof value === "boolean" ? "bool" : "string";
}

/** Marks replicas that were never set, in the Scale that a write begins with: the smallest `int32`. */
const unset = -(2 ** 31);

/** The Scale that a write begins with: as it is shown, and with those who own the replicas. */
export function scaleToWrite(kind: ServedKind, object: KubeObject): Result<KubeObject, ApiStatus> {
  const { spec } = pathsOf(kind);
  const whole = asJson(object);
  const isSet = read(whole, spec) !== undefined;
  const scale = scaleOf(kind, isSet ? object : (write(whole, spec, unset) as unknown as KubeObject));
  if (!scale.ok) return scale;
  return done(withManagedFields(scale.value, managersOfScale(object.metadata.managedFields, replicasPaths(kind))));
}

/** The object with the replicas, and the revision as precondition, that a written Scale asks for. */
export function withScale(kind: ServedKind, object: KubeObject, scale: KubeObject): Result<KubeObject, ApiStatus> {
  const wanted = read(asJson(scale), ["spec", "replicas"]) ?? 0;
  const { spec: path } = pathsOf(kind);
  if (kind.custom !== undefined && wanted === unset)
    return badRequest(`the spec replicas field ".${path.join(".")}" cannot be empty`);
  if (kind.custom === undefined && typeof wanted === "number" && wanted < 0)
    return invalid({ group: "autoscaling", kind: "Scale" }, object.metadata.name ?? "", [
      invalidField("spec.replicas", wanted, "must be greater than or equal to 0"),
    ]);
  const { resourceVersion = "", managedFields } = scale.metadata;
  const changed = write(asJson(object), path, wanted) as unknown as KubeObject;
  const managers = managersOfParent(
    object.metadata.managedFields,
    managedFields,
    replicasPaths(kind),
    apiVersionOf(kind.type),
  );
  const owned = withManagedFields(changed, managers);
  return done(resourceVersion === "" ? owned : { ...owned, metadata: { ...owned.metadata, resourceVersion } });
}

/** Of every version of the kind. */
function replicasPaths(kind: ServedKind): ReplicasPaths {
  if (kind.custom === undefined) return new Map([[apiVersionOf(kind.type), builtInPaths.spec]]);
  const { group, versions } = kind.custom.definition.spec;
  return new Map(
    versions.map(({ name, subresources }) => [
      apiVersionOf({ group, version: name }),
      subresources?.scale === undefined ? undefined : fieldsOf(subresources.scale.specReplicasPath),
    ]),
  );
}

function write(object: JsonObject, [key = "", ...rest]: readonly string[], value: JsonValue | undefined): JsonObject {
  if (rest.length === 0) return withMember(object, key, value);
  const held = member(object, key);
  return withMember(object, key, write(isJsonObject(held) ? held : {}, rest, value));
}
