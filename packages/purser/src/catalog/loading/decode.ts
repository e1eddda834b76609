import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { goFloat } from "@purser/kubernetes/go-float";
import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";
import {
  canonicalJson,
  compareBytes,
  goJson,
  goJsonIndented,
  indentJson,
  type PlacedDocument,
  looksLikeJson,
  readYaml,
  sortedKeys,
} from "@purser/kubernetes/text/documents";
import { textOfFile } from "@purser/kubernetes/text/file-text";
import { bundleShape, channelShape, deprecationShape, packageShape } from "../schemas/blob-shapes.ts";
import { readProperties } from "../properties.ts";
import {
  bytes,
  fieldOf,
  foldKey,
  type GoShape,
  isPlainObject,
  itemsOf,
  kindOf,
  misfit,
  misfitAt,
  struct,
  textOf,
} from "../schemas/go-shape.ts";
import type { BlobContent, CatalogBlob } from "../model.ts";
import type { CatalogProblem, CatalogRule } from "../problem.ts";

/** What every document of a catalog says of itself. */
export interface Meta {
  readonly schema: string;
  /** As written: "" for an `olm.package`, unless it has the key. */
  readonly packageName: string;
  readonly name: string;
  readonly json: JsonObject;
}

/** A document as an object with its three names; it need not have a schema. Refusals are in upstream's words. */
export function decodeMeta(document: PlacedDocument): Result<Meta, CatalogProblem> {
  const { value } = document;
  const refuse = (rule: CatalogRule, message: string, pointer?: string): Result<never, CatalogProblem> =>
    failed({ rule, message, place: pointer === undefined ? document.place : document.locate(pointer) });
  if (!isJsonObject(value) || !isPlainObject(value)) {
    const message = `${decoding(document)}json: cannot unmarshal ${kindOf(value)} into Go value of type map[string]interface {}`;
    return failed({
      rule: "not-an-object",
      message,
      upstreamText: `${message} ${indicated(value, document.format === "yaml")}`,
      place: document.place,
    });
  }
  const repeated = keysInTwoSpellings(value);
  if (repeated !== undefined) return refuse("duplicate-keys", decoding(document) + repeated);
  const meta: Record<string, string> = {};
  for (const key of ["schema", "package", "name"]) {
    const found = fieldOf(value, key);
    if (found !== undefined && typeof found !== "string")
      return refuse(
        "meta-type",
        `${decoding(document)}expected value for key ${goQuote(key)} to be a string, got ${goShown(found)}`,
        `/${key}`,
      );
    meta[key] = found ?? "";
  }
  const { schema = "", package: packageName = "", name = "" } = meta;
  return done({ schema, packageName, name, json: value });
}

/** One document of a catalog stream as a blob; every refusal is in upstream's words and has a place. */
export function decodeBlob(document: PlacedDocument): Result<CatalogBlob, CatalogProblem> {
  const refuse = (rule: CatalogRule, message: string, pointer?: string): Result<never, CatalogProblem> =>
    failed({ rule, message, place: pointer === undefined ? document.place : document.locate(pointer) });
  if (document.value === null) {
    const shown = document.format === "json" ? "null\n" : "";
    return refuse("schema-missing", `object '${shown}' is missing root schema field`);
  }
  const meta = decodeMeta(document);
  if (!meta.ok) return meta;
  const { schema, packageName, name, json } = meta.value;
  if (schema === "") return refuse("schema-missing", `object '${canonicalJson(json)}\n' is missing root schema field`);
  const content = decodeContent(schema, json, packageName, name);
  if (!content.ok) {
    const { rule, message, pointer } = content.problem;
    const owner = schema === "olm.package" ? name : packageName;
    const place = pointer === undefined ? document.place : document.locate(pointer);
    return failed({ rule, message, place, ...(owner === "" ? {} : { packageName: owner }) });
  }
  return done({
    schema,
    packageName: content.value.kind === "package" ? name : packageName,
    name,
    place: document.place,
    content: content.value,
    json,
  });
}

