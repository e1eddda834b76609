import { nearestNames } from "../../explanation/nearest-name.ts";
import { type Invocation, type Outcome, UsageError } from "../command.ts";
import { openWorld, type OpenedWorld } from "../decision/decision-world.ts";
import { failure } from "../failure.ts";
import { type SourceRow, sourceRows } from "./source-row.ts";

/** The argument of commands for one catalog; see {@link withRow}. */
export const sourceArgument = {
  name: "source",
  summary: "NAME, NAMESPACE/NAME (CatalogSource) or cc/NAME (ClusterCatalog)",
  required: true,
} as const;

/** Calls `answer` with all catalogs. */
export async function withRows(
  invocation: Invocation,
  answer: (rows: readonly SourceRow[], opened: OpenedWorld) => Outcome | Promise<Outcome>,
): Promise<Outcome> {
  const opened = await openWorld(invocation, { bundles: "none" });
  if (!opened.ok) return opened.problem;
  try {
    return await answer(sourceRows(opened.value.world), opened.value);
  } finally {
    await opened.value.close();
  }
}

/** Calls `answer` with the catalog that the first argument names. @throws UsageError when it names several */
export const withRow = (
  invocation: Invocation,
  answer: (row: SourceRow, opened: OpenedWorld) => Promise<Outcome>,
): Promise<Outcome> =>
  withRows(invocation, async (rows, opened) => {
    const [wanted = ""] = invocation.arguments;
    const bare = wanted.replace(/^cs\//, "");
    const named = rows.filter(({ reference, name }) => reference === bare || name === bare);
    const [first, second] = named;
    if (second !== undefined)
      throw new UsageError(`"${wanted}" names ${named.length} sources`, ...named.map(({ reference }) => reference));
    if (first !== undefined) return answer(first, opened);
    const near = nearestNames(
      wanted,
      rows.flatMap(({ reference, name }) => [reference, name]),
    );
    return {
      explanation: failure("NotFound", `There is no source "${wanted}"`, [
        ...near.map((one) => [`purser source show ${one}`, "did you mean this one?"] as const),
        ["purser source list", "all of them"],
      ]),
    };
  });
