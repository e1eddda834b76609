import type { KubeObject, OwnerReference } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { clusterRoleBindings, roleBindings, roles, secrets, services } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { StrategyDeployment } from "../apis/v0/cluster-service-version.ts";
import { caHashAnnotation } from "../apis/v0/labels.ts";
import {
  authorityHash,
  issueServiceCertificate,
  needsRotation,
  serviceHosts,
} from "@purser/kubernetes/certificate/service-certificate";
import type { Clock } from "@purser/kubernetes/clock";
import type { Entropy } from "@purser/kubernetes/entropy";
import type { ObjectWriter } from "@purser/kubernetes/kube/object-writer";
import { done, type Result } from "@purser/kubernetes/result";
import { ownerOf } from "./plan/strategy/csv-owner.ts";
import { servingNames } from "./plan/strategy/serving-names.ts";
import { servingResources } from "./plan/strategy/serving-resources.ts";
import type { StrategyWorld } from "./plan/strategy/strategy-world.ts";
import { fromBase64 } from "./stored-certificate.ts";
import { failureOf, type WriteFailure, writeOrFail } from "./write-failure.ts";

const fieldManager = "olm.install";

/** The certificate that a Deployment serves with, once its Secret exists. */
export interface ServingCertificate {
  /** Base64 of the authority's PEM. */
  readonly authority: string;
  readonly authorityHash: string;
  /** Epoch milliseconds; set when the certificate is new. */
  readonly rotateAt?: number;
}

interface Ports {
  readonly writer: ObjectWriter;
  readonly clock: Clock;
  readonly entropy: Entropy;
}

/**
 * Makes sure that one deployment has its Service, a good certificate in its Secret, and the rights that serving needs
 * (OLM's `installCertRequirements`). A stored certificate that is good is kept, and adopted where another CSV owns it; a wrong
 * hash beside it is corrected.
 */
export async function ensureServing(
  world: StrategyWorld,
  entry: StrategyDeployment,
  { writer, clock, entropy }: Ports,
  signal: AbortSignal,
): Promise<Result<ServingCertificate, WriteFailure>> {
  const owner = ownerOf(world.csv);
  const names = servingNames(entry.name);
  const resources = servingResources(world.csv, entry);
  const apply = (type: ResourceType, object: KubeObject): ObjectWrite => ({
    verb: "apply",
    type,
    object,
    fieldManager,
    force: true,
  });

  const service = await writeOrFail(writer, apply(services, resources.service), signal);
  if (!service.ok) return service;

  const stored = world.secrets.get(names.secret);
  const hosts = serviceHosts(names.service, owner.namespace);
  const now = clock.now();
  const authorityPem = fromBase64(stored?.data?.["olmCAKey"]);
  const due = needsRotation({ authorityPem, certificatePem: fromBase64(stored?.data?.["tls.crt"]), hosts, now });
  let certificate: ServingCertificate;
  if (stored !== undefined && !due && authorityPem !== undefined) {
    const { "tls.crt": crt = "", "tls.key": key = "", olmCAKey = "" } = stored.data ?? {};
    certificate = { authority: olmCAKey, authorityHash: authorityHash(authorityPem) };
    const hasHash = stored.metadata.annotations?.[caHashAnnotation] === certificate.authorityHash;
    if (!hasHash || isOfAnotherCsv(stored, owner.reference)) {
      // Otherwise the check of the owned APIs would fail again, or the certificate would be garbage collected with the CSV
      // that this one replaces.
      const data = { "tls.crt": crt, "tls.key": key, olmCAKey };
      const make = (reference: OwnerReference | undefined) =>
        resources.secret(data, certificate.authorityHash, reference);
      const adopted = await createOrReplace(writer, secrets, stored, make, owner.reference, signal);
      if (!adopted.ok) return adopted;
    }
  } else {
    const issued = await issueServiceCertificate({ hosts, now, entropy });
    certificate = {
      authority: btoa(issued.authorityPem),
      authorityHash: issued.authorityHash,
      rotateAt: issued.rotateAt,
    };
    const data = {
      "tls.crt": btoa(issued.certificatePem),
      "tls.key": btoa(issued.privateKeyPem),
      olmCAKey: certificate.authority,
    };
    const make = (reference: OwnerReference | undefined) => resources.secret(data, issued.authorityHash, reference);
    const written = await createOrReplace(writer, secrets, stored, make, owner.reference, signal);
    if (!written.ok) return written;
  }

  const role = world.roles.get(names.secret);
  const roleWritten = await createOrReplace(
    writer,
    roles,
    role,
    (reference) => resources.role(reference),
    owner.reference,
    signal,
  );
  if (!roleWritten.ok) return roleWritten;
  const binding = world.roleBindings.get(names.secret);
  const bindingWritten = await createOrReplace(
    writer,
    roleBindings,
    binding,
    (reference) => resources.roleBinding(reference),
    owner.reference,
    signal,
  );
  if (!bindingWritten.ok) return bindingWritten;

  const delegator = await writeOrFail(writer, apply(clusterRoleBindings, resources.authDelegator), signal);
  if (!delegator.ok) return delegator;
  const reader = await writeOrFail(writer, apply(roleBindings, resources.authReader), signal);
  return reader.ok ? done(certificate) : reader;
}

/**
 * Replaces what is stored, keeping the owner reference only where a CSV owned it before; creates it otherwise, or updates
 * one that the cache did not show.
 */
async function createOrReplace(
  writer: ObjectWriter,
  type: ResourceType,
  stored: KubeObject | undefined,
  make: (reference: OwnerReference | undefined) => KubeObject,
  reference: OwnerReference,
  signal: AbortSignal,
): Promise<Result<undefined, WriteFailure>> {
  if (stored !== undefined) {
    const owned = (stored.metadata.ownerReferences ?? []).some(({ kind }) => kind === "ClusterServiceVersion");
    const replaced = await writeOrFail(
      writer,
      { verb: "replace", type, object: make(owned ? reference : undefined) },
      signal,
    );
    return replaced.ok ? done(undefined) : replaced;
  }
  const created = await writer.write({ verb: "create", type, object: make(reference) }, signal);
  if (created.ok) return done(undefined);
  if (created.problem.kind !== "alreadyExists") return { ok: false, problem: failureOf(created.problem) };
  const updated = await writeOrFail(writer, { verb: "replace", type, object: make(reference) }, signal);
  return updated.ok ? done(undefined) : updated;
}

/** Whether other CSVs own the object and the referenced one does not. */
function isOfAnotherCsv({ metadata }: KubeObject, { uid }: OwnerReference): boolean {
  const csvs = (metadata.ownerReferences ?? []).filter(({ kind }) => kind === "ClusterServiceVersion");
  return csvs.length > 0 && !csvs.some((reference) => reference.uid === uid);
}
