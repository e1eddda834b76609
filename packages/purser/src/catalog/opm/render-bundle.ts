import { toBase64 } from "../../base64.ts";
import type { BundleFiles } from "../../bundle/bundle-files.ts";
import type { ApiKey } from "../../bundle/directory/api-key.ts";
import type { RawProperty } from "../../bundle/directory/metadata-files.ts";
import { packageProperty, parseBundleDirectory, type ParsedBundle } from "../../bundle/directory/parse-directory.ts";
import { typedCsv } from "../../bundle/directory/typed-csv.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { canonicalJson, compareBytes, goJson, parseJson } from "@purser/kubernetes/text/documents";
import { propertyShapes } from "../schemas/blob-shapes.ts";
import { misfit, textOf } from "../schemas/go-shape.ts";
import { goSort } from "../schemas/go-sort.ts";
import type { CatalogBlob } from "../model.ts";
import { madeBlob } from "../template/read-template.ts";
import { csvMetadata } from "./csv-metadata.ts";
import type { MigrationLevel } from "./encode-blob.ts";
import { fillImageTemplate, type ImageTemplate } from "./image-template.ts";

export interface BundleRendering {
  /** Makes the image of a bundle directory, which has none of its own. */
  readonly imageTemplate?: ImageTemplate;
  /** The reference that the bundle was unpacked from. */
  readonly image?: string;
  readonly level: MigrationLevel;
}

/** A failure, and whether it came while the bundle was migrated, which upstream reports without the reference. */
export interface RenderBundleProblem {
  readonly message: string;
  readonly migrating: boolean;
}

interface RenderedBundle {
  readonly blob: CatalogBlob;
  /** Compact JSON as upstream writes it. */
  readonly json: string;
}

/** A bundle directory as one `olm.bundle` blob. @param reference as the user named it */
export function renderBundle(
  files: BundleFiles,
  reference: string,
  options: BundleRendering,
): Result<RenderedBundle, RenderBundleProblem> {
  const refuse = (message: string, migrating = false): Result<never, RenderBundleProblem> =>
    failed({ message, migrating });
  const parsed = parseBundleDirectory(files);
  if (!parsed.ok) return refuse(parsed.problem.message);
  const bundle = parsed.value;
  const image = imageOf(bundle, reference, options);
  if (!image.ok) return refuse(image.problem);
  const properties = propertiesOf(bundle);
  if (!properties.ok) return refuse(`get properties for bundle ${goQuote(bundle.name)}: ${properties.problem}`);
  const images = relatedImages(bundle, image.value);
  if (!images.ok) return refuse(`get related images for bundle ${goQuote(bundle.name)}: ${images.problem}`);
  const migrated = options.level === "none" || image.value === "" ? done(undefined) : metadataOf(bundle.csv.object);
  if (!migrated.ok) return refuse(`migrate: ${migrated.problem}`, true);
  const bulk =
    migrated.value === undefined
      ? bundle.objects
          .map(({ object }) => `{"data":"${toBase64(goJson(object))}"}`)
          .sort(compareBytes)
          .map((value) => ({ type: "olm.bundle.object", value }))
      : [{ type: "olm.csv.metadata", value: migrated.value }];
  const json = encode(bundle, image.value, [...properties.value, ...bulk], images.value);
  const value = parseJson(json);
  return done({ blob: madeBlob(isJsonObject(value) ? value : {}, { file: reference }), json });
}

function imageOf(
  bundle: ParsedBundle,
  reference: string,
  { image, imageTemplate }: BundleRendering,
): Result<string, string> {
  if (image !== undefined || imageTemplate === undefined) return done(image ?? "");
  const own = bundle.properties.find(({ type }) => type === "olm.package");
  const value = own?.value === undefined ? null : parseJson(own.value);
  const filled = fillImageTemplate(imageTemplate, {
    Package: bundle.annotations.packageName,
    Name: bundle.name,
    Version: isJsonObject(value) ? textOf(value, "version") : "",
  });
  if (filled.ok) return filled;
  return failed(`failed templating image reference from bundle for ${goQuote(reference)}: ${filled.problem}`);
}

