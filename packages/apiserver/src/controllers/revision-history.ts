import type { KubeObject } from "@purser/kubernetes/apis/object";
import { asJson, keyOf } from "@purser/kubernetes/apis/object";
import { nameAlphabet } from "@purser/kubernetes/entropy";
import type { JsonObject } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/go-json";
import { numberIn, objectAt, objectIn, without } from "../kinds/decoding/json-parts.ts";
import { controllerRevisions } from "../kinds/resource-types.ts";
import { claim, controllerReference } from "./ownership.ts";
import { longText, type Pass } from "./runtime.ts";
import { turns } from "../turns.ts";
import { RefusedError } from "./writer.ts";

/** A ControllerRevision: a current or former template of the owner. */
export interface Revision extends KubeObject {
  readonly revision?: number;
  readonly data?: JsonObject;
}

/** How the revisions of one kind of owner are named. */
export interface Naming {
  /** Label with the revision's hash, on the revision and on pods created from it. */
  readonly hashLabel: string;
  /** @param text of `data`, as {@link goJson} writes it */
  hash(data: JsonObject, text: string, collisions: number): string;
}

export interface History {
  /** The revision of the current template. */
  readonly current: Revision;
  /** All revisions, oldest first. */
  readonly all: readonly Revision[];
  /** Number of hash collisions so far. */
  readonly collisions: number;
}

/** The stored patch that restores a template. */
function templatePatch(owner: KubeObject): JsonObject {
  return { spec: { template: { ...objectAt(asJson(owner), "spec", "template"), $patch: "replace" } } };
}

/** The pod template in a revision. */
export function templateOf(revision: Revision): JsonObject {
  return without(objectAt(asJson(revision), "data", "spec", "template"), "$patch");
}

/**
 * 32-bit FNV-1 of the text, its decimal digits encoded with rand.SafeEncodeString: the revision hash of
 * kube-controller-manager.
 */
export function revisionHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of new TextEncoder().encode(text)) hash = (Math.imul(hash, 0x01000193) ^ byte) >>> 0;
  return Array.from(String(hash), (digit) => nameAlphabet.charAt(digit.charCodeAt(0) % nameAlphabet.length)).join("");
}

function oldestFirst(a: Revision, b: Revision): number {
  const born = (revision: Revision): string => revision.metadata.creationTimestamp ?? "";
  const byBirth = born(a) === born(b) ? 0 : born(a) < born(b) ? -1 : 1;
  return (
    (a.revision ?? 0) - (b.revision ?? 0) || byBirth || ((a.metadata.name ?? "") < (b.metadata.name ?? "") ? -1 : 1)
  );
}

/**
 * The revisions of an owner. The revision of its current template is created, or renumbered as the latest, when
 * necessary.
 */
export async function historyOf(pass: Pass, owner: KubeObject, naming: Naming): Promise<History> {
  const held = (await claim(pass, owner, controllerRevisions)) as readonly Revision[];
  const sorted = held.toSorted(oldestFirst);
  const data = templatePatch(owner);
  const text = goJson(data);
  const collisions = numberIn(objectIn(asJson(owner), "status"), "collisionCount") ?? 0;
  const newest = sorted.at(-1);
  const next = (newest?.revision ?? 0) + 1;
  let equal: Revision | undefined;
  for (const revision of sorted.toReversed()) {
    await ownTurn(text);
    if (goJson(revision.data ?? {}) !== text) continue;
    equal = revision;
    break;
  }
  if (equal === undefined) {
    const made = await create(pass, owner, naming, { data, text, revision: next, collisions });
    return { ...made, all: [...sorted, made.current] };
  }
  if (equal === newest) return { current: equal, all: sorted, collisions };
  const raised = { ...equal, revision: next };
  const current = ((await pass.writer.replace(controllerRevisions, raised)) as Revision | undefined) ?? raised;
  return { current, all: [...sorted.filter((revision) => revision !== equal), current], collisions };
}

/** A template may be megabytes long: each pass over one is a turn of its own. */
async function ownTurn({ length }: string): Promise<void> {
  if (length >= longText) await turns.before(length);
}

function revisionName(owner: string, hash: string): string {
  return `${owner.slice(0, 223)}-${hash}`;
}

async function create(
  pass: Pass,
  owner: KubeObject,
  naming: Naming,
  made: { readonly data: JsonObject; readonly text: string; readonly revision: number; readonly collisions: number },
): Promise<Pick<History, "current" | "collisions">> {
  const { namespace = "", name = "", annotations = {} } = owner.metadata;
  const { data, text, revision, collisions } = made;
  await ownTurn(text);
  const hash = naming.hash(data, text, collisions);
  const labels = objectAt(asJson(owner), "spec", "template", "metadata", "labels");
  await ownTurn(text);
  const written = await pass.writer.tryCreate(
    controllerRevisions,
    {
      kind: "ControllerRevision",
      apiVersion: "apps/v1",
      metadata: {
        name: revisionName(name, hash),
        namespace,
        labels: { ...labels, [naming.hashLabel]: hash },
        ...(Object.keys(annotations).length === 0 ? {} : { annotations: { ...annotations } }),
        ownerReferences: [controllerReference(owner)],
      },
      data,
      revision,
    },
    namespace,
  );
  if (written.ok) return { current: written.value, collisions };
  const { code, reason, message } = written.problem;
  if (reason === "AlreadyExists") {
    const taken = pass.get(controllerRevisions, { namespace, name: revisionName(name, hash) }) as Revision | undefined;
    if (taken !== undefined && goJson(taken.data ?? {}) === text) return { current: taken, collisions };
    return create(pass, owner, naming, { ...made, collisions: collisions + 1 });
  }
  throw new RefusedError(`create a revision of ${name}`, code, message);
}

/** Deletes the oldest `surplus` revisions of those that no pod uses. */
export async function forgetRevisions(pass: Pass, idle: readonly Revision[], surplus: number): Promise<void> {
  for (const revision of idle.slice(0, Math.max(0, surplus)))
    await pass.writer.remove(controllerRevisions, keyOf(revision));
}
