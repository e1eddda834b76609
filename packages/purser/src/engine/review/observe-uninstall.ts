import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { ObjectReader } from "@purser/kubernetes/kube/object-reader";
import {
  clusterExtensions,
  clusterObjectSets,
  clusterServiceVersions,
  operators,
  subscriptions,
} from "../../apis/olm-resources.ts";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel, generatedByAnnotation } from "../../apis/v0/labels.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import { ownerNameLabel, wantedByAnnotation } from "../../apis/v1/labels.ts";
import type { Installation } from "../../installation/installation.ts";
import type { UninstallWorld } from "../../review/uninstall-plan/uninstall-plan.ts";
import { extensionOwnerOf } from "../../rollout/plan/crd-of-extension.ts";
import { resolvePhases } from "../../rollout/resolve-phases.ts";
import { SecretContents } from "../../rollout/memory/secret-contents.ts";
import { storedCount } from "../../rollout/review/live-objects.ts";
import { requiresOperator } from "./requires-operator.ts";
import { type PropertiesOfBundle, unneededExtensions } from "./unneeded-extensions.ts";

type Objects = UninstallWorld["objects"];

/** The operators of the cluster, as far as an uninstallation asks for them. */
interface Others {
  readonly csvs: readonly ClusterServiceVersion[];
  readonly subscriptions: readonly Subscription[];
}

/**
 * What uninstalling the installation would find on the cluster, with the custom resources counted.
 * @param propertiesOf opens what catalogs state of bundles, when extensions were created for the installation; absent: none of
 * those is looked for
 */
export async function observeUninstall(
  client: ObjectReader,
  installation: Installation,
  propertiesOf?: () => Promise<PropertiesOfBundle>,
): Promise<UninstallWorld> {
  const [csvs, subs] = await Promise.all([
    client.list(clusterServiceVersions, { labelSelector: `!${copiedFromLabel}` }),
    client.list(subscriptions),
  ]);
  const others = { csvs, subscriptions: subs };
  return installation.api === "v1"
    ? observeExtension(client, installation, others, propertiesOf)
    : observeOperator(client, installation, others);
}

async function observeOperator(
  client: ObjectReader,
  installation: Installation,
  others: Others,
): Promise<UninstallWorld> {
  const { namespace = "", name, packageName, reference, bundle, target } = installation;
  const names = new Set([bundle, target]);
  const own = others.csvs.filter(
    ({ metadata }) => metadata.namespace === namespace && names.has(metadata.name ?? undefined),
  );
  const rest = others.csvs.filter((csv) => !own.includes(csv));
  const operator =
    packageName === "" ? undefined : await client.get(operators, { name: `${packageName}.${namespace}` });
  const refs = (operator?.status?.components?.refs ?? []).flatMap(({ kind, namespace: where, name: what }) =>
    kind === undefined || what === undefined || kind === "CustomResourceDefinition"
      ? []
      : [{ kind, name: what, ...(where === undefined ? {} : { namespace: where }) }],
  );
  const written: Objects = [
    ...(reference.startsWith("sub/") ? [{ kind: "Subscription", namespace, name }] : []),
    ...own.map(({ metadata }) => ({ kind: "ClusterServiceVersion", namespace, name: metadata.name ?? "" })),
  ];
  const crds = [...new Set(own.flatMap((csv) => ownedCrds(csv)))];
  return {
    installation: reference,
    objects: distinct([...written, ...refs]),
    apis: await apisOf(client, crds, rest, undefined),
    dependents: dependentsOn(crds, rest, others.subscriptions),
    unneeded: await unneededAfter(client, installation, rest, others.subscriptions),
  };
}

