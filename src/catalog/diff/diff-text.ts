import { count, listed } from "../lint/finding-words.ts";
import type { Rules } from "../journey.ts";
import type { PackageDiff } from "./catalog-diff.ts";
import { isBreaking, type PackageChange } from "./package-changes.ts";

/** What a diff says of one package: sentences, those about what breaks first. */
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
            ...diff.changes.flatMap((change) =>
              change.kind === "pathLost" ? [] : [{ text: changeText(change), isBreaking: isBreaking(change) }],
            ),
          ],
        };
    }
  });
}

/** Versions that lost their path by the same rules in the same channel stand in one sentence; whole minors as `2.0.x`. */
function lostTexts(changes: readonly PackageChange[]): readonly string[] {
  const groups = new Map<string, { channel: string; rules: readonly Rules[]; versions: string[] }>();
  for (const change of changes) {
    if (change.kind !== "pathLost") continue;
    const { channel, rules, version } = change;
    const key = `${channel} ${rules.join(" ")}`;
    const group = groups.get(key) ?? { channel, rules, versions: [] };
    group.versions.push(version);
    groups.set(key, group);
  }
  return [...groups.values()].map(
    ({ channel, rules, versions }) =>
      `users on ${listed(byMinor(versions))} in channel ${channel} lost their path (${rules.join(" and ")})`,
  );
}

function byMinor(versions: readonly string[]): readonly string[] {
  const groups = new Map<string, string[]>();
  for (const version of versions) {
    const minor = /^\d+\.\d+(?=\.\d+$)/.exec(version)?.[0];
    const key = minor === undefined ? version : `${minor}.x`;
    groups.set(key, [...(groups.get(key) ?? []), version]);
  }
  return [...groups].flatMap(([minor, members]) => (members.length > 1 ? [minor] : members));
}

function changeText(change: Exclude<PackageChange, { kind: "pathLost" }>): string {
  switch (change.kind) {
    case "versionAdded":
      return `+${change.version} in ${change.channel}${change.isHead ? " (head)" : ""}`;
    case "versionRemoved":
      return `-${change.version} in ${change.channel}`;
    case "headChanged":
      return `head of ${change.channel} is ${change.to}, was ${change.from}`;
    case "edgesChanged":
      return `${change.version} in ${change.channel}: ${listed(change.edges, 4)}`;
    case "channelAdded":
      return `+channel ${change.channel}, ${count(change.versions, "version")}`;
    case "channelRemoved":
      return `channel ${change.channel} removed`;
    case "bundleRemoved":
      return `bundle ${change.bundle} removed`;
    case "bundleChanged":
      return `published bundle ${change.bundle} changed: ${change.parts.join(", ")}`;
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

/** A comment for a pull request: what breaks first, then everything by package. */
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
