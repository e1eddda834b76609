import { markdownCode } from "../../bundle/diff/diff-text.ts";
import { counted } from "../../explanation/summary.ts";
import type { ChangePlan, Changes } from "./change-plan.ts";
import {
  crdLines,
  fieldLines,
  imageWords,
  objectCounts,
  objectWords,
  permissionCounts,
  permissionLines,
} from "./plan-words.ts";

/** A change plan as a comment for a pull request; fields of objects are folded. */
export function planMarkdown({
  installation,
  from,
  to,
  hops,
  total,
  digest,
  dependencies,
  deprecations,
}: ChangePlan): string {
  const versions = from === undefined ? `install ${to.version}` : `${from.version} → ${to.version}`;
  const path =
    hops.length < 2
      ? []
      : [`- **path** ${hops.map((hop) => markdownCode(hop.to)).join(" → ")}, ${counted(hops.length, "hop")}`];
  return `${[
    `### ${markdownCode(installation)}: ${versions}`,
    [
      ...path,
      `- **objects** ${objectCounts(total.objects)}`,
      `- **permissions** ${permissionCounts(total.permissions)}`,
      ...crdLines(total.crds).map((text) => `- **CRD** ⚠ ${markdownCode(text)}`),
      ...total.webhooks.map(({ type, name, change }) => `- **webhook** ${markdownCode(`${type} ${name}`)} ${change}`),
      ...total.downtime.map((text) => `- **restart** ${markdownCode(text)}`),
      ...dependencies.map(
        ({ bundle, askedBy }) =>
          `- **needs** ${markdownCode(bundle)}${askedBy.length === 0 ? "" : `, for ${askedBy.map((by) => markdownCode(by.bundle)).join(", ")}`}`,
      ),
      ...deprecations.map((text) => `- **deprecated** ${markdownCode(text)}`),
    ].join("\n"),
    ...permissionSection(total),
    ...imageSection(total),
    ...objectSection(total),
    `Plan ${markdownCode(digest)}`,
  ].join("\n\n")}\n`;
}

function permissionSection({ permissions }: Changes): readonly string[] {
  if (permissions.length === 0) return [];
  const lines = permissions.flatMap((permission) => {
    const { title, added, removed } = permissionLines(permission);
    return [`# ${title}`, ...added.map((text) => `+ ${text}`), ...removed.map((text) => `- ${text}`)];
  });
  return ["#### Permissions", fenced(lines)];
}

function imageSection({ images }: Changes): readonly string[] {
  const changed = images.filter(({ change }) => change !== "kept");
  if (changed.length === 0) return [];
  return [
    "#### Images",
    fenced(changed.map((image) => `${image.change === "added" ? "+" : "-"} ${imageWords(image)}`)),
  ];
}

function objectSection({ objects }: Changes): readonly string[] {
  const changed = objects.filter(({ change }) => change !== "kept");
  if (changed.length === 0) return [];
  const lines = changed.flatMap((object) => [
    `# ${objectWords(object)} ${object.change}`,
    ...object.fields.flatMap((field) => fieldLines(field, object)),
  ]);
  return ["<details><summary>Objects</summary>", fenced(lines), "</details>"];
}

/** A block whose fence is longer than any run of backticks in it. */
function fenced(lines: readonly string[]): string {
  const text = lines.map((line) => line.replaceAll(/[\r\n]+/g, " ")).join("\n");
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}diff\n${text}\n${fence}`;
}
