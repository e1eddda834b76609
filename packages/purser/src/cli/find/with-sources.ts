import { flagOption, type Invocation, type Outcome, textOption } from "../command.ts";
import { openWorld } from "../decision/decision-world.ts";
import { explanationOnSame } from "../decision/given-flags.ts";
import { selected } from "../output/listing.ts";
import { withPackageApi } from "./package-api.ts";
import { type FoundSources, installedIn, sourcesOf } from "./package-sources.ts";
import { noSource, reportUnread } from "./unread-sources.ts";

/**
 * Calls `answer` with the catalogs that the flags of `findOptions` name and with what is installed. Catalogs that cannot be
 * read are reported on stderr; a refusal when none can be read.
 */
export async function withSources(
  invocation: Invocation,
  answer: (found: FoundSources, installed: ReturnType<typeof installedIn>) => Outcome,
): Promise<Outcome> {
  const opened = await openWorld(invocation, { bundles: "none" });
  if (!opened.ok) return opened.problem;
  try {
    const world = await withPackageApi(invocation, opened.value.world, opened.value.client);
    const { catalogSources, clusterCatalogs } = world.snapshot;
    const snapshot = {
      ...world.snapshot,
      catalogSources: selected(invocation, catalogSources, ({ metadata }) => metadata.labels),
      clusterCatalogs: selected(invocation, clusterCatalogs, ({ metadata }) => metadata.labels),
    };
    const found = sourcesOf({ ...world, snapshot });
    if (found.sources.length === 0) return { explanation: noSource(found.unread, textOption(invocation, "selector")) };
    if (!flagOption(invocation, "quiet")) reportUnread(invocation.terminal, found.unread);
    const outcome = answer(found, installedIn(world));
    return outcome.explanation === undefined
      ? outcome
      : { ...outcome, explanation: explanationOnSame(outcome.explanation, invocation) };
  } finally {
    await opened.value.close();
  }
}
