import type { ClusterServiceVersion } from "../../../src/apis/v0/cluster-service-version.ts";
import type { OperatorGroup } from "../../../src/apis/v0/operator-group.ts";
import type { Subscription } from "../../../src/apis/v0/subscription.ts";
import { digestOf } from "@purser/kubernetes/digest";
import type { Explanation, Reason } from "../../../src/explanation/explanation.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { loadCatalog } from "../../../src/catalog/loading/load.ts";
import { indexOf } from "../../../src/catalog/memory-index.ts";
import { resolveNow } from "../../../src/resolver/resolution.ts";
import type { NamespaceCatalog, NamespaceInput } from "../../../src/resolver/v0/input.ts";
import type { NamespaceOutcome, ResolvedOperator } from "../../../src/resolver/v0/outcome.ts";
import { planInstall } from "../../../src/resolver/v0/install-plan/plan-install.ts";
import { resolveNamespace } from "../../../src/resolver/v0/resolve-namespace.ts";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import { compareExactly, compareLoosely } from "../../compare.ts";
import type { Compare, GoldenCase, Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";
import { inEveryOrder, withEntriesAsSets } from "../random-channel.ts";

const items = (value: JsonValue | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).filter(isJsonObject) : [];
const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

function catalogOf(catalog: JsonObject): NamespaceCatalog {
  const key = { namespace: textOf(member(catalog, "namespace")), name: textOf(member(catalog, "name")) };
  const priority = Number(member(catalog, "priority") ?? 0);
  if (member(catalog, "unreachable") === true)
    return { key, priority, content: { kind: "unavailable", cause: "no registry answers" } };
  const text = items(member(catalog, "fbc"))
    .map((blob) => JSON.stringify(blob))
    .join("\n");
  const { blobs } = loadCatalog([{ file: "catalog.json", text }]);
  return { key, priority, content: { kind: "present", index: indexOf(blobs) } };
}

/** The world of a case of this and of neighbouring suites. */
export function worldOf(input: JsonObject): NamespaceInput {
  const objects = items(member(input, "objects"));
  const ofKind = <T>(kind: string): T[] => objects.filter((object) => object["kind"] === kind) as unknown as T[];
  return {
    namespace: textOf(member(input, "namespace")),
    globalNamespace: textOf(member(input, "globalNamespace")),
    catalogs: items(member(input, "catalogs")).map(catalogOf),
    subscriptions: ofKind<Subscription>("Subscription"),
    clusterServiceVersions: ofKind<ClusterServiceVersion>("ClusterServiceVersion"),
    operatorGroups: ofKind<OperatorGroup>("OperatorGroup"),
  };
}

const hash = (text: string): string => digestOf(text).slice("sha256:".length, "sha256:".length + 16);
const byJson = (left: JsonValue, right: JsonValue): number => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1);

function operatorAnswer({ bundle, catalog, defaultChannel, replaces }: ResolvedOperator): JsonObject {
  const version = parseTolerantVersion(bundle.version);
  return {
    catalog: `${catalog.namespace}/${catalog.name}`,
    channel: bundle.channel,
    default: defaultChannel,
    name: bundle.name,
    package: bundle.package,
    replaces: replaces ?? null,
    version: version.ok ? bundle.version : null,
  };
}

function resolvedAnswer(outcome: Extract<NamespaceOutcome, { kind: "resolved" }>, world: NamespaceInput): JsonObject {
  const install = planInstall({ ...world, installPlans: [], contents: new Map(), reservedGroups: "accepted" }, outcome);
  if (install.kind === "refused") return { outcome: "error", error: install.refusal.message };
  const { content } = install;
  return {
    outcome: "resolved",
    operators: outcome.operators.map(operatorAnswer),
    lookups: content.lookups
      .map(({ identifier, properties = "" }) => ({ identifier, properties: hash(properties) }))
      .toSorted(byJson),
    steps: content.steps
      .map(({ resolving, resource }) => ({
        kind: resource.kind,
        name: resource.name,
        resolving,
        ...(resource.kind === "Subscription"
          ? {}
          : { manifest: hash(canonicalJson(JSON.parse(resource.manifest ?? "null") as JsonValue)) }),
      }))
      .toSorted(byJson),
    updated: outcome.updated
      .map(({ subscription, currentCSV }) => ({ currentCSV, name: subscription.metadata.name ?? "" }))
      .toSorted(byJson),
  };
}

/** Our answer, with those that OLM could give as well in `inOtherChannels`. */
function resolvedAnswers(outcome: Extract<NamespaceOutcome, { kind: "resolved" }>, world: NamespaceInput): JsonObject {
  const [own = {}, ...others] = inEveryOrder(outcome, world).map((each) => resolvedAnswer(each, world));
  return { ...own, inOtherChannels: others };
}

