import { setTimeout as pause } from "node:timers/promises";
import type { KubeObject, ObjectKey } from "@purser/kubernetes/apis/object";
import { groupResource, kindOf } from "@purser/kubernetes/apis/resource-type";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  clusterRoleBindings,
  clusterRoles,
  customResourceDefinitions,
  leases,
  mutatingWebhookConfigurations,
  namespaces,
  roleBindings,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  operatorGroups,
  operators,
  subscriptions,
} from "../src/apis/olm-resources.ts";
import { globalNamespace, systemNamespace } from "../src/apis/own-namespaces.ts";
import { missingCrds, ownCompanions, ownCrds } from "../src/engine/own-manifests.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { isRefused, writtenUnlessDeleted } from "@purser/kubernetes/kube/refusal";
import { eventually } from "./eventually.ts";
import type { Flow } from "./flows.ts";
import { patient } from "./surroundings.ts";

/** Resources that change without a request on every cluster. */
const restless = new Set(["events", "events.events.k8s.io", "endpoints", "endpointslices.discovery.k8s.io"]);
const clusterScoped: readonly ResourceType[] = [
  clusterRoles,
  clusterRoleBindings,
  validatingWebhookConfigurations,
  mutatingWebhookConfigurations,
];
const lease = { namespace: "kube-system", name: "purser" };

/** Name of every object that can be listed, `resource.group namespace/name`. */
async function inventory(client: KubeClient): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const type of await createDiscovery(client).all()) {
    const kind = groupResource(type);
    if (restless.has(kind)) continue;
    try {
      for (const { metadata } of await client.list<KubeObject>(type))
        found.add(`${kind} ${metadata.namespace === undefined ? "" : `${metadata.namespace}/`}${metadata.name}`);
    } catch (error) {
      // Some kinds are served and cannot be listed (metrics without a source, for example).
      if (!isRefused(error, "other") && !isRefused(error, "busy") && !isRefused(error, "forbidden")) throw error;
    }
  }
  return found;
}

const restMs = 5_000;

/** The inventory once it does not change any more: a cluster that has just started still creates its own objects. */
async function restingInventory(client: KubeClient): Promise<ReadonlySet<string>> {
  for (let before = await inventory(client); ;) {
    await pause(restMs);
    const now = await inventory(client);
    if (now.size === before.size && [...now].every((name) => before.has(name))) return now;
    before = now;
  }
}

/** A test run on a given cluster: the objects that existed before, the objects that it created, and their removal. */
export class ClusterTenancy {
  readonly #client: KubeClient;
  readonly #before: ReadonlySet<string>;
  readonly #missingCrds: readonly string[];
  /** Objects that the flows would create and that exist already. */
  readonly occupied: readonly string[];

  private constructor(
    client: KubeClient,
    before: ReadonlySet<string>,
    missing: readonly string[],
    flows: readonly Flow[],
  ) {
    this.#client = client;
    this.#before = before;
    this.#missingCrds = missing;
    this.occupied = flows
      .flatMap((flow) => [
        ...flow.namespaces.map((name) => `namespaces ${name}`),
        ...(flow.extensions ?? []).map((name) => `${groupResource(clusterExtensions)} ${name}`),
        ...(flow.crds ?? []).map((name) => `${groupResource(customResourceDefinitions)} ${name}`),
      ])
      .filter((name, index, all) => before.has(name) && all.indexOf(name) === index);
  }

  static async begin(client: KubeClient, flows: readonly Flow[]): Promise<ClusterTenancy> {
    return new ClusterTenancy(client, await restingInventory(client), await missingCrds(client), flows);
  }