/** A document that is no object, cut where Go's decoder of JSON stopped: behind a bracket, or behind a scalar. */
function indicated(value: JsonValue, converted: boolean): string {
  // Upstream's conversion from YAML escapes what HTML gives a meaning.
  const shown = converted ? indentJson(goJson(value), "    ") : goJsonIndented(value, "    ", true);
  const end = Array.isArray(value) ? 1 : shown.length;
  const offset = new TextEncoder().encode(shown.slice(0, end)).length;
  return `at offset ${offset} (indicated by <==)\n${shown.slice(0, end)} <== ${shown.slice(end)}`.trimEnd();
}

/** Upstream converts YAML to JSON first and says so in what goes wrong behind that. */
function decoding(document: PlacedDocument): string {
  return document.format === "yaml" ? "error unmarshaling JSON: while decoding JSON: " : "";
}

/** Keys that differ in case only would decide by chance which one counts. */
function keysInTwoSpellings(object: JsonObject): string | undefined {
  const keys = Object.keys(object);
  if (new Set(keys.map(foldKey)).size === keys.length) return undefined;
  const spellings = new Map<string, string[]>();
  for (const key of sortedKeys(object)) {
    const folded = foldKey(key);
    const known = spellings.get(folded);
    if (known === undefined) spellings.set(folded, [key]);
    else known.push(key);
  }
  const repeated = [...spellings].filter(([, keys]) => keys.length > 1).sort(([a], [b]) => compareBytes(a, b));
  const texts = repeated.map(([folded, keys]) => `duplicate keys for key ${goQuote(folded)}: [${keys.join(" ")}]`);
  return texts.length > 1 ? `[${texts.join(", ")}]` : texts[0];
}

/** A value as Go's `%t: %v` shows it, which is how upstream prints it. */
function goShown(value: JsonValue): string {
  return `${value === null ? "%!t(<nil>)" : goPrinted(value, "t")}: ${goPrinted(value, "v")}`;
}

/** A value as Go's `%v` shows it; with `t` as `%t` does, which complains about every text and number. */
function goPrinted(value: JsonValue, verb: "t" | "v"): string {
  const bad = (type: string, text: string): string => (verb === "t" ? `%!t(${type}=${text})` : text);
  if (value === null) return "<nil>";
  if (typeof value === "boolean") return String(value);
  if (typeof value === "string") return bad("string", value);
  if (Array.isArray(value))
    return `[${(value as readonly JsonValue[]).map((item) => goPrinted(item, verb)).join(" ")}]`;
  if (!isJsonObject(value) || !isPlainObject(value))
    return bad("float64", goFloat(typeof value === "number" ? value : Number(JSON.stringify(value)), 64));
  const members = sortedKeys(value).map(
    (key) => `${bad("string", key)}:${goPrinted(member(value, key) ?? null, verb)}`,
  );
  return `map[${members.join(" ")}]`;
}

interface ContentProblem {
  readonly rule: CatalogRule;
  readonly message: string;
  readonly pointer: string;
}

function decodeContent(
  schema: string,
  json: JsonObject,
  packageName: string,
  name: string,
): Result<BlobContent, ContentProblem> {
  const fits = (word: string, shape: GoShape): Result<null, ContentProblem> => {
    const complaint = misfitAt(json, shape);
    if (complaint === undefined) return done(null);
    return failed({ rule: "field-type", message: `parse ${word}: ${complaint.message}`, pointer: complaint.pointer });
  };
  switch (schema) {
    case "olm.package": {
      const fit = fits("package", packageShape);
      if (!fit.ok) return fit;
      return done({
        kind: "package",
        defaultChannel: textOf(json, "defaultChannel"),
        description: textOf(json, "description"),
      });
    }
    case "olm.channel": {
      const fit = fits("channel", channelShape);
      return fit.ok ? done({ kind: "channel", entries: objectsIn(json, "entries").map(channelEntry) }) : fit;
    }
    case "olm.bundle": {
      const fit = fits("bundle", bundleShape);
      return fit.ok ? bundleContent(json, packageName, name) : fit;
    }
    case "olm.deprecations": {
      const fit = fits("deprecation", deprecationShape);
      return fit.ok ? done({ kind: "deprecations", entries: objectsIn(json, "entries").map(deprecationEntry) }) : fit;
    }
  }
  return done({ kind: "custom" });
}

