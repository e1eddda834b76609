import { nearestNames } from "../../explanation/nearest-name.ts";
import type { CatalogIndex } from "../../catalog/catalog-index.ts";
import type { CatalogKey, NamespaceInput } from "./input.ts";

interface Readable {
  readonly key: CatalogKey;
  readonly index: CatalogIndex;
}

/** Catalogs that can be read, of any namespace. */
const readable = (input: NamespaceInput): readonly Readable[] =>
  input.catalogs.flatMap(({ key, content }) => (content.kind === "present" ? [{ key, index: content.index }] : []));

const keyText = ({ namespace, name }: CatalogKey): string => `${namespace}/${name}`;

/** Catalogs that hold a package; those that the namespace can use by their place first. */
export function catalogsOffering(input: NamespaceInput, packageName: string): readonly CatalogKey[] {
  const far = ({ namespace }: CatalogKey): number =>
    namespace === input.namespace || namespace === input.globalNamespace ? 0 : 1;
  return readable(input)
    .filter(({ index }) => index.package(packageName) !== undefined)
    .map(({ key }) => key)
    .sort((left, right) => far(left) - far(right));
}

/** Up to three package names near the wanted one, with the catalogs (`namespace/name`) that hold them. */
export function nearestPackages(
  input: NamespaceInput,
  wanted: string,
): readonly { readonly name: string; readonly catalogs: readonly string[] }[] {
  const holders = new Map<string, string[]>();
  for (const { key, index } of readable(input))
    for (const name of index.packages()) {
      const known = holders.get(name);
      if (known === undefined) holders.set(name, [keyText(key)]);
      else known.push(keyText(key));
    }
  return nearestNames(wanted, holders.keys()).map((name) => ({ name, catalogs: holders.get(name) ?? [] }));
}
