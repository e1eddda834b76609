import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import {
  compareBytes,
  documentsOf,
  escapePointer,
  type PlacedDocument,
  sortedKeys,
} from "@purser/kubernetes/text/documents";
import {
  fieldOf,
  flag,
  foldKey,
  type GoShape,
  isPlainObject,
  itemsOf,
  list,
  type Misfit,
  misfitAt,
  struct,
  text,
  textOf,
  withYamlTexts,
} from "../schemas/go-shape.ts";
import { madeDocument } from "./read-template.ts";
import { repeatedKeys } from "./repeated-keys.ts";
import { type TemplateProblem, templateSchemas, type TemplateText } from "./template.ts";

/** From the least to the most stable. */
export const archetypes = ["candidate", "fast", "stable"] as const;
export type Archetype = (typeof archetypes)[number];
export type ChannelKind = "major" | "minor";

/** The content of a semver template. */
export interface SemverTemplate {
  readonly document: PlacedDocument;
  readonly kinds: readonly ChannelKind[];
  readonly preference: ChannelKind;
  /** Images in the order given; an image may be in several archetypes. */
  readonly images: Readonly<Record<Archetype, readonly string[]>>;
}

const bundles = struct("semver.channelBundles", { bundles: list(struct("semver.bundleEntry", { image: text })) });
const shape = struct("semver.SemverTemplateData", {
  schema: text,
  generateMajorChannels: flag,
  generateMinorChannels: flag,
  defaultChannelTypePreference: { kind: "string", type: "semver.StreamType" },
  candidate: bundles,
  fast: bundles,
  stable: bundles,
});

/** Reads a semver template strictly: an unknown or repeated key is a problem; known keys match in any case. */
export function readSemver(template: TemplateText): Result<SemverTemplate, TemplateProblem> {
  const read = readStrictly(template);
  if (!read.ok) return read;
  const { document, json } = read.value;
  const refuse = (kind: TemplateProblem["kind"], message: string, pointer: string): Result<never, TemplateProblem> =>
    failed({ kind, message, place: document.locate(pointer) });
  const wanted = templateSchemas.semver;
  if (textOf(json, "schema") !== wanted)
    return refuse("unknownSchema", `readFile: input file has unknown schema, should be ${goQuote(wanted)}`, "/schema");
  const major = fieldOf(json, "generateMajorChannels") === true;
  const minor = fieldOf(json, "generateMinorChannels") === true || !major;
  const preference = textOf(json, "defaultChannelTypePreference");
  const at = "/defaultChannelTypePreference";
  if (preference !== "" && preference !== "major" && preference !== "minor")
    return refuse(
      "refused",
      `unknown DefaultChannelTypePreference: ${goQuote(preference)}\nValid values are 'major' or 'minor'`,
      at,
    );
  if ((preference === "major" && !major) || (preference === "minor" && !minor))
    return refuse(
      "refused",
      `schema attribute mismatch: DefaultChannelTypePreference set to '${preference}' doesn't make sense if not generating ${preference}-version channels`,
      at,
    );
  return done({
    document,
    kinds: [...(major ? (["major"] as const) : []), ...(minor ? (["minor"] as const) : [])],
    preference: preference === "" ? (minor ? "minor" : "major") : preference,
    images: { candidate: imagesIn(json, "candidate"), fast: imagesIn(json, "fast"), stable: imagesIn(json, "stable") },
  });
}

function imagesIn(json: JsonObject, archetype: Archetype): readonly string[] {
  const given = fieldOf(json, archetype);
  const items = isJsonObject(given) ? itemsOf(given, "bundles") : [];
  return items.map((item) => (isJsonObject(item) ? textOf(item, "image") : ""));
}

const nothing: JsonObject = {};

function readStrictly({
  file,
  text: given,
}: TemplateText): Result<{ document: PlacedDocument; json: JsonObject }, TemplateProblem> {
  // The separator keeps the reader from taking a template in braces for a JSON stream: upstream reads all as YAML here.
  const stream = /^\s*\{/.test(given) ? `---\n${given}` : given;
  const refuse = (message: string, place: TemplateProblem["place"]): Result<never, TemplateProblem> =>
    failed({ kind: "unreadable", message, place });
  let skip = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)+---/.test(stream);
  for (const read of documentsOf(stream, { ...(file === undefined ? {} : { file }), keepEmpty: true })) {
    // Comments in front of the separator belong to the document behind it for this reader, which sees the whole text.
    const isPreamble = skip && read.ok && read.value.value === null;
    skip = false;
    if (isPreamble) continue;
    if (!read.ok) {
      const { message, goText = message, place } = read.problem;
      // The line of the preceding separator does not belong to the template.
      const own = stream === given ? goText : goText.replace(/line (\d+): /, (_, line: string) => lineBefore(line));
      return refuse(own, place);
    }
    const document = read.value;
    const repeated = document.duplicateKeys();
    if (repeated[0] !== undefined)
      return refuse(
        `error converting YAML to JSON: ${repeatedKeys(stream, repeated, stream === given ? 0 : 1)}`,
        repeated[0],
      );
    const { place } = document;
    const value = withYamlTexts(document.value, shape);
    const complaint = firstComplaint(misfitAt(value, shape), unknownField(value, shape, ""));
    if (complaint !== undefined) return refuse(`error unmarshaling JSON: while decoding JSON: ${complaint}`, place);
    return done({ document, json: isJsonObject(value) && isPlainObject(value) ? value : nothing });
  }
  const place = { ...(file === undefined ? {} : { file }), document: 0, line: 1 };
  return done({ document: madeDocument(null, place), json: nothing });
}

function lineBefore(line: string): string {
  return line === "1" ? "" : `line ${Number(line) - 1}: `;
}

/** Go's decoder reads keys in their order and keeps the first error, of a type or of an unknown key. */
function firstComplaint(...found: readonly (Misfit | undefined)[]): string | undefined {
  const [first] = found
    .filter((complaint) => complaint !== undefined)
    .toSorted((left, right) => comparePointers(left.pointer, right.pointer));
  return first?.message;
}

function comparePointers(left: string, right: string): number {
  const others = right.split("/");
  for (const [at, part] of left.split("/").entries()) {
    const other = others[at] ?? "";
    if (part !== other) return /^\d+$/u.test(part) ? Number(part) - Number(other) : compareBytes(part, other);
  }
  return 0;
}

/** The first key that the struct or one inside it does not know. */
function unknownField(value: JsonValue, known: GoShape, pointer: string): Misfit | undefined {
  if (known.kind === "list" && Array.isArray(value))
    return firstOf([...(value as readonly JsonValue[]).entries()], ([index, item]) =>
      unknownField(item, known.item, `${pointer}/${index}`),
    );
  if (known.kind !== "struct" || !isJsonObject(value)) return undefined;
  return firstOf(sortedKeys(value), (key) => {
    const field = Object.entries(known.fields).find(([name]) => foldKey(name) === foldKey(key));
    const inside = `${pointer}/${escapePointer(key)}`;
    return field === undefined
      ? { message: `json: unknown field ${goQuote(key)}`, pointer: inside }
      : unknownField(member(value, key) ?? null, field[1], inside);
  });
}

function firstOf<Item, Found>(items: readonly Item[], find: (item: Item) => Found | undefined): Found | undefined {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}
