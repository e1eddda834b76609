import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { StructuralSchema } from "@purser/kubernetes/object/schema/structural-schema";
import { copyInSteps, setMember } from "@purser/kubernetes/object/patches/json-edit";
import { knownKeys } from "@purser/kubernetes/known-keys";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { goJson } from "@purser/kubernetes/text/go-json";
import { decodeInSteps } from "../kinds/decoding/decode.ts";

export interface EmbeddedMetadata {
  /** `value` itself when nothing changed. */
  readonly value: JsonValue;
  /** Paths of unknown metadata fields. */
  readonly unknown: readonly string[];
  /** Why the type or metadata of an embedded object is invalid, with the error text of kube-apiserver. */
  readonly problem?: string;
}

/**
 * Decodes the metadata of every embedded object (x-kubernetes-embedded-resource) below `value`; the root's own is left
 * alone. With pauses.
 */
export function* readEmbeddedMetadata(value: JsonObject, schema: StructuralSchema): Steps<EmbeddedMetadata> {
  if (!schema.hasEmbedded) return { value, unknown: [] };
  const findings: Findings = { unknown: [], problem: undefined, strides: new Strides() };
  const read = yield* readMembers(value, schema, "", findings);
  return {
    value: read,
    unknown: findings.unknown,
    ...(findings.problem === undefined ? {} : { problem: findings.problem }),
  };
}

interface Findings {
  readonly unknown: string[];
  problem: string | undefined;
  readonly strides: Strides;
}

function* read(
  value: JsonValue,
  schema: StructuralSchema | undefined,
  path: string,
  findings: Findings,
): Steps<JsonValue> {
  if (schema?.hasEmbedded !== true) return value;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    let copy: JsonValue[] | undefined;
    for (const [index, item] of items.entries()) {
      const next = yield* read(item, schema.items, `${path}[${index}]`, findings);
      if (next !== item) (copy ??= [...items])[index] = next;
    }
    return copy ?? value;
  }
  if (!isJsonObject(value)) return value;
  const members = yield* readMembers(value, schema, path, findings);
  return schema.embedded ? yield* readMetadata(members, path, findings) : members;
}

function* readMembers(
  value: JsonObject,
  schema: StructuralSchema,
  path: string,
  findings: Findings,
): Steps<JsonObject> {
  let copy: Record<string, JsonValue | undefined> | undefined;
  for (const key of knownKeys(value)) {
    if (findings.strides.isDue()) yield;
    const held = member(value, key);
    if (held === undefined) continue;
    const below = schema.properties.get(key) ?? (typeof schema.additional === "object" ? schema.additional : undefined);
    const next = yield* read(held, below, path === "" ? key : `${path}.${key}`, findings);
    if (next === held) continue;
    copy ??= yield* copyInSteps(value, findings.strides);
    setMember(copy, key, next);
  }
  return copy ?? value;
}

/** To decode the metadata of one counts as much as so many members. */
const workOfMetadata = 64;

function* readMetadata(value: JsonObject, path: string, findings: Findings): Steps<JsonObject> {
  if (findings.strides.isDue(workOfMetadata)) yield;
  for (const key of ["apiVersion", "kind"]) {
    const held = member(value, key);
    if (held !== undefined && typeof held !== "string")
      findings.problem ??= `${path}.${key}: Invalid value: ${goJson(held)}: must be a string`;
  }
  const metadata = member(value, "metadata");
  if (metadata === undefined || metadata === null) return value;
  const place = `${path}.metadata`;
  const refuse = (why: string): JsonObject => {
    findings.problem ??= `${place}: Invalid value: ${JSON.stringify(metadata)}: ${why}`;
    return value;
  };
  if (!isJsonObject(metadata)) {
    const type = Array.isArray(metadata) ? "array" : typeof metadata === "boolean" ? "bool" : typeof metadata;
    return refuse(`json: cannot unmarshal ${type} into Go value of type v1.ObjectMeta`);
  }
  const decoded = yield* decodeInSteps("ObjectMeta", metadata);
  if (decoded.problem !== undefined) return refuse(decoded.problem);
  for (const unknown of decoded.unknown) findings.unknown.push(`${place}.${unknown}`);
  return { ...value, metadata: decoded.value };
}
