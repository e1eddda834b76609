import { compareVersions, parseTolerantVersion } from "@purser/kubernetes/version";
import type { FoundPackage, PackageSource } from "../../discovery/offers.ts";
import type { Invocation, Outcome } from "../command.ts";
import { printListing } from "../output/listing.ts";
import { sourceLabel } from "./package-sources.ts";

interface ListedVersion {
  readonly packageName: string;
  readonly source: PackageSource;
  readonly provider: string;
  readonly bundle: string;
  readonly version: string;
  readonly channels: readonly string[];
}

/** Every version of the packages in every source that has it, newest first; the order of packages stays. */
export function listVersions(
  invocation: Invocation,
  packages: readonly FoundPackage[],
  sources: readonly PackageSource[],
): Outcome {
  return printListing(invocation, {
    kind: "PackageVersionList",
    items: packages.flatMap(versionsOf),
    columns: [
      { heading: "PACKAGE", cell: ({ packageName }) => packageName },
      { heading: "SOURCE", rank: 2, cell: ({ source }) => sourceLabel(source, sources) },
      { heading: "PROVIDER", rank: 3, cell: ({ provider }) => provider },
      { heading: "VERSION", cell: ({ version }) => version },
      { heading: "CHANNELS", rank: 1, cell: ({ channels }) => channels.join(",") },
    ],
    nameOf: ({ bundle }) => bundle,
    document: ({ packageName, source, provider, bundle, version, channels }) => ({
      package: packageName,
      sources: source.references,
      provider,
      bundle,
      version,
      channels,
    }),
    footer: [],
  });
}

function versionsOf({ name, offers }: FoundPackage): readonly ListedVersion[] {
  return offers.flatMap(({ source, facts: { provider } }) => {
    const byBundle = Map.groupBy(
      (source.index.package(name)?.channels ?? []).flatMap(({ bundles }) => bundles),
      (bundle) => bundle.name,
    );
    return [...byBundle]
      .map(([bundle, [first, ...others]]) => ({
        packageName: name,
        source,
        provider,
        bundle,
        version: first?.version ?? "",
        channels: [first, ...others].flatMap((one) => (one === undefined ? [] : [one.channel])),
      }))
      .toSorted((a, b) => newestFirst(a.version, b.version));
  });
}

/** Texts that are no versions come last. */
function newestFirst(left: string, right: string): number {
  const [a, b] = [parseTolerantVersion(left), parseTolerantVersion(right)];
  return a.ok && b.ok ? compareVersions(b.value, a.value) : Number(b.ok) - Number(a.ok);
}
