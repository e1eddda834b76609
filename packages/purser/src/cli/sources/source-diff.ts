import { type CatalogView, viewOf } from "../../catalog/catalog-view.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import { checkCatalog } from "../../catalog/lint/check-catalog.ts";
import { isLocalStandIn } from "../../catalog/content.ts";
import { done } from "@purser/kubernetes/result";
import { diffOptions } from "../catalog/diff-command.ts";
import { diffOutcome } from "../catalog/report/diff-outcome.ts";
import { readView } from "../catalog/read-view.ts";
import { type Invocation, type Outcome, type SubcommandSpec, UsageError } from "../command.ts";
import type { OpenedWorld } from "../decision/decision-world.ts";
import { failure } from "../failure.ts";
import { withLocalContent } from "../image/local-content.ts";
import { sourceArgument, withRow } from "./named-source.ts";
import { type SourceRow, sourceRows } from "./source-row.ts";

export const sourceDiffCommand: SubcommandSpec = {
  name: "diff",
  summary: "What another content of a catalog would change, and whose upgrade path is lost",
  description: [
    "Compares what the cluster serves with another image, directory, file or source; without one with what the tag of its image",
    "is now. A change is breaking (!) as in purser catalog diff.",
  ].join("\n"),
  arguments: [
    sourceArgument,
    { name: "other", summary: "image, directory, file or source (default: the image of the source)" },
  ],
  options: diffOptions,
  examples: [
    ["purser source diff olm/community", "what a refresh would bring"],
    ["purser source diff olm/community quay.io/operatorhubio/catalog:v2", "before its image is changed"],
    ["purser source diff olm/community cc/community", "between two sources"],
  ],
  run: (invocation) => withRow(invocation, (row, opened) => diff(invocation, row, opened)),
};

async function diff(invocation: Invocation, row: SourceRow, { world }: OpenedWorld): Promise<Outcome> {
  const served = indexOf(world, row);
  if (served === undefined)
    return {
      explanation: failure("NotFound", `The content of ${row.reference} cannot be read on this machine`, [
        [`purser source show ${row.reference}`, "its state"],
      ]),
    };
  const other = invocation.arguments[1] ?? row.from;
  if (isLocalStandIn(other))
    throw new UsageError(
      `${row.reference} is read from a directory of the machine that Purser runs on`,
      `name what to compare with: purser source diff ${row.reference} DIR`,
    );
  const source = sourceRows(world).find(({ reference }) => reference === other.replace(/^cs\//, ""));
  if (source !== undefined) {
    const index = indexOf(world, source);
    if (index === undefined) throw new UsageError(`the content of ${other} cannot be read on this machine`);
    return diffOutcome(invocation, viewOfIndex(served), viewOfIndex(index));
  }
  return withLocalContent(invocation, [other], "catalog", (content) => {
    const newer = readView(content);
    return newer.ok ? diffOutcome(invocation, viewOfIndex(served), newer.value) : { explanation: newer.problem };
  });
}

function indexOf(
  { snapshot, ...world }: OpenedWorld["world"],
  { api, name, namespace }: SourceRow,
): CatalogIndex | undefined {
  const source = snapshot.catalogSources.find(
    ({ metadata }) => metadata.name === name && metadata.namespace === namespace,
  );
  const catalog = snapshot.clusterCatalogs.find(({ metadata }) => metadata.name === name);
  const content = api === "v0" ? source && world.contentOfSource(source) : catalog && world.contentOfCatalog(catalog);
  return content?.kind === "present" ? content.index : undefined;
}

/** All documents of an index, as if they were read from a file. */
function viewOfIndex(index: CatalogIndex): CatalogView {
  const texts = function* (): Generator<ReturnType<typeof done<{ readonly file: string; readonly text: string }>>> {
    for (const name of index.packages()) {
      const blobs = index.package(name)?.blobs ?? [];
      yield done({ file: `${name}.json`, text: blobs.map((id) => JSON.stringify(index.blob(id))).join("\n") });
    }
  };
  return viewOf(checkCatalog(texts()).blobs);
}
