import { formatVersion } from "@purser/kubernetes/version";
import { labelProblems } from "../../label-form.ts";
import { imageTypeOf } from "../../opm/init.ts";
import { isJsonObject } from "@purser/kubernetes/json";
import { nearestNames } from "../../../explanation/nearest-name.ts";
import { fieldOf, textOf } from "../../schemas/go-shape.ts";
import { packageShape } from "../../schemas/blob-shapes.ts";
import type { CatalogBlob } from "../../model.ts";
import { type BundleView, type PackageView, documentOf, placeIn } from "../../catalog-view.ts";
import type { Finding } from "../finding.ts";
import { count, listed, quoted } from "../finding-words.ts";
import type { Checked } from "./checked.ts";
import { misspelledKey } from "../misspelled-key.ts";

/** Names, default channels, versions and icons of packages. */
export function packageFindings({ blobs, view, isPartial }: Checked): readonly Finding[] {
  const findings: Finding[] = [];
  const seen = new Set<string>();
  for (const blob of blobs) {
    if (blob.content.kind !== "package") continue;
    const { name } = blob;
    const place = placeIn(blob, "/name");
    const complaints = labelProblems(name);
    if (name === "") findings.push({ rule: "PPK001", message: "a package has no name", place: placeIn(blob) });
    else if (complaints.length > 0)
      findings.push({
        rule: "PPK001",
        message: `invalid package name ${quoted(name)}`,
        why: complaints.join("; "),
        place,
        packageName: name,
      });
    if (name !== "" && seen.has(name))
      findings.push({
        rule: "PPK002",
        message: `package ${quoted(name)} occurs more than once`,
        place,
        packageName: name,
      });
    seen.add(name);
    findings.push(...iconFindings(blob));
  }
  const known = [...view.packages.values()].flatMap(({ name, blob }) => (blob === undefined ? [] : [name]));
  for (const one of view.packages.values()) {
    if (one.blob === undefined) findings.push(...orphans(one, known, isPartial));
    else findings.push(...defaultChannelFindings(one, one.blob, isPartial(one.name)));
    findings.push(...versionFindings(one));
  }
  return findings;
}

function orphans(one: PackageView, known: readonly string[], isPartial: Checked["isPartial"]): readonly Finding[] {
  // A bundle without package is the business of the rules for bundles.
  if (isPartial(one.name)) return [];
  const [near] = nearestNames(one.name, known, 1);
  const members = [
    ...one.channels.map(({ blob, name }) => ({ blob, what: `channel ${quoted(name)}` })),
    ...(one.name === ""
      ? []
      : [...one.bundles.values()].map(({ blob, name }) => ({ blob, what: `bundle ${quoted(name)}` }))),
  ];
  return members.map(({ blob, what }) => ({
    rule: "PPK003",
    message: `unknown package ${quoted(one.name)} for ${what}`,
    why:
      known.length === 0 ? "the catalog has no olm.package blob" : `the catalog has no olm.package blob of that name`,
    ...(near === undefined ? {} : { remedy: `correct it to package: ${near}, or add the olm.package blob` }),
    place: placeIn(blob, "/package"),
    packageName: one.name,
  }));
}

function defaultChannelFindings(one: PackageView, blob: CatalogBlob, partial: boolean): readonly Finding[] {
  const { name, defaultChannel, channels } = one;
  const names = channels.map((channel) => channel.name).filter((channel) => channel !== "");
  const [only] = names;
  const fix =
    only !== undefined && names.length === 1
      ? {
          fix: [
            { kind: "setMember", ...documentOf(blob), pointer: "", key: "defaultChannel", value: only, after: "name" },
          ] as const,
        }
      : {};
  const offered =
    names.length === 0
      ? {}
      : { remedy: `set defaultChannel: ${only}${names.length > 1 ? ` (or ${listed(names.slice(1))})` : ""}` };
  const findings: Finding[] = [];
  if (channels.length === 0 && !partial)
    findings.push({
      rule: "PPK006",
      message: `package ${quoted(name)} has no channels`,
      place: placeIn(blob),
      packageName: name,
    });
  if (defaultChannel === "")
    findings.push({
      rule: "PPK004",
      message: `package ${quoted(name)} has no default channel`,
      ...offered,
      ...misspelledKey(blob.json, packageShape, "defaultChannel"),
      place: placeIn(blob, "/defaultChannel"),
      packageName: name,
      ...fix,
    });
  else if (!names.includes(defaultChannel) && names.length > 0 && !partial) {
    const [near] = nearestNames(defaultChannel, names, 1);
    findings.push({
      rule: "PPK005",
      message: `default channel ${quoted(defaultChannel)} of package ${quoted(name)} does not exist`,
      why: `its channels are ${listed(names)}`,
      ...(near === undefined ? offered : { remedy: `set defaultChannel: ${near}` }),
      place: placeIn(blob, "/defaultChannel"),
      packageName: name,
      ...fix,
    });
  }
  return findings;
}

/** Bundles that channels offer, by version and release; build metadata makes versions differ here. */
function versionFindings(one: PackageView): readonly Finding[] {
  const offered = new Set(one.channels.flatMap(({ entries }) => entries.map(({ name }) => name)));
  const byVersion = new Map<string, BundleView[]>();
  for (const bundle of one.bundles.values()) {
    if (bundle.version === undefined || !offered.has(bundle.name)) continue;
    const text = `${formatVersion(bundle.version)}${bundle.release === undefined || bundle.release === "" ? "" : `-${bundle.release}`}`;
    const known = byVersion.get(text);
    if (known === undefined) byVersion.set(text, [bundle]);
    else known.push(bundle);
  }
  return [...byVersion].flatMap(([version, bundles]) => {
    const last = bundles.at(-1);
    if (last === undefined || bundles.length === 1) return [];
    return [
      {
        rule: "PPK007",
        message: `${count(bundles.length, "bundle")} of package ${quoted(one.name)} have the version ${version}: ${listed(bundles.map(({ name }) => name))}`,
        place: placeIn(last.blob, "/properties"),
        packageName: one.name,
        bundle: last.name,
      },
    ];
  });
}

function iconFindings(blob: CatalogBlob): readonly Finding[] {
  const icon = fieldOf(blob.json, "icon");
  if (!isJsonObject(icon)) return [];
  const [data, claimed] = [textOf(icon, "base64data"), textOf(icon, "mediatype")];
  const report = (message: string): readonly Finding[] => [
    {
      rule: "PPK008",
      message: `icon of package ${quoted(blob.name)}: ${message}`,
      place: placeIn(blob, "/icon"),
      packageName: blob.name,
    },
  ];
  if (data === "") return report("it has no data");
  if (claimed === "") return report("it has no media type");
  const found = imageTypeOf(Uint8Array.from(atob(data.replaceAll(/[\r\n]/g, "")), (letter) => letter.charCodeAt(0)));
  if (found === undefined) return report("its data is not an image");
  return found === claimed ? [] : report(`its media type is ${claimed}, but its data is ${found}`);
}
