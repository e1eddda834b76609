import { bundleAdvice } from "../bundle-advice.ts";
import type { CatalogView, PackageView } from "../../catalog-view.ts";
import { channelAdvice } from "../channel-advice.ts";
import { journeyAdvice } from "../journey-advice.ts";
import { placeIn } from "../../catalog-view.ts";
import type { Finding } from "../finding.ts";
import { listed, quoted } from "../finding-words.ts";

/** Rules about a package whose check is passed in by the caller, such as which API changes break stored objects. */
export type PackageRule = (one: PackageView) => readonly Finding[];

/** Advice about every package of a catalog that validates. */
export function softFindings(view: CatalogView, more: readonly PackageRule[] = []): readonly Finding[] {
  const rules: readonly PackageRule[] = [packageAdvice, channelAdvice, journeyAdvice, bundleAdvice, ...more];
  return [...view.packages.values()].flatMap((one) =>
    rules.flatMap((rule) => rule(one)).map((finding) => ({ ...finding, packageName: one.name })),
  );
}

function packageAdvice({ name, blob, defaultChannel, channels, deprecations }: PackageView): readonly Finding[] {
  if (blob === undefined || deprecations.package !== undefined || !deprecations.channels.has(defaultChannel)) return [];
  const others = channels.map((channel) => channel.name).filter((channel) => !deprecations.channels.has(channel));
  return [
    {
      rule: "PPK101",
      message: `the default channel ${quoted(defaultChannel)} of package ${quoted(name)} is deprecated`,
      ...(others.length === 0 ? {} : { remedy: `set defaultChannel to ${listed(others)}` }),
      place: placeIn(blob, "/defaultChannel"),
    },
  ];
}