async function observeExtension(
  client: ObjectReader,
  { name, reference }: Installation,
  { csvs, subscriptions: subs }: Others,
  propertiesOf: (() => Promise<PropertiesOfBundle>) | undefined,
): Promise<UninstallWorld> {
  const revisions = await client.list(clusterObjectSets, { labelSelector: `${ownerNameLabel}=${name}` });
  const active = revisions.filter(({ spec }) => spec?.lifecycleState !== "Archived");
  const members: Objects[number][] = [{ kind: "ClusterExtension", name }];
  for (const revision of active) {
    const phases = await resolvePhases(revision, client, new SecretContents());
    for (const { object } of phases.ok ? phases.value.flatMap((phase) => phase.members) : []) {
      const metadata = member(object, "metadata");
      const [what, where] = isJsonObject(metadata) ? [member(metadata, "name"), member(metadata, "namespace")] : [];
      if (typeof object["kind"] !== "string" || typeof what !== "string") continue;
      members.push({ kind: object["kind"], name: what, ...(typeof where === "string" ? { namespace: where } : {}) });
    }
  }
  const objects = distinct(members);
  const named = objects.filter(({ kind }) => kind === "CustomResourceDefinition").map((crd) => crd.name);
  const crds = [...new Set([...named, ...(await crdsOfExtension(client, name))])];
  return {
    installation: reference,
    objects: objects.filter(({ kind }) => kind !== "CustomResourceDefinition"),
    apis: await apisOf(client, crds, csvs, name),
    dependents: dependentsOn(crds, csvs, subs),
    unneeded: propertiesOf === undefined ? [] : await unneededAfterExtension(client, name, csvs, propertiesOf),
  };
}

/** The extensions that were created for the one that is uninstalled, with what they hold. */
async function unneededAfterExtension(
  client: ObjectReader,
  name: string,
  csvs: readonly ClusterServiceVersion[],
  propertiesOf: () => Promise<PropertiesOfBundle>,
): Promise<UninstallWorld["unneeded"]> {
  const extensions = await client.list(clusterExtensions);
  if (!extensions.some(({ metadata }) => metadata.annotations?.[wantedByAnnotation] === name)) return [];
  const crds = (await client.list(customResourceDefinitions)) as readonly CustomResourceDefinition[];
  const crdsOf = (extension: string): readonly CustomResourceDefinition[] =>
    crds.filter((crd) => crd.metadata.labels?.[ownerNameLabel] === extension);
  const names = unneededExtensions(name, { extensions, csvs, crdsOf, propertiesOf: await propertiesOf() });
  const found: UninstallWorld["unneeded"][number][] = [];
  for (const extension of names) {
    const crdNames = crdsOf(extension).map(({ metadata }) => metadata.name ?? "");
    found.push({ installation: `ext/${extension}`, instances: await instancesOf(client, crdNames, extension) });
  }
  return found;
}

/** The custom resources of CRDs together; undefined when some may not be counted. */
async function instancesOf(
  client: ObjectReader,
  crds: readonly string[],
  extension: string | undefined,
): Promise<number | undefined> {
  const apis = await apisOf(client, crds, [], extension);
  const isCounted = apis.every(({ instances }) => instances !== undefined);
  return isCounted ? apis.reduce((sum, { instances = 0 }) => sum + instances, 0) : undefined;
}

/**
 * The CRDs that garbage collection deletes with the extension: no revision names those of a Helm release, and a revision
 * whose Secrets are lost names none.
 */
async function crdsOfExtension(client: ObjectReader, name: string): Promise<readonly string[]> {
  const crds = await client.list(customResourceDefinitions);
  return crds.flatMap((crd) => {
    const owner = extensionOwnerOf(crd);
    return owner?.kind === "ClusterExtension" && owner.name === name ? [crd.metadata.name ?? ""] : [];
  });
}

const ownedCrds = ({ spec }: ClusterServiceVersion): readonly string[] =>
  (spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name);

function distinct(objects: Objects): Objects {
  const byText = new Map(objects.map((one) => [`${one.kind} ${one.namespace ?? ""}/${one.name}`, one]));
  return [...byText.values()];
}

