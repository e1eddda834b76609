import type { JsonValue } from "@purser/kubernetes/json";
import { isJsonObject } from "@purser/kubernetes/json";
import { type BundleIssue, csvIssue, resultOf, type ValidatorResult } from "./issue.ts";
import { compareVersions, parseTolerantVersion, type Version } from "@purser/kubernetes/version";
import { annotationsOf, type LoadedBundle } from "./loaded-bundle.ts";
import { listApis, removedApis } from "./removed-apis.ts";

/** The Dockerfile that the bundle's image is built from, for its labels. */
export type IndexFile =
  | { readonly kind: "notGiven" }
  | { readonly kind: "unreadable"; readonly path: string; readonly message: string }
  | { readonly kind: "directory"; readonly path: string }
  | { readonly kind: "read"; readonly text: string };

const label = "com.redhat.openshift.versions";
const gone = "4.9";
const using =
  "using APIs which were deprecated and removed in v1.22. More info: https://kubernetes.io/docs/reference/using-api/deprecation-guide/#v1-22";
const limit: Version = { major: 4n, minor: 9n, patch: 0n, prerelease: [], build: [] };

/** Rules of the community catalogs: a bundle with APIs removed in Kubernetes 1.22 must require OpenShift below 4.9. */
export function validateCommunity(bundle: LoadedBundle, indexFile: IndexFile): ValidatorResult {
  const apis = removedApis(bundle, "1.22");
  if (apis.size === 0) return resultOf(bundle.name, []);
  const listed = listApis(apis);
  const { errors, warnings } = labelFindings(indexFile, listed, maxVersionFindings(bundle, listed));
  const issue = (level: BundleIssue["level"], text: string): BundleIssue =>
    csvIssue("community-openshift", level, bundle.name, text, bundle.csvManifest.place);
  return resultOf(bundle.name, [
    ...errors.map((text) => issue("Error", text)),
    ...warnings.map((text) => issue("Warning", text)),
  ]);
}

interface Findings {
  readonly errors: readonly string[];
  readonly warnings: readonly string[];
}

const fine: Findings = { errors: [], warnings: [] };
const wrong = (text: string): Findings => ({ errors: [text], warnings: [] });

function maxVersionFindings({ csv }: LoadedBundle, listed: string): Findings {
  const given = annotationsOf(csv)["olm.properties"];
  if (typeof given !== "string" || given === "")
    return wrong(
      `csv.Annotations not specified olm.maxOpenShiftVersion for an OCP version < ${gone}. This annotation is required to prevent the user from upgrading their OCP cluster before they have installed a version of their operator which is compatible with ${gone}. This bundle is ${using} which are no longer supported on ${gone}. Migrate the API(s) for ${listed} or use the annotation`,
    );
  const properties = propertiesIn(given);
  if (properties === undefined)
    return wrong(
      `csv.Annotations has an invalid value specified for olm.properties. Please, check the value  (${given}) and ensure that it is an array such as: "olm.properties": '[{"type": "key name", "value": "key value"}]'`,
    );
  const value = properties.find(({ type }) => type === "olm.maxOpenShiftVersion")?.value;
  if (value === undefined)
    return wrong(
      `csv.Annotations.olm.properties with the key \`olm.maxOpenShiftVersion\` and a value with an OCP version which is < ${gone} is required for any operator bundle that is ${using}. Migrate the API(s) for ${listed} or use the annotation`,
    );
  const version = parseTolerantVersion(value);
  if (!version.ok)
    return wrong(
      `csv.Annotations.olm.properties has an invalid value.Unable to parse (${value}) using semver : ${version.problem.message}`,
    );
  const { major, minor, patch } = version.value;
  if (patch !== 0n)
    return {
      errors: [],
      warnings: [
        `csv.Annotations.olm.properties has an invalid value. Unable to parse (${value}) using semver. The olm.maxOpenShiftVersion property takes major and minor only: ${major}.${minor}`,
      ],
    };
  if (compareVersions(version.value, limit) < 0) return fine;
  return wrong(
    `csv.Annotations.olm.properties with the key and value for olm.maxOpenShiftVersion has the OCP version value ${value} which is >= of ${gone}. This bundle is ${using}. Migrate the API(s) for ${listed} or inform in this property an OCP version which is < ${gone}`,
  );
}

