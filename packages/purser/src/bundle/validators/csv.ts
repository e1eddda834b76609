import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { Place } from "@purser/kubernetes/place";
import { documentsOf, goJson, parseJson } from "@purser/kubernetes/text/documents";
import { TextError } from "@purser/kubernetes/text/problem";
import { goQuote } from "@purser/kubernetes/go-quote";
import { parseVersion } from "@purser/kubernetes/version";
import { kindOf, listMember, nameOf, objectMember, textMember } from "../directory/first-object.ts";
import { annotationNameIssues } from "./annotation-names.ts";
import { csvNameFaults } from "./dns-rules.ts";
import { type BundleIssue, csvIssue, resultOf, type ValidatorResult, valueIssue } from "./issue.ts";
import { annotationsOf, formatKind } from "./loaded-bundle.ts";
import { missingFields } from "./required-fields.ts";

export type Locate = (pointer: string) => Place | undefined;

/** Rules that a ClusterServiceVersion must follow by itself. @param csv as its API type reads it */
export function validateCsv(csv: JsonObject, locate: Locate = () => undefined): ValidatorResult {
  return resultOf(
    nameOf(csv),
    rules.flatMap((rule) => rule(csv, locate)),
  );
}

type Rule = (csv: JsonObject, locate: Locate) => readonly BundleIssue[];

const rules: readonly Rule[] = [
  nameRule,
  replacesRule,
  examplesRule,
  installModesRule,
  missingFields,
  minKubeVersionRule,
  (csv, locate) => annotationNameIssues(annotationsOf(csv), nameOf(csv), locate),
  versionAndKindRule,
];

function nameRule(csv: JsonObject, locate: Locate): readonly BundleIssue[] {
  return badName("csv-name", "metadata.name", nameOf(csv), csv, locate("/metadata/name"));
}

function replacesRule(csv: JsonObject, locate: Locate): readonly BundleIssue[] {
  const replaces = textMember(objectMember(csv, "spec"), "replaces");
  return replaces === "" ? [] : badName("csv-replaces", "spec.replaces", replaces, csv, locate("/spec/replaces"));
}

function badName(
  rule: string,
  field: string,
  name: string,
  csv: JsonObject,
  place: Place | undefined,
): readonly BundleIssue[] {
  const faults = csvNameFaults(name);
  if (faults.length === 0) return [];
  return [csvIssue(rule, "Error", nameOf(csv), `${field} ${goQuote(name)} is invalid: ${faults.join(",")}`, place)];
}

function examplesRule(csv: JsonObject, locate: Locate): readonly BundleIssue[] {
  const annotations = annotationsOf(csv);
  const warn = (text: string): BundleIssue =>
    csvIssue("csv-examples", "Warning", nameOf(csv), text, locate("/metadata/annotations"));
  if (Object.keys(annotations).length === 0) return [warn("annotations not found")];
  const [own, other] = [annotations["alm-examples"], annotations["olm.examples"]];
  const text = own ?? other;
  if (typeof text !== "string") return [warn("example annotations not found")];
  const both =
    own !== undefined && other !== undefined
      ? [warn("both `alm-examples` and `olm.examples` are present. Checking only `alm-examples`")]
      : [];
  const at = locate(`/metadata/annotations/${own === undefined ? "olm.examples" : "alm-examples"}`);
  const examples = readExamples(text);
  if ("problem" in examples) {
    const { detail, ...value } = examples.problem;
    return [...both, valueIssue("csv-examples-unreadable", "Error", "ParseError", detail, value, at)];
  }
  const provided = providedKinds(csv);
  const extra = [...new Set(examples.kinds)].filter((kind) => !provided.kinds.includes(kind));
  const without = [...new Set(provided.kinds)].filter((kind) => !examples.kinds.includes(kind));
  const value = (kind: string): { text: string; type: string } => ({ text: kind, type: "schema.GroupVersionKind" });
  return [
    ...both,
    ...provided.issues,
    ...extra.map((kind) =>
      valueIssue("csv-example-api", "Error", "OperationFailed", "example must have a provided API", value(kind), at),
    ),
    ...without.map((kind) =>
      valueIssue(
        "csv-api-example",
        "Warning",
        "OperationFailed",
        "provided API should have an example annotation",
        value(kind),
        at,
      ),
    ),
  ];
}

type Examples =
  | { readonly kinds: readonly string[] }
  | { readonly problem: { readonly detail: string; readonly text: string; readonly type: string } };

