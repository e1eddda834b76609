import { gunzipSync } from "node:zlib";
import type { Secret } from "@purser/kubernetes/apis/core";
import { secrets } from "@purser/kubernetes/apis/resources";
import type { ClusterObjectSet, CollisionProtection } from "../apis/v1/cluster-object-set.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { done, failed, type Result } from "@purser/kubernetes/result";

export interface PhaseMember {
  readonly object: JsonObject;
  readonly protection?: CollisionProtection;
}

export interface PhaseContent {
  readonly name: string;
  readonly protection?: CollisionProtection;
  readonly members: readonly PhaseMember[];
}

export type PhasesProblem =
  /** Secrets that could change under the revision. */
  { readonly kind: "mutable"; readonly message: string } | { readonly kind: "unresolved"; readonly message: string };

/** Room for one object; more would be a decompression bomb. */
const objectLimit = 10 * 1024 * 1024;

/** The objects of a revision, those in Secrets read from there. Each Secret is read once; it has to be immutable. */
export async function resolvePhases(
  revision: ClusterObjectSet,
  reader: ObjectReader,
): Promise<Result<readonly PhaseContent[], PhasesProblem>> {
  const held = new Map<string, Secret | undefined>();
  const phases = revision.spec?.phases ?? [];
  for (const { ref } of phases.flatMap(({ objects }) => objects)) {
    if (ref === undefined) continue;
    const key = `${ref.namespace ?? ""}/${ref.name}`;
    if (!held.has(key)) held.set(key, await reader.get(secrets, { namespace: ref.namespace ?? "", name: ref.name }));
  }
  const mutable = [...held]
    .filter(([, secret]) => secret !== undefined && secret.immutable !== true)
    .map(([key]) => key);
  if (mutable.length > 0) {
    const message = `the following secrets are not immutable (referenced secrets must have immutable set to true): ${mutable.join(", ")}`;
    return failed({ kind: "mutable", message });
  }
  const contents: PhaseContent[] = [];
  for (const phase of phases) {
    const members: PhaseMember[] = [];
    for (const { object: inline, ref, collisionProtection } of phase.objects) {
      const object = inline === undefined ? objectIn(held, ref) : done(inline);
      if (!object.ok) {
        return failed({ kind: "unresolved", message: `resolving ref in phase "${phase.name}": ${object.problem}` });
      }
      members.push({
        object: object.value,
        ...(collisionProtection === undefined ? {} : { protection: collisionProtection }),
      });
    }
    const protection = phase.collisionProtection;
    contents.push({ name: phase.name, members, ...(protection === undefined ? {} : { protection }) });
  }
  return done(contents);
}

function objectIn(
  held: ReadonlyMap<string, Secret | undefined>,
  ref: { readonly name: string; readonly namespace?: string; readonly key: string } | undefined,
): Result<JsonObject, string> {
  if (ref === undefined) return failed("exactly one of the fields in [object ref] must be set");
  const source = `${ref.namespace ?? ""}/${ref.name}`;
  const secret = held.get(source);
  if (secret === undefined) return failed(`getting Secret ${source}: secrets "${ref.name}" not found`);
  let objects = known.get(secret);
  if (objects === undefined) known.set(secret, (objects = new Map()));
  let object = objects.get(ref.key);
  if (object === undefined) objects.set(ref.key, (object = read(secret, source, ref.key)));
  return object;
}

/** The objects of a Secret by key, as long as its tree is held: pass after pass of a rollout asks for them. */
const known = new WeakMap<Secret, Map<string, Result<JsonObject, string>>>();

function read(secret: Secret, source: string, key: string): Result<JsonObject, string> {
  const text = secret.data !== undefined && Object.hasOwn(secret.data, key) ? secret.data[key] : undefined;
  if (text === undefined) return failed(`key "${key}" not found in Secret ${source}`);
  const unreadable = (why: string) => failed(`unmarshaling object from key "${key}" in Secret ${source}: ${why}`);
  const stored = Buffer.from(text, "base64");
  try {
    const isGzip = stored[0] === 0x1f && stored[1] === 0x8b;
    const json = isGzip ? gunzipSync(stored, { maxOutputLength: objectLimit }) : stored;
    const value = JSON.parse(json.toString("utf8")) as JsonValue;
    return isJsonObject(value) ? done(value) : unreadable("not an object");
  } catch (error) {
    if (error instanceof RangeError) {
      return failed(
        `decompressed data for key "${key}" in Secret ${source} exceeds maximum size (${objectLimit} bytes)`,
      );
    }
    return unreadable(error instanceof Error ? error.message : String(error));
  }
}
