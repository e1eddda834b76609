import { isJsonObject, type JsonObject, type JsonValue, member } from "../../json.ts";
import type { Steps } from "../../steps.ts";
import { goJson } from "../../text/go-json.ts";
import { checkTyped } from "../apply/check-typed.ts";
import { difference, type FieldSet, union } from "../apply/field-set.ts";
import { withMember } from "./json-edit.ts";
import type { MergeSchema } from "../apply/merge-schema.ts";
import { compareTyped } from "../apply/compare-typed.ts";
import { fieldsInSteps } from "../apply/typed-fields.ts";

const lastAppliedAnnotation = "kubectl.kubernetes.io/last-applied-configuration";

/** The field manager whose applies update the annotation. */
const kubectl = "kubectl";

function annotationOf(object: JsonObject): string {
  const annotations = member(metadataOf(object), "annotations");
  const text = isJsonObject(annotations) ? member(annotations, lastAppliedAnnotation) : undefined;
  return typeof text === "string" ? text : "";
}

/**
 * The fields of kubectl's client-side apply that are unchanged in the live object: its server-side apply takes them
 * over without a conflict. Undefined when there is no annotation.
 */
export function* lastAppliedFields(
  live: JsonObject,
  {
    manager,
    apiVersion,
    schema,
  }: { readonly manager: string; readonly apiVersion: string; readonly schema: MergeSchema },
): Steps<FieldSet | undefined> {
  if (manager !== kubectl) return undefined;
  const text = annotationOf(live);
  const before = text === "" ? undefined : parseObject(text);
  if (before === undefined || member(before, "apiVersion") !== apiVersion) return undefined;
  if (member(before, "kind") !== member(live, "kind") || (yield* checkTyped(before, schema)).length > 0)
    return undefined;
  const changes = yield* compareTyped(before, live, schema);
  const fields = yield* fieldsInSteps(before, schema);
  yield;
  return difference(fields, union(union(changes.modified, changes.added), changes.removed));
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as JsonValue;
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Updates kubectl's annotation, if present, with what it applies. */
export function syncLastApplied(applied: JsonObject, manager: string, object: JsonObject): JsonObject {
  if (manager !== kubectl || annotationOf(object) === "") return object;
  const wanted = withMember(applied, "metadata", withoutAnnotation(metadataOf(applied)));
  const text = `${goJson(wanted)}\n`;
  if (annotationOf(object) === text) return object;
  const metadata = metadataOf(object);
  const held = member(metadata, "annotations");
  const annotations = withMember(isJsonObject(held) ? held : {}, lastAppliedAnnotation, text);
  return withMember(object, "metadata", withMember(metadata, "annotations", annotations));
}

function withoutAnnotation(metadata: JsonObject): JsonObject {
  const annotations = member(metadata, "annotations");
  if (!isJsonObject(annotations)) return metadata;
  const rest = withMember(annotations, lastAppliedAnnotation, undefined);
  return withMember(metadata, "annotations", Object.keys(rest).length === 0 ? undefined : rest);
}

function metadataOf(object: JsonObject): JsonObject {
  const metadata = member(object, "metadata");
  return isJsonObject(metadata) ? metadata : {};
}
