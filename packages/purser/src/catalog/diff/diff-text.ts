import { count, listed } from "../lint/finding-words.ts";
import type { Rules } from "../../upgrade-graph/rules.ts";
import type { PackageDiff } from "./catalog-diff.ts";
import { isBreaking, type PackageChange } from "./package-changes.ts";

/** The diff of one package as sentences, breaking changes first. */
export interface DiffRow {
  readonly mark: "!" | "~" | "+";
  readonly name: string;
  readonly parts: readonly { readonly text: string; readonly isBreaking: boolean }[];
}

export function diffRows(diffs: readonly PackageDiff[]): readonly DiffRow[] {
  return diffs.map((diff): DiffRow => {
    switch (diff.kind) {
      case "added":
        return {
          mark: "+",
          name: diff.name,
          parts: [{ text: `new package, ${count(diff.versions, "version")}`, isBreaking: false }],
        };
      case "removed":
        return {
          mark: "!",
          name: diff.name,
          parts: [{ text: `package removed, ${count(diff.versions, "version")}`, isBreaking: true }],
        };
      case "changed":
        return {
          mark: diff.isBreaking ? "!" : "~",
          name: diff.name,
          parts: [
            ...lostTexts(diff.changes).map((text) => ({ text, isBreaking: true })),
            ...bundleTexts(diff.changes).map((text) => ({ text, isBreaking: true })),
            ...versionTexts(diff.changes).map((text) => ({ text, isBreaking: false })),
            ...diff.changes.flatMap((change) =>
              isGrouped(change) ? [] : [{ text: changeText(change), isBreaking: isBreaking(change) }],
            ),
          ],
        };
    }
  });
}

/** Versions that lost their path under the same rules in the same channel are in one sentence; whole minors as `2.0.x`. */
function lostTexts(changes: readonly PackageChange[]): readonly string[] {
  const groups = new Map<string, { channel: string; rules: readonly Rules[]; versions: string[] }>();
  for (const change of changes) {
    if (change.kind !== "pathLost") continue;
    const { channel, rules, version, minor } = change;
    const key = `${channel} ${rules.join(" ")}`;
    const group = groups.get(key) ?? { channel, rules, versions: [] };
    const text = minor === undefined ? version : `${minor}.x`;
    if (!group.versions.includes(text)) group.versions.push(text);
    groups.set(key, group);
  }
  return [...groups.values()].map(
    ({ channel, rules, versions }) =>
      `users on ${listed(versions)} in channel ${channel} lost their path (${rules.join(" and ")})`,
  );
}

type Grouped = Extract<
  PackageChange,
  { kind: "pathLost" | "bundleRemoved" | "bundleChanged" | "versionAdded" | "versionRemoved" }
>;

const groupedKinds: ReadonlySet<PackageChange["kind"]> = new Set<Grouped["kind"]>([
  "pathLost",
  "bundleRemoved",
  "bundleChanged",
  "versionAdded",
  "versionRemoved",
]);
const isGrouped = (change: PackageChange): change is Grouped => groupedKinds.has(change.kind);

/** Up to this many versions of a channel are listed one by one. */
const singleVersions = 3;

/** Added and removed versions by channel. */
function versionTexts(changes: readonly PackageChange[]): readonly string[] {
  const groups = new Map<string, { sign: string; channel: string; versions: { version: string; isHead: boolean }[] }>();
  for (const change of changes) {
    if (change.kind !== "versionAdded" && change.kind !== "versionRemoved") continue;
    const sign = change.kind === "versionAdded" ? "+" : "-";
    const key = `${sign}${change.channel}`;
    const group = groups.get(key) ?? { sign, channel: change.channel, versions: [] };
    group.versions.push({ version: change.version, isHead: change.kind === "versionAdded" && change.isHead });
    groups.set(key, group);
  }
  return [...groups.values()].flatMap(({ sign, channel, versions }) => {
    if (versions.length <= singleVersions)
      return versions.map(({ version, isHead }) => `${sign}${version} in ${channel}${isHead ? " (head)" : ""}`);
    const head = versions.find(({ isHead }) => isHead);
    const names = listed(
      versions.map(({ version }) => version),
      4,
    );
    return [
      `${sign}${versions.length} versions in ${channel}: ${names}${head === undefined ? "" : `, head ${head.version}`}`,
    ];
  });
}

