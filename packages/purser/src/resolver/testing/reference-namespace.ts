// A naive implementation of namespace resolution without indexes, caches or learning: slow, and used as a reference in tests.
import type { Property } from "../../catalog/catalog-index.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { parseTolerantVersion } from "@purser/kubernetes/version";
import { parseBlangRange } from "../../version-range.ts";
import type { NamespaceInput } from "../v0/input.ts";

/** A bundle in a channel, or an installed operator. */
interface Candidate {
  readonly id: string;
  readonly name: string;
  readonly packageName: string;
  readonly channel: string;
  readonly isDefault: boolean;
  readonly catalog: string;
  readonly priority: number;
  readonly home: boolean;
  readonly installed: boolean;
  readonly owned: boolean;
  readonly replaces: string | undefined;
  readonly skips: readonly string[];
  readonly skipRange: string | undefined;
  readonly version: string;
  readonly properties: readonly Property[];
}

/** A rule over names of variables: `needs` one of, `never` both, at most one of. */
type Rule =
  | { readonly kind: "must" | "mustNot"; readonly of: string }
  | { readonly kind: "needs"; readonly of: string; readonly oneOf: readonly string[] }
  | { readonly kind: "atMostOne"; readonly among: readonly string[] };

export type ReferenceAnswer =
  | {
      readonly kind: "resolved";
      /** `id>replaced`, sorted by name, then id. */
      readonly chosen: readonly string[];
    }
  | { readonly kind: "unsatisfiable" }
  | { readonly kind: "error" };

const compare = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);
const field = (value: JsonValue | undefined, name: string): JsonValue | undefined => (value as JsonObject)[name];

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function inRange(version: string, range: JsonValue | undefined): boolean {
  const parsed = parseTolerantVersion(version);
  const bounds = parseBlangRange(textOf(range));
  return parsed.ok && bounds.ok && bounds.value.includes(parsed.value);
}

const apiText = (value: JsonValue | undefined): string =>
  `${textOf(field(value, "group"))}/${textOf(field(value, "version"))}/${textOf(field(value, "kind"))}`;

/** One requirement against one bundle. */
function meets(type: string, value: JsonValue, bundle: Candidate): boolean {
  const { properties } = bundle;
  switch (type) {
    case "olm.gvk.required":
      return properties.some((own) => own.type === "olm.gvk" && apiText(own.value) === apiText(value));
    case "olm.package.required":
      return (
        bundle.packageName === field(value, "packageName") && inRange(bundle.version, field(value, "versionRange"))
      );
    case "olm.label.required":
      return properties.some((own) => own.type === "olm.label" && field(own.value, "label") === field(value, "label"));
    default: {
      const parts = (name: string): readonly JsonValue[] =>
        field(field(value, name), "constraints") as readonly JsonValue[];
      const holds = (part: JsonValue): boolean => meets("olm.constraint", part, bundle);
      if (field(value, "gvk") !== undefined) return meets("olm.gvk.required", field(value, "gvk") ?? null, bundle);
      if (field(value, "package") !== undefined)
        return meets("olm.package.required", field(value, "package") ?? null, bundle);
      if (field(value, "all") !== undefined) return parts("all").every(holds);
      if (field(value, "any") !== undefined) return parts("any").some(holds);
      return !parts("not").some(holds);
    }
  }
}

const requirementTypes = ["olm.gvk.required", "olm.package.required", "olm.label.required", "olm.constraint"];

/** The chain of a channel from head to tail; undefined when there is none or several. */
function chainOf(entries: readonly Candidate[]): readonly Candidate[] | undefined {
  const named = (name: string | undefined): Candidate | undefined => entries.find((entry) => entry.name === name);
  const skipped = new Set(entries.flatMap((entry) => entry.skips));
  const heads = entries.filter(({ name }) => !skipped.has(name) && !entries.some(({ replaces }) => replaces === name));
  const [head] = heads;
  if (head === undefined || heads.length > 1) return entries.length === 0 ? [] : undefined;
  const walked: Candidate[] = [];
  for (let at: Candidate | undefined = head; at !== undefined; at = named(at.replaces)) {
    if (walked.includes(at)) return undefined;
    walked.push(at);
  }
  return walked.filter(({ name }) => !skipped.has(name));
}

/** Any truth of all variables under which the rules hold, found by trying; undefined when there is none. */
function assignment(rules: readonly Rule[], variables: readonly string[], taken: ReadonlySet<string>): boolean {
  const value = new Map<string, boolean>([...taken].map((name) => [name, true]));
  const stillPossible = (): boolean =>
    rules.every((rule) => {
      switch (rule.kind) {
        case "must":
          return value.get(rule.of) !== false;
        case "mustNot":
          return value.get(rule.of) !== true;
        case "needs":
          return value.get(rule.of) !== true || rule.oneOf.some((name) => value.get(name) !== false);
        case "atMostOne":
          return rule.among.filter((name) => value.get(name) === true).length < 2;
      }
    });
  const open = variables.filter((name) => !taken.has(name));
  const tryFrom = (at: number): boolean => {
    if (!stillPossible()) return false;
    const name = open[at];
    if (name === undefined) return true;
    // Leaving a variable out violates only rules that need it.
    for (const choice of [false, true]) {
      value.set(name, choice);
      if (tryFrom(at + 1)) return true;
    }
    value.delete(name);
    return false;
  };
  return tryFrom(0);
}

