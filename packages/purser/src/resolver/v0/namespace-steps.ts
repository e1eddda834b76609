import type { Subscription } from "../../apis/v0/subscription.ts";
import { Pace } from "../pace.ts";
import type { ConstraintSet } from "../solver/constraint-set.ts";
import { solve } from "../solver/solve.ts";
import type { Scope } from "./catalogs-in-scope.ts";
import { snapshotsOf } from "./catalogs-in-scope.ts";
import { upstreamText } from "./explain/cause.ts";
import { changesOf } from "./explain/changes.ts";
import type { Entry } from "./entry.ts";
import { entryId } from "./entry.ts";
import { explainConflict } from "./explain/explain-conflict.ts";
import {
  explainCatalogs,
  explainExpansion,
  explainInstalled,
  explainOperatorGroups,
  joinedErrors,
} from "./explain/explain-error.ts";
import { installSets } from "./install-sets.ts";
import type { CatalogKey, NamespaceCatalog, NamespaceInput } from "./input.ts";
import { installedEntries, isCopied } from "./installed-snapshot.ts";
import type { NamespaceOutcome } from "./outcome.ts";
import { NamespaceProblem } from "./problem.ts";
import { noUpgrades, unfinishedUpgrades } from "./replaced-operators.ts";

const excludeGlobal = "olm.operatorframework.io/exclude-global-namespace-resolution";

const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

const catalogText = ({ namespace, name }: CatalogKey): string => `${namespace}/${name}`;

/** Text of a catalog that cannot be read, as OLM joins it into the error of a resolution. */
function unavailableText({ key, content }: NamespaceCatalog): string {
  const cause =
    content.kind === "present"
      ? ""
      : (content.upstream ?? `no registry client established for catalogsource ${catalogText(key)}`);
  return `error using catalogsource ${catalogText(key)}: ${cause}`;
}

/** A namespace put as a problem, before it is solved. */
export interface NamespaceWorld {
  readonly kind: "world";
  readonly scope: Scope;
  readonly problem: NamespaceProblem;
  readonly set: ConstraintSet;
  readonly subscriptions: readonly Subscription[];
  readonly startingCSVs: ReadonlySet<string>;
  /** Names of the CSVs in the namespace, copied ones included. */
  readonly existing: ReadonlySet<string>;
  /** Catalogs that were left out because they cannot be read. */
  readonly skipped: readonly NamespaceCatalog[];
}

type Refusal = Extract<NamespaceOutcome, { readonly kind: "error" }>;

/** Reads the world and builds its constraints; the problem is why that is not possible. */
export function* namespaceWorld(input: NamespaceInput): Generator<undefined, NamespaceWorld | Refusal> {
  const { namespace } = input;
  const inNamespace = <T extends { readonly metadata: { readonly namespace?: string } }>(objects: readonly T[]): T[] =>
    objects.filter((object) => object.metadata.namespace === namespace);
  const groups = inNamespace(input.operatorGroups);
  const [group] = groups;
  if (group === undefined || groups.length > 1) {
    const upstream = `expected 1 OperatorGroup in the namespace, found ${groups.length}`;
    return { kind: "error", upstream, explanation: explainOperatorGroups(namespace, groups, upstream) };
  }
  const withGlobal = group.metadata.annotations?.[excludeGlobal] !== "true";
  const namespaces = withGlobal ? [namespace, input.globalNamespace] : [namespace];
  const inScope = input.catalogs.filter(({ key }) => namespaces.includes(key.namespace));
  const subscriptions = inNamespace(input.subscriptions).toSorted((left, right) =>
    byText(left.metadata.name ?? "", right.metadata.name ?? ""),
  );
  const csvs = inNamespace(input.clusterServiceVersions);
  const failForward = group.spec?.upgradeStrategy === "TechPreviewUnsafeFailForward";
  const upgrades =
    input.replacedOperators === "passedOver"
      ? unfinishedUpgrades(
          csvs.filter((csv) => !isCopied(csv)),
          subscriptions,
          failForward,
        )
      : noUpgrades;
  const installed = installedEntries(csvs, subscriptions, { namespace, failForward, replaced: upgrades.replaced });
  const scope = {
    namespace,
    namespaces,
    installed: installed.ok ? installed.value : [],
    catalogs: snapshotsOf(inScope, namespaces),
  };

  const problem = new NamespaceProblem(scope, input.holds ?? []);
  const refuseExpansion = (): Refusal => ({
    kind: "error",
    upstream: joinedErrors(problem.problems.map(({ message }) => message)),
    explanation: explainExpansion(input, problem.problems),
  });
  yield* problem.expand(scope.installed);
  if (problem.problems.length > 0) return refuseExpansion();

  const startingCSVs = new Set<string>();
  for (const subscription of subscriptions) {
    const current = scope.installed.find((entry) => entry.name === subscription.status?.installedCSV);
    const { startingCSV = "" } = subscription.spec;
    if (current === undefined && startingCSV !== "") startingCSVs.add(startingCSV);
    yield* problem.subscribe(subscription, current, upgrades.upgrading.has(current?.name ?? ""));
  }

  const unreadable = inScope.filter(({ content }) => content.kind === "unavailable");
  const skipped = input.missingCatalogs === "skip" ? unreadable.filter(({ key }) => !isNamed(key, subscriptions)) : [];
  const unavailable = unreadable.filter((catalog) => !skipped.includes(catalog));
  const snapshotErrors = unavailable.map(unavailableText);
  if (!installed.ok) {
    const key = { namespace, name: "@existing" };
    snapshotErrors.unshift(`error using catalogsource ${catalogText(key)}: ${installed.problem.message}`);
    const upstream = joinedErrors(snapshotErrors);
    return { kind: "error", upstream, explanation: explainInstalled(input, installed.problem, upstream) };
  }
  if (snapshotErrors.length > 0) return undecided(input, unavailable);
  if (problem.problems.length > 0) return refuseExpansion();

  const set = yield* problem.finish();
  const existing = new Set(csvs.map((csv) => csv.metadata.name ?? ""));
  return { kind: "world", scope, problem, set, subscriptions, startingCSVs, existing, skipped };
}

