import { nearestNames } from "../../../explanation/nearest-name.ts";
import { isJsonObject } from "@purser/kubernetes/json";
import { fieldOf, itemsOf } from "../../schemas/go-shape.ts";
import type { CatalogBlob, DeprecationsContent } from "../../model.ts";
import { documentOf, type PackageView, placeIn } from "../../catalog-view.ts";
import type { Finding } from "../finding.ts";
import { quoted } from "../finding-words.ts";
import type { Checked } from "./checked.ts";

/** References and messages of deprecations. */
export function deprecationFindings({ blobs, view, isPartial }: Checked): readonly Finding[] {
  const seen = new Set<string>();
  return blobs.flatMap((blob) => {
    const { content, packageName } = blob;
    if (content.kind !== "deprecations") return [];
    const of = `deprecations of package ${quoted(packageName)}`;
    const findings: Finding[] = [];
    const one = view.packages.get(packageName);
    if (packageName === "")
      findings.push({ rule: "PDP001", message: "deprecations name no package", place: placeIn(blob) });
    else if (one?.blob === undefined) {
      if (!isPartial(packageName))
        findings.push({
          rule: "PDP002",
          message: `${of}, which is not in the catalog`,
          place: placeIn(blob, "/package"),
        });
    } else {
      if (seen.has(packageName))
        findings.push({ rule: "PDP003", message: `${of} occur more than once`, place: placeIn(blob) });
      findings.push(...entryFindings(blob, content, one, isPartial(packageName)));
    }
    seen.add(packageName);
    return findings.map((finding) => ({ ...finding, packageName }));
  });
}

function entryFindings(
  blob: CatalogBlob,
  content: DeprecationsContent,
  one: PackageView,
  partial: boolean,
): readonly Finding[] {
  const findings: Finding[] = [];
  const references = new Map<string, number>();
  const of = `package ${quoted(one.name)}`;
  const items = itemsOf(blob.json, "entries");
  for (const [index, { schema, name, message }] of content.entries.entries()) {
    const pointer = `/entries/${index}`;
    const at = (below: string) => placeIn(blob, `${pointer}${below}`);
    const shown = schema === "olm.package" && name === "" ? schema : `${schema} ${quoted(name)}`;
    const key = `${schema} ${name}`;
    const before = references.get(key);
    if (schema === "")
      findings.push({
        rule: "PDP004",
        message: `deprecation ${index} of ${of} does not name what it deprecates`,
        place: at(""),
      });
    else if (before !== undefined) {
      const isSame = content.entries[before]?.message === message;
      findings.push({
        rule: "PDP005",
        message: `${shown} of ${of} is deprecated twice`,
        ...(isSame
          ? { fix: [{ kind: "removeItem", ...documentOf(blob), pointer }] }
          : { why: "the two messages differ" }),
        place: at(""),
      });
    } else if (schema === "olm.package") {
      if (name !== "") findings.push(namedPackage(blob, items[index], pointer, of, name));
    } else if (schema === "olm.channel" || schema === "olm.bundle") {
      const known = schema === "olm.bundle" ? [...one.bundles.keys()] : one.channels.map((channel) => channel.name);
      // Upstream creates an empty channel when the default one is not defined.
      const isDefault = schema === "olm.channel" && name === one.defaultChannel;
      if (!partial && !isDefault && !known.includes(name)) {
        const [near] = nearestNames(name, known, 1);
        findings.push({
          rule: "PDP006",
          message: `${of} has no ${schema.slice(4)} ${quoted(name)} to deprecate`,
          ...(near === undefined ? {} : { remedy: `correct it to ${near}, or remove the entry` }),
          place: at("/reference/name"),
        });
      }
    } else
      findings.push({
        rule: "PDP004",
        message: `deprecation ${index} of ${of} refers to a ${quoted(schema)}`,
        place: at("/reference/schema"),
      });
    references.set(key, before ?? index);
    if (message === "")
      findings.push({
        rule: "PDP008",
        message: `the deprecation of ${schema === "" ? `entry ${index}` : shown} of ${of} has no message`,
        place: at(""),
      });
  }
  return findings;
}

function namedPackage(blob: CatalogBlob, item: unknown, pointer: string, of: string, name: string): Finding {
  const reference = isJsonObject(item) ? fieldOf(item, "reference") : undefined;
  const isPlain = isJsonObject(reference) && Object.hasOwn(reference, "name");
  return {
    rule: "PDP007",
    message: `the deprecation of ${of} itself names ${quoted(name)}`,
    place: placeIn(blob, `${pointer}/reference/name`),
    ...(isPlain ? { fix: [{ kind: "removeMember", ...documentOf(blob), pointer: `${pointer}/reference/name` }] } : {}),
  };
}