function candidatesOf(input: NamespaceInput, withGlobal: boolean): readonly Candidate[] {
  const found: Candidate[] = [];
  for (const { key, priority, content } of input.catalogs) {
    const visible = key.namespace === input.namespace || (withGlobal && key.namespace === input.globalNamespace);
    if (!visible || content.kind !== "present") continue;
    for (const packageName of content.index.packages()) {
      const summary = content.index.package(packageName);
      for (const { name: channel, bundles } of summary?.channels ?? [])
        for (const bundle of bundles)
          found.push({
            id: `${key.name}/${key.namespace}/${channel}/${bundle.name}`,
            name: bundle.name,
            packageName,
            channel,
            isDefault: channel === summary?.defaultChannel,
            catalog: `${key.namespace}/${key.name}`,
            priority,
            home: key.namespace === input.namespace,
            installed: false,
            owned: false,
            replaces: bundle.replaces,
            skips: bundle.skips,
            skipRange: bundle.skipRange,
            version: bundle.version,
            properties: bundle.properties,
          });
    }
  }
  return found;
}

function installedIn(input: NamespaceInput): readonly Candidate[] {
  return input.clusterServiceVersions.map((csv): Candidate => {
    const text = csv.metadata.annotations?.["operatorframework.io/properties"] ?? "{}";
    const { properties = [] } = JSON.parse(text) as { readonly properties?: readonly Property[] };
    const stated = properties.findLast(({ type }) => type === "olm.package")?.value;
    const name = csv.metadata.name ?? "";
    return {
      id: `@existing/${input.namespace}//${name}`,
      name,
      packageName: stated === undefined ? "" : textOf(field(stated, "packageName")),
      channel: "",
      isDefault: false,
      catalog: "",
      priority: 0,
      home: true,
      installed: true,
      owned: input.subscriptions.some(({ status }) => status?.installedCSV === name),
      replaces: undefined,
      skips: [],
      skipRange: undefined,
      version: csv.spec.version ?? "0.0.0",
      properties,
    };
  });
}

class BadChannel extends Error {}

