import type { ObjectKey } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { catalogSources, clusterCatalogs } from "../../apis/olm-resources.ts";
import { counted } from "../../explanation/summary.ts";
import { flagOption, type Invocation, type Outcome, type SubcommandSpec, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { selected, selectorOption } from "../output/listing.ts";
import { parseDuration } from "../output/duration.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";
import { describeLeft, untilDeleted, type Waiting } from "../review/until-deleted.ts";
import { waits } from "../wait-for.ts";
import { sourceArgument, withRow, withRows } from "./named-source.ts";
import type { SourceRow } from "./source-row.ts";

export const sourceRemoveCommand: SubcommandSpec = {
  name: "remove",
  summary: "Remove a catalog; what was installed from it keeps running, without upgrades",
  arguments: [{ ...sourceArgument, required: false }],
  options: [
    { ...selectorOption, summary: "all catalogs of both families with these labels, instead of one" },
    { flags: "--all-clustercatalogs", summary: "every ClusterCatalog, instead of one catalog" },
  ],
  examples: [
    ["purser source remove olm/community", "asks first"],
    ["purser source remove -l tier=test", "all with a label"],
  ],
  run(invocation) {
    const selector = textOption(invocation, "selector");
    const [name] = invocation.arguments;
    const isEvery = flagOption(invocation, "all-clustercatalogs");
    const [first, second] = [
      ...(name === undefined ? [] : ["a catalog"]),
      ...(selector === undefined ? [] : ["--selector"]),
      ...(isEvery ? ["--all-clustercatalogs"] : []),
    ];
    if (second !== undefined)
      throw new UsageError(`${first} and ${second} exclude each other`, "leave one of them out");
    if (first === undefined) throw new UsageError("no catalog is named", "name one, or select several with -l");
    if (name !== undefined) return withRow(invocation, (row, opened) => removed(invocation, [row], opened));
    return withRows(invocation, (rows, opened) => {
      const chosen = isEvery
        ? rows.filter(({ api }) => api === "v1")
        : selected(invocation, rows, ({ labels }) => labels);
      if (chosen.length > 0) return removed(invocation, chosen, opened);
      const summary = isEvery ? "There is no ClusterCatalog" : `No catalog has the labels ${selector}`;
      return { explanation: failure("NotFound", summary, [["purser source list", "all of them"]]) };
    });
  },
};

/** Deletes the catalogs in their order, up to the first that is refused. */
async function removed(
  invocation: Invocation,
  rows: readonly SourceRow[],
  { client, world }: OpenedWorld,
): Promise<Outcome> {
  if (client === undefined) throw new UsageError("a file cannot be changed", "leave out --catalog and --snapshot");
  const { terminal, signal } = invocation;
  for (const row of rows) {
    const users = world.snapshot.subscriptions.filter(
      ({ spec }) => row.api === "v0" && spec.source === row.name && spec.sourceNamespace === row.namespace,
    );
    terminal.err(
      `Remove ${row.reference}`,
      ...(users.length === 0
        ? []
        : [`  affects   ${counted(users.length, "Subscription")}, which get no more upgrades`]),
    );
  }
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("removed");
  const objects = rows.map(objectOf);
  for (const { reference, type, key } of objects) {
    const gone = await client.write({ verb: "delete", type, key: key as never }, signal);
    if (!gone.ok && gone.problem.kind !== "notFound")
      return refusedWrite(`remove ${reference}`, gone.problem, reference);
  }
  if (waits(invocation)) {
    const timeout = parseDuration(textOption(invocation, "timeout") ?? "10m", "--timeout");
    const deadline = systemClock.monotonic() + timeout;
    for (const one of objects) {
      const left = await untilRemoved(invocation, { client, signal, deadline }, one);
      if (left !== undefined) return left;
    }
  }
  const references = rows.map(({ reference }) => reference);
  const [source = ""] = references;
  const data = {
    apiVersion: "purser.dev/v1alpha1",
    kind: "SourceRemoval",
    source,
    ...(references.length === 1 ? {} : { sources: references }),
  };
  const lines = references.map(
    (reference) => `${terminal.symbol("ok")} ${waits(invocation) ? "removed" : "removing"} ${reference}`,
  );
  return { exitCode: exitCodes.done, data, human: shown(...lines) };
}

interface CatalogObject {
  readonly reference: string;
  readonly type: ResourceType;
  readonly key: ObjectKey;
}

function objectOf({ reference, api, namespace, name }: SourceRow): CatalogObject {
  const type: ResourceType = api === "v0" ? catalogSources : clusterCatalogs;
  return { reference, type, key: namespace === undefined ? { name } : { namespace, name } };
}

/** Waits until a catalog is deleted, and reports what it waits for; the outcome when the time is over. */
async function untilRemoved(
  invocation: Invocation,
  waiting: Waiting,
  { reference, type, key }: CatalogObject,
): Promise<Outcome | undefined> {
  const { terminal } = invocation;
  const left = await waiting.client.get(type, key);
  if (left === undefined) return undefined;
  const line = `  waiting for the deletion of ${describeLeft(type, key, left)}`;
  if (!flagOption(invocation, "quiet"))
    if (terminal.step === undefined) terminal.err(line);
    else terminal.step(line, { source: reference, state: "Removing" });
  const last = await untilDeleted(waiting, { type, key });
  if (last === undefined) return undefined;
  terminal.err(
    `${terminal.symbol("attention")} ${reference} is not removed yet: ${describeLeft(type, key, last)} still exists`,
    `  do    purser source show ${reference}      see it`,
  );
  return { exitCode: exitCodes.timeout };
}
