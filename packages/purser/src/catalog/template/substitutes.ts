import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject } from "@purser/kubernetes/json";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { fieldOf, itemsOf, list, struct, text, textOf } from "../schemas/go-shape.ts";
import { entryJson } from "../loading/entry-json.ts";
import type { CatalogBlob, ChannelEntryContent } from "../model.ts";
import { modelOf } from "../opm/validate.ts";
import { madeBlob, readEntries, readEntriesTemplate, type ReadTemplate } from "./read-template.ts";
import type { Expansion, RenderReference, TemplateProblem, TemplateText } from "./template.ts";
import { compareVersionReleases, versionRelease } from "./version-release.ts";

interface Substitution {
  /** Reference of the bundle that comes in. */
  readonly name: string;
  /** Name of the bundle that it replaces. */
  readonly base: string;
}

const substitutions = list(struct("substitutes.Substitute", { name: text, base: text }));

/**
 * Substitutes bundles for others: the new bundle gets the edges of its base and skips it, and entries
 * that referred to the base refer to the new bundle. The entries and every step must be a valid catalog.
 */
export function expandSubstitutes(template: TemplateText, render: RenderReference): Expansion {
  const read = readEntriesTemplate(template, "substitutes", "substitutes.SubstitutesTemplateData", { substitutions });
  if (!read.ok) return prefixed("render: unable to parse template", read.problem);
  const entries = readEntries(read.value);
  if (!entries.ok) return prefixed("render: unable to create declarative config from entries", entries.problem);
  const { document } = read.value;
  const valid = modelOf(entries.value);
  if (!valid.ok)
    return failed({
      kind: "invalidCatalog",
      message: `render: entries are not valid FBC: ${valid.problem}`,
      place: document.locate("/entries"),
    });
  const substituting = new Substituting(entries.value, render);
  for (const [index, substitution] of substitutionsOf(read.value).entries()) {
    const refused = substituting.refusal(substitution) ?? substituting.apply(substitution);
    if (refused !== undefined)
      return failed({
        ...refused,
        message: `render: ${refused.message}`,
        place: document.locate(`/substitutions/${index}`),
      });
  }
  return done({ blobs: substituting.blobs, rendered: substituting.rendered });
}

function prefixed(prefix: string, problem: TemplateProblem): Result<never, TemplateProblem> {
  return failed({ ...problem, message: `${prefix}: ${problem.message}` });
}

function substitutionsOf({ json }: ReadTemplate): readonly Substitution[] {
  return itemsOf(json, "substitutions").map((item) => {
    const given = isJsonObject(item) ? item : {};
    return { name: textOf(given, "name"), base: textOf(given, "base") };
  });
}

type Refusal = Pick<TemplateProblem, "kind" | "message">;

class Substituting {
  blobs: readonly CatalogBlob[];
  readonly rendered = new Set<CatalogBlob>();
  readonly #render: RenderReference;
  readonly #baseOf = new Map<string, string>();
  readonly #bases = new Set<string>();

  constructor(blobs: readonly CatalogBlob[], render: RenderReference) {
    this.blobs = blobs;
    this.#render = render;
  }

  /** Names and bases may be used once; undefined when these two are free. */
  refusal({ name, base }: Substitution): Refusal | undefined {
    if (this.#bases.has(base))
      return { kind: "refused", message: `cannot reuse the same substitution base ${goQuote(base)}` };
    const other = this.#baseOf.get(name);
    if (other !== undefined)
      return {
        kind: "refused",
        message: `cannot reuse the same substitution ${goQuote(name)} for different bases (${goQuote(other)} and ${goQuote(base)})`,
      };
    this.#bases.add(base);
    this.#baseOf.set(name, base);
    return undefined;
  }

  apply({ name, base }: Substitution): Refusal | undefined {
    const refuse = (kind: TemplateProblem["kind"], message: string): Refusal => ({
      kind,
      message: `error processing substitution ${goQuote(base)} -> ${goQuote(name)}: ${message}`,
    });
    if (name === "") return refuse("refused", "substitution name cannot be empty");
    if (base === "") return refuse("refused", "substitution base cannot be empty");
    if (name === base) return refuse("refused", "substitution name and base cannot be the same");
    const found = this.#render(name);
    if (!found.ok)
      return refuse("reference", `failed to render bundle image reference ${goQuote(name)}: ${found.problem}`);
    const substitute = found.value.find(({ content }) => content.kind === "bundle");
    if (substitute === undefined)
      return refuse("reference", `rendered bundle image reference ${goQuote(name)} contains no bundles`);
    const newer = versionRelease(substitute);
    if (!newer.ok)
      return refuse(
        "reference",
        `failed to get VersionRelease for substitute bundle ${goQuote(name)}: ${newer.problem}`,
      );
    const original = this.blobs.find((blob) => blob.content.kind === "bundle" && blob.name === base);
    if (original === undefined) return refuse("refused", `base bundle ${goQuote(base)} does not exist in catalog`);
    const older = versionRelease(original);
    if (!older.ok)
      return refuse("reference", `failed to get VersionRelease for base bundle ${goQuote(base)}: ${older.problem}`);
    if (compareVersionReleases(older.value, newer.value) >= 0)
      return refuse("refused", `base bundle ${goQuote(base)} is not less than substitute bundle ${goQuote(name)}`);
    this.blobs = [...this.blobs.map((blob) => withSubstitute(blob, base, substitute.name)), substitute];
    this.rendered.add(substitute);
    const valid = modelOf(this.blobs);
    return valid.ok ? undefined : refuse("invalidCatalog", `resulting config is not valid FBC: ${valid.problem}`);
  }
}

/** A channel with `substitute` in place of `base`; other blobs and channels without `base` stay unchanged. */
function withSubstitute(blob: CatalogBlob, base: string, substitute: string): CatalogBlob {
  if (blob.content.kind !== "channel") return blob;
  const mentioned = blob.content.entries.some(
    (entry) => entry.name === base || entry.replaces === base || entry.skips.includes(base),
  );
  if (!mentioned) return blob;
  const newcomers = blob.content.entries
    .filter(({ name }) => name === base)
    .toReversed()
    .map((entry) => ({ ...entry, name: substitute, skips: [...entry.skips, base] }));
  const others = blob.content.entries.map((entry): ChannelEntryContent => {
    if (entry.name === base) return { name: base, replaces: "", skips: [], skipRange: "" };
    if (entry.replaces === base) return { ...entry, replaces: substitute, skips: [...entry.skips, base] };
    if (!entry.skips.includes(base)) return entry;
    return { ...entry, skips: [...entry.skips, substitute].filter((skip) => skip !== base) };
  });
  const properties = fieldOf(blob.json, "properties");
  const json: JsonObject = {
    schema: blob.schema,
    name: blob.name,
    package: blob.packageName,
    entries: [...others, ...newcomers].map(entryJson),
    ...(properties === undefined ? {} : { properties }),
  };
  return madeBlob(json, blob.place);
}