/** What a namespace gets. Worlds without holds, CEL, fail-forward and unreadable catalogs only. */
export function referenceAnswer(input: NamespaceInput): ReferenceAnswer {
  const [group, ...others] = input.operatorGroups;
  if (group === undefined || others.length > 0) return { kind: "error" };
  const withGlobal =
    group.metadata.annotations?.["olm.operatorframework.io/exclude-global-namespace-resolution"] !== "true";
  const offered = candidatesOf(input, withGlobal);
  const installed = installedIn(input);
  const rules: Rule[] = [];
  const variables = new Set<string>();
  const bundles = new Map<string, Candidate>();
  const replacedBy = new Map<string, string>();

  const ordered = (
    groups: readonly (readonly Candidate[])[],
    keep: (entry: Candidate) => boolean,
  ): readonly Candidate[] =>
    groups.flatMap((entries) => {
      const chain = chainOf(entries);
      if (chain === undefined) throw new BadChannel();
      return chain.filter(keep);
    });
  const dependency = (requiring: Candidate, { type, value }: Property): readonly Candidate[] => {
    const keep = (entry: Candidate): boolean => meets(type, value, entry);
    const present = installed.filter(keep);
    const packages = [...new Set(present.map(({ packageName }) => packageName))].sort(compare);
    const found = [
      ...ordered(
        packages.map((name) => present.filter(({ packageName }) => packageName === name)),
        keep,
      ),
    ];
    const catalogs = [...new Set(offered.map(({ catalog }) => catalog))]
      .map((catalog) => offered.filter((entry) => entry.catalog === catalog))
      .sort((left, right) => {
        const [a, b] = [left[0], right[0]];
        if (a === undefined || b === undefined) return 0;
        const own = (entry: Candidate): number => (!requiring.installed && entry.catalog === requiring.catalog ? 0 : 1);
        const nameOf = ({ catalog }: Candidate): string => catalog.split("/").toReversed().join("/");
        return (
          own(a) - own(b) || b.priority - a.priority || Number(b.home) - Number(a.home) || compare(nameOf(a), nameOf(b))
        );
      });
    for (const entries of catalogs) {
      const channels = [...Map.groupBy(entries, ({ packageName, channel }) => `${packageName}/${channel}`).values()]
        .filter((inChannel) => inChannel.some(keep))
        .sort(
          ([a], [b]) =>
            Number(b?.isDefault) - Number(a?.isDefault) ||
            compare(a?.packageName ?? "", b?.packageName ?? "") ||
            compare(a?.channel ?? "", b?.channel ?? ""),
        );
      found.push(...ordered(channels, keep));
    }
    return found;
  };
  const add = (entry: Candidate): void => {
    if (bundles.has(entry.id)) return;
    bundles.set(entry.id, entry);
    variables.add(entry.id);
    if (entry.installed && !entry.owned) rules.push({ kind: "must", of: entry.id });
    if (entry.properties.some(({ type }) => type === "olm.deprecated")) rules.push({ kind: "mustNot", of: entry.id });
    for (const property of entry.properties) {
      if (!requirementTypes.includes(property.type)) continue;
      const found = dependency(entry, property);
      rules.push({ kind: "needs", of: entry.id, oneOf: found.map(({ id }) => id) });
      found.forEach(add);
    }
  };

  const anchors: string[] = [];
  try {
    for (const entry of installed) add(entry);
    for (const { id } of installed.filter(({ owned }) => !owned).sort((left, right) => compare(left.id, right.id)))
      anchors.push(id);
    for (const { metadata, spec, status } of input.subscriptions.toSorted((left, right) =>
      compare(left.metadata.name ?? "", right.metadata.name ?? ""),
    )) {
      const name = `subscription:${metadata.name}`;
      variables.add(name);
      anchors.push(name);
      rules.push({ kind: "must", of: name });
      const current = installed.find((entry) => entry.name === status?.installedCSV);
      const inChannel = offered.filter(
        (entry) =>
          entry.catalog === `${spec.sourceNamespace}/${spec.source}` &&
          entry.packageName === spec.name &&
          (spec.channel === undefined || entry.channel === spec.channel),
      );
      const wanted = inChannel.filter(
        (entry) => current !== undefined || spec.startingCSV === undefined || entry.name === spec.startingCSV,
      );
      if (wanted.length === 0) {
        rules.push({ kind: "mustNot", of: name });
        continue;
      }
      const channels = [...Map.groupBy(wanted, ({ channel }) => channel).values()].sort(
        ([a], [b]) => Number(b?.isDefault) - Number(a?.isDefault) || compare(a?.channel ?? "", b?.channel ?? ""),
      );
      const follows = (entry: Candidate): boolean =>
        current === undefined ||
        entry.replaces === current.name ||
        entry.skips.includes(current.name) ||
        (entry.skipRange !== undefined && inRange(current.version, entry.skipRange));
      const allowed = ordered(channels, follows).flatMap((entry) => [
        entry,
        ...wanted.filter((other) => other.name === entry.name),
      ]);
      for (const entry of allowed) {
        add(entry);
        if (current === undefined) continue;
        rules.push({ kind: "atMostOne", among: [entry.id, current.id] });
        replacedBy.set(entry.id, current.name);
      }
      rules.push({
        kind: "needs",
        of: name,
        oneOf: [...allowed, ...(current === undefined ? [] : [current])].map(({ id }) => id),
      });
    }
  } catch (error) {
    if (error instanceof BadChannel) return { kind: "error" };
    throw error;
  }
  const holders = new Map<string, Set<string>>();
  for (const { id, properties } of bundles.values())
    for (const { type, value } of properties) {
      const key =
        type === "olm.gvk"
          ? `api ${apiText(value)}`
          : type === "olm.package"
            ? `package ${textOf(field(value, "packageName"))}`
            : "";
      if (key !== "") holders.set(key, (holders.get(key) ?? new Set()).add(id));
    }
  for (const among of holders.values()) if (among.size > 1) rules.push({ kind: "atMostOne", among: [...among] });

  const taken = new Set<string>();
  const all = [...variables];
  const queue: (readonly string[])[] = anchors.map((anchor) => [anchor]);
  for (const choices of queue) {
    if (choices.some((choice) => taken.has(choice))) continue;
    const next = choices.find((choice) => assignment(rules, all, new Set([...taken, choice])));
    if (next === undefined) return { kind: "unsatisfiable" };
    taken.add(next);
    for (const rule of rules)
      if (rule.kind === "needs" && rule.of === next && rule.oneOf.length > 0) queue.push(rule.oneOf);
  }
  if (!assignment(rules, all, taken)) return { kind: "unsatisfiable" };
  const chosen = [...taken].flatMap((id) => bundles.get(id) ?? []).filter((entry) => !entry.installed);
  return {
    kind: "resolved",
    chosen: chosen
      .sort((left, right) => compare(left.name, right.name) || compare(left.id, right.id))
      .map(({ id, replaces }) => `${id}>${replacedBy.get(id) ?? replaces ?? ""}`),
  };
}