const nothing: JsonObject = {};

/** Items of a list of objects; a null item is an empty object, as in Go. */
function objectsIn(json: JsonObject, name: string): readonly JsonObject[] {
  return itemsOf(json, name).map((item) => (isJsonObject(item) ? item : nothing));
}

function channelEntry(entry: JsonObject): {
  name: string;
  replaces: string;
  skips: readonly string[];
  skipRange: string;
} {
  return {
    name: textOf(entry, "name"),
    replaces: textOf(entry, "replaces"),
    skips: itemsOf(entry, "skips").map((skip) => (typeof skip === "string" ? skip : "")),
    skipRange: textOf(entry, "skipRange"),
  };
}

function deprecationEntry(entry: JsonObject): { schema: string; name: string; message: string } {
  const reference = fieldOf(entry, "reference");
  const { schema, name } = isJsonObject(reference)
    ? { schema: textOf(reference, "schema"), name: textOf(reference, "name") }
    : { schema: "", name: "" };
  return { schema, name, message: textOf(entry, "message") };
}

function bundleContent(json: JsonObject, packageName: string, name: string): Result<BlobContent, ContentProblem> {
  const listed = objectsIn(json, "properties");
  const unreadable = firstBadObject(listed);
  if (unreadable !== undefined)
    return failed({
      rule: "bundle-object",
      message: `read bundle objects: package ${goQuote(packageName)}, bundle ${goQuote(name)}: ${unreadable.message}`,
      pointer: `/properties/${unreadable.index}`,
    });
  const relatedImages = objectsIn(json, "relatedImages").map((image) => ({
    name: textOf(image, "name"),
    image: textOf(image, "image"),
  }));
  return done({ kind: "bundle", image: textOf(json, "image"), relatedImages, ...readProperties(listed) });
}

/** Embedded manifests must be base64 of YAML or JSON. */
function firstBadObject(
  properties: readonly JsonObject[],
): { readonly index: number; readonly message: string } | undefined {
  for (const [index, property] of properties.entries()) {
    if (textOf(property, "type") !== "olm.bundle.object") continue;
    const value = fieldOf(property, "value");
    const complaint = misfit(value, objectShape);
    if (complaint !== undefined)
      return { index, message: `parse property at index ${index} as bundle object: ${complaint}` };
    const data = isJsonObject(value) ? textOf(value, "data") : "";
    // What looks like JSON is passed on unread.
    if (looksLikeJson(decodeBase64(data.replaceAll(/[\r\n]/g, "").slice(0, 64)))) continue;
    const text = textOfFile(bytesOfBase64(data), "");
    // The end counts as a line, also where no line feed ends the last one.
    const read = text.ok ? readYaml(text.value.endsWith("\n") ? text.value : `${text.value}\n`) : text;
    if (!read.ok) {
      const { goText, message } = read.problem;
      const said = goText?.replace("error converting YAML to JSON: ", "") ?? `yaml: ${message}`;
      return { index, message: `convert bundle object property at index ${index} to JSON: ${said}` };
    }
  }
  return undefined;
}

const objectShape = struct("property.BundleObject", { data: bytes });

/** Text of standard base64 that was checked before. */
export const decodeBase64 = (data: string): string => new TextDecoder().decode(bytesOfBase64(data));

function bytesOfBase64(data: string): Uint8Array {
  const binary = atob(data.replaceAll(/[\r\n]/g, ""));
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