function readExamples(text: string): Examples {
  const unreadable = (complaint: string, detail = "error decoding example CustomResource"): Examples => ({
    problem: { detail, text: complaint, type: "yaml.YAMLSyntaxError" },
  });
  const broken = brokenJson(text);
  if (broken !== undefined)
    return { problem: { detail: "invalid example", text: broken, type: "*errors.errorString" } };
  for (const document of documentsOf(text, { keepEmpty: true })) {
    if (!document.ok) return unreadable(`error converting YAML to JSON: yaml: ${document.problem.message}`);
    const { value } = document.value;
    if (value === null) return { kinds: [] };
    if (!Array.isArray(value))
      return unreadable("json: cannot unmarshal object into Go value of type []unstructured.Unstructured");
    const kinds: string[] = [];
    for (const item of value as readonly JsonValue[]) {
      if (!isJsonObject(item))
        return unreadable("json: cannot unmarshal into Go value of type map[string]interface {}");
      const { group, version, kind } = kindOf(item);
      if (kind === "")
        return unreadable(
          `error unmarshaling JSON: while decoding JSON: Object 'Kind' is missing in '${goJson(item)}'`,
        );
      kinds.push(formatKind(group, version, kind));
    }
    return { kinds };
  }
  return { kinds: [] };
}

/** Where a text stops being JSON, in upstream's words; undefined for JSON and for no text at all. */
function brokenJson(text: string): string | undefined {
  if (text === "") return undefined;
  try {
    parseJson(text, false);
    return undefined;
  } catch (error) {
    if (!(error instanceof TextError) || error.kind !== "syntax") return undefined;
    // Go counts bytes up to and with the first that does not fit.
    const isEnd = error.offset >= text.length;
    const bad = text.codePointAt(error.offset) ?? 0;
    const shown = text.slice(0, error.offset) + (isEnd ? "" : bad < 0x80 ? String.fromCodePoint(bad) : "\ufffd");
    const at = new TextEncoder().encode(text.slice(0, error.offset)).length + (isEnd ? 0 : 1);
    return `invalid character at ${at}\n ${shown}<--(see the invalid character)`;
  }
}

function providedKinds(csv: JsonObject): {
  readonly kinds: readonly string[];
  readonly issues: readonly BundleIssue[];
} {
  const spec = objectMember(csv, "spec");
  const kinds: string[] = [];
  const issues: BundleIssue[] = [];
  for (const owned of objectsIn(objectMember(spec, "customresourcedefinitions"), "owned")) {
    const name = textMember(owned, "name");
    const dot = name.indexOf(".");
    if (dot === -1) {
      const detail = `couldn't parse plural.group from crd name: ${name}`;
      issues.push({ rule: "csv-owned-crd-name", level: "Error", type: "ParseError", detail });
    } else kinds.push(formatKind(name.slice(dot + 1), textMember(owned, "version"), textMember(owned, "kind")));
  }
  for (const owned of objectsIn(objectMember(spec, "apiservicedefinitions"), "owned"))
    kinds.push(formatKind(textMember(owned, "group"), textMember(owned, "version"), textMember(owned, "kind")));
  return { kinds, issues };
}

export function objectsIn(holder: JsonObject, name: string): readonly JsonObject[] {
  return listMember(holder, name).filter((item) => isJsonObject(item));
}

function installModesRule(csv: JsonObject, locate: Locate): readonly BundleIssue[] {
  const spec = objectMember(csv, "spec");
  const modes = objectsIn(spec, "installModes");
  const refuse = (text: string): BundleIssue =>
    csvIssue("csv-install-modes", "Error", nameOf(csv), text, locate("/spec/installModes"));
  if (modes.length === 0) return [refuse("install modes not found")];
  const supported = modes.filter((mode) => mode["supported"] === true).map((mode) => textMember(mode, "type"));
  const converting = objectsIn(spec, "webhookdefinitions").filter(
    (hook) => listMember(hook, "conversionCRDs").length > 0,
  );
  const refused = modes.some((mode) => (textMember(mode, "type") === "AllNamespaces") !== (mode["supported"] === true));
  return [
    ...(refused
      ? converting.map(() => refuse("only AllNamespaces InstallModeType is supported when conversionCRDs is present"))
      : []),
    ...(supported.length === 0 ? [refuse("none of InstallModeTypes are supported")] : []),
  ];
}

/** Upstream's text when `minKubeVersion` is not set. */
const minKubeVersionMissing =
  "csv.Spec.minKubeVersion is not informed. It is recommended you provide this information. Otherwise, it would mean that your operator project can be distributed and installed in any cluster version available, which is not necessarily the case for all projects.";

export function minKubeVersionRule(csv: JsonObject, locate: Locate): readonly BundleIssue[] {
  const version = textMember(objectMember(csv, "spec"), "minKubeVersion");
  const place = locate("/spec/minKubeVersion");
  if (version.trim() === "")
    return [csvIssue("csv-min-kube-version", "Warning", nameOf(csv), minKubeVersionMissing, place)];
  if (parseVersion(version).ok) return [];
  const text = `csv.Spec.MinKubeVersion has an invalid value: ${version}`;
  return [csvIssue("csv-min-kube-version", "Error", nameOf(csv), text, place)];
}

function versionAndKindRule(csv: JsonObject, locate: Locate): readonly BundleIssue[] {
  return ["apiVersion", "kind"].flatMap((key) =>
    textMember(csv, key) === ""
      ? [csvIssue("csv-type", "Error", nameOf(csv), `'${key}' is missing`, locate(`/${key}`))]
      : [],
  );
}
