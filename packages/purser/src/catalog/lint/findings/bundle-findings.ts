import { nearestNames } from "../../../explanation/nearest-name.ts";
import { formatVersion, parseVersion } from "@purser/kubernetes/version";
import { isJsonObject } from "@purser/kubernetes/json";
import { parseImageReference } from "../../../image-reference.ts";
import { propertyShapes } from "../../schemas/blob-shapes.ts";
import { fieldOf, itemsOf, misfit, textOf } from "../../schemas/go-shape.ts";
import { parseRelease } from "../../release.ts";
import type { BundleContent, CatalogBlob } from "../../model.ts";
import { type PackageView, placeIn } from "../../catalog-view.ts";
import type { Finding } from "../finding.ts";
import { quoted } from "../finding-words.ts";
import type { Checked } from "./checked.ts";
import { misfits, misfitSentence, quotesRemedy } from "./misfits.ts";

/** Properties, images, versions and memberships of every bundle; all findings, not only the first. */
export function bundleFindings({ blobs, view, isPartial }: Checked): readonly Finding[] {
  const seen = new Map<string, Set<string>>();
  return blobs.flatMap((blob) => {
    const { content, packageName, name } = blob;
    if (content.kind !== "bundle") return [];
    const names = seen.get(packageName) ?? new Set();
    seen.set(packageName, names);
    const findings: Finding[] = [];
    if (packageName === "")
      findings.push({ rule: "PBN001", message: `bundle ${quoted(name)} names no package`, place: placeIn(blob) });
    if (names.has(name))
      findings.push({
        rule: "PBN002",
        message: `bundle ${quoted(name)} of package ${quoted(packageName)} occurs more than once`,
        place: placeIn(blob, "/name"),
      });
    else findings.push(...membershipFindings(blob, view.packages.get(packageName), isPartial(packageName)));
    names.add(name);
    findings.push(
      ...propertyFindings(blob),
      ...packagePropertyFindings(blob, content),
      ...imageFindings(blob, content),
    );
    return findings.map((finding) => ({ ...finding, packageName, bundle: name }));
  });
}

function membershipFindings(blob: CatalogBlob, one: PackageView | undefined, partial: boolean): readonly Finding[] {
  if (one?.blob === undefined || partial || blob.packageName === "") return [];
  const entries = one.channels.flatMap((channel) => channel.entries);
  // A package without any entry has its own finding.
  if (entries.length === 0 || entries.some(({ name }) => name === blob.name)) return [];
  const free = entries.filter(({ bundle }) => bundle === undefined).map(({ name }) => name);
  const [near] = nearestNames(blob.name, free, 1);
  return [
    {
      rule: "PBN009",
      message: `bundle ${quoted(blob.name)} of package ${quoted(blob.packageName)} is in no channel`,
      ...(near === undefined ? {} : { remedy: `the entry ${near} has no bundle: make the two names the same` }),
      place: placeIn(blob, "/name"),
    },
  ];
}

function propertyFindings(blob: CatalogBlob): readonly Finding[] {
  return itemsOf(blob.json, "properties").flatMap((item, index): Finding[] => {
    const type = isJsonObject(item) ? textOf(item, "type") : "";
    const value = isJsonObject(item) ? fieldOf(item, "value") : undefined;
    const shape = propertyShapes.get(type);
    const message = `property ${index} of type ${quoted(type)} of bundle ${quoted(blob.name)} cannot be read`;
    const pointer = `/properties/${index}`;
    if (value === undefined)
      return [{ rule: "PBN003", message, why: "it has no value", place: placeIn(blob, pointer) }];
    const complaint = shape === undefined ? undefined : misfit(value, shape);
    if (shape === undefined || complaint === undefined) return [];
    const [wrong] = misfits(value, shape, `${pointer}/value`);
    const remedy = wrong === undefined ? undefined : quotesRemedy(wrong);
    return [
      {
        rule: "PBN003",
        message,
        why: wrong === undefined ? complaint : misfitSentence(wrong.pointer.split("/").at(-1) ?? "", wrong),
        ...(remedy === undefined ? {} : { remedy }),
        place: placeIn(blob, wrong?.pointer ?? pointer),
      },
    ];
  });
}

function packagePropertyFindings(blob: CatalogBlob, { versions, propertyProblem }: BundleContent): readonly Finding[] {
  const bundle = `bundle ${quoted(blob.name)}`;
  const positions = itemsOf(blob.json, "properties").flatMap((item, index) =>
    isJsonObject(item) && textOf(item, "type") === "olm.package" ? [index] : [],
  );
  const [own] = versions;
  if (own === undefined || versions.length !== 1)
    return [
      {
        rule: "PBN004",
        message: `${bundle} has ${versions.length === 0 ? "no property" : `${versions.length} properties`} of type olm.package`,
        place: placeIn(blob, positions[1] === undefined ? "/properties" : `/properties/${positions[1]}`),
      },
    ];
  // A value that cannot be read is already reported.
  if (propertyProblem?.index === positions[0]) return [];
  const at = `/properties/${positions[0] ?? 0}/value`;
  const findings: Finding[] = [];
  if (own.packageName !== blob.packageName)
    findings.push({
      rule: "PBN005",
      message: `the olm.package property of ${bundle} names package ${quoted(own.packageName)}, not ${quoted(blob.packageName)}`,
      place: placeIn(blob, `${at}/packageName`),
    });
  const version = parseVersion(own.version);
  if (!version.ok)
    findings.push({
      rule: "PBN007",
      message: `${bundle} has the version ${quoted(own.version)}`,
      why: version.problem.message,
      place: placeIn(blob, `${at}/version`),
    });
  const release = parseRelease(own.release ?? "");
  if (!release.ok)
    findings.push({
      rule: "PBN008",
      message: `${bundle} has the release ${quoted(own.release ?? "")}`,
      why: release.problem,
      place: placeIn(blob, `${at}/release`),
    });
  else if (version.ok && release.value !== "") {
    const expected = `${blob.packageName}-v${formatVersion(version.value)}-${release.value}`;
    if (blob.name !== expected)
      findings.push({
        rule: "PBN010",
        message: `${bundle} should have the name ${quoted(expected)}`,
        place: placeIn(blob, "/name"),
      });
    if (version.value.build.length > 0)
      findings.push({
        rule: "PBN012",
        message: `${bundle} has build metadata in its version and a release`,
        place: placeIn(blob, `${at}/version`),
      });
  }
  return findings;
}

function imageFindings(blob: CatalogBlob, content: BundleContent): readonly Finding[] {
  const findings: Finding[] = [];
  if (content.image === "" && content.objects === 0)
    findings.push({ rule: "PBN011", message: `bundle ${quoted(blob.name)} has no image`, place: placeIn(blob) });
  const images = [
    { pointer: "/image", where: "image", image: content.image },
    ...content.relatedImages.map(({ image }, index) => ({
      pointer: `/relatedImages/${index}/image`,
      where: `relatedImages[${index}].image`,
      image,
    })),
  ];
  for (const { pointer, where, image } of images) {
    const reference = image === "" ? undefined : parseImageReference(image);
    if (reference !== undefined && !reference.ok)
      findings.push({
        rule: "PBN006",
        message: `${where} of bundle ${quoted(blob.name)} cannot be pulled: ${quoted(image)}`,
        why: reference.problem,
        place: placeIn(blob, pointer),
      });
  }
  return findings;
}
