import { type BundleView, type PackageView, placeIn } from "../../catalog/catalog-view.ts";
import { embeddedObjects } from "../../catalog/embedded-objects.ts";
import type { Finding } from "../../catalog/lint/finding.ts";
import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import { checkCrdUpgrade } from "../crd-upgrade-safety.ts";

/** Neighbours in a channel where the newer one breaks an API of the older one; each pair reported once. */
export function crdBreaks(one: PackageView): readonly Finding[] {
  const crds = new Map<string, ReadonlyMap<string, JsonObject>>();
  const crdsIn = (bundle: BundleView): ReadonlyMap<string, JsonObject> => {
    const known = crds.get(bundle.name) ?? crdsOf(bundle);
    crds.set(bundle.name, known);
    return known;
  };
  const reported = new Set<string>();
  return one.channels.flatMap((channel) =>
    channel.entries.flatMap(({ replaces, bundle }): Finding[] => {
      const before = one.bundles.get(replaces);
      const pair = `${replaces} ${bundle?.name ?? ""}`;
      if (before === undefined || bundle === undefined || reported.has(pair)) return [];
      reported.add(pair);
      const old = crdsIn(before);
      return [...crdsIn(bundle)].flatMap(([name, crd]): Finding[] => {
        const earlier = old.get(name);
        // Most neighbours have the same API, and comparing texts is a fraction of comparing schemas.
        if (earlier === undefined || JSON.stringify(earlier) === JSON.stringify(crd)) return [];
        const refusal = checkCrdUpgrade(earlier, crd);
        if (refusal === undefined) return [];
        const [first = "", ...more] = refusal.messages;
        return [
          {
            rule: "PBN104",
            message: `bundle ${JSON.stringify(bundle.name)} breaks the API ${name} of ${JSON.stringify(replaces)}`,
            why: more.length === 0 ? first : `${first} (and ${more.length} more)`,
            place: placeIn(bundle.blob),
            bundle: bundle.name,
          },
        ];
      });
    }),
  );
}

/** CRDs that a bundle blob embeds, by name. */
function crdsOf({ blob, content }: BundleView): ReadonlyMap<string, JsonObject> {
  const found = new Map<string, JsonObject>();
  if (content.objects === 0) return found;
  for (const crd of embeddedObjects(blob.json, "CustomResourceDefinition")) {
    const metadata = member(crd, "metadata");
    const name = isJsonObject(metadata) ? member(metadata, "name") : undefined;
    if (typeof name === "string") found.set(name, crd);
  }
  return found;
}
