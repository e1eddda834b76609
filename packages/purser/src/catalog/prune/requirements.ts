import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { parseBlangRange } from "../../version-range.ts";
import { type BundleView, type CatalogView, compareBundles, type PackageView } from "../catalog-view.ts";
import { fieldOf, itemsOf, textOf } from "../schemas/go-shape.ts";

/** What a bundle needs from others. */
export interface Requirement {
  /** As a person reads it: `package bar >=1.0.0`, `Database db.example.com/v1`. */
  readonly text: string;
  isMetBy(bundle: BundleView): boolean;
}

/** All requirements of a bundle that name a package or an API; of alternatives, each may do. */
export function requirementsOf({ content }: BundleView): readonly (readonly Requirement[])[] {
  return content.properties.flatMap(({ type, value }) => {
    if (!isJsonObject(value)) return [];
    if (type === "olm.package.required") return [[packageRequirement(value)]];
    if (type === "olm.gvk.required") return [[apiRequirement(value)]];
    return type === "olm.constraint" ? constraint(value) : [];
  });
}

function constraint(value: JsonObject): readonly (readonly Requirement[])[] {
  const child = (name: string): JsonObject | undefined => {
    const found = fieldOf(value, name);
    return isJsonObject(found) ? found : undefined;
  };
  const parts = (name: string): readonly JsonObject[] =>
    itemsOf(child(name) ?? {}, "constraints").filter((item): item is JsonObject => isJsonObject(item));
  const [pack, api] = [child("package"), child("gvk")];
  return [
    ...(pack === undefined ? [] : [[packageRequirement(pack)]]),
    ...(api === undefined ? [] : [[apiRequirement(api)]]),
    ...parts("all").flatMap(constraint),
    // Of alternatives only plain ones count: one of their providers is enough.
    ...(child("any") === undefined ? [] : [parts("any").flatMap((part) => constraint(part).flat())]),
  ];
}

function packageRequirement(value: JsonObject): Requirement {
  const name = textOf(value, "packageName");
  const text = textOf(value, "versionRange");
  const range = text === "" ? undefined : parseBlangRange(text);
  return {
    text: `package ${name}${text === "" ? "" : ` ${text}`}`,
    isMetBy: ({ blob, version }) =>
      blob.packageName === name &&
      (range === undefined || (range.ok && version !== undefined && range.value.includes(version))),
  };
}

const same = (left: JsonValue, right: JsonObject): boolean =>
  isJsonObject(left) && ["group", "version", "kind"].every((key) => textOf(left, key) === textOf(right, key));

function apiRequirement(value: JsonObject): Requirement {
  return {
    text: `${textOf(value, "kind")} ${textOf(value, "group")}/${textOf(value, "version")}`,
    isMetBy: ({ content }) =>
      content.properties.some((property) => property.type === "olm.gvk" && same(property.value, value)),
  };
}

export interface Provider {
  readonly package: PackageView;
  readonly bundle: BundleView;
}

/** The provider with the highest version; of equal ones the one in its package's default channel, then the first. */
export function bestProvider(view: CatalogView, requirements: readonly Requirement[]): Provider | undefined {
  let best: Provider | undefined;
  for (const one of view.packages.values()) {
    const isDefault = (name: string): boolean =>
      one.channels.some(
        (channel) => channel.name === one.defaultChannel && channel.entries.some((entry) => entry.name === name),
      );
    for (const bundle of one.bundles.values()) {
      if (!requirements.some((requirement) => requirement.isMetBy(bundle))) continue;
      const order = best === undefined ? 1 : compareBundles(bundle, best.bundle);
      if (order > 0 || (order === 0 && best?.package === one && isDefault(bundle.name) && !isDefault(best.bundle.name)))
        best = { package: one, bundle };
    }
  }
  return best;
}
