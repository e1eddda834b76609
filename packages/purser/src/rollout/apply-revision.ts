import { appliedAlready } from "./plan/applied-already.ts";
import type { OwnerReference } from "@purser/kubernetes/apis/object";
import type { WriteRefusal } from "@purser/kubernetes/apis/object-write";
import type { Secret } from "@purser/kubernetes/apis/core";
import { secrets } from "@purser/kubernetes/apis/resources";
import { clusterObjectSets } from "../apis/olm-resources.ts";
import { extensionFieldManager, revisionNameLabel } from "../apis/v1/labels.ts";
import type { ClusterObjectSet } from "../apis/v1/cluster-object-set.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { done, type Result } from "@purser/kubernetes/result";
import { derivedOnce } from "../derived-once.ts";
import type { SecretContents } from "./memory/secret-contents.ts";
import { packObjects } from "./pack-objects.ts";
import { byRevision, type DesiredRevision, objectSetOf, outdatedRevisions } from "./plan/revision.ts";
import type { CrdObstacle, RevisionOutcome } from "./plan/revision-outcome.ts";
import { keepContents } from "./resolve-phases.ts";

export interface RevisionPorts {
  readonly reader: ObjectReader;
  readonly writer: ObjectWriter;
  /** Namespace of the Secrets that hold the objects; `olmv1-system` upstream. */
  readonly systemNamespace: string;
  /** Where the objects of created Secrets are kept for the roll-out that follows; absent: nowhere. */
  readonly secretContents?: SecretContents;
  /** Called with the revision once it is as desired and all of its Secrets exist. */
  readonly verified?: (revision: ClusterObjectSet) => void;
}

/**
 * Applies the desired revision: updates the newest ClusterObjectSet in place when its phases did not change, else creates the
 * next one with its objects packed into immutable Secrets. After a crash at any point the next pass completes the revision.
 * @param obstacleOf called before a new revision is created, which is refused when there is one
 */
export async function applyRevision(
  extension: string,
  desired: DesiredRevision,
  /** Revisions of the extension, any order. */
  existing: readonly ClusterObjectSet[],
  obstacleOf: (objects: readonly JsonObject[]) => Promise<CrdObstacle | undefined>,
  ports: RevisionPorts,
  signal: AbortSignal,
): Promise<RevisionOutcome> {
  const { writer, systemNamespace } = ports;
  const latest = byRevision(existing).at(-1);
  const latestName = latest?.metadata.name ?? "";
  if (latest !== undefined) {
    const packed = await packedOnce(desired.phases, [latestName, extension, systemNamespace]);
    if (!packed.ok) return refused(`packing objects into Secrets: ${packed.problem}`);
    const object = objectSetOf(desired, latestName, latest.spec?.revision ?? 1, packed.value.phases);
    // A cache may drop managedFields, so the object is read live.
    const live = await ports.reader.get(clusterObjectSets, { name: latestName });
    const applied =
      live !== undefined && appliedAlready(live, object, extensionFieldManager)
        ? done(live)
        : await apply(object, writer, signal);
    if (applied.ok) {
      const problem = await ensureSecrets(applied.value, packed.value.secrets, ports, signal);
      if (problem !== undefined) return refused(problem);
      ports.verified?.(applied.value);
      return { kind: "applied", name: latestName, created: false };
    }
    if (applied.problem.kind !== "invalid") {
      return refused(`patching ${latestName} Revision: ${applied.problem.status.message}`);
    }
  }
  const inline = desired.phases.flatMap(({ objects }) =>
    objects.flatMap(({ object }) => (object === undefined ? [] : [object])),
  );
  const obstacle = await obstacleOf(inline);
  if (obstacle !== undefined) return obstacle;
  for (const { metadata } of outdatedRevisions(existing)) {
    const deleted = await writer.write(
      { verb: "delete", type: clusterObjectSets, key: { name: metadata.name ?? "" } },
      signal,
    );
    if (!deleted.ok && deleted.problem.kind !== "notFound") {
      return refused(`garbage collecting old revisions: ${deleted.problem.status.message}`);
    }
  }
  const revision = (latest?.spec?.revision ?? 0) + 1;
  return createRevision(extension, desired, revision, ports, signal);
}

