import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { Namespace } from "@purser/kubernetes/apis/core";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterWide,
  deployments,
  leases,
  namespaces,
  secrets,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import { parseCertificate } from "@purser/kubernetes/certificate/read-certificate";
import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { isMissingRight, written } from "@purser/kubernetes/kube/refusal";
import type { Transport } from "@purser/kubernetes/kube/transport";
import type { ApiFamily } from "../../apis/api-family.ts";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
} from "../../apis/olm-resources.ts";
import type { OperatorGroup } from "../../apis/v0/operator-group.ts";
import { copiedFromLabel, managedLabel } from "../../apis/v0/labels.ts";
import { installedValues } from "../../deploy/installed-values.ts";
import { ownLabels, ownName } from "../../deploy/labels.ts";
import type { Right } from "../../deploy/rights/right.ts";
import { rights } from "../../deploy/rights/rights.ts";
import { holds } from "../../deploy/conditions.ts";
import { defaultValues, type InstallValues, withValues } from "../../deploy/values.ts";
import { installationsOf } from "../../installation/installation.ts";
import { fromBase64 } from "../../rollout/stored-certificate.ts";
import { managerNames, ownLease } from "../takeover/plan/manager-findings.ts";
import { observeDefinitions, servedFamilies } from "./observe-definitions.ts";
import { observeConversions } from "./observe-conversions.ts";
import { observeWebhooks } from "./observe-webhooks.ts";
import { deletionsOf } from "./plan/deletion-checks.ts";
import type {
  DeniedRight,
  DoctorWorld,
  ObservedDeletion,
  ObservedCertificate,
  ObservedRights,
} from "./plan/doctor-world.ts";

export interface DoctorOptions {
  readonly client: KubeClient;
  readonly transport: Transport;
  readonly clock: Clock;
  /** Absent: those that the installation in the cluster serves, both where there is none. */
  readonly families?: readonly ApiFamily[];
  readonly version: string;
}

/** Questions that are asked at the same time. */
const together = 16;

/** Reads what the checks look at. Writes nothing; the API server keeps no access review. */
export async function observeDoctor(options: DoctorOptions, signal: AbortSignal): Promise<DoctorWorld> {
  const { clock, version } = options;
  const unread = new Set<string>();
  const client = readingWhatIsAllowed(options.client, unread);
  const asking = { ...options, client };
  const labelSelector = Object.entries(ownLabels).map((label) => label.join("="));
  const own = await client.list(deployments, { labelSelector: labelSelector.join(",") });
  const families = options.families ?? servedFamilies(own[0]);
  const named = async <Type extends KubeObject>(type: ResourceType<Type>, names: readonly string[]) =>
    (await Promise.all(names.map((name) => client.list(type, { fieldSelector: `metadata.name=${name}` })))).flat();
  const csvs = await client.list(clusterServiceVersions, { labelSelector: `!${copiedFromLabel}` });
  const subs = await client.list(subscriptions);
  const plans = await client.list(installPlans);
  const extensions = await client.list(clusterExtensions);
  const sources = await client.list(catalogSources);
  const catalogs = await client.list(clusterCatalogs);
  const groups = await client.list(operatorGroups);
  return {
    now: clock.now(),
    client: { version },
    cluster: await observeCluster(options, signal),
    deployments: own,
    rights: await unlessForbidden(
      `create ${groupResource(own[0] === undefined ? reviewOf.self : reviewOf.account)}`,
      unread,
      () => observeRights(own[0], { ...asking, families }, signal),
      { subject: { kind: "self" }, asked: 0, denied: [] },
    ),
    definitions: await observeDefinitions(client, families),
    managers: await named(
      deployments,
      families.flatMap((family) => managerNames[family]),
    ),
    leases: await named(leases, [ownLease]),
    certificates: await observeCertificates(client, own),
    catalogSources: sources,
    clusterCatalogs: catalogs,
    operatorGroups: groups,
    accounts: await namedAccounts(client, groups),
    webhooks: await observeWebhooks(client),
    conversions: await observeConversions(client, csvs, signal),
    installations: installationsOf({ subscriptions: subs, csvs, installPlans: plans, extensions }),
    deletions: [
      ...deletionsOf(subscriptions, subs),
      ...deletionsOf(clusterServiceVersions, csvs),
      ...deletionsOf(clusterExtensions, extensions),
      ...deletionsOf(clusterObjectSets, await client.list(clusterObjectSets)),
      ...deletionsOf(catalogSources, sources),
      ...deletionsOf(clusterCatalogs, catalogs),
      ...deletionsOf(operatorGroups, groups),
      ...namespaceDeletions(await client.list(namespaces), [...subs, ...csvs, ...groups]),
    ],
    unread: [...unread].toSorted(),
  };
}

/** Answers as if there were nothing where the user may not read, and notes what. */
function readingWhatIsAllowed(client: KubeClient, unread: Set<string>): KubeClient {
  const reads: Pick<KubeClient, "get" | "list"> = {
    get: (type, key) => unlessForbidden(`get ${groupResource(type)}`, unread, () => client.get(type, key), undefined),
    list: (type, scope) => unlessForbidden(`list ${groupResource(type)}`, unread, () => client.list(type, scope), []),
  };
  return Object.assign(Object.create(client) as KubeClient, reads);
}

async function unlessForbidden<Found>(
  right: string,
  unread: Set<string>,
  read: () => Promise<Found>,
  none: Found,
): Promise<Found> {
  try {
    return await read();
  } catch (error) {
    if (!isMissingRight(error)) throw error;
    unread.add(right);
    return none;
  }
}

