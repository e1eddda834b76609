import { existsSync } from "node:fs";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions, namespaces } from "@purser/kubernetes/apis/resources";
import { type JsonObject, type JsonValue, plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { isRefused } from "@purser/kubernetes/kube/refusal";
import { writeFileAtomically } from "@purser/kubernetes/system/atomic-file";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import {
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  clusterUpdatePolicies,
  installPlans,
  operatorGroups,
  subscriptions,
  updatePolicies,
} from "../../apis/olm-resources.ts";
import { copiedFromLabel, installedAlongsideAnnotationPrefix, ownerLabel } from "../../apis/v0/labels.ts";
import { ownerNameLabel } from "../../apis/v1/labels.ts";
import { isSupportedKind } from "../../bundle/supported-kinds.ts";
import { operatorsOf } from "../../controllers/v0/operator/plan/component-label.ts";
import { redacted } from "../../engine/support-bundle/plan/redact.ts";
import { counted } from "../../explanation/summary.ts";
import { connect } from "../cluster/connect.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";

export const snapshotCommand: CommandSpec = {
  description: [
    "Holds Subscriptions, ClusterServiceVersions, InstallPlans, OperatorGroups, CatalogSources, ClusterCatalogs, ClusterExtensions,",
    "update policies, namespaces and CustomResourceDefinitions. Secrets are not read; tokens, keys and passwords in other objects",
    "are replaced, and so are manifests in InstallPlans. The content of catalogs is not included: add --catalog to each command.",
    "With --objects plan --snapshot compares with the objects of the operators as they are, else as their versions want them.",
  ].join("\n"),
  arguments: [
    {
      name: "file",
      summary: "file to write: JSON when it ends in .json, else YAML; - for standard output",
      required: true,
    },
  ],
  options: [
    { flags: "--objects", summary: "also the objects of installed operators: Deployments, roles, schemas; no Secrets" },
    { flags: "--force", summary: "replace an existing file" },
  ],
  examples: [
    ["purser snapshot cluster.yaml", "the whole cluster"],
    ["purser snapshot data.yaml -n data", "one namespace, and the objects outside of namespaces"],
    ["purser snapshot cluster.yaml --objects", "what purser plan --snapshot cluster.yaml --pull compares with"],
  ],
  run: snapshot,
};

const types: readonly ResourceType[] = [
  namespaces,
  catalogSources,
  clusterCatalogs,
  operatorGroups,
  subscriptions,
  installPlans,
  clusterServiceVersions,
  clusterExtensions,
  updatePolicies,
  clusterUpdatePolicies,
  customResourceDefinitions,
];

async function snapshot(invocation: Invocation): Promise<Outcome> {
  const { terminal } = invocation;
  const [file = ""] = invocation.arguments;
  if (file !== "-" && existsSync(file) && !flagOption(invocation, "force"))
    throw new UsageError(`${file} exists`, "name a new file, or add --force");
  const connection = connect(invocation);
  try {
    const { client } = connection;
    const isWhole = flagOption(invocation, "objects");
    const more = isWhole ? await operatorTypes(client) : [];
    const { items, missing } = await observed(client, textOption(invocation, "namespace"), more);
    const list = { apiVersion: "v1", kind: "List", items };
    const text = file.endsWith(".json") ? `${JSON.stringify(list, undefined, 2)}\n` : writeYaml(list);
    for (const { kind, why } of missing)
      terminal.err(`${terminal.paint("attention", terminal.symbol("attention"))} without ${kind}: ${why}`);
    if (file === "-") return { exitCode: exitCodes.done, verbatim: text };
    await writeFileAtomically(file, text);
    const counts = new Map<string, number>();
    for (const { kind } of items) if (typeof kind === "string") counts.set(kind, (counts.get(kind) ?? 0) + 1);
    const data = {
      apiVersion: "purser.dev/v1alpha1",
      kind: "SnapshotFile",
      file,
      objects: Object.fromEntries(counts),
      missing: missing.map(({ kind }) => kind),
    };
    return {
      exitCode: exitCodes.done,
      data,
      human: shown(
        ...[...counts].map(([kind, count]) => `  ${String(count).padStart(4)}  ${kind}`),
        `${terminal.paint("good", terminal.symbol("ok"))} ${file} holds ${counted(items.length, "object")}; next: purser explain --snapshot ${file} --catalog NAMESPACE/NAME=PATH -n NAMESPACE`,
      ),
    };
  } finally {
    connection.close();
  }
}

interface Observed {
  readonly items: readonly JsonObject[];
  /** Kinds that could not be listed. */
  readonly missing: readonly { readonly kind: string; readonly why: string }[];
}

/** Served kinds that operators may consist of, besides those of every snapshot; Secrets are not read. */
async function operatorTypes(client: KubeClient): Promise<readonly ResourceType[]> {
  const served = await createDiscovery(client).all();
  const seen = new Set(types.map(({ kind }) => kind));
  return served.filter(({ kind }) => {
    const isWanted = (isSupportedKind(kind) || rolledOutKinds.has(kind)) && kind !== "Secret";
    if (!isWanted || seen.has(kind)) return false;
    seen.add(kind);
    return true;
  });
}

const rolledOutKinds: ReadonlySet<string> = new Set([
  "Deployment",
  "ValidatingWebhookConfiguration",
  "MutatingWebhookConfiguration",
]);

/** Whether an object belongs to an operator that OLM v0 or v1 installed. */
function isOperators(object: KubeObject): boolean {
  const { labels = {}, annotations = {} } = object.metadata;
  return (
    ownerLabel in labels ||
    ownerNameLabel in labels ||
    operatorsOf(object).length > 0 ||
    Object.keys(annotations).some((key) => key.startsWith(installedAlongsideAnnotationPrefix))
  );
}

async function observed(
  client: KubeClient,
  namespace: string | undefined,
  more: readonly ResourceType[],
): Promise<Observed> {
  const items: JsonObject[] = [];
  const missing: { readonly kind: string; readonly why: string }[] = [];
  for (const type of [...types, ...more]) {
    // Catalogs of other namespaces may serve this one too.
    const isNarrowed = namespace !== undefined && type.namespaced && type !== catalogSources;
    const scope = isNarrowed ? { namespace } : {};
    const labels = type === clusterServiceVersions ? { labelSelector: `!${copiedFromLabel}` } : {};
    try {
      for (const object of await client.list(type, { ...scope, ...labels })) {
        if (more.includes(type) && !isOperators(object)) continue;
        const whole = plainJson(object);
        items.push({
          apiVersion: type.group === "" ? type.version : `${type.group}/${type.version}`,
          kind: type.kind,
          ...(redacted(more.length > 0 && isOperators(object) ? whole : withoutSchemas(whole)) as JsonObject),
        });
      }
    } catch (error) {
      if (isRefused(error, "forbidden")) missing.push({ kind: type.kind, why: "you may not list them" });
      else if (isRefused(error, "notFound"))
        missing.push({ kind: type.kind, why: "the cluster does not have the kind" });
      else throw error;
    }
  }
  return { items, missing };
}

/** A definition without its schemas, which no decision reads and which are most of its size. */
function withoutSchemas(object: JsonValue): JsonValue {
  const definition = object as {
    readonly kind?: string;
    readonly spec?: { readonly versions?: readonly JsonObject[] };
  };
  const { versions } = definition.spec ?? {};
  if (versions === undefined || !versions.every((one) => "schema" in one)) return object;
  const short = versions.map(({ schema: _schema, ...rest }) => rest);
  return { ...(object as JsonObject), spec: { ...(definition.spec as JsonObject), versions: short } };
}
