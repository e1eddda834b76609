import type { JsonValue } from "../../json.ts";
import { done, failed, type Result } from "../../result.ts";
import { compareBytes, endOfJsonString, indentJson, writeYaml } from "../../text/documents.ts";
import { goSort } from "../go-sort.ts";
import type { CatalogBlob } from "../model.ts";

export type OutputFormat = "json" | "yaml";

/** Blobs of one package in upstream's order, or of no package (name ""). */
export interface PackageBlobs {
  readonly packageName: string;
  readonly blobs: readonly CatalogBlob[];
}

const order = { package: 0, channel: 1, bundle: 2, custom: 3, deprecations: 4 } as const;

/** Groups blobs as upstream writes them: packages by name, custom blobs of no package last; other blobs of none vanish. */
export function blobsInOrder(blobs: readonly CatalogBlob[]): readonly PackageBlobs[] {
  const groups = new Map<string, CatalogBlob[]>();
  for (const blob of blobs) {
    if (blob.packageName === "" && blob.content.kind !== "custom") continue;
    const group = groups.get(blob.packageName);
    if (group === undefined) groups.set(blob.packageName, [blob]);
    else group.push(blob);
  }
  const named = [...groups].filter(([name]) => name !== "").sort(([a], [b]) => compareBytes(a, b));
  const loose = groups.get("");
  return [
    ...named.map(([packageName, members]) => ({ packageName, blobs: packageOrder(members) })),
    ...(loose === undefined ? [] : [{ packageName: "", blobs: loose }]),
  ];
}

function packageOrder(members: readonly CatalogBlob[]): readonly CatalogBlob[] {
  const of = (kind: keyof typeof order): CatalogBlob[] => members.filter(({ content }) => content.kind === kind);
  const byName = (items: CatalogBlob[]): CatalogBlob[] => {
    goSort(items, (a, b) => compareBytes(a.name, b.name) < 0);
    return items;
  };
  const custom = of("custom").toSorted((a, b) => compareBytes(a.schema, b.schema));
  return [...of("package"), ...byName(of("channel")), ...byName(of("bundle")), ...custom, ...of("deprecations")];
}

/** One blob in the output format; YAML refuses what upstream's YAML reader refuses in its own JSON. */
export function formatBlob(json: string, format: OutputFormat): Result<string, string> {
  if (format === "json") return done(`${indentJson(json, "    ")}\n`);
  if (/[\u007f-\u0084\u0086-\u009f\ufffe\uffff]/.test(json)) return failed("yaml: control characters are not allowed");
  if (breaksKey(json)) return failed("yaml: line 1: did not find expected ',' or '}'");
  return done(`---\n${writeYaml(JSON.parse(foldNextLines(json)) as JsonValue)}`);
}

const longestKey = 1024;

/** A key must stand on one line and be short, or YAML's reader does not take it for one. */
function breaksKey(json: string): boolean {
  if (!json.includes("\u0085") && json.length <= longestKey) return false;
  for (let at = json.indexOf('"'); at !== -1;) {
    const end = endOfJsonString(json, at);
    if (json.charAt(end) === ":") {
      const key = json.slice(at, end);
      if (key.includes("\u0085") || (key.length > longestKey / 4 && new TextEncoder().encode(key).length > longestKey))
        return true;
    }
    at = json.indexOf('"', end);
  }
  return false;
}

/** U+0085 is a line break to YAML's reader: inside quotes one becomes a blank, several become line feeds. */
function foldNextLines(json: string): string {
  if (!json.includes("\u0085")) return json;
  return json.replaceAll(/ *\u0085[ \u0085]*/g, (found) => {
    const breaks = found.split("\u0085").length - 1;
    return breaks === 1 ? " " : "\\n".repeat(breaks - 1);
  });
}
