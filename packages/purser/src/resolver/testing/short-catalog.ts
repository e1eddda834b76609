// Catalogs in shorthand, for tests: `{"etcd/stable": ["etcd.v1.0.0 1.0.0", "etcd.v1.1.0 1.1.0 r=etcd.v1.0.0 P=K1 R=K2"]}`.
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import { loadCatalog } from "../../catalog/loading/load.ts";
import { indexOf } from "../../catalog/memory-index.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";

export type ShortCatalog = Readonly<Record<string, readonly string[]>>;

const api = (kind: string): JsonObject => ({ group: "g.io", version: "v1", kind });

/** `key=value` words of a line; a value goes on until the next `key=` and a bare `D` means `olm.deprecated`. */
function wordsOf(line: string): ReadonlyMap<string, string> {
  return new Map(
    Array.from(line.matchAll(/ (\w+)=(.*?)(?= \w+=| D$|$)/g), ([, key = "", value = ""]) => [key, value] as const),
  );
}

/** Properties that a line states: `P` provided and `R` required APIs, `dep` packages, `label`, `needs` labels, `c` constraint. */
export function propertiesOf(line: string, packageName: string): readonly JsonObject[] {
  const words = wordsOf(line);
  const list = (key: string): readonly string[] => words.get(key)?.split(",") ?? [];
  const [, version = ""] = line.split(" ");
  const properties: JsonObject[] = [{ type: "olm.package", value: { packageName, version } }];
  for (const kind of list("P")) properties.push({ type: "olm.gvk", value: api(kind) });
  for (const kind of list("R")) properties.push({ type: "olm.gvk.required", value: api(kind) });
  for (const dependency of list("dep")) {
    const [name = "", versionRange = ""] = dependency.split(":");
    properties.push({ type: "olm.package.required", value: { packageName: name, versionRange } });
  }
  for (const label of list("label")) properties.push({ type: "olm.label", value: { label } });
  for (const label of list("needs")) properties.push({ type: "olm.label.required", value: { label } });
  const constraint = words.get("c");
  if (constraint !== undefined) properties.push({ type: "olm.constraint", value: JSON.parse(constraint) as JsonValue });
  if (line.endsWith(" D")) properties.push({ type: "olm.deprecated", value: {} });
  return properties;
}

export function indexOfBlobs(blobs: readonly JsonObject[]): CatalogIndex {
  const text = blobs.map((blob) => JSON.stringify(blob)).join("\n");
  return indexOf(loadCatalog([{ file: "catalog.json", text }]).blobs);
}

export function shortCatalog(channels: ShortCatalog): CatalogIndex {
  return indexOfBlobs(shortBlobs(channels));
}

/** The blobs of the catalog, each an object of its own. */
export function shortBlobs(channels: ShortCatalog): readonly JsonObject[] {
  const blobs: JsonObject[] = [];
  const seen = new Set<string>();
  for (const [key, lines] of Object.entries(channels)) {
    const [packageName = "", channel = ""] = key.split("/");
    if (!seen.has(packageName)) blobs.push({ schema: "olm.package", name: packageName, defaultChannel: channel });
    seen.add(packageName);
    const entries = lines.map((line): JsonObject => {
      const words = wordsOf(line);
      const [replaces, skips, skipRange] = [words.get("r"), words.get("s"), words.get("sr")];
      return {
        name: line.split(" ")[0] ?? "",
        ...(replaces === undefined ? {} : { replaces }),
        ...(skips === undefined ? {} : { skips: skips.split(",") }),
        ...(skipRange === undefined ? {} : { skipRange }),
      };
    });
    if (channel !== "") blobs.push({ schema: "olm.channel", name: channel, package: packageName, entries });
    for (const line of lines) {
      const name = line.split(" ")[0] ?? "";
      if (seen.has(`${packageName} ${name}`)) continue;
      seen.add(`${packageName} ${name}`);
      const properties = propertiesOf(line, packageName);
      blobs.push({ schema: "olm.bundle", name, package: packageName, image: `r/${name}`, properties });
    }
  }
  return blobs;
}
