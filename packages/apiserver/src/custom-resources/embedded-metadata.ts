import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { StructuralSchema } from "@purser/kubernetes/object/schema/structural-schema";
import { goJson } from "@purser/kubernetes/text/go-json";
import { decodeAs } from "../kinds/decoding/decode.ts";

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
 * alone.
 */
export function readEmbeddedMetadata(value: JsonObject, schema: StructuralSchema): EmbeddedMetadata {
  if (!schema.hasEmbedded) return { value, unknown: [] };
  const findings: Findings = { unknown: [], problem: undefined };
  const read = readMembers(value, schema, "", findings);
  return {
    value: read,
    unknown: findings.unknown,
    ...(findings.problem === undefined ? {} : { problem: findings.problem }),
  };
}

interface Findings {
  readonly unknown: string[];
  problem: string | undefined;
}

function read(value: JsonValue, schema: StructuralSchema | undefined, path: string, findings: Findings): JsonValue {
  if (schema?.hasEmbedded !== true) return value;
  if (Array.isArray(value)) {
    const items = value as readonly JsonValue[];
    const next = items.map((item, index) => read(item, schema.items, `${path}[${index}]`, findings));
    return next.every((item, index) => item === items[index]) ? value : next;
  }
  if (!isJsonObject(value)) return value;
  const members = readMembers(value, schema, path, findings);
  return schema.embedded ? readMetadata(members, path, findings) : members;
}

function readMembers(value: JsonObject, schema: StructuralSchema, path: string, findings: Findings): JsonObject {
  let copy: Record<string, JsonValue | undefined> | undefined;
  for (const key of Object.keys(value)) {
    const held = member(value, key);
    if (held === undefined) continue;
    const below = schema.properties.get(key) ?? (typeof schema.additional === "object" ? schema.additional : undefined);
    const next = read(held, below, path === "" ? key : `${path}.${key}`, findings);
    if (next !== held) (copy ??= { ...value })[key] = next;
  }
  return copy ?? value;
}

function readMetadata(value: JsonObject, path: string, findings: Findings): JsonObject {
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
  const decoded = decodeAs("ObjectMeta", metadata);
  if (decoded.problem !== undefined) return refuse(decoded.problem);
  findings.unknown.push(...decoded.unknown.map((unknown) => `${place}.${unknown}`));
  return { ...value, metadata: decoded.value };
}
