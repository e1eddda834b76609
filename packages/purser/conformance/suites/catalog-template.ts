import { blobsOf } from "../../src/catalog/loading/load.ts";
import type { CatalogBlob } from "../../src/catalog/model.ts";
import { expand } from "../../src/catalog/template/expand.ts";
import { archetypes, readSemver } from "../../src/catalog/template/semver-template.ts";
import type { ExpandedTemplate, RenderReference } from "../../src/catalog/template/template.ts";
import { writeExpanded } from "../../src/catalog/template/write-expanded.ts";
import { goQuote } from "@purser/kubernetes/go-quote";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done, failed } from "@purser/kubernetes/result";
import { canonicalJson, documentsOf } from "@purser/kubernetes/text/documents";
import { compareExactly, compareLoosely } from "../compare.ts";
import { answer, type Compare, type Suite } from "../suite.ts";

const textIn = (input: JsonObject, key: string): string => {
  const value = member(input, key);
  return typeof value === "string" ? value : "";
};

/** The table of a case: reference to blobs, or to the error that rendering it gives. */
function renderer(table: JsonValue | undefined): RenderReference {
  return (reference) => {
    const found = isJsonObject(table) ? member(table, reference) : undefined;
    if (Array.isArray(found)) {
      const blobs: CatalogBlob[] = [];
      for (const blob of blobsOf({
        file: reference,
        text: found.map((item: JsonValue) => canonicalJson(item)).join("\n"),
      })) {
        if (!blob.ok) return failed(blob.problem.message);
        blobs.push(blob.value);
      }
      return done(blobs);
    }
    const error = isJsonObject(found) ? member(found, "error") : undefined;
    return failed(typeof error === "string" ? error : `render reference ${goQuote(reference)}: not given`);
  };
}

/** The table's bundles are written as they stand in it: upstream's own rendering puts them in order, the table's did not. */
function written(expanded: ExpandedTemplate): readonly JsonValue[] {
  const { text } = writeExpanded({ ...expanded, rendered: new Set() }, "json", "none");
  return [...documentsOf(text)].map((document) => (document.ok ? document.value.value : null));
}

/** The versions of one archetype's bundles, for archetypes with two that differ in build metadata at most. */
function conflictingVersions(input: JsonObject): readonly string[] | undefined {
  const template = readSemver({ text: textIn(input, "template") });
  if (!template.ok) return undefined;
  const render = renderer(member(input, "bundles"));
  for (const archetype of archetypes) {
    const versions = template.value.images[archetype].flatMap((image) => {
      const rendered = render(image);
      const contents = rendered.ok ? rendered.value.map(({ content }) => content) : [];
      return contents
        .flatMap((content) => (content.kind === "bundle" ? content.versions : []))
        .map((own) => own.version);
    });
    if (new Set(versions.map(withoutBuild)).size < versions.length) return versions;
  }
  return undefined;
}

const withoutBuild = (version: string): string => version.split("+", 1)[0] ?? "";
const conflict = /bundle version "([^"]*)" cannot be compared to "[^"]*"/g;

/**
 * OLM goes through an archetype's bundles in the order of a hash map and complains about every one that compares as
 * equal to one before (`withoutBuildMetadataConflict`), each text once: the one that came first is missing, unless
 * another has its very version.
 */
function isPossible(error: string, versions: readonly string[]): boolean {
  const told = [...error.matchAll(conflict)].map(([, version = ""]) => version);
  const text = (listed: readonly string[]): string => [...new Set(listed)].toSorted().join(" ");
  return [...new Set(versions.map(withoutBuild))].every((stripped) => {
    const group = versions.filter((version) => withoutBuild(version) === stripped);
    const own = text(told.filter((version) => withoutBuild(version) === stripped));
    return group.some((_first, index) => own === text(group.filter((_, other) => other !== index)));
  });
}

/** Any order in which OLM may meet the bundles gives an answer as good as the recorded one. */
const compareConflicts: Compare = (golden, value) => {
  const difference = compareLoosely(compareExactly(), ["error"])(golden, value);
  const errors = [golden.expect, value].map((side) => (isJsonObject(side) ? textIn(side, "error") : ""));
  if (difference === undefined || !errors.every((error) => error.match(conflict) !== null)) return difference;
  const versions = conflictingVersions(golden.input);
  const frames = errors.map((error) => error.replace(/: \[?bundle version .*$/, ""));
  return frames[0] === frames[1] && versions !== undefined && errors.every((error) => isPossible(error, versions))
    ? undefined
    : difference;
};

export const suite: Suite = {
  name: "catalog-template",
  compare: compareConflicts,
  run({ input }) {
    const kind = textIn(input, "kind");
    const expanded = expand(
      { text: textIn(input, "template") },
      renderer(member(input, "bundles")),
      kind === "" ? undefined : kind,
    );
    if (!expanded.ok) return answer({ error: expanded.problem.message });
    const blobs = written(expanded.value);
    if (member(input, "mermaid") !== true) return answer({ blobs });
    const { text, problem } = writeExpanded(expanded.value, "mermaid", "none");
    return answer(problem === undefined ? { blobs, mermaid: text } : { error: `writing output: ${problem}` });
  },
};