function isNamed({ namespace, name }: CatalogKey, subscriptions: readonly Subscription[]): boolean {
  return subscriptions.some(({ spec }) => spec.source === name && spec.sourceNamespace === namespace);
}

/** The refusal for catalogs that cannot be read. */
function undecided(input: NamespaceInput, unavailable: readonly NamespaceCatalog[]): Refusal {
  const upstream = joinedErrors(unavailable.map(unavailableText));
  return { kind: "error", upstream, explanation: explainCatalogs(input, unavailable, upstream) };
}

/** Solves the constraints and returns the changes of the namespace. */
export function* decidedWorld(input: NamespaceInput, world: NamespaceWorld): Generator<undefined, NamespaceOutcome> {
  const { scope, problem, subscriptions, startingCSVs, existing } = world;
  const answer = yield* solve(world.set);
  const pace = new Pace();
  // What was left out may hold what is missing.
  if (answer.kind === "unsatisfiable" && world.skipped.length > 0) return undecided(input, world.skipped);
  if (answer.kind === "unsatisfiable") {
    const causes = answer.conflict.flatMap((id) => problem.causes[id] ?? []);
    const constraints: string[] = [];
    for (const cause of causes) {
      if (pace.spend(1)) yield;
      constraints.push(upstreamText(cause));
    }
    constraints.sort(byText);
    const upstream =
      constraints.length === 0
        ? "constraints not satisfiable"
        : `constraints not satisfiable: ${constraints.join(", ")}`;
    const explanation = yield* explainConflict(input, scope, causes);
    return { kind: "unsatisfiable", upstream, constraints, explanation };
  }
  const kept = answer.chosen.flatMap((variable) => problem.entries[variable] ?? []);
  const chosen = kept
    .filter((entry) => !entry.origin.installed)
    .sort((left: Entry, right: Entry) => byText(left.name, right.name) || byText(entryId(left), entryId(right)));
  const changes = yield* changesOf({ chosen, replaced: problem.replaced, subscriptions, existing, startingCSVs });
  const entries = [...new Set([...kept, ...scope.installed])];
  const sets = yield* installSets({ ...changes, subscriptions, entries, causes: problem.causes });
  return { kind: "resolved", ...changes, sets };
}

/** Resolution of a namespace, step by step; see docs/solver.md. */
export function* namespaceSteps(input: NamespaceInput): Generator<undefined, NamespaceOutcome> {
  const world = yield* namespaceWorld(input);
  return world.kind === "error" ? world : yield* decidedWorld(input, world);
}