/** Namespaces with something of OLM v0 in them that are being deleted, and what they wait for. */
function namespaceDeletions(all: readonly Namespace[], objects: readonly KubeObject[]): readonly ObservedDeletion[] {
  const concerned = new Set(objects.map(({ metadata }) => metadata.namespace));
  return all
    .filter(({ metadata }) => concerned.has(metadata.name))
    .flatMap((namespace) => {
      const why = (namespace.status?.conditions ?? [])
        .filter(({ type, status }) => type.startsWith("Namespace") && status === "True")
        .flatMap(({ message }) => message ?? [])
        .join(" ");
      return deletionsOf(namespaces, [namespace]).map((one) => (why === "" ? one : { ...one, why }));
    });
}

async function namedAccounts(client: KubeClient, groups: readonly OperatorGroup[]): Promise<ReadonlySet<string>> {
  const found = await Promise.all(
    groups.map(async ({ metadata: { namespace = "" }, spec }) => {
      const name = spec?.serviceAccountName ?? "";
      const live = name === "" ? undefined : await client.get(serviceAccounts, { namespace, name });
      return live === undefined ? [] : [`${namespace}/${name}`];
    }),
  );
  return new Set(found.flat());
}

async function observeCluster(
  { client, transport }: DoctorOptions,
  signal: AbortSignal,
): Promise<DoctorWorld["cluster"]> {
  const { gitVersion } = await client.version(signal);
  const { headers } = await transport({ method: "GET", path: "/version" }, signal);
  const date = Date.parse(headers["date"] ?? "");
  return { version: gitVersion, ...(Number.isNaN(date) ? {} : { date }) };
}

interface AccessReview extends KubeObject {
  readonly status?: { readonly allowed?: boolean };
}
const group = "authorization.k8s.io";
const reviewOf = {
  account: clusterWide<AccessReview>(group, "v1", "SubjectAccessReview", "subjectaccessreviews"),
  self: clusterWide<AccessReview>(group, "v1", "SelfSubjectAccessReview", "selfsubjectaccessreviews"),
};

/** Asks for every right of the manifests: those of the ServiceAccount, or without a Deployment those of whoever asks. */
async function observeRights(
  deployment: Deployment | undefined,
  { client, families }: Required<DoctorOptions>,
  signal: AbortSignal,
): Promise<ObservedRights> {
  const values = deployment === undefined ? valuesOf(families) : installedValues(deployment);
  const { namespace } = values;
  const account = deployment?.spec?.template.spec?.serviceAccountName ?? ownName;
  const user = {
    user: `system:serviceaccount:${namespace}:${account}`,
    groups: ["system:serviceaccounts", `system:serviceaccounts:${namespace}`, "system:authenticated"],
  };
  const type = deployment === undefined ? reviewOf.self : reviewOf.account;
  const isAllowed = async ({ right, resource, verb, name }: DeniedRight): Promise<boolean> => {
    const [main = "", subresource] = resource.split("/");
    const resourceAttributes = {
      group: right.group,
      resource: main,
      verb,
      ...(subresource === undefined ? {} : { subresource }),
      ...(name === undefined ? {} : { name }),
      ...(right.scope === "own" ? { namespace } : {}),
    };
    const spec = { ...(deployment === undefined ? {} : user), resourceAttributes };
    const object = { apiVersion: `${group}/v1`, kind: type.kind, metadata: {}, spec };
    const review = written(await client.write({ verb: "create", type, object }, signal));
    return (review.object as AccessReview | undefined)?.status?.allowed === true;
  };
  const questions = questionsOf(values);
  const denied: DeniedRight[] = [];
  for (let at = 0; at < questions.length; at += together) {
    const asked = questions.slice(at, at + together);
    const answers = await Promise.all(asked.map(isAllowed));
    denied.push(...asked.filter((_, index) => answers[index] !== true));
  }
  const subject: ObservedRights["subject"] =
    deployment === undefined ? { kind: "self" } : { kind: "account", name: `${namespace}/${account}` };
  return { subject, asked: questions.length, denied };
}

const valuesOf = (families: readonly ApiFamily[]): InstallValues =>
  withValues(defaultValues, { "apis.v0": families.includes("v0"), "apis.v1": families.includes("v1") });

function questionsOf(values: InstallValues): readonly DeniedRight[] {
  const granted = rights.filter(({ condition }) => condition === undefined || holds(condition, values));
  return granted.flatMap((right: Right) =>
    right.resources.flatMap((resource) =>
      right.verbs.flatMap((verb) =>
        (right.names ?? [undefined]).map((name) => ({
          right,
          resource,
          verb,
          ...(name === undefined ? {} : { name }),
        })),
      ),
    ),
  );
}

/** Certificates that Purser issued, and those that its pods serve with. */
async function observeCertificates(
  client: KubeClient,
  own: readonly Deployment[],
): Promise<readonly ObservedCertificate[]> {
  const issued = await client.list(secrets, {
    labelSelector: `${managedLabel}=true`,
    fieldSelector: "type=kubernetes.io/tls",
  });
  const mounted = await Promise.all(
    own.flatMap(({ metadata: { namespace = "" }, spec }) =>
      (spec?.template.spec?.volumes ?? []).flatMap(({ name, secret }) =>
        name === "tls" && secret?.secretName !== undefined
          ? [client.get(secrets, { namespace, name: secret.secretName })]
          : [],
      ),
    ),
  );
  return [
    ...issued.map((secret) => [secret, true] as const),
    ...mounted.flatMap((secret) => (secret === undefined ? [] : [[secret, false] as const])),
  ].map(([{ metadata, data }, isRenewed]) => {
    const read = parseCertificate(fromBase64(data?.["tls.crt"]) ?? "");
    const object = `Secret ${metadata.namespace}/${metadata.name}`;
    return { object, isRenewed, ...(read.ok ? { notAfter: Date.parse(read.value.validTo) } : {}) };
  });
}
