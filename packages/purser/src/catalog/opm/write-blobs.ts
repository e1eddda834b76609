import type { JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import {
  compareBytes,
  endOfJsonString,
  indentJson,
  nativeText,
  withKeptItems,
  writeYaml,
  yamlDocument,
} from "@purser/kubernetes/text/documents";
import { goSort } from "../schemas/go-sort.ts";
import type { BlobContent } from "../model.ts";

export type OutputFormat = "json" | "yaml";

/** What the order of blobs depends on. */
export interface OrderedBlob {
  readonly schema: string;
  readonly packageName: string;
  readonly name: string;
  readonly content: { readonly kind: BlobContent["kind"] };
}

/** Blobs of one package in upstream's order, or of no package (name ""). */
export interface PackageBlobs<Blob> {
  readonly packageName: string;
  readonly blobs: readonly Blob[];
}

const order = { package: 0, channel: 1, bundle: 2, custom: 3, deprecations: 4 } as const;

/** Groups blobs as upstream writes them: packages by name, custom blobs of no package last; other blobs of none vanish. */
export function blobsInOrder<Blob extends OrderedBlob>(blobs: readonly Blob[]): readonly PackageBlobs<Blob>[] {
  const groups = new Map<string, Blob[]>();
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

function packageOrder<Blob extends OrderedBlob>(members: readonly Blob[]): readonly Blob[] {
  const of = (kind: keyof typeof order): Blob[] => members.filter(({ content }) => content.kind === kind);
  const byName = (items: Blob[]): Blob[] => {
    goSort(items, (a, b) => compareBytes(a.name, b.name) < 0);
    return items;
  };
  const custom = of("custom").toSorted((a, b) => compareBytes(a.schema, b.schema));
  return [...of("package"), ...byName(of("channel")), ...byName(of("bundle")), ...custom, ...of("deprecations")];
}

const encoder = new TextEncoder();

/**
 * The UTF-8 of {@link formatBlob} of what V8's encoder writes as Go does, in pieces, for JSON also of a blob with kept
 * items; undefined where only the text form of the whole blob preserves Go's output.
 */
export function formatValue(
  value: JsonValue,
  format: OutputFormat,
  kept: readonly Uint8Array[] = [],
): readonly Uint8Array[] | undefined {
  if (format === "yaml") {
    const yaml = kept.length === 0 ? yamlDocument(value) : undefined;
    return yaml === undefined ? undefined : [yaml];
  }
  const json = nativeText(value, "    ");
  if (json === undefined) return undefined;
  return kept.length === 0 ? [encoder.encode(`${json}\n`)] : withKeptItems(`${json}\n`, kept);
}

/** One blob in the output format; YAML refuses what upstream's YAML reader refuses in its own JSON. */
export function formatBlob(json: string, format: OutputFormat): Result<string, string> {
  if (format === "json") return done(`${indentJson(json, "    ")}\n`);
  if (/[\u007f-\u0084\u0086-\u009f\ufffe\uffff]/.test(json)) return failed("yaml: control characters are not allowed");
  if (breaksKey(json)) return failed("yaml: line 1: did not find expected ',' or '}'");
  return done(`---\n${writeYaml(JSON.parse(foldNextLines(json)) as JsonValue)}`);
}

const longestKey = 1024;

/** Whether a key has a line break or more than 1024 bytes: YAML readers do not accept it as a simple key. */
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
  return json.replaceAll(/(?<! ) *\u0085[ \u0085]*/g, (found) => {
    const breaks = found.split("\u0085").length - 1;
    return breaks === 1 ? " " : "\\n".repeat(breaks - 1);
  });
}