/** Published bundles that were removed or changed; those with the same change in one sentence. */
function bundleTexts(changes: readonly PackageChange[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const change of changes) {
    if (change.kind !== "bundleRemoved" && change.kind !== "bundleChanged") continue;
    const fate = change.kind === "bundleRemoved" ? "removed" : `changed: ${change.parts.join(", ")}`;
    groups.set(fate, [...(groups.get(fate) ?? []), change.bundle]);
  }
  return [...groups].map(
    ([fate, names]) => `published ${names.length === 1 ? "bundle" : "bundles"} ${listed(names, 4)} ${fate}`,
  );
}

function changeText(change: Exclude<PackageChange, Grouped>): string {
  switch (change.kind) {
    case "headChanged":
      return `head of ${change.channel} is ${change.to}, was ${change.from}`;
    case "edgesChanged":
      return `${change.version} in ${change.channel}: ${listed(change.edges, 4)}`;
    case "channelAdded":
      return `+channel ${change.channel}, ${count(change.versions, "version")}`;
    case "channelRemoved":
      return `channel ${change.channel} removed`;
    case "deprecationAdded":
      return `${change.subject} deprecated`;
    case "deprecationRemoved":
      return `${change.subject} no longer deprecated`;
    case "deprecationReworded":
      return `${change.subject}: new words for its deprecation`;
    case "defaultChannel":
      return `default channel ${change.to === "" ? "unset" : change.to}, was ${change.from === "" ? "unset" : change.from}`;
    case "description":
      return "description or icon changed";
  }
}

export const summaryOfRows = (rows: readonly DiffRow[]): { readonly breaking: number; readonly changes: number } => ({
  breaking: rows.filter(({ mark }) => mark === "!").length,
  changes: rows.filter(({ mark }) => mark !== "!").length,
});

const widestLine = 100;

/** One block per package: the mark, the name, then the parts in as few lines as they need. */
export function formatDiff(rows: readonly DiffRow[]): string {
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows
    .flatMap(({ mark, name, parts }) => {
      const lines: string[] = [];
      let line = "";
      for (const { text } of parts) {
        if (line !== "" && line.length + text.length > widestLine) {
          lines.push(line);
          line = "";
        }
        line = line === "" ? text : `${line}   ${text}`;
      }
      lines.push(line);
      return lines.map((text, index) =>
        index === 0 ? `${mark} ${name.padEnd(width)}  ${text}` : `  ${" ".repeat(width)}  ${text}`,
      );
    })
    .join("\n");
}

const escapeMarkdown = (text: string): string => text.replaceAll(/[\\`*_{}[\]<>|~]/g, "\\$&");

/** A comment for a pull request: breaking changes first, then everything by package. */
export function formatDiffMarkdown(rows: readonly DiffRow[]): string {
  const { breaking, changes } = summaryOfRows(rows);
  if (rows.length === 0) return "### Catalog changes\n\nNone.\n";
  const item = ({ name, parts }: DiffRow): string =>
    parts.length === 1
      ? `- **${escapeMarkdown(name)}**: ${escapeMarkdown(parts[0]?.text ?? "")}`
      : [`- **${escapeMarkdown(name)}**`, ...parts.map(({ text }) => `  - ${escapeMarkdown(text)}`)].join("\n");
  const harm = rows.flatMap((row) => {
    const parts = row.parts.filter((part) => part.isBreaking);
    return parts.length === 0 ? [] : [{ ...row, parts }];
  });
  const rest = rows.flatMap((row) => {
    const parts = row.parts.filter((part) => !part.isBreaking);
    return parts.length === 0 ? [] : [{ ...row, parts }];
  });
  return [
    "### Catalog changes",
    "",
    `${breaking} breaking, ${count(changes, "change")}.`,
    ...(harm.length === 0 ? [] : ["", "#### Breaking", "", ...harm.map(item)]),
    ...(rest.length === 0 ? [] : ["", "#### Changes", "", ...rest.map(item)]),
    "",
  ].join("\n");
}