/** @param extension the ClusterExtension that is uninstalled; undefined for OLM v0 */
async function apisOf(
  client: ObjectReader,
  crds: readonly string[],
  others: readonly ClusterServiceVersion[],
  extension: string | undefined,
): Promise<UninstallWorld["apis"]> {
  const apis: UninstallWorld["apis"][number][] = [];
  for (const name of crds) {
    const crd = await client.get(customResourceDefinitions, { name });
    if (crd === undefined) continue;
    const owner = extensionOwnerOf(crd);
    const ownedElsewhere = owner !== undefined && owner.name !== extension;
    apis.push({
      crd: name,
      kind: (crd as CustomResourceDefinition).spec.names.kind,
      instances: await storedCount(client, crd as CustomResourceDefinition),
      sharedWith: [
        ...(ownedElsewhere ? [`${owner.kind} "${owner.name}"`] : []),
        ...others
          .filter((csv) => ownedCrds(csv).includes(name))
          .map(({ metadata }) => `csv/${metadata.namespace}/${metadata.name}`),
      ],
      ownedElsewhere,
    });
  }
  return apis;
}

/** How people name the operator of a CSV: by its Subscription where there is one. */
function nameOf({ metadata }: ClusterServiceVersion, subs: readonly Subscription[]): string {
  const { namespace, name } = metadata;
  const own = subs.find((one) => one.metadata.namespace === namespace && one.status?.installedCSV === name);
  return own === undefined ? `csv/${namespace}/${name}` : `sub/${namespace}/${own.metadata.name}`;
}

function dependentsOn(
  crds: readonly string[],
  others: readonly ClusterServiceVersion[],
  subs: readonly Subscription[],
): UninstallWorld["dependents"] {
  return others.flatMap((csv) =>
    (csv.spec.customresourcedefinitions?.required ?? [])
      .filter(({ name }) => crds.includes(name))
      .map(({ kind }) => ({ installation: nameOf(csv, subs), kind })),
  );
}

/**
 * The generated Subscriptions of the namespace whose operators nobody requires once the installation is removed. One that is
 * required only by another unneeded one is unneeded too.
 */
async function unneededAfter(
  client: ObjectReader,
  { namespace, name }: Installation,
  rest: readonly ClusterServiceVersion[],
  subs: readonly Subscription[],
): Promise<UninstallWorld["unneeded"]> {
  const here = rest.filter(({ metadata }) => metadata.namespace === namespace);
  const byName = new Map(here.map((csv) => [csv.metadata.name, csv]));
  const elsewhere = rest.filter(({ metadata }) => metadata.namespace !== namespace);
  const generated = subs.filter(
    ({ metadata }) =>
      metadata.namespace === namespace &&
      metadata.name !== name &&
      metadata.annotations?.[generatedByAnnotation] !== undefined,
  );
  let unneeded: readonly Subscription[] = [];
  for (;;) {
    const removed = new Set(unneeded.map(({ status }) => status?.installedCSV));
    const staying = here.filter(({ metadata }) => !removed.has(metadata.name));
    const more = generated.filter((one) => {
      const csv = byName.get(one.status?.installedCSV);
      return (
        csv !== undefined &&
        !staying.some((other) => other !== csv && requiresOperator(other, csv, one.spec.name)) &&
        !elsewhere.some((other) => usesCrdsOf(csv, other, elsewhere))
      );
    });
    if (more.length === unneeded.length) break;
    unneeded = more;
  }
  const found: UninstallWorld["unneeded"][number][] = [];
  for (const one of unneeded) {
    const csv = byName.get(one.status?.installedCSV);
    const instances = await instancesOf(client, csv === undefined ? [] : ownedCrds(csv), undefined);
    found.push({ installation: `sub/${namespace}/${one.metadata.name}`, instances });
  }
  return found;
}

/** Whether an operator of another namespace uses CRDs of `needed` that no operator beside it provides. */
function usesCrdsOf(
  needed: ClusterServiceVersion,
  csv: ClusterServiceVersion,
  elsewhere: readonly ClusterServiceVersion[],
): boolean {
  const required = csv.spec.customresourcedefinitions?.required ?? [];
  if (required.length === 0) return false;
  const beside = elsewhere.filter(({ metadata }) => metadata.namespace === csv.metadata.namespace).flatMap(ownedCrds);
  const owned = ownedCrds(needed);
  return required.some(({ name }) => owned.includes(name) && !beside.includes(name));
}
