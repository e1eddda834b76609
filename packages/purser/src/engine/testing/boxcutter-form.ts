import { createHash } from "node:crypto";
import { gunzipSync } from "node:zlib";
import type { Secret } from "@purser/kubernetes/apis/core";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonValue } from "@purser/kubernetes/json";
import { invariant } from "@purser/kubernetes/invariant";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";

const hashOf = (...parts: readonly (string | Buffer)[]) => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash;
};

/** JSON with sorted keys. */
function sorted(value: JsonValue | undefined): string {
  if (Array.isArray(value)) return `[${value.map((one: JsonValue) => sorted(one)).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value as { readonly [key: string]: JsonValue });
  return `{${members
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, one]) => `${JSON.stringify(key)}:${sorted(one)}`)
    .join(",")}}`;
}

/** A revision as OLM v1's boxcutter runtime reads it, with its names and digests computed anew from what is stored. */
export interface RevisionAsRead {
  readonly objects: readonly KubeObject[];
  /** `NAME immutable TYPE LABELS OWNER`, by the hash of what the Secrets hold. */
  readonly secrets: readonly string[];
  /** Digests of the phases. */
  readonly observed: readonly { readonly name: string; readonly digest: string }[];
}

/**
 * Follows the references of a revision as boxcutter does.
 * @param held the Secrets of the system namespace
 */
export function asBoxcutterReads(revision: ClusterObjectSet, held: readonly Secret[]): RevisionAsRead {
  const objects: KubeObject[] = [];
  const used = new Map<string, Secret>();
  const observed = (revision.spec?.phases ?? []).map((phase) => {
    const members = phase.objects.map(({ ref }) => {
      const secret = held.find(({ metadata }) => metadata.name === ref?.name && metadata.namespace === ref?.namespace);
      invariant(ref !== undefined && secret !== undefined, `the objects of phase ${phase.name} are in Secrets`);
      used.set(ref.name, secret);
      const bytes = Buffer.from(secret.data?.[ref.key] ?? "", "base64");
      invariant(ref.key === hashOf(bytes).digest("base64url"), "the key is the hash of what is stored");
      const isCompressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
      return JSON.parse((isCompressed ? gunzipSync(bytes) : bytes).toString("utf8")) as KubeObject;
    });
    objects.push(...members);
    const text = sorted({ name: phase.name, objects: members as unknown as JsonValue });
    return { name: phase.name, digest: `sha256:${hashOf(text).digest("hex")}` };
  });
  const secrets = [...used.values()].map(({ metadata, data = {}, immutable, type }) => {
    const parts = Object.entries(data).toSorted(([a], [b]) => (a < b ? -1 : 1));
    const hash = hashOf(...parts.flatMap(([key, text]) => [key, Buffer.from(text, "base64")])).digest("hex");
    const labels = Object.entries(metadata.labels ?? {}).map(([key, value]) => `${key}=${value}`);
    const owners = (metadata.ownerReferences ?? []).map(
      ({ kind, name, controller }) => `${kind}/${name}/${controller}`,
    );
    const name = `${revision.metadata.name}-${hash.slice(0, 16)}`;
    const named = name === metadata.name ? "named by its content" : `${metadata.name}, not ${name}`;
    return `${named}, immutable ${immutable}, ${type}, ${labels.toSorted().join(" ")}, ${owners.join(" ")}`;
  });
  return { objects, secrets, observed };
}
