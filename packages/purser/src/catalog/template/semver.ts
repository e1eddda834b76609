import { aggregate } from "../../go-aggregate.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { compareVersions, formatVersion, parseVersion, type Version } from "@purser/kubernetes/version";
import { base64Problem, fieldOf, itemsOf, textOf } from "../schemas/go-shape.ts";
import type { BundleContent, CatalogBlob } from "../model.ts";
import { embeddedCsv } from "../opm/csv-metadata.ts";
import { madeBlob } from "./read-template.ts";
import { type ArchetypeVersions, generateChannels } from "./semver-channels.ts";
import { type Archetype, archetypes, readSemver, type SemverTemplate } from "./semver-template.ts";
import type { Expansion, RenderReference, TemplateProblem, TemplateText } from "./template.ts";

/**
 * Makes a package with channels per archetype and major or minor version out of bundle images. Edges follow from the
 * versions. The result is not validated.
 */
export function expandSemver(text: TemplateText, render: RenderReference): Expansion {
  const template = readSemver(text);
  if (!template.ok)
    return failed({ ...template.problem, message: `render: unable to read file: ${template.problem.message}` });
  const { document, images } = template.value;
  const refuse = (kind: TemplateProblem["kind"], message: string): Result<never, TemplateProblem> =>
    failed({ kind, message, place: document.place });
  const rendered = renderAll(template.value, render);
  if (!rendered.ok) return rendered;
  const { blobs, byImage } = rendered.value;
  if (byImage.size === 0) return refuse("refused", "render: no bundles specified or no bundles could be rendered");
  const reader = new VersionReader();
  const versions: Record<Archetype, ArchetypeVersions> = { candidate: new Map(), fast: new Map(), stable: new Map() };
  for (const archetype of archetypes) {
    const read = reader.read(images[archetype].flatMap((image) => byImage.get(image) ?? []));
    if (!read.ok) return refuse("reference", `render: unable to post-process bundle info: ${read.problem}`);
    versions[archetype] = read.value;
  }
  const { channels, defaultChannel } = generateChannels(template.value, versions);
  const packageName = reader.packageName;
  const head = channels.find(({ name }) => name === defaultChannel)?.entries.at(-1)?.["name"];
  const bundle = blobs.find((blob) => blob.content.kind === "bundle" && blob.name === head);
  const made = [
    { schema: "olm.package", name: packageName, defaultChannel, ...(bundle === undefined ? {} : described(bundle)) },
    ...channels.map(({ name, entries }) => ({ schema: "olm.channel", name, package: packageName, entries })),
  ].map((json) => madeBlob(json, document.place));
  return done({ blobs: [...made, ...blobs], rendered: new Set(blobs) });
}

interface RenderedImages {
  readonly blobs: readonly CatalogBlob[];
  readonly byImage: ReadonlyMap<string, CatalogBlob>;
}

const imageOf = ({ content }: CatalogBlob): string | undefined =>
  content.kind === "bundle" ? content.image : undefined;

/**
 * Every distinct reference once; each must be exactly one bundle. Of references that give one image, the first bundle counts
 * for all, as upstream looks bundles up by image.
 */
function renderAll(
  { document, images }: SemverTemplate,
  render: RenderReference,
): Result<RenderedImages, TemplateProblem> {
  const blobs: CatalogBlob[] = [];
  const byImage = new Map<string, CatalogBlob>();
  for (const archetype of archetypes) {
    for (const [index, image] of images[archetype].entries()) {
      if (byImage.has(image)) continue;
      const refuse = (message: string): Result<never, TemplateProblem> =>
        failed({ kind: "reference", message, place: document.locate(`/${archetype}/bundles/${index}`) });
      const found = render(image);
      if (!found.ok) return refuse(found.problem);
      const bundles = found.value.filter(({ content }) => content.kind === "bundle");
      const [only] = bundles;
      if (only === undefined || bundles.length > 1)
        return refuse(`bundle reference ${goQuote(image)} resulted in ${bundles.length} bundles, expected 1`);
      const rendered = imageOf(only);
      byImage.set(image, blobs.find((blob) => imageOf(blob) === rendered) ?? only);
      // Two references to one image give its bundle twice, as they do upstream.
      blobs.push(only);
    }
  }
  return done({ blobs, byImage });
}

/** Reads versions archetype by archetype; the first bundle of all decides which package it is. */
class VersionReader {
  packageName = "";

  read(bundles: readonly CatalogBlob[]): Result<ArchetypeVersions, string> {
    const versions = new Map<string, Version>();
    for (const { name, content } of bundles) {
      const version = content.kind === "bundle" ? this.#versionOf(name, content) : failed("");
      if (!version.ok) return version;
      if (versions.has(name)) return failed(`duplicate bundle name ${goQuote(name)}`);
      versions.set(name, version.value);
    }
    const conflicts = sameButForBuild([...versions.values()]);
    if (conflicts.length === 0) return done(versions);
    return failed(
      `encountered bundle versions which differ only by build metadata, which cannot be ordered: ${aggregate(conflicts)}`,
    );
  }

  #versionOf(name: string, { propertyProblem, versions }: BundleContent): Result<Version, string> {
    if (propertyProblem !== undefined)
      return failed(`parse properties for bundle ${goQuote(name)}: ${propertyProblem.message}`);
    const [own] = versions;
    if (own === undefined || versions.length !== 1)
      return failed(`bundle ${goQuote(name)} has multiple "olm.package" properties, expected exactly 1`);
    const version = parseVersion(own.version);
    if (!version.ok)
      return failed(`bundle ${goQuote(name)} has invalid version ${goQuote(own.version)}: ${version.problem.message}`);
    if (this.packageName === "") this.packageName = own.packageName;
    else if (own.packageName !== this.packageName)
      return failed(`bundle ${goQuote(own.packageName)} does not belong to this package: ${goQuote(this.packageName)}`);
    return version;
  }
}

/** A problem for every version that compares as equal to an earlier one. */
function sameButForBuild(versions: readonly Version[]): readonly string[] {
  return versions.flatMap((version, index) =>
    versions.slice(0, index).some((earlier) => compareVersions(earlier, version) === 0)
      ? [
          `bundle version ${goQuote(formatVersion(version))} cannot be compared to ${goQuote(formatVersion({ ...version, build: [] }))}`,
        ]
      : [],
  );
}

/** Description and first icon of the bundle's CSV, where it carries one; an icon that is no base64 is left out. */
function described({ json }: CatalogBlob): JsonObject {
  const csv = embeddedCsv(json);
  const spec = csv === undefined ? undefined : fieldOf(csv, "spec");
  if (!isJsonObject(spec)) return {};
  const [icon] = itemsOf(spec, "icon");
  const description = textOf(spec, "description");
  const readable = isJsonObject(icon) && base64Problem(textOf(icon, "base64data")) === undefined ? icon : undefined;
  return {
    ...(description === "" ? {} : { description }),
    ...(readable === undefined
      ? {}
      : { icon: { base64data: textOf(readable, "base64data"), mediatype: textOf(readable, "mediatype") } }),
  };
}