/** Undefined when the annotation is no list of texts by type. */
function propertiesIn(text: string): readonly { readonly type: string; readonly value: string }[] | undefined {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
  if (!Array.isArray(value)) return undefined;
  const read: { type: string; value: string }[] = [];
  for (const item of value as readonly JsonValue[]) {
    const given = isJsonObject(item) ? item : {};
    const [type, held] = [given["type"] ?? "", given["value"] ?? ""];
    if (typeof type !== "string" || typeof held !== "string") return undefined;
    read.push({ type, value: held });
  }
  return read;
}

function labelFindings(indexFile: IndexFile, listed: string, before: Findings): Findings {
  const add = (text: string): Findings => ({ ...before, errors: [...before.errors, text] });
  const example = "(e.g. index-path=./mypath/bundle.Dockerfile)";
  switch (indexFile.kind) {
    case "notGiven":
      // Upstream's warnings begin with its errors so far.
      return {
        errors: before.errors,
        warnings: [
          ...before.errors,
          `please, inform the path of its index image file via the the optional key values and the key index-path to allow this validator check the labels configuration or migrate the API(s) for ${listed}. ${example}. This bundle is ${using} `,
        ],
      };
    case "unreadable":
      return add(
        `the index image in the path (${indexFile.path}) was not found. Please, inform the path of the bundle operator index image via the the optional key values and the key index-path. ${example}. Error : ${indexFile.message}`,
      );
    case "directory":
      return add(
        `the index image in the path (${indexFile.path}) is not file. Please, inform the path of its index image via the the optional key values and the key index-path. ${example}. The value informed is a diretory and not a file`,
      );
    case "read": {
      const fault = labelFault(indexFile.text, listed);
      return fault === undefined ? before : add(fault);
    }
  }
}

function labelFault(text: string, listed: string): string | undefined {
  const line = text.split("\n").find((each) => each.includes(label));
  if (line === undefined)
    return `this bundle is ${using}. Migrate the APIs for ${listed} or provide compatible version(s) via the labels. (e.g. LABEL ${label}='4.6-4.8')`;
  if (!line.includes("="))
    return `invalid syntax (${line}) on the LABEL ${listed}. Migrate the API(s) for ${label} or use the OCP labels. (e.g. LABEL ${label}='4.6-4.8')`;
  const range = line.slice(line.indexOf("=") + 1).replaceAll(/['"]/g, "");
  if (range.length < 2) return `unable to get the range informed on ${label}`;
  const [, exact] = range.split("=");
  const [, top] = range.split("-");
  if (exact === undefined && top === undefined)
    return `this bundle is ${listed}. The ${range} allows to distribute it on >= ${gone}. Migrate the API(s) for ${listed} or provide comatible version(s) via the labels. (e.g. LABEL ${label}='4.6-4.8')`;
  const wanted = exact ?? top ?? "";
  const version = parseTolerantVersion(wanted);
  if (!version.ok) return `unable to parse the value (${wanted}) on (${label})`;
  if (compareVersions(version.value, limit) < 0) return undefined;
  return exact === undefined
    ? `this bundle is ${using}. Upgrade the APIs from (v1beta1) to (v1) for ${listed} or provide com[atible version(s) via the labels. (e.g. LABEL ${label}='4.6-4.8')`
    : `this bundle is ${using}. Migrate the API(s) for ${listed} or use the OCP labels for compatible version(s). (e.g. LABEL ${label}='=v4.8')`;
}
