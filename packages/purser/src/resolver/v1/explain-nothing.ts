import type { Explanation, Reason, HarmlessRemedy, Remedy } from "../../explanation/explanation.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { listOf } from "../../explanation/summary.ts";
import type { JsonObject } from "@purser/kubernetes/json";
import { shortestPath } from "../../upgrade-graph/paths.ts";
import { formatVersion, parseVersion } from "@purser/kubernetes/version";
import { explainMissingPackage } from "./explain-missing-package.ts";
import { explained } from "./explain-refusal.ts";
import type { FilterKind, FilterRules } from "./filters.ts";
import { nameOf, type NothingFound, passing, unique } from "./nothing-found.ts";
import type { Candidate } from "./package-content.ts";
import { patchExtension } from "./patch-extension.ts";

type Leaf = Omit<Reason, "upstream">;

/** Filters without each of which a bundle would remain. */
function* neededFilters(world: NothingFound): Generator<undefined, readonly FilterKind[]> {
  let needed = world.active;
  for (const kind of world.active.toReversed()) {
    const without = needed.filter((other) => other !== kind);
    if ((yield* passing(world, without)).length === 0) needed = without;
  }
  return needed;
}

const versionsOf = (candidates: readonly Candidate[]): readonly string[] =>
  unique(candidates.flatMap(({ version }) => (version.ok ? [formatVersion(version.value.version)] : [])));

function leafOf(world: NothingFound, kind: FilterKind): Leaf {
  const { input, rules } = world;
  const subject = `ClusterExtension ${input.name}`;
  switch (kind) {
    case "channels":
      return { relation: "requested", subject, text: `It asks for channel ${listOf(rules.channels, 5, "or")}` };
    case "range":
      return { relation: "requested", subject, text: `It asks for version ${input.filter.version ?? ""}` };
    case "successors":
      return {
        relation: "installed",
        subject,
        text: `${input.installed?.name ?? ""} is installed, and the catalog must allow the upgrade from it`,
      };
    case "holds":
      return {
        relation: "excluded",
        subject,
        text: `Held back: ${listOf(unique(rules.holds.map(({ reason }) => reason)))}`,
      };
  }
}

/** A change of what the extension asks for. */
interface Offered extends HarmlessRemedy {
  /** Filters that the change takes away, and rules that it changes. */
  readonly drops: readonly FilterKind[];
  readonly rules?: Partial<FilterRules>;
}

/** The remedies after which a bundle remains; one that leads to the next refusal is none. */
function* working(world: NothingFound, remedies: readonly Offered[]): Generator<undefined, readonly Remedy[]> {
  const kept: Remedy[] = [];
  for (const { drops, rules, ...remedy } of remedies) {
    const changed = { ...world, rules: { ...world.rules, ...rules } };
    const active = world.active.filter((kind) => !drops.includes(kind));
    if ((yield* passing(changed, active)).length > 0) kept.push(remedy);
  }
  return kept;
}

/** {@link working}; when none of them helps alone, version and channels are both left open. */
function* workingOrBoth(world: NothingFound, remedies: readonly Offered[]): Generator<undefined, readonly Remedy[]> {
  const found = yield* working(world, remedies);
  if (found.length > 0) return found;
  const both = { version: null, channels: null };
  return yield* working(world, [
    {
      ...patchExtension(world.input.name, "Allow every version of every channel", both),
      drops: ["range", "channels"],
    },
  ]);
}

/** The first that is no pre-release, which nobody should get without asking for one; else the first. */
function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  const isRelease = ({ version }: Candidate): boolean => version.ok && version.value.version.prerelease.length === 0;
  return candidates.find(isRelease) ?? candidates[0];
}

interface Finding {
  readonly code: Explanation["code"];
  readonly summary: string;
  readonly facts: JsonObject;
  readonly remedies: readonly Remedy[];
}

/** Ways of several upgrades are looked for in packages up to this size, and to the best of what is wanted only. */
const maxWayEntries = 256;
const maxWayTargets = 3;

/** When the catalog allows a wanted bundle only over several upgrades: the version to request first. */
function firstHop({ input, offers, rules }: NothingFound, wanted: readonly Candidate[]): readonly Remedy[] {
  const { installed } = rules;
  if (installed === undefined) return [];
  const from = { name: installed.bundle.name, version: installed.version.version };
  for (const { name } of wanted.slice(0, maxWayTargets)) {
    for (const { content } of offers) {
      const entries = content.candidates.flatMap((candidate) => candidate.entries);
      if (entries.length > maxWayEntries) continue;
      const path = shortestPath(entries, from, name);
      const next = content.candidates.find((candidate) => candidate.name === path?.[0]?.to);
      const [version] = next === undefined ? [] : versionsOf([next]);
      if (path === undefined || path.length < 2 || version === undefined) continue;
      return [patchExtension(input.name, `Go to ${name} in ${path.length} upgrades, first to ${version}`, { version })];
    }
  }
  return [];
}

