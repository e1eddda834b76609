// What OLM leaves to chance for a Subscription without a channel, as the set of answers that it can give.
//
// For every bundle such a Subscription may get, `getSubscriptionVariables` takes the entries of that name in all channels of
// the package and appends them in the order of a hash map (`for _, i := range variable`). The name of the chosen bundle is
// therefore certain, the channel is not, and the text of what the Subscription requires lists the entries of one bundle in
// any order, again for each channel that leads to it.
import type { JsonValue } from "@purser/kubernetes/json";
import type { NamespaceInput } from "../../src/resolver/v0/input.ts";
import type { NamespaceOutcome, ResolvedOperator } from "../../src/resolver/v0/outcome.ts";

type Resolved = Extract<NamespaceOutcome, { kind: "resolved" }>;

/** The operator as each of the channels that hold its bundle gives it; only itself when its channel is certain. */
function inEveryChannel(operator: ResolvedOperator, world: NamespaceInput): readonly ResolvedOperator[] {
  const { bundle, catalog } = operator;
  const requests = world.subscriptions.filter(
    ({ metadata, spec }) => metadata.namespace === world.namespace && spec.name === bundle.package,
  );
  if (requests.length === 0 || requests.some(({ spec }) => (spec.channel ?? "") !== "")) return [operator];
  const source = world.catalogs.find(({ key }) => key.name === catalog.name && key.namespace === catalog.namespace);
  const found = source?.content.kind === "present" ? source.content.index.package(bundle.package) : undefined;
  const installed = world.clusterServiceVersions.map(({ metadata }) => metadata.name);
  const upgrades = requests.some(({ status }) => installed.includes(status?.installedCSV));
  const elsewhere = (found?.channels ?? [])
    .flatMap(({ bundles }) => bundles)
    .filter((other) => other.name === bundle.name && other.channel !== bundle.channel)
    .map((other): ResolvedOperator => {
      const { replaces: _replaces, ...rest } = operator;
      const replaces = upgrades ? operator.replaces : other.replaces;
      return {
        ...rest,
        bundle: other,
        defaultChannel: other.channel === found?.defaultChannel,
        ...(replaces === undefined ? {} : { replaces }),
      };
    });
  return [operator, ...elsewhere];
}

/** The outcome with every combination of channels that OLM may choose; the outcome itself comes first. */
export function inEveryOrder(outcome: Resolved, world: NamespaceInput): readonly Resolved[] {
  return outcome.operators
    .map((operator) => inEveryChannel(operator, world))
    .reduce<readonly (readonly ResolvedOperator[])[]>(
      (combinations, choices) => combinations.flatMap((so) => choices.map((choice) => [...so, choice])),
      [[]],
    )
    .map((operators) => ({ ...outcome, operators }));
}

/**
 * The text of what a Subscription requires, with the entries of one bundle in one catalog as a sorted set in the place of
 * the first of them. Every other text stays as it is.
 */
export function withEntriesAsSets(text: JsonValue): JsonValue {
  const found = typeof text === "string" ? /^(subscription \S+ requires at least one of )(.*)$/.exec(text) : null;
  if (found === null) return text;
  const [, head = "", list = ""] = found;
  const bundles = Map.groupBy(list.split(/, | or /), (id) => {
    const [catalog = "", namespace = "", , ...name] = id.split("/");
    return `${catalog}/${namespace}/${name.join("/")}`;
  });
  const sets = [...bundles.values()].map((ids) => [...new Set(ids)].toSorted((a, b) => (a < b ? -1 : 1)).join(" "));
  return `${head}${sets.join(", ")}`;
}
