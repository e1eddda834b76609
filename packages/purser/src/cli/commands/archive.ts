import { clusterObjectSets } from "../../apis/olm-resources.ts";
import type { ClusterObjectSet } from "../../apis/v1/cluster-object-set.ts";
import { ownerNameLabel } from "../../apis/v1/labels.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { connect } from "../cluster/connect.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";

export const archiveCommand: CommandSpec = {
  description: [
    "An archived ClusterObjectSet stays archived. Its objects are deleted in reverse order; those of newer revisions are kept.",
    "Of the newest revision, the ClusterExtension creates another one at once: change its version first.",
  ].join("\n"),
  arguments: [{ name: "revision", summary: "name of a ClusterObjectSet", required: true }],
  examples: [["purser archive kube-green-2 --yes", "a roll-out that cannot complete"]],
  run: async (invocation) => {
    const connection = connect(invocation);
    try {
      return await archive(invocation, connection.client);
    } finally {
      connection.close();
    }
  },
};

async function archive(invocation: Invocation, client: KubeClient): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const [name = ""] = invocation.arguments;
  const revisions = await client.list(clusterObjectSets);
  const revision = revisions.find(({ metadata }) => metadata.name === name);
  if (revision === undefined) return noSuchRevision(name, revisions);
  const { metadata, spec } = revision;
  const extension = metadata.labels?.[ownerNameLabel];
  const data = { revision: name, ...(extension === undefined ? {} : { extension }) };
  if (spec?.lifecycleState === "Archived")
    return {
      exitCode: exitCodes.done,
      data: { ...data, changed: false },
      human: shown(`${name} is archived already`),
    };
  terminal.err(`Archive ${name}`, ...consequences(revision, revisions).map((line) => `  ${line}`));
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("changed");
  const patch = { spec: { lifecycleState: "Archived" } };
  const written = await client.write(
    { verb: "patch", type: clusterObjectSets, key: { name }, patchType: "merge", patch },
    signal,
  );
  if (!written.ok) return refusedWrite(`patch ClusterObjectSet ${name}`, written.problem, name);
  const next = extension === undefined ? "" : `; purser status ext/${extension}`;
  return {
    exitCode: exitCodes.done,
    data: { ...data, changed: true },
    human: shown(`${terminal.symbol("ok")} archived ${name}${next}`),
  };
}

/** What archiving leads to, one line each. */
function consequences({ metadata, spec }: ClusterObjectSet, revisions: readonly ClusterObjectSet[]): readonly string[] {
  const objects = (spec?.phases ?? []).reduce((sum, phase) => sum + phase.objects.length, 0);
  const extension = metadata.labels?.[ownerNameLabel];
  const isNewest = !revisions.some(
    (other) =>
      other.metadata.labels?.[ownerNameLabel] === extension && (other.spec?.revision ?? 0) > (spec?.revision ?? 0),
  );
  return [
    `deletes  those of its ${objects} objects that no newer revision controls`,
    ...(extension !== undefined && isNewest
      ? [`then     ClusterExtension ${extension} creates another revision of its version`]
      : []),
  ];
}

function noSuchRevision(name: string, revisions: readonly ClusterObjectSet[]): Outcome {
  const near = nearestNames(name, new Set(revisions.map(({ metadata }) => metadata.name ?? "")));
  const ways = near.map((one) => [`purser archive ${one}`, "did you mean this one?"] as const);
  return {
    explanation: failure("NotFound", `There is no ClusterObjectSet "${name}"`, [
      ...ways,
      ["kubectl get clusterobjectsets", "all revisions"],
    ]),
  };
}
