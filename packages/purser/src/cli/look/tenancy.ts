import type { JsonObject } from "@purser/kubernetes/json";
import { plainJson } from "@purser/kubernetes/json";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { groupResource, type ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { ListScope } from "@purser/kubernetes/kube/object-reader";
import { ApiRefusedError, readOrRefusal } from "@purser/kubernetes/kube/refusal";
import { clusterExtensions, clusterServiceVersions, operatorGroups } from "../../apis/olm-resources.ts";
import { copiedFromLabel } from "../../apis/v0/labels.ts";
import { listOf } from "../../explanation/summary.ts";
import { isNamespaceMissing } from "../cluster/missing-namespace.ts";
import { connect } from "../cluster/connect.ts";
import { type CommandSpec, textOption } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { shown } from "../output/shown.ts";
import { fitTable } from "../output/table.ts";
import { type ServingOperator, tenancyOf } from "../../installation/tenancy.ts";

export const tenancyCommand: CommandSpec = {
  arguments: [{ name: "namespace", summary: "namespace (default: that of the kubeconfig)" }],
  examples: [
    ["purser tenancy data", "operators that serve namespace data"],
    ["purser tenancy data -o json", "for scripts"],
  ],
  async run(invocation) {
    const connection = connect(invocation);
    const { terminal } = invocation;
    try {
      const { client, access } = connection;
      const [given] = invocation.arguments;
      const namespace = given ?? textOption(invocation, "namespace") ?? access.namespace ?? "default";
      if (await isNamespaceMissing(client, namespace))
        return {
          explanation: failure("NotFound", `Namespace "${namespace}" does not exist`, [
            ["kubectl get namespaces", "all of them"],
          ]),
        };
      const unread: string[] = [];
      const [csvs, groups, extensions] = await Promise.all([
        readable(client, clusterServiceVersions, { labelSelector: `!${copiedFromLabel}` }, namespace, unread),
        readable(client, operatorGroups, {}, namespace, unread),
        readable(client, clusterExtensions, {}, undefined, unread),
      ]);
      const found = tenancyOf(namespace, { csvs, groups, extensions });
      const data = {
        apiVersion: "purser.dev/v1alpha1",
        kind: "Tenancy",
        ...(plainJson(found) as JsonObject),
        ...(unread.length === 0 ? {} : { unread: unread.toSorted() }),
      };
      const table =
        found.operators.length === 0
          ? shown("  none")
          : fitTable(
              [
                { heading: "OPERATOR" },
                { heading: "VERSION", rank: 1 },
                { heading: "GROUP" },
                { heading: "ACCOUNT", rank: 2 },
                { heading: "PROVIDES", isSentence: true },
              ],
              found.operators.map(row),
              true,
              textOption(invocation, "output") === "wide" ? Infinity : (terminal.width ?? Infinity),
            );
      const human = shown(
        `Operators that serve namespace ${namespace}`,
        ...table.split("\n"),
        ...found.conflicts.map(
          ({ text, command }) =>
            `${terminal.paint("attention", terminal.symbol("attention"))} ${text}${command === undefined ? "" : `  ${command}`}`,
        ),
        ...(unread.length === 0
          ? []
          : [
              `You may not list ${listOf(unread.toSorted(), 3)}: operators from there are missing. /tenancy/${namespace} of Purser's package API shows what you may see (docs/metrics.md).`,
            ]),
        `What their users may do there: kubectl auth can-i --list -n ${namespace}`,
      );
      return { exitCode: exitCodes.done, data, human };
    } finally {
      connection.close();
    }
  },
};

/**
 * The objects of all namespaces, else those of `namespace`; what may not be listed is noted in `unread`.
 * @throws when they may not be listed there either and the objects have a namespace
 */
async function readable<Type extends KubeObject>(
  client: KubeClient,
  type: ResourceType<Type>,
  scope: ListScope,
  namespace: string | undefined,
  unread: string[],
): Promise<readonly Type[]> {
  const all = await readOrRefusal(client.list(type, scope));
  if (all.ok) return all.value;
  if (all.problem.kind !== "forbidden") throw new ApiRefusedError(all.problem);
  unread.push(namespace === undefined ? groupResource(type) : `${groupResource(type)} in all namespaces`);
  return namespace === undefined ? [] : client.list(type, { ...scope, namespace });
}

const row = ({ reference, version, through, account, apis }: ServingOperator): readonly (string | undefined)[] => [
  reference,
  version,
  through.replace(/^OperatorGroup /, ""),
  account,
  listOf(apis, 4),
];
