import { asJson, type KubeObject } from "../../apis/object.ts";
import type { ApiStatus } from "../../apis/object-write.ts";
import { formatSelector, selectorOf } from "../../apis/selector.ts";
import type { LabelSelector } from "../../apis/selector.ts";
import type { JsonObject, JsonValue } from "../../json.ts";
import { isJsonObject, member } from "../../json.ts";
import { withMember } from "../../object/json-edit.ts";
import { type FieldError, invalid as invalidField } from "../../object/field-error.ts";
import { goText } from "../../object/go-text.ts";
import type { Result } from "../../result.ts";
import { done } from "../../result.ts";
import type { ServedKind } from "../registry/served-kind.ts";
import { internalError, invalid } from "../request/refusal.ts";

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
  const selector = selectorOf(value as LabelSelector);
  return selector.ok ? formatSelector(selector.value) : "";
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

/** The object with the replicas, and the revision as precondition, that a Scale asks for. */
export function withScale(kind: ServedKind, object: KubeObject, scale: JsonObject): Result<KubeObject, ApiStatus> {
  const spec = member(scale, "spec");
  const wanted = isJsonObject(spec) ? (member(spec, "replicas") ?? 0) : 0;
  const paths = pathsOf(kind);
  // The replicas of a custom resource are checked with the rest of it.
  if (typeof wanted !== "number" || (wanted < 0 && kind.custom === undefined))
    return invalid(
      kind.custom === undefined ? { group: "autoscaling", kind: "Scale" } : kind.type,
      object.metadata.name ?? "",
      [
        kind.custom === undefined
          ? invalidField("spec.replicas", wanted, "must be greater than or equal to 0")
          : invalidField(`.${paths.spec.join(".")}`, wanted, "should be a non-negative integer"),
      ],
    );
  const metadata = member(scale, "metadata");
  const revision = isJsonObject(metadata) ? member(metadata, "resourceVersion") : undefined;
  const changed = write(asJson(object), paths.spec, wanted) as unknown as KubeObject;
  if (typeof revision !== "string" || revision === "") return done(changed);
  return done({ ...changed, metadata: { ...changed.metadata, resourceVersion: revision } });
}

/** The object as a Scale shows it: without its replicas where they are zero. */
export function replicasShown(kind: ServedKind, object: KubeObject): KubeObject {
  const { spec } = pathsOf(kind);
  return read(asJson(object), spec) === 0 ? (write(asJson(object), spec, undefined) as unknown as KubeObject) : object;
}

function write(object: JsonObject, [key = "", ...rest]: readonly string[], value: JsonValue | undefined): JsonObject {
  if (rest.length === 0) return withMember(object, key, value);
  const held = member(object, key);
  return withMember(object, key, write(isJsonObject(held) ? held : {}, rest, value));
}