function leafTexts(reasons: readonly Reason[]): readonly string[] {
  return reasons.flatMap(({ because = [], upstream }) =>
    because.length > 0 ? leafTexts(because) : upstream === undefined ? [] : [upstream],
  );
}

const leaves = ({ derivation }: Explanation): readonly string[] => leafTexts(derivation);

/** `canonicalStable` tells about upstream, it is no part of an answer. */
function withoutRemarks(expect: JsonObject): JsonObject {
  const { canonicalStable: _canonicalStable, ...rest } = expect;
  return rest;
}

const exactly: Compare = (golden, value) =>
  compareLoosely(compareExactly(), ["error"])({ ...golden, expect: withoutRemarks(golden.expect) }, value);

/** Right when one of the answers that OLM can give, ours among them, is the expected one. */
const compareResolved: Compare = (golden, value) => {
  const { leaves: _leaves, inOtherChannels, ...own } = isJsonObject(value) ? value : {};
  const difference = exactly(golden, own);
  const others = items(inOtherChannels);
  return others.some((other) => exactly(golden, other) === undefined) ? undefined : difference;
};

/** Texts as they are compared: only what a Subscription without a channel requires has parts in random order. */
function requestsWithoutChannel(input: JsonObject): (text: JsonValue) => JsonValue {
  const requests = items(member(input, "objects")).filter(
    ({ kind, spec }) => kind === "Subscription" && isJsonObject(spec) && textOf(member(spec, "channel")) === "",
  );
  const starts = requests.map(({ metadata }) => {
    const name = isJsonObject(metadata) ? textOf(member(metadata, "name")) : "";
    return `subscription ${name} requires `;
  });
  return (text) =>
    typeof text === "string" && starts.some((start) => text.startsWith(start)) ? withEntriesAsSets(text) : text;
}

/** OLM's set of texts holds one that can be left out; ours is the part of it that cannot hold together. */
function namesOnlyWhatIsNeeded({ expect, input }: GoldenCase, value: JsonValue): boolean {
  if (member(expect, "minimal") !== false || !isJsonObject(value)) return false;
  const shown = requestsWithoutChannel(input);
  const texts = (list: JsonValue | undefined): readonly JsonValue[] =>
    Array.isArray(list) ? (list as readonly JsonValue[]).map(shown) : [];
  const expected = texts(member(expect, "constraints"));
  const ours = texts(member(value, "constraints"));
  const always = member(expect, "always");
  const needed = Array.isArray(always) ? always.map((index) => expected[Number(index)] ?? null) : [];
  return (
    member(value, "outcome") === "unsatisfiable" &&
    ours.length > 0 &&
    ours.length < expected.length &&
    ours.every((text) => expected.includes(text)) &&
    needed.every((text) => ours.includes(text))
  );
}

/** Unsatisfiable: the exact texts where upstream always prints them; the unavoidable ones on our leaves in every case. */
const compare: Compare = (golden, value) => {
  const { expect } = golden;
  if (member(expect, "outcome") !== "unsatisfiable" || !isJsonObject(value)) return compareResolved(golden, value);
  const actual = member(value, "outcome") ?? null;
  if (actual !== "unsatisfiable") return { pointer: "/outcome", expected: "unsatisfiable", actual };
  const listOf = (list: JsonValue | undefined): readonly JsonValue[] =>
    Array.isArray(list) ? (list as readonly JsonValue[]) : [];
  const constraints = listOf(member(expect, "constraints"));
  const shown = requestsWithoutChannel(golden.input);
  const expected = constraints.map(shown);
  const onLeaves = listOf(member(value, "leaves")).map(shown);
  for (const index of listOf(member(expect, "always"))) {
    const text = expected[Number(index)] ?? null;
    if (!onLeaves.includes(text)) return { pointer: `/always/${Number(index)}`, expected: text, actual: onLeaves };
  }
  const ours = listOf(member(value, "constraints"));
  if (member(expect, "stable") === true && JSON.stringify(expected) !== JSON.stringify(ours.map(shown)))
    return { pointer: "/constraints", expected: constraints, actual: ours };
  return undefined;
};

export const suite: Suite = {
  name: "v0-resolution",
  compare,
  differences: { "a conflict names only what is needed": namesOnlyWhatIsNeeded },
  run({ input }) {
    const world = worldOf(input);
    const outcome = resolveNow(resolveNamespace(world));
    switch (outcome.kind) {
      case "resolved":
        return answer(resolvedAnswers(outcome, world));
      case "unsatisfiable":
        return answer({
          outcome: "unsatisfiable",
          constraints: outcome.constraints,
          leaves: leaves(outcome.explanation),
        });
      case "error":
        return answer({ outcome: "error", error: outcome.upstream, leaves: leaves(outcome.explanation) });
    }
  },
};
