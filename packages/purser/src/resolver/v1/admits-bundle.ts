import type { BundleMetadata, CatalogFilter } from "../../apis/v1/cluster-extension.ts";
import { parseMastermindsRange } from "../../version-range.ts";
import { installedVersion } from "./bundle-version.ts";
import type { ExtensionCatalog } from "./input.ts";

/**
 * Whether a bundle is still what an extension asks for: its version is in the range, and a catalog has it in one of the
 * channels. Upgrade edges do not count. True when in doubt: the version, the range or a catalog cannot be read.
 */
export function admitsBundle(
  { packageName, version: text = "", channels = [] }: CatalogFilter,
  bundle: BundleMetadata,
  catalogs: readonly ExtensionCatalog[],
): boolean {
  const range = text === "" ? undefined : parseMastermindsRange(text);
  const version = installedVersion(bundle);
  if (range?.ok === true && version.ok && !range.value.includes(version.value.version)) return false;
  if (channels.length === 0) return true;
  return (
    catalogs.some(({ content }) => content.kind === "unavailable") ||
    catalogs.some(
      ({ content }) =>
        content.kind === "present" &&
        content.index
          .package(packageName)
          ?.channels.some(
            ({ name, bundles }) => channels.includes(name) && bundles.some((held) => held.name === bundle.name),
          ),
    )
  );
}
