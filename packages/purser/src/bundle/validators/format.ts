import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { compileCel } from "@purser/kubernetes/cel/cel";
import { goQuote } from "@purser/kubernetes/go-quote";
import type { Place } from "@purser/kubernetes/place";
import { parseBlangRange } from "../../version-range.ts";
import type { BundleDirectory } from "../bundle-files.ts";
import { listDirectory } from "../bundle-paths.ts";
import { scalarText } from "../api-types/yaml-texts.ts";
import { firstDocument, foldedMember, textMember } from "../directory/first-object.ts";
import { mediaTypeOf } from "./media-type.ts";

/** A finding of upstream's own bundle checks: its text, and where. */
export interface FormatFault {
  readonly rule: string;
  readonly message: string;
  readonly place?: Place;
}

/** How a bundle directory must look: its directories, annotations and dependencies. @param root for upstream's texts */
export function formatFaults(files: BundleDirectory, root: string): readonly FormatFault[] {
  const missing = ["manifests", "metadata"].filter((directory) => !files.directories.includes(directory));
  if (missing.length > 0)
    return missing.map((directory) => ({
      rule: `bundle-${directory}`,
      message: `Unable to locate ${directory} directory`,
      place: { file: directory },
    }));
  const mediaType = mediaTypeOf(files, `${root}/manifests/`);
  const faults: FormatFault[] = mediaType.ok ? [] : [{ rule: "bundle-media-type", message: mediaType.problem }];
  let annotations: { readonly values: JsonObject; readonly place: Place } | undefined;
  let kept: JsonObject | undefined;
  let dependencies: { readonly items: readonly JsonValue[]; readonly locate: (index: number) => Place } | undefined;
  for (const { file } of listDirectory(files, "metadata/").files) {
    const document = firstDocument(file);
    const value = document.ok ? document.value?.value : undefined;
    if (!document.ok || document.value === undefined || !isJsonObject(value)) continue;
    const { value: found } = document;
    if (annotations === undefined) {
      const read = textMap(foldedMember(value, "annotations"));
      // What a file with an odd annotation gave stays for upstream, and the next file that can be read counts as the annotations.
      kept = read === undefined ? kept : { ...kept, ...read.texts };
      if (kept !== undefined && read?.odd !== true) {
        annotations = { values: kept, place: document.value.place };
        continue;
      }
    }
    const items = foldedMember(value, "dependencies");
    if (dependencies === undefined && Array.isArray(items) && items.length > 0)
      dependencies = { items, locate: (index) => found?.locate(`/dependencies/${index}`) ?? { file: file.path } };
  }
  if (annotations === undefined)
    faults.push({
      rule: "bundle-annotations",
      message: "Could not find annotations file",
      place: { file: "metadata" },
    });
  else {
    const { values, place } = annotations;
    faults.push(...annotationFaults(values, mediaType.ok ? mediaType.value : "").map((fault) => ({ ...fault, place })));
  }
  for (const [index, item] of (dependencies?.items ?? []).entries())
    for (const message of dependencyFaults(item))
      faults.push({ rule: "bundle-dependency", message, place: dependencies?.locate(index) ?? {} });
  return faults;
}

/** A map of texts; undefined when it is none, or null. */
/** A map of texts as Go reads it: what is no text is empty there, and odd. Undefined when it is no map. */
function textMap(value: JsonValue | undefined): { readonly texts: JsonObject; readonly odd: boolean } | undefined {
  if (!isJsonObject(value)) return undefined;
  const isText = (held: JsonValue): boolean => typeof scalarText(held) === "string" || held === null;
  const entries = Object.keys(value).map((key) => [key, member(value, key) ?? null] as const);
  return {
    texts: Object.fromEntries(entries.map(([key, held]) => [key, isText(held) ? held : ""])),
    odd: !entries.every(([, held]) => isText(held)),
  };
}

function annotationFaults(values: JsonObject, mediaType: string): readonly FormatFault[] {
  const faults: FormatFault[] = [];
  const add = (message: string): void => void faults.push({ rule: "bundle-annotations", message });
  for (const part of ["mediatype", "manifests", "metadata", "package", "channels", "channel.default"]) {
    const name = `operators.operatorframework.io.bundle.${part}.v1`;
    const given = member(values, name);
    // A null is there and empty.
    const text = textMember({ held: scalarText(given ?? "") }, "held");
    // A bundle need not say which channel it is followed by.
    if (given === undefined && part === "channel.default") continue;
    if (given === undefined) add(`Missing annotation ${goQuote(name)}`);
    if (part === "mediatype" && text !== mediaType)
      add(`Expecting annotation ${goQuote(name)} to have value ${goQuote(mediaType)} instead of ${goQuote(text)}`);
    if ((part === "channels" || part === "channel.default") && text === "")
      add(`Expecting annotation ${goQuote(name)} to have non-empty value`);
  }
  return faults;
}

/** What is wrong with one dependency, by its type. */
function dependencyFaults(item: JsonValue): readonly string[] {
  const given = isJsonObject(item) ? item : {};
  const type = scalarText(foldedMember(given, "type") ?? "");
  const value = foldedMember(given, "value");
  const typeText = typeof type === "string" ? type : "";
  const unparsable = [`couldn't parse dependency of type ${typeText}`];
  const texts = (...names: readonly string[]): readonly string[] | undefined => {
    if (value === null) return names.map(() => "");
    if (!isJsonObject(value)) return undefined;
    const read = names.map((name) => foldedMember(value, name) ?? "");
    return read.every((text) => typeof text === "string") ? read : undefined;
  };
  switch (typeText) {
    case "olm.gvk": {
      const read = texts("group", "version", "kind");
      if (read === undefined) return unparsable;
      return ["Group", "Version", "Kind"]
        .filter((_, index) => read[index] === "")
        .map((name) => `API ${name} is empty`);
    }
    case "olm.package": {
      const read = texts("packageName", "version");
      if (read === undefined) return unparsable;
      const [name = "", version = ""] = read;
      return [
        ...(name === "" ? ["Package name is empty"] : []),
        ...(version === "" ? ["Package version is empty"] : []),
        ...(version !== "" && !parseBlangRange(version).ok ? ["Invalid semver format version"] : []),
      ];
    }
    case "olm.label": {
      const read = texts("label");
      if (read === undefined) return unparsable;
      return read[0] === "" ? ["Label information is missing"] : [];
    }
    case "olm.constraint":
      return isJsonObject(value) ? celFaults(value) : value === null ? celFaults({}) : unparsable;
  }
  return unparsable;
}

const celVariables = new Map([
  ["properties", { kind: "list", items: { kind: "map", values: { kind: "dyn" } } }],
] as const);

/** Upstream looks at the CEL form of a constraint only. */
function celFaults(value: JsonObject): readonly string[] {
  const cel = foldedMember(value, "cel");
  if (cel === undefined || cel === null) return ["The CEL field is missing"];
  const rule = isJsonObject(cel) ? (foldedMember(cel, "rule") ?? "") : undefined;
  if (typeof rule !== "string") return ["couldn't parse dependency of type olm.constraint"];
  if (rule === "") return ["The CEL expression is missing"];
  const program = compileCel(rule, { library: "olm", result: "bool", variables: new Map(celVariables) });
  if (program.ok) return [];
  const { kind, message } = program.problem;
  return [`Invalid CEL expression: ${kind === "result" ? "cel expressions must have type Bool" : message}`];
}
