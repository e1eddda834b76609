import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { catalogSources, clusterCatalogs } from "../../apis/olm-resources.ts";
import { refreshAnnotation } from "../../apis/refresh-annotation.ts";
import { type Invocation, type Outcome, type SubcommandSpec, UsageError } from "../command.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";
import { sourceArgument, withRow } from "./named-source.ts";
import type { SourceRow } from "./source-row.ts";

export const sourceRefreshCommand: SubcommandSpec = {
  name: "refresh",
  summary: "Look at the image of a catalog now, not at the next poll",
  description: `Writes the annotation ${refreshAnnotation}, upon which Purser in the cluster looks at the tag once more.`,
  arguments: [sourceArgument],
  examples: [["purser source refresh olm/community", "after a new image was pushed to its tag"]],
  run: (invocation) => withRow(invocation, (row, opened) => refresh(invocation, row, opened)),
};

async function refresh(
  { terminal, signal }: Invocation,
  { reference, api, name, namespace, from }: SourceRow,
  { client }: OpenedWorld,
): Promise<Outcome> {
  if (client === undefined) throw new UsageError("a file has no cluster", "leave out --catalog and --snapshot");
  if (from.includes("@"))
    throw new UsageError(
      `${reference} is pinned by digest, so it never changes`,
      `purser source diff ${reference} IMAGE`,
    );
  const time = new Date(systemClock.now()).toISOString();
  const patch = { metadata: { annotations: { [refreshAnnotation]: time } } };
  const key = namespace === undefined ? { name } : { namespace, name };
  const type: ResourceType = api === "v0" ? catalogSources : clusterCatalogs;
  const written = await client.write({ verb: "patch", type, key, patchType: "merge", patch }, signal);
  if (!written.ok) return refusedWrite(`refresh ${reference}`, written.problem, reference);
  return {
    exitCode: exitCodes.done,
    data: { apiVersion: "purser.dev/v1alpha1", kind: "SourceRefresh", source: reference, image: from, requested: time },
    human: shown(`${terminal.symbol("ok")} the cluster looks at ${from} again; purser source show ${reference}`),
  };
}