/** Everything but the manifests, by type and value. */
function propertiesOf(bundle: ParsedBundle): Result<readonly RawProperty[], string> {
  let own: RawProperty | undefined;
  const apis: ApiKey[] = [];
  const others: RawProperty[] = [];
  for (const [index, property] of bundle.properties.entries()) {
    if (property.type !== "olm.gvk" && property.type !== "olm.package") {
      others.push(property);
      continue;
    }
    const value = valueOf(property, index);
    if (!value.ok) return value;
    if (property.type === "olm.gvk") apis.push(apiIn(value.value));
    else {
      const { value: given } = value;
      own = packageProperty(textOf(given, "packageName"), textOf(given, "version"), textOf(given, "release"));
    }
  }
  const needs: ApiKey[] = [];
  for (const [index, dependency] of bundle.dependencies.entries()) {
    const known = dependency.type === "olm.gvk" || dependency.type === "olm.package";
    const value = known ? valueOf(dependency, index) : done({});
    if (!value.ok) return value;
    if (dependency.type === "olm.gvk") needs.push(apiIn(value.value));
    else if (dependency.type === "olm.package") {
      const [packageName, range] = [textOf(value.value, "packageName"), textOf(value.value, "version")];
      const required = `{"packageName":${canonicalJson(packageName)},"versionRange":${canonicalJson(range)}}`;
      others.push({ type: "olm.package.required", value: required });
    } else others.push(dependency);
  }
  const all = [
    own ?? packageProperty(bundle.annotations.packageName, bundle.version, bundle.release),
    ...apiProperties("olm.gvk", [...apis, ...bundle.provided]),
    ...apiProperties("olm.gvk.required", [...needs, ...bundle.required]),
    ...others,
  ];
  const isBulk = ({ type }: RawProperty): boolean => type === "olm.bundle.object" || type === "olm.csv.metadata";
  const sorted = all.toSorted((a, b) => compareBytes(a.type, b.type) || compareBytes(a.value ?? "", b.value ?? ""));
  return done([...sorted.filter((property) => !isBulk(property)), ...sorted.filter(isBulk)]);
}

/** The value of a property of a type that upstream decodes. */
function valueOf({ type, value }: RawProperty, index: number): Result<JsonObject, string> {
  const shape = propertyShapes.get(type);
  const given: JsonValue | undefined = value === undefined ? undefined : parseJson(value);
  const complaint = shape === undefined ? undefined : misfit(given, shape);
  if (complaint !== undefined) return failed(`parse property[${index}] of type ${goQuote(type)}: ${complaint}`);
  return done(isJsonObject(given) ? given : {});
}

function apiIn(value: JsonObject): ApiKey {
  const text = (name: string): string => textOf(value, name);
  return { group: text("group"), version: text("version"), kind: text("kind"), plural: "" };
}

function apiProperties(type: string, apis: readonly ApiKey[]): readonly RawProperty[] {
  const values = apis.map(
    ({ group, kind, version }) =>
      `{"group":${canonicalJson(group)},"kind":${canonicalJson(kind)},"version":${canonicalJson(version)}}`,
  );
  return [...new Set(values)].map((value) => ({ type, value }));
}

interface RelatedImage {
  readonly name: string;
  readonly image: string;
}

/** Those of the CSV as they stand, then the bundle's own and the containers' unless they are among them. */
function relatedImages({ csv }: ParsedBundle, image: string): Result<readonly RelatedImage[], string> {
  const listed = csv.relatedImages();
  if (!listed.ok) return listed;
  const containers = csv.operatorImages();
  if (!containers.ok) return containers;
  const images: RelatedImage[] = [...listed.value];
  const known = new Set(images.map((related) => related.image));
  for (const each of [...(image === "" ? [] : [image]), ...containers.value]) {
    if (known.has(each)) continue;
    known.add(each);
    images.push({ name: "", image: each });
  }
  goSort(images, (a, b) => compareBytes(a.image, b.image) < 0);
  return done(images);
}

/** A migration reads the whole CSV, so any part of the wrong type stops it. */
function metadataOf(manifest: JsonObject): Result<string, string> {
  const csv = parseJson(goJson(manifest));
  const metadata = csvMetadata(isJsonObject(csv) ? csv : {});
  if (!metadata.ok) return metadata;
  const typed = typedCsv(manifest);
  return typed.ok ? metadata : failed(typed.problem.message);
}

function encode(
  { name, annotations }: ParsedBundle,
  image: string,
  properties: readonly RawProperty[],
  images: readonly RelatedImage[],
): string {
  const listed = properties.map(({ type, value }) => `{"type":${canonicalJson(type)},"value":${value ?? "null"}}`);
  const related = images.map((each) => `{"name":${canonicalJson(each.name)},"image":${canonicalJson(each.image)}}`);
  const members = [
    '"schema":"olm.bundle"',
    ...(name === "" ? [] : [`"name":${canonicalJson(name)}`]),
    ...(annotations.packageName === "" ? [] : [`"package":${canonicalJson(annotations.packageName)}`]),
    `"image":${canonicalJson(image)}`,
    `"properties":[${listed.join(",")}]`,
    ...(related.length === 0 ? [] : [`"relatedImages":[${related.join(",")}]`]),
  ];
  return `{${members.join(",")}}`;
}
