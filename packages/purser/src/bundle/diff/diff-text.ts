import { counted } from "../../explanation/summary.ts";
import type { BundleChange, DiffPart } from "./bundle-diff.ts";
import { diffParts } from "./bundle-diff.ts";

const titles: Readonly<Record<DiffPart, string>> = {
  permissions: "Permissions",
  crds: "APIs",
  objects: "Objects",
  images: "Images",
};

const signs = { added: "+", removed: "-", changed: "~" } as const;

/** A part with the lines of its changes; parts without changes are left out. */
export interface DiffSection {
  readonly title: string;
  readonly changes: readonly BundleChange[];
}

function diffSections(changes: readonly BundleChange[]): readonly DiffSection[] {
  return diffParts
    .map((part) => ({ title: titles[part], changes: changes.filter((change) => change.part === part) }))
    .filter((section) => section.changes.length > 0);
}

/** One line a change, details below it. @param breaking texts by CRD name of what breaks stored objects */
export function formatBundleDiff(
  changes: readonly BundleChange[],
  breaking: ReadonlyMap<string, readonly string[]>,
): string {
  const lines = diffSections(changes).flatMap(({ title, changes: own }) => [
    title,
    ...own.flatMap(({ part, change, subject, details }) => [
      `  ${signs[change]} ${subject}${part === "permissions" && change !== "changed" ? `  ${(details[0] ?? "").slice(2)}` : ""}`,
      ...(part === "permissions" && change !== "changed" ? [] : details.map((detail) => `      ${detail}`)),
      ...(part === "crds" ? (breaking.get(subject) ?? []).map((text) => `      ! ${text}`) : []),
    ]),
  ]);
  return [...lines, summaryOf(changes, breaking)].join("\n");
}

/** As a comment for a pull request. */
export function formatBundleDiffMarkdown(
  changes: readonly BundleChange[],
  breaking: ReadonlyMap<string, readonly string[]>,
): string {
  const sections = diffSections(changes).map(({ title, changes: own }) =>
    [
      `### ${title}`,
      "",
      ...own.flatMap(({ change, part, subject, details }) => [
        `- **${change}** ${markdownCode(subject)}`,
        ...details.map((detail) => `  - ${markdownCode(detail)}`),
        ...(part === "crds"
          ? (breaking.get(subject) ?? []).map((text) => `  - **breaking** ${markdownCode(text)}`)
          : []),
      ]),
    ].join("\n"),
  );
  return `${[...sections, summaryOf(changes, breaking)].join("\n\n")}\n`;
}

/** A code span that holds for any text. */
export function markdownCode(text: string): string {
  const plain = text.replaceAll(/\s+/g, " ");
  const longest = Math.max(0, ...[...plain.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const pad = plain.startsWith("`") || plain.endsWith("`") ? " " : "";
  return `${fence}${pad}${plain}${pad}${fence}`;
}

function summaryOf(changes: readonly BundleChange[], breaking: ReadonlyMap<string, readonly string[]>): string {
  if (changes.length === 0) return "No changes";
  const broken = breaking.size === 0 ? "" : `, ${counted(breaking.size, "API")} breaking stored objects`;
  return `${counted(changes.length, "change")}${broken}`;
}
