import { compareBytes } from "@purser/kubernetes/text/documents";
import type { CatalogView, PackageView } from "../catalog-view.ts";
import { isBreaking, type PackageChange, packageChanges } from "./package-changes.ts";

/** How one package differs between two catalogs. */
export type PackageDiff =
  | { readonly kind: "added"; readonly name: string; readonly versions: number; readonly channels: readonly string[] }
  | { readonly kind: "removed"; readonly name: string; readonly versions: number }
  | {
      readonly kind: "changed";
      readonly name: string;
      readonly isBreaking: boolean;
      readonly changes: readonly PackageChange[];
    };

/** Packages that differ, by name. Empty when the two catalogs offer the same. */
export function diffCatalogs(old: CatalogView, next: CatalogView): readonly PackageDiff[] {
  const names = [...new Set([...old.packages.keys(), ...next.packages.keys()])].sort(compareBytes);
  return names.flatMap((name): PackageDiff[] => {
    const [before, after] = [old.packages.get(name), next.packages.get(name)];
    if (before === undefined)
      return after === undefined
        ? []
        : [{ kind: "added", name, versions: after.bundles.size, channels: channelNames(after) }];
    if (after === undefined) return [{ kind: "removed", name, versions: before.bundles.size }];
    const changes = packageChanges(before, after);
    return changes.length === 0 ? [] : [{ kind: "changed", name, isBreaking: changes.some(isBreaking), changes }];
  });
}

const channelNames = ({ channels }: PackageView): readonly string[] => channels.map(({ name }) => name);
