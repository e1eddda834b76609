import assert from "node:assert/strict";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import {
  configMaps,
  customResourceDefinitions,
  deployments,
  namespaces,
  pods,
  serviceAccounts,
} from "@purser/kubernetes/apis/resources";
import type { JsonValue } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { readYaml } from "@purser/kubernetes/text/documents";
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

const never = new AbortController().signal;

/** The kinds of the lifecycle manager that remedies name. */
export const remedyTypes: readonly ResourceType[] = [
  catalogSources,
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  installPlans,
  operatorGroups,
  subscriptions,
];

const coreTypes: Readonly<Record<string, ResourceType>> = {
  namespace: namespaces,
  namespaces,
  pod: pods,
  pods,
  deployment: deployments,
  configmap: configMaps,
  serviceaccount: serviceAccounts,
  customresourcedefinition: customResourceDefinitions,
};

/** Words of a command line as a POSIX shell reads it; no expansion. */
export function wordsOf(command: string): readonly string[] {
  const words = command.match(/(?:'[^']*'|\\'|[^\s'])+/g) ?? [];
  return words.map((word) =>
    word.replaceAll(/'([^']*)'|\\(')/g, (_, inner?: string, quote?: string) => inner ?? quote ?? ""),
  );
}

const flagsWithValue: ReadonlySet<string> = new Set(["-l", "-n", "--namespace", "-p", "--type", "-c", "--container"]);

/**
 * Does what `kubectl` would do of a remedy, in the forms that remedies use; another form fails the test. Also
 * `printf '...' | kubectl apply -f -`. Answers whether something was changed.
 */
export async function runKubectl(client: KubeClient, command: string): Promise<"changed" | "looked"> {
  if (command.startsWith("printf ")) return applied(client, command);
  if (command.includes(" && ")) {
    for (const part of command.split(" && ")) await runKubectl(client, part);
    return "changed";
  }
  const [program, ...words] = wordsOf(command);
  assert.equal(program, "kubectl", command);
  const flag = (name: string): string | undefined =>
    words.includes(name) ? words[words.indexOf(name) + 1] : undefined;
  const [verb = "", resource = "", name = "", ...rest] = words.filter(
    (word, at) => !word.startsWith("-") && !flagsWithValue.has(words[at - 1] ?? ""),
  );
  const namespace = flag("-n") ?? flag("--namespace") ?? "default";
  if (verb === "auth") return "looked";
  if (verb === "logs") {
    assert.notEqual(await client.get(pods, { namespace, name: resource }), undefined, command);
    return "looked";
  }
  if (verb === "get" && name === "") return "looked";
  const type =
    coreTypes[resource] ??
    [...remedyTypes, clusterObjectSets].find(({ plural, group, kind }) =>
      [`${plural}.${group}`, plural, kind.toLowerCase()].includes(resource),
    );
  assert.ok(type !== undefined, `${command}: unknown resource`);
  const key = (type.namespaced ? { namespace, name } : { name }) as never;
  if (verb === "create") {
    const object = { apiVersion: "v1", kind: type.kind, metadata: type.namespaced ? { namespace, name } : { name } };
    written(await client.write({ verb: "create", type, object }, never));
    return "changed";
  }
  const propagation = words.includes("--cascade=orphan") ? { propagation: "Orphan" as const } : {};
  const labelSelector = flag("-l");
  if (verb === "delete" && labelSelector !== undefined) {
    for (const { metadata } of await client.list(type, { labelSelector }))
      written(await client.write({ verb: "delete", type, key: { name: metadata.name ?? "" }, ...propagation }, never));
    return "changed";
  }
  assert.notEqual(await client.get(type, key), undefined, `${command}: ${resource} ${name} does not exist`);
  switch (verb) {
    case "describe":
    case "get":
      return "looked";
    case "delete":
      written(await client.write({ verb: "delete", type, key, ...propagation }, never));
      return "changed";
    case "patch": {
      assert.equal(flag("--type"), "merge");
      const patch = JSON.parse(flag("-p") ?? "") as JsonValue;
      written(await client.write({ verb: "patch", type, key, patchType: "merge", patch }, never));
      return "changed";
    }
    case "annotate": {
      const annotations = rest.map((one) => (one.endsWith("-") ? [one.slice(0, -1), null] : one.split("=")));
      const patch = { metadata: { annotations: Object.fromEntries(annotations) as JsonValue } };
      written(await client.write({ verb: "patch", type, key, patchType: "merge", patch }, never));
      return "changed";
    }
    default:
      return assert.fail(command);
  }
}

async function applied(client: KubeClient, command: string): Promise<"changed"> {
  const [, text = ""] = /^printf '([^']*)' \| kubectl apply -f -$/.exec(command) ?? assert.fail(command);
  const document = readYaml(text.replaceAll("\\n", "\n"));
  assert.ok(document.ok);
  const object = document.value as unknown as KubeObject;
  const type = remedyTypes.find(({ kind }) => kind === object.kind) ?? assert.fail(command);
  written(await client.write({ verb: "create", type, object }, never));
  return "changed";
}
