import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { Clock } from "@purser/kubernetes/clock";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { ListScope, ObjectReader } from "@purser/kubernetes/kube/object-reader";
import { parseTolerantVersion, type Version } from "@purser/kubernetes/version";
import { type ApiFamily, groupOfFamily } from "../../apis/api-family.ts";
import { clusterExtensions, clusterServiceVersions, operatorGroups } from "../../apis/olm-resources.ts";
import { copiedFromLabel } from "../../apis/v0/labels.ts";
import type { Compat } from "../../compat.ts";
import type { Content } from "../../content/content.ts";
import { catalogRequest } from "../../controllers/v0/catalog-source/plan/catalog-request.ts";
import { clusterCatalogContent } from "../../controllers/v1/cluster-catalog/cluster-catalog-controller.ts";
import type { ExplainedDecision, ExplainPort } from "../../endpoints/explain/explain-port.ts";
import { defaultGates, type FeatureGates } from "../../feature-gates.ts";
import { type Installation, installationsOf } from "../../installation/installation.ts";
import { decisionChoices } from "../snapshot/decision-choices.ts";
import { type Decision, decideExtension, decideNamespace } from "../snapshot/snapshot-decision.ts";
import { holdsOnInstallation } from "../snapshot/snapshot-holds.ts";
import { worldOfCluster } from "../snapshot/snapshot-live.ts";
import type { DecisionWorld } from "../snapshot/snapshot-world.ts";

export interface ExplainOptions {
  /** The controllers' cache. */
  readonly reader: ObjectReader;
  readonly client: Pick<KubeClient, "version">;
  readonly content: Content;
  readonly clock: Clock;
  readonly compat: Compat;
  readonly gates?: FeatureGates;
  readonly families: readonly ApiFamily[];
  readonly globalNamespace: string;
}

/** The installations of the cluster with the reasons of their decisions, from what this process has read. */
export function explainedInstallations(options: ExplainOptions): ExplainPort {
  const { content, clock, compat, gates = defaultGates, globalNamespace, client } = options;
  const reader = servedReader(options);
  const choices = decisionChoices(compat, gates);
  const indexes = {
    ofSource: (source: Parameters<typeof catalogRequest>[0]) => {
      const request = catalogRequest(source);
      return request.ok ? content.catalog(request.value).index : undefined;
    },
    ofCatalog: (catalog: Parameters<typeof clusterCatalogContent>[0]) => clusterCatalogContent(catalog, content)?.index,
  };
  const world = async (): Promise<DecisionWorld> => ({
    ...(await worldOfCluster(reader, indexes, globalNamespace, undefined)),
    ...choices.world,
    now: clock.now(),
  });
  const withoutCopies = { labelSelector: `!${copiedFromLabel}` };
  return {
    async installations() {
      const { snapshot } = await world();
      return installationsOf({
        subscriptions: snapshot.subscriptions,
        csvs: snapshot.clusterServiceVersions,
        installPlans: snapshot.installPlans,
        extensions: snapshot.clusterExtensions,
      });
    },
    async explain(installation) {
      const known = await world();
      const { held } = { held: holdsOnInstallation(known, installation).waiting };
      const decision = await decided(known, installation, await versionOf(client), { clock, ...choices.options });
      return { ...decision, ...(held === undefined ? {} : { held }) };
    },
    async tenancy() {
      const [csvs, groups, extensions] = await Promise.all([
        reader.list(clusterServiceVersions, withoutCopies),
        reader.list(operatorGroups),
        reader.list(clusterExtensions),
      ]);
      return { csvs, groups, extensions };
    },
  };
}

async function decided(
  world: DecisionWorld,
  { api, name, namespace = "" }: Installation,
  kubeVersion: Version,
  options: Omit<Parameters<typeof decideNamespace>[2], "kubeVersion">,
): Promise<ExplainedDecision> {
  const extension = world.snapshot.clusterExtensions.find(({ metadata }) => metadata.name === name);
  const decision =
    api === "v0"
      ? await decideNamespace(world, namespace, { ...options, kubeVersion })
      : extension === undefined
        ? undefined
        : decideExtension(world, extension, { ...options, kubeVersion });
  if (decision === undefined) return { outcome: "error", chosen: [] };
  const { outcome, explanation, chosen } = decision;
  return { outcome, chosen: chosen.map(chosenLine), ...(explanation === undefined ? {} : { explanation }) };
}

const chosenLine = ({ name, catalog, channel, upToDate }: Decision["chosen"][number]): string =>
  [
    `${name} from ${catalog.namespace === undefined ? "" : `${catalog.namespace}/`}${catalog.name}`,
    ...(channel === "" ? [] : [`channel ${channel}`]),
    ...(upToDate ? ["in place"] : []),
  ].join(", ");

async function versionOf(client: Pick<KubeClient, "version">): Promise<Version> {
  const found = parseTolerantVersion((await client.version(new AbortController().signal)).gitVersion);
  if (!found.ok) throw new Error("the API server's version cannot be read");
  return found.value;
}

/** Reads nothing of a family that is not served: the cluster may not even have its kinds. */
function servedReader({ reader, families }: ExplainOptions): ObjectReader {
  const isServed = ({ group }: ResourceType): boolean =>
    (group !== groupOfFamily.v0 || families.includes("v0")) && (group !== groupOfFamily.v1 || families.includes("v1"));
  return {
    get: (type, key) => reader.get(type, key),
    list: async <Type extends KubeObject>(type: ResourceType<Type>, scope?: ListScope) =>
      isServed(type) ? reader.list(type, scope) : [],
  };
}
