import { readdir, readFile } from "node:fs/promises";
import { join, relative } from "node:path";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { asKubeObject } from "@purser/kubernetes/apis/object";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { clusterRoles, customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { type ApiFamily, everyFamily, groupOfFamily } from "../apis/api-family.ts";
import type { CrdSet } from "../apis/crd-set.ts";
import { aggregatedRoles } from "../apis/v0/aggregated-roles.ts";
import { reservedGroupsPolicy } from "../apis/v0/reserved-groups-policy.ts";
import { tenantPolicies } from "../apis/v0/tenant-grants-policies.ts";
import type { WritePolicy } from "../apis/write-policy.ts";
import { deprecationPolicy } from "../apis/v1/deprecation-policy.ts";
import type { Clock } from "@purser/kubernetes/clock";
import type { Compat, CompatSwitch } from "../compat.ts";
import { invariant } from "@purser/kubernetes/invariant";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { type Log, silent } from "@purser/kubernetes/kube/log";
import { written, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { formatPlace } from "@purser/kubernetes/place";
import { readDocuments } from "@purser/kubernetes/text/documents";
import { packageDirectory } from "./package-directory.ts";
import { untilNoneTerminates } from "./terminating-crds.ts";

const admission = { group: "admissionregistration.k8s.io", version: "v1", namespaced: false } as const;
const admissionPolicies: ResourceType = {
  ...admission,
  kind: "ValidatingAdmissionPolicy",
  plural: "validatingadmissionpolicies",
};
const admissionPolicyBindings: ResourceType = {
  ...admission,
  kind: "ValidatingAdmissionPolicyBinding",
  plural: "validatingadmissionpolicybindings",
};

/** Objects by path of their manifest file in the package, written by `npm run build`: parsing the YAML takes 0.2 s. */
let prepared: Promise<Readonly<Record<string, readonly KubeObject[]>>> | undefined;

async function preparedObjects(path: string): Promise<readonly KubeObject[] | undefined> {
  if (!import.meta.filename.endsWith(".js")) return undefined;
  prepared ??= readFile(join(packageDirectory(), "dist", "manifests.json"), "utf8").then(
    (text) => JSON.parse(text) as Readonly<Record<string, readonly KubeObject[]>>,
  );
  return (await prepared)[relative(packageDirectory(), path).replaceAll("\\", "/")];
}

/** By path: the package's files do not change while it runs. */
const parsed = new Map<string, Promise<readonly KubeObject[]>>();

/** The objects of a manifest file of this package. @throws when the installation is damaged */
export async function readManifestFile(path: string): Promise<readonly KubeObject[]> {
  const ready = await preparedObjects(path);
  if (ready !== undefined) return ready;
  let objects = parsed.get(path);
  if (objects === undefined) {
    objects = parseManifestFile(path);
    parsed.set(path, objects);
  }
  return objects;
}

async function parseManifestFile(path: string): Promise<readonly KubeObject[]> {
  const documents = readDocuments(await readFile(path, "utf8"), { file: path });
  if (!documents.ok)
    throw new Error(`Cannot read "${formatPlace(documents.problem.place)}": ${documents.problem.message}`);
  return documents.value.flatMap(({ value }) => asKubeObject(value) ?? []);
}

const policiesGroup = "purser.dev";

async function crdsIn(directory: string): Promise<readonly CustomResourceDefinition[]> {
  const files = (await readdir(directory)).filter((name) => name.endsWith(".yaml")).sort();
  const objects = await Promise.all(files.map((name) => readManifestFile(join(directory, name))));
  const crds = objects
    .flat()
    .filter((object) => object.kind === "CustomResourceDefinition") as readonly CustomResourceDefinition[];
  invariant(crds.length > 0, `${directory} holds CustomResourceDefinitions`);
  return crds;
}

/**
 * The CustomResourceDefinitions of the given API families: thirteen for both, those of update policies for each. The standard set has
 * ClusterObjectSets too, which hold what is installed.
 */
export async function ownCrds(
  families: readonly ApiFamily[] = everyFamily,
  set: CrdSet = "experimental",
): Promise<readonly CustomResourceDefinition[]> {
  const directory = join(packageDirectory(), "crds");
  const ofSet = set === "standard" ? await crdsIn(join(directory, "standard")) : [];
  const crds = (await crdsIn(directory)).map(
    (crd) => ofSet.find(({ metadata }) => metadata.name === crd.metadata.name) ?? crd,
  );
  const groups = [...families.map((family) => groupOfFamily[family]), policiesGroup];
  return crds.filter(({ spec }) => groups.includes(spec.group));
}

/** Names of the CRDs of the given API families that are missing or not established in the cluster. */
export async function missingCrds(
  client: KubeClient,
  families: readonly ApiFamily[] = everyFamily,
): Promise<readonly string[]> {
  const wanted = await ownCrds(families);
  const live = await Promise.all(
    wanted.map((crd) => client.get(customResourceDefinitions, { name: crd.metadata.name ?? "" })),
  );
  return wanted.filter((_, index) => !isEstablished(live[index])).map((crd) => crd.metadata.name ?? "");
}

const isEstablished = (crd: CustomResourceDefinition | undefined): boolean =>
  findCondition(crd?.status?.conditions, "Established")?.status === "True";

/** Policies that refuse writes which OLM accepts, with the switch that removes them. */
const guards: readonly (WritePolicy & { readonly unless: CompatSwitch })[] = [
  { ...reservedGroupsPolicy, unless: "reserved-groups" },
  ...tenantPolicies.map((policy) => ({ ...policy, unless: "tenant-grants" as const })),
];

/** What comes with the CRDs of the given API families: admission policies, bindings first, and the roles for users. */
export function ownCompanions(families: readonly ApiFamily[] = everyFamily): readonly KubeObject[] {
  const [ofV0, ofV1] = [families.includes("v0"), families.includes("v1")];
  return [
    ...[...(ofV1 ? [deprecationPolicy] : []), ...(ofV0 ? guards : [])].flatMap(({ policy, binding }) => [
      binding,
      policy,
    ]),
    ...(ofV0 ? aggregatedRoles : []),
  ];
}

/**
 * Applies the CRDs of the given API families, their admission policies and the roles for users, and waits until all CRDs are
 * established. Removes the policies that `compat` switches off. Waits first for CRDs that are being deleted.
 */
export async function applyOwnCrds(
  client: KubeClient,
  clock: Clock,
  signal: AbortSignal,
  compat: Compat,
  families: readonly ApiFamily[] = everyFamily,
  set?: CrdSet,
  log: Log = silent,
): Promise<void> {
  const apply = async (type: ResourceType, object: KubeObject): Promise<void> => {
    written(await client.write({ verb: "apply", type, object, fieldManager, force: true }, signal));
  };
  const remove = async (type: ResourceType, { metadata: { name = "" } }: KubeObject): Promise<void> => {
    writtenUnlessDeleted(await client.write({ verb: "delete", type, key: { name } }, signal));
  };
  const [ofV0, ofV1] = [families.includes("v0"), families.includes("v1")];
  await writeCrds(client, { clock, log, signal }, families, set);
  for (const role of ofV0 ? aggregatedRoles : []) await apply(clusterRoles, role);
  const isOff = ({ unless }: { readonly unless: CompatSwitch }): boolean => compat.keepsUpstream(unless);
  const ours = [...(ofV1 ? [deprecationPolicy] : []), ...(ofV0 ? guards.filter((guard) => !isOff(guard)) : [])];
  for (const { policy, binding } of ours) {
    await apply(admissionPolicies, policy);
    await apply(admissionPolicyBindings, binding);
  }
  for (const { policy, binding } of ofV0 ? guards.filter(isOff) : []) {
    await remove(admissionPolicyBindings, binding);
    await remove(admissionPolicies, policy);
  }
  await established(client, clock, signal, families);
}

const fieldManager = "purser";

async function writeCrds(
  client: KubeClient,
  waiting: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
  families: readonly ApiFamily[],
  set?: CrdSet,
): Promise<void> {
  const wanted = await ownCrds(families, set);
  const type = customResourceDefinitions;
  const { signal } = waiting;
  await untilNoneTerminates(client, wanted, waiting);
  await Promise.all(
    wanted.map(async (object) =>
      written(await client.write({ verb: "apply", type, object, fieldManager, force: true }, signal)),
    ),
  );
}

async function established(
  client: KubeClient,
  clock: Clock,
  signal: AbortSignal,
  families: readonly ApiFamily[],
): Promise<void> {
  while ((await missingCrds(client, families)).length > 0) await clock.sleep(20, signal);
}

/** Applies the CRDs of the given API families alone, after those that are being deleted, and waits until they are established. */
export async function applyCrds(
  client: KubeClient,
  waiting: { readonly clock: Clock; readonly log: Log; readonly signal: AbortSignal },
  families: readonly ApiFamily[],
  set?: CrdSet,
): Promise<void> {
  await writeCrds(client, waiting, families, set);
  await established(client, waiting.clock, waiting.signal, families);
}