function* findingOf(world: NothingFound, needed: readonly FilterKind[]): Generator<undefined, Finding> {
  const { input, rules, offers } = world;
  const { packageName, version: range = "" } = input.filter;
  const subject = `ClusterExtension ${input.name}`;
  const without = (kind: FilterKind): Generator<undefined, readonly Candidate[]> =>
    passing(
      world,
      needed.filter((other) => other !== kind),
    );
  const channels = unique(offers.flatMap(({ content }) => content.channels));
  const defaults = unique(offers.map(({ content }): string => content.summary.defaultChannel));
  if (needed.includes("holds")) {
    const held = yield* without("holds");
    const holds = rules.holds.filter(({ bundles }) => held.some(({ name }) => bundles.includes(name)));
    const reasons = unique(holds.map(({ reason }) => reason));
    return {
      // What time alone lets through comes before what a rule refuses.
      code: holds.find(({ code }) => code !== "VersionHeld")?.code ?? "VersionHeld",
      summary: `${subject} waits: ${listOf(held.map(({ name }) => name))} held back (${listOf(reasons)})`,
      facts: { bundles: held.map(({ name }) => name), reasons },
      remedies: holds.slice(0, 1).map(({ remedy }) => remedy),
    };
  }
  if (needed.includes("successors")) {
    const candidates = yield* without("successors");
    const from = input.installed?.name ?? "";
    const certified = bestOf(
      yield* passing(
        world,
        world.active.filter((kind) => kind !== "successors"),
      ),
    );
    return {
      code: "NoUpgradePath",
      summary: `${subject} has ${from} installed, and no catalog offers an upgrade from it to ${listOf(versionsOf(candidates))}`,
      facts: {
        installed: from,
        candidates: candidates.map(({ name }) => name),
        missingEdge: `replaces, skips or skipRange that covers ${from}`,
      },
      remedies: [
        ...firstHop(world, candidates),
        ...(certified === undefined
          ? []
          : [
              patchExtension(input.name, `Move to ${certified.name} without an upgrade edge, at your own risk`, {
                version: versionsOf([certified])[0] ?? range,
                upgradeConstraintPolicy: "SelfCertified",
              }),
            ]),
        ...(yield* working(world, [
          { ...patchExtension(input.name, "Allow all channels", { channels: null }), drops: ["channels"] },
          { ...patchExtension(input.name, "Allow every version", { version: null }), drops: ["range"] },
        ])),
      ],
    };
  }
  if (needed.includes("range")) {
    const candidates = yield* without("range");
    const available = versionsOf(candidates);
    const exact = parseVersion(range).ok;
    const single = yield* workingOrBoth(world, [
      { ...patchExtension(input.name, "Allow all channels", { channels: null }), drops: ["channels"] },
      { ...patchExtension(input.name, "Allow every version", { version: null }), drops: ["range"] },
    ]);
    const newest = bestOf(
      yield* passing(
        world,
        world.active.filter((kind) => kind !== "range"),
      ),
    );
    return {
      code: exact ? "VersionNotFound" : "NoVersionInRange",
      summary: `${subject} asks for ${packageName} ${range}, but ${needed.includes("channels") ? `channel ${listOf(rules.channels, 3, "or")}` : "the catalog"} has ${listOf(available, 4)}`,
      facts: { range, available, channels, ...(exact ? { nearest: nearestNames(range, available) } : {}) },
      remedies: [
        ...versionsOf(newest === undefined ? [] : [newest]).map((version) =>
          patchExtension(input.name, `Take version ${version}`, { version }),
        ),
        ...single,
      ],
    };
  }
  if (needed.includes("channels")) {
    const nearest = unique(rules.channels.flatMap((channel) => nearestNames(channel, channels)));
    const choices = unique([...nearest, ...defaults.filter((channel) => channel !== "")]).slice(0, 3);
    return {
      code: "ChannelNotFound",
      summary: `${subject} asks for channel ${listOf(rules.channels, 3, "or")} of package ${packageName}, which has ${listOf(channels, 4)}`,
      facts: { wanted: rules.channels, channels, default: defaults[0] ?? "", nearest },
      remedies: yield* workingOrBoth(world, [
        ...choices.map((channel): Offered => ({
          ...patchExtension(input.name, `Use channel ${channel}`, { channels: [channel] }),
          drops: [],
          rules: { channels: [channel] },
        })),
        { ...patchExtension(input.name, "Allow all channels", { channels: null }), drops: ["channels"] },
      ]),
    };
  }
  return {
    code: "CatalogInvalid",
    summary: `${subject} asks for package ${packageName}, which is listed but holds no bundle`,
    facts: { catalogs: offers.map(({ catalog }) => nameOf(catalog)) },
    remedies: [{ summary: "Add bundles to the package in the catalog" }],
  };
}

/** Why no bundle remains, by the filters without each of which one would. */
export function* explainNothingFound(world: NothingFound): Generator<undefined, Explanation> {
  const { input, upstream, offers } = world;
  if (offers.length === 0) return yield* explainMissingPackage(world);
  const needed = yield* neededFilters(world);
  const finding = yield* findingOf(world, needed);
  const subject = `package ${input.filter.packageName}`;
  const leaves: readonly Leaf[] =
    needed.length === 0
      ? [{ relation: "fact", subject, text: `Package ${input.filter.packageName} holds no bundle` }]
      : needed.map((kind) => leafOf(world, kind));
  return explained(input, { ...finding, leaves, upstream });
}