  /** Deletes the objects that a flow created, while the controllers still run: finalizers need them. */
  async clear(flow: Flow): Promise<void> {
    for (const name of flow.extensions ?? []) await this.#removeAndWait(clusterExtensions, { name });
    for (const namespace of flow.namespaces)
      for (const type of [subscriptions, clusterServiceVersions])
        for (const { metadata } of await this.#client.list<KubeObject>(type, { namespace }))
          await this.#removeAndWait(type, { namespace, name: metadata.name ?? "" });
    for (const name of flow.namespaces) await this.#removeAndWait(namespaces, { name });
    const mine = (object: KubeObject): boolean => isOf(flow, object);
    for (const type of [...clusterScoped, customResourceDefinitions])
      for (const object of await this.#client.list<KubeObject>(type)) {
        const name = object.metadata.name ?? "";
        // Uninstalling through v0 keeps them, with nothing on them but that OLM made them.
        const kept = type === customResourceDefinitions && (isManaged(object) || (flow.crds ?? []).includes(name));
        if ((mine(object) || kept) && !this.#before.has(`${groupResource(type)} ${name}`))
          await this.#removeAndWait(type, { name });
      }
    // What lets an operator's webhook server read the authentication configuration; no owner can reach it there.
    for (const reader of await this.#client.list(roleBindings, { namespace: lease.namespace })) {
      const { name = "" } = reader.metadata;
      const reads = (reader.subjects ?? []).some(({ namespace = "" }) => flow.namespaces.includes(namespace));
      if (isManaged(reader) && reads && !this.#before.has(`${groupResource(roleBindings)} ${lease.namespace}/${name}`))
        await this.#removeAndWait(roleBindings, { namespace: lease.namespace, name });
    }
    // An Operator stays when all that it lists is gone, and would come again before.
    for (const { metadata } of await this.#client.list(operators)) {
      const { name = "" } = metadata;
      const isMine = flow.namespaces.some((namespace) => name.endsWith(`.${namespace}`));
      if (isMine && !this.#before.has(`${groupResource(operators)} ${name}`))
        await this.#removeAndWait(operators, { name });
    }
  }

  /** Deletes the catalogs and the default OperatorGroups while the controllers still run: they delete the roles of the groups. */
  async removeDefaultObjects(): Promise<void> {
    for (const type of [catalogSources, clusterCatalogs, operatorGroups])
      for (const { metadata } of await this.#client.list<KubeObject>(type)) {
        const { namespace, name = "" } = metadata;
        const shown = `${groupResource(type)} ${namespace === undefined ? "" : `${namespace}/`}${name}`;
        if (!this.#before.has(shown))
          await this.#removeAndWait(type, { ...(namespace === undefined ? {} : { namespace }), name });
      }
    await eventually("the roles of the OperatorGroups are gone", async () => {
      const names = (await this.#client.list(clusterRoles)).map(({ metadata }) => metadata.name ?? "");
      const left = names.filter(
        (name) => isGroupRole(name) && !this.#before.has(`${groupResource(clusterRoles)} ${name}`),
      );
      return left.length === 0 ? undefined : left.join("\n");
    });
  }

  /** Deletes the objects that `purser run` installed, after it stopped. */
  async removeInstallation(): Promise<void> {
    if (!this.#before.has(`${groupResource(leases)} ${lease.namespace}/${lease.name}`))
      await this.#removeAndWait(leases, lease);
    for (const name of [globalNamespace, systemNamespace, "operators"])
      if (!this.#before.has(`namespaces ${name}`)) await this.#removeAndWait(namespaces, { name });
    const discovery = createDiscovery(this.#client);
    for (const object of ownCompanions()) {
      const type = await discovery.typeOf(kindOf(object));
      const name = object.metadata.name ?? "";
      if (type !== undefined && !this.#before.has(`${groupResource(type)} ${name}`))
        await this.#removeAndWait(type, { name });
    }
    const own = new Set((await ownCrds()).map(({ metadata }) => metadata.name));
    for (const name of this.#missingCrds)
      if (own.has(name)) await this.#removeAndWait(customResourceDefinitions, { name });
  }

  /** Differences from the inventory before the run: `+` is new, `-` is missing. Waits for garbage collection. */
  async leftovers(): Promise<readonly string[]> {
    let differences: readonly string[] = [];
    await eventually("the cluster is as it was", async () => {
      const now = await inventory(this.#client);
      differences = [
        ...[...now].filter((name) => !this.#before.has(name)).map((name) => `+ ${name}`),
        ...[...this.#before].filter((name) => !now.has(name)).map((name) => `- ${name}`),
      ];
      return differences.length === 0 ? undefined : differences.join("\n");
    }).catch(() => undefined);
    return differences;
  }

  async #removeAndWait(type: ResourceType, key: ObjectKey): Promise<void> {
    writtenUnlessDeleted(await this.#client.write({ verb: "delete", type, key }, patient));
    await eventually(`${groupResource(type)} ${key.namespace ?? ""} ${key.name} is gone`, async () =>
      (await this.#client.get(type, key)) === undefined ? undefined : "it is still there",
    );
  }
}

const isGroupRole = (name: string): boolean => name.startsWith("olm.og.");
const isManaged = ({ metadata }: KubeObject): boolean => metadata.labels?.["olm.managed"] === "true";

/** Whether an object carries the labels by which either family marks what it made for this flow. */
function isOf({ namespaces: where, extensions = [] }: Flow, { metadata }: KubeObject): boolean {
  const labels = metadata.labels ?? {};
  return (
    where.includes(labels["olm.owner.namespace"] ?? "") ||
    extensions.includes(labels["olm.operatorframework.io/owner-name"] ?? "") ||
    Object.keys(labels).some(
      (label) =>
        label.startsWith("operators.coreos.com/") && where.some((namespace) => label.endsWith(`.${namespace}`)),
    )
  );
}
