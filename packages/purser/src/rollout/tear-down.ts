import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import { parseApiVersion, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import { managedByLabel, ownerNameLabel, revisionAnnotation } from "../apis/v1/labels.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import { readOrRefusal } from "@purser/kubernetes/kube/refusal";
import { describeObject } from "./plan/owned-elsewhere.ts";
import type { ObjectSetPorts } from "./object-set-ports.ts";
import type { PhaseContent } from "./resolve-phases.ts";

export interface TearDownOutcome {
  /** Nothing of the revision is left, or only what belongs to another revision. */
  readonly complete: boolean;
  readonly errors: readonly string[];
  readonly types: readonly ResourceType[];
}

/**
 * Deletes the objects that a revision controls, phases in reverse order; a phase is only begun when all objects of the phase
 * after it are deleted. An object that another revision controls, or whose annotation does not name this revision, only
 * loses this revision's owner reference. Objects of an API whose server does not answer do not delay the other phases,
 * because the phase with the APIService would never be reached; they are reported as errors.
 */
export async function tearDown(
  phases: readonly PhaseContent[],
  revision: ClusterObjectSet,
  ports: ObjectSetPorts,
  signal: AbortSignal,
): Promise<TearDownOutcome> {
  const types: ResourceType[] = [];
  const unreachable: string[] = [];
  for (const { members } of phases.toReversed()) {
    const errors: string[] = [];
    let finished = true;
    for (const { object } of members.toReversed()) {
      const manifest = object as unknown as KubeObject;
      const found = await ports.lookUp({ ...parseApiVersion(manifest.apiVersion), kind: manifest.kind });
      // The objects of an API that is no longer served do not exist any more.
      if (found.kind === "absent") continue;
      if (found.kind === "unavailable") {
        const api = manifest.apiVersion;
        unreachable.push(
          `cannot delete ${describeObject(manifest)}: the server of ${api} does not answer: ${found.why}`,
        );
        continue;
      }
      types.push(found.type);
      const outcome = await removeMember(found.type, manifest, revision, ports, signal);
      if (outcome.error !== undefined) errors.push(outcome.error);
      if (!outcome.finished) finished = false;
    }
    if (errors.length > 0 || !finished) return { complete: false, errors: [...errors, ...unreachable], types };
  }
  return { complete: unreachable.length === 0, errors: unreachable, types };
}

type Removal = { readonly finished: boolean; readonly error?: string };

/** An object that another client changed since it was read is looked at again by the next pass. */
function notRemoved({ kind, status }: WriteRefusal): Removal {
  if (kind === "notFound") return { finished: true };
  return kind === "conflict" ? { finished: false } : { finished: false, error: status.message };
}

async function removeMember(
  type: ResourceType,
  manifest: KubeObject,
  revision: ClusterObjectSet,
  { reader, writer }: ObjectSetPorts,
  signal: AbortSignal,
): Promise<Removal> {
  const { name = "", namespace } = manifest.metadata;
  const key: ObjectKey = type.namespaced && namespace !== undefined ? { namespace, name } : { name };
  const read = await readOrRefusal(reader.get(type, key));
  if (!read.ok) return { finished: false, error: read.problem.status.message };
  const live = read.value;
  if (live === undefined) return { finished: true };
  const { uid, resourceVersion, ownerReferences = [], annotations = {} } = live.metadata;
  const own = ownerReferences.find((reference) => reference.uid === revision.metadata.uid);
  if (own === undefined) return { finished: true };
  const patch = (changes: JsonValue) =>
    writer.write({ verb: "patch", type, key, patch: changes, patchType: "merge" }, signal);
  const others = ownerReferences.filter((reference) => reference !== own).map((reference) => ({ ...reference }));
  const orphaned = revision.metadata.finalizers?.includes("orphan") === true;
  // Another revision, or somebody else, has claimed an object that was marked anew.
  const isMarked = annotations[revisionAnnotation] === String(revision.spec?.revision ?? 0);
  if (own.controller !== true || !isMarked || orphaned) {
    const unmarked = orphaned
      ? { labels: { [managedByLabel]: null, [ownerNameLabel]: null }, annotations: { [revisionAnnotation]: null } }
      : {};
    const patched = await patch({
      metadata: {
        ownerReferences: others,
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
        ...unmarked,
      },
    });
    return patched.ok ? { finished: true } : notRemoved(patched.problem);
  }
  if (live.metadata.deletionTimestamp !== undefined) return { finished: false };
  const deleted = await writer.write(
    {
      verb: "delete",
      type,
      key,
      propagation: "Background",
      preconditions: {
        ...(uid === undefined ? {} : { uid }),
        ...(resourceVersion === undefined ? {} : { resourceVersion }),
      },
    },
    signal,
  );
  if (!deleted.ok) return notRemoved(deleted.problem);
  const left = await readOrRefusal(reader.get(type, key));
  return { finished: left.ok && left.value === undefined };
}
