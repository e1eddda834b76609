import { gunzipSync } from "node:zlib";
import type { Secret } from "@purser/kubernetes/apis/core";
import { secrets } from "@purser/kubernetes/apis/resources";
import type { ClusterObjectSet, CollisionProtection, PhaseObject } from "../apis/v1/cluster-object-set.ts";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { turns } from "@purser/kubernetes/system/turns";
import type { SecretContents } from "./memory/secret-contents.ts";

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
  /** Secrets of the revision that are not immutable. */
  | { readonly kind: "mutable"; readonly message: string }
  /** A Secret of the revision does not exist. */
  | { readonly kind: "lost"; readonly message: string }
  | { readonly kind: "unresolved"; readonly message: string };

/** Limit of one decompressed object, against decompression bombs. */
const objectLimit = 10 * 1024 * 1024;

/** The objects of a revision, those in Secrets read from there. Each Secret is read once; it has to be immutable. */
export async function resolvePhases(
  revision: ClusterObjectSet,
  reader: ObjectReader,
  contents: SecretContents,
): Promise<Result<readonly PhaseContent[], PhasesProblem>> {
  // An immutable Secret whose objects are still known is not read again: they are while its objects roll out.
  const trusts = contents.hasSameAnnotations(revision.metadata) && revision.spec?.lifecycleState === "Active";
  const phases = revision.spec?.phases ?? [];
  const references = phases.flatMap(({ objects }) => objects.flatMap(({ ref }) => ref ?? []));
  const secretAt = async ({ namespace = "", name }: SecretReference): Promise<Secret | undefined> => {
    const keys = references.filter((ref) => ref.name === name && (ref.namespace ?? "") === namespace);
    const known = trusts
      ? contents.recent(
          `${namespace}/${name}`,
          keys.map(({ key }) => key),
        )
      : undefined;
    return known ?? contents.noted(await reader.get(secrets, { namespace, name }));
  };
  const held = new Map<string, Secret | undefined>();
  for (const ref of references) {
    const key = nameOf(ref);
    if (!held.has(key)) held.set(key, await secretAt(ref));
  }
  contents.noteAnnotations(revision.metadata);

  const mutable = [...held]
    .filter(([, secret]) => secret !== undefined && secret.immutable !== true)
    .map(([key]) => key);
  if (mutable.length > 0) {
    const message = `the following secrets are not immutable (referenced secrets must have immutable set to true): ${mutable.join(", ")}`;
    return failed({ kind: "mutable", message });
  }
  const resolved: PhaseContent[] = [];
  for (const phase of phases) {
    const members: PhaseMember[] = [];
    for (const { object: inline, ref, collisionProtection } of phase.objects) {
      const object = inline === undefined ? await objectIn(held, ref, contents) : done(inline);
      if (!object.ok) {
        const isLost = ref !== undefined && held.get(nameOf(ref)) === undefined;
        const kind = isLost ? "lost" : "unresolved";
        return failed({ kind, message: `resolving ref in phase "${phase.name}": ${object.problem}` });
      }
      members.push({
        object: object.value,
        ...(collisionProtection === undefined ? {} : { protection: collisionProtection }),
      });
    }
    const protection = phase.collisionProtection;
    resolved.push({ name: phase.name, members, ...(protection === undefined ? {} : { protection }) });
  }
  return done(resolved);
}

type SecretReference = NonNullable<PhaseObject["ref"]>;

function nameOf({ namespace = "", name }: SecretReference): string {
  return `${namespace}/${name}`;
}

/** The Secrets that hold objects of a revision, as `namespace/name`. */
export function secretsOf({ spec }: ClusterObjectSet): ReadonlySet<string> {
  const objects = (spec?.phases ?? []).flatMap((phase) => phase.objects);
  return new Set(objects.flatMap(({ ref }) => (ref === undefined ? [] : [nameOf(ref)])));
}

async function objectIn(
  held: ReadonlyMap<string, Secret | undefined>,
  ref: SecretReference | undefined,
  contents: SecretContents,
): Promise<Result<JsonObject, string>> {
  if (ref === undefined) return failed("exactly one of the fields in [object ref] must be set");
  const source = nameOf(ref);
  const secret = held.get(source);
  if (secret === undefined) return failed(`getting Secret ${source}: secrets "${ref.name}" not found`);
  return contents.of(secret).get(ref.key) ?? keepContent(secret, ref.key, contents);
}

async function keepContent(secret: Secret, key: string, contents: SecretContents): Promise<Result<JsonObject, string>> {
  await turns.before(secret.data?.[key]?.length ?? 0);
  const { namespace, name } = secret.metadata;
  const object = read(
    secret,
    nameOf({ ...(namespace === undefined ? {} : { namespace }), name: name ?? "", key }),
    key,
  );
  contents.of(secret).set(key, object);
  return object;
}

/** Keeps the objects of a Secret that was just created, so that the roll-out need not read it. */
export async function keepContents(secret: Secret, contents: SecretContents): Promise<void> {
  contents.noted(secret);
  for (const key of Object.keys(secret.data ?? {})) await keepContent(secret, key, contents);
}

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