/** Serializes and hashes megabytes, so passes over an unchanged revision reuse the last result. */
const packedOnce = derivedOnce(
  (phases: DesiredRevision["phases"], [revision, owner, namespace]: readonly [string, string, string]) =>
    packObjects(phases, revision, owner, namespace),
  (names) => names.join("/"),
);

const refused = (message: string): RevisionOutcome => ({ kind: "refused", message });

async function createRevision(
  extension: string,
  desired: DesiredRevision,
  revision: number,
  ports: RevisionPorts,
  signal: AbortSignal,
): Promise<RevisionOutcome> {
  const { writer, systemNamespace } = ports;
  const name = `${extension}-${revision}`;
  const packed = await packedOnce(desired.phases, [name, extension, systemNamespace]);
  if (!packed.ok) return refused(`packing objects into Secrets: ${packed.problem}`);
  for (const secret of packed.value.secrets) {
    const problem = await createSecret(secret, ports, signal);
    if (problem !== undefined) return refused(problem);
  }
  const applied = await apply(objectSetOf(desired, name, revision, packed.value.phases), writer, signal);
  if (!applied.ok) return refused(`creating new Revision: ${applied.problem.status.message}`);
  for (const { metadata } of packed.value.secrets) {
    const owned = await own(metadata.name ?? "", applied.value, ports, signal);
    if (owned !== undefined) return refused(`patching ownerReferences on ref Secrets: ${owned}`);
  }
  ports.verified?.(applied.value);
  return { kind: "applied", name, created: true };
}

async function apply(
  object: ClusterObjectSet,
  writer: ObjectWriter,
  signal: AbortSignal,
): Promise<Result<ClusterObjectSet, WriteRefusal>> {
  const written = await writer.write(
    { verb: "apply", type: clusterObjectSets, object, fieldManager: extensionFieldManager, force: true },
    signal,
  );
  return written.ok ? done((written.value.object ?? object) as ClusterObjectSet) : written;
}

async function createSecret(
  secret: Secret,
  { writer, secretContents }: RevisionPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const created = await writer.write({ verb: "create", type: secrets, object: secret }, signal);
  const stored = created.ok ? created.value.object : undefined;
  if (stored !== undefined && secretContents !== undefined) await keepContents(stored, secretContents);
  return created.ok || created.problem.kind === "alreadyExists"
    ? undefined
    : `creating ref Secret "${secret.metadata.name ?? ""}": ${created.problem.status.message}`;
}

/** Creates the revision's Secrets that were deleted, and sets the owner of those that have none because of a crash. */
async function ensureSecrets(
  revision: ClusterObjectSet,
  wanted: readonly Secret[],
  ports: RevisionPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const { name = "", uid = "" } = revision.metadata;
  const held = await ports.reader.list(secrets, {
    namespace: ports.systemNamespace,
    labelSelector: `${revisionNameLabel}=${name}`,
  });
  const present = new Set(held.map(({ metadata }) => metadata.name));
  const lost = wanted.filter(({ metadata }) => !present.has(metadata.name));
  for (const secret of lost) {
    const problem = await createSecret(secret, ports, signal);
    if (problem !== undefined) return problem;
  }
  for (const { metadata } of [...held, ...lost]) {
    if ((metadata.ownerReferences ?? []).some((reference) => reference.uid === uid)) continue;
    const problem = await own(metadata.name ?? "", revision, ports, signal);
    if (problem !== undefined) return `ensuring ownerReferences on ref Secrets: ${problem}`;
  }
  return undefined;
}

async function own(
  secret: string,
  { metadata: { name = "", uid = "" } }: ClusterObjectSet,
  { writer, systemNamespace }: RevisionPorts,
  signal: AbortSignal,
): Promise<string | undefined> {
  const reference: OwnerReference = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterObjectSet",
    name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  };
  const patched = await writer.write(
    {
      verb: "patch",
      type: secrets,
      key: { namespace: systemNamespace, name: secret },
      patch: { metadata: { ownerReferences: [{ ...reference }] } },
      patchType: "merge",
    },
    signal,
  );
  return patched.ok ? undefined : patched.problem.status.message;
}
