import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { copiedFromLabel, operatorNamespaceAnnotation, propertiesAnnotation } from "../../apis/v0/labels.ts";
import type { Subscription } from "../../apis/v0/subscription.ts";
import type { Property } from "../../catalog/catalog-index.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import type { Result } from "@purser/kubernetes/result";
import { done, failed } from "@purser/kubernetes/result";
import type { Entry, Origin } from "./entry.ts";
import { factsOf } from "./entry.ts";

/** CSVs that cannot be read as installed operators; `message` is upstream's text. */
export interface InstalledProblem {
  readonly kind: "installed";
  readonly csv: string;
  readonly message: string;
}

const nameOf = (csv: ClusterServiceVersion): string => csv.metadata.name ?? "";

/** A projection of a CSV of another namespace. */
export function isCopied(csv: ClusterServiceVersion): boolean {
  const { labels = {}, annotations = {}, namespace } = csv.metadata;
  const home = annotations[operatorNamespaceAnnotation];
  return (
    csv.status?.reason === "Copied" ||
    Object.hasOwn(labels, copiedFromLabel) ||
    (home !== undefined && home !== namespace)
  );
}

function annotatedProperties(text: string): Result<readonly Property[], string> {
  let value: JsonValue;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch (error) {
    return failed(error instanceof Error ? error.message : String(error));
  }
  if (!isJsonObject(value)) return failed("json: cannot unmarshal into Go value of type struct");
  const list = member(value, "properties") ?? null;
  if (list === null) return done([]);
  if (!Array.isArray(list)) return failed("json: cannot unmarshal into Go struct field .properties");
  const properties: Property[] = [];
  for (const property of list as readonly JsonValue[]) {
    const type = isJsonObject(property) ? (member(property, "type") ?? "") : undefined;
    if (!isJsonObject(property) || typeof type !== "string")
      return failed("json: cannot unmarshal into Go struct field .properties.type");
    properties.push({ type, value: member(property, "value") ?? null });
  }
  return done(properties);
}

interface Api {
  /** Plural name of the resource: OLM tells APIs of one kind apart by it. */
  readonly name: string;
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

function crdApis(
  list: readonly { readonly name: string; readonly version: string; readonly kind: string }[] = [],
): Result<readonly Api[], string> {
  const apis: Api[] = [];
  for (const { name, version, kind } of list) {
    const dot = name.indexOf(".");
    if (dot < 0) return failed(`error parsing crd name: ${name}`);
    apis.push({ name: name.slice(0, dot), group: name.slice(dot + 1), version, kind });
  }
  return done(apis);
}

const text = (value: JsonValue): string => JSON.stringify(value);

const propertiesFor = (type: string, apis: readonly Api[]): readonly Property[] =>
  [
    ...new Map(
      apis.map(({ name, group, version, kind }) => [text([name, group, version, kind]), { group, kind, version }]),
    ).values(),
  ]
    .sort((left, right) => (text(left) < text(right) ? -1 : 1))
    .map((value) => ({ type, value }));

function derivedProperties(
  csv: ClusterServiceVersion,
  claims: readonly Subscription[],
): Result<readonly Property[], string> {
  const { customresourcedefinitions: crds, apiservicedefinitions: services } = csv.spec;
  const owned = crdApis(crds?.owned);
  if (!owned.ok) return owned;
  const required = crdApis(crds?.required);
  if (!required.ok) return required;
  const packages = new Set(claims.map((claim) => claim.spec.name).filter((name) => name !== ""));
  const [packageName] = packages;
  const version = csv.spec.version ?? "";
  const inferred: readonly Property[] =
    packages.size === 1 && packageName !== undefined
      ? [{ type: "olm.package", value: { packageName, version: version === "0.0.0" ? "" : version } }]
      : [];
  return done([
    ...propertiesFor("olm.gvk", [...owned.value, ...(services?.owned ?? [])]),
    ...propertiesFor("olm.gvk.required", [...required.value, ...(services?.required ?? [])]),
    ...inferred,
  ]);
}

/**
 * The operators that exist in the namespace, as candidates. CSVs that fail-forward passes over are left out.
 * @param subscriptions of the namespace; they determine which CSVs may be replaced and the packages of CSVs
 * @param options `replaced`: names of CSVs that are left out, because an upgrade under way replaces them
 */
export function installedEntries(
  csvs: readonly ClusterServiceVersion[],
  subscriptions: readonly Subscription[],
  options: { readonly namespace: string; readonly failForward: boolean; readonly replaced?: ReadonlySet<string> },
): Result<readonly Entry[], InstalledProblem> {
  const own = csvs.filter((csv) => !isCopied(csv) && options.replaced?.has(nameOf(csv)) !== true);
  const passedOver = options.failForward ? passedOverCsvs(own, options.namespace) : done(new Set<string>());
  if (!passedOver.ok) return passedOver;
  const origin: Origin = { key: { namespace: options.namespace, name: "@existing" }, priority: 0, installed: true };
  const entries: Entry[] = [];
  for (const csv of own) {
    const name = nameOf(csv);
    if (passedOver.value.has(name)) continue;
    const claims = subscriptions.filter((subscription) => subscription.status?.installedCSV === name);
    const annotation = csv.metadata.annotations?.[propertiesAnnotation];
    const properties = annotation === undefined ? derivedProperties(csv, claims) : annotatedProperties(annotation);
    if (!properties.ok) {
      const message =
        annotation === undefined
          ? properties.problem
          : `failed to retrieve properties of csv "${name}": failed to unmarshal properties annotation: ${properties.problem}`;
      return failed({ kind: "installed", csv: name, message });
    }
    const [subscription] = claims;
    entries.push({
      name,
      version: csv.spec.version ?? "0.0.0",
      replaces: undefined,
      skips: [],
      skipRange: undefined,
      origin,
      packageName: packageOf(properties.value),
      channel: "",
      inDefaultChannel: false,
      properties: properties.value,
      facts: factsOf(properties.value),
      summary: undefined,
      subscription,
    });
  }
  return done(entries);
}

function packageOf(properties: readonly Property[]): string {
  const value = properties.findLast(({ type }) => type === "olm.package")?.value ?? null;
  const name = isJsonObject(value) ? member(value, "packageName") : undefined;
  return typeof name === "string" ? name : "";
}

/** Fail-forward: CSVs being replaced, directly or through others, by one that failed. */
function passedOverCsvs(
  csvs: readonly ClusterServiceVersion[],
  namespace: string,
): Result<ReadonlySet<string>, InstalledProblem> {
  const replacedBy = new Map(csvs.flatMap((csv) => (csv.spec.replaces ? [[csv.spec.replaces, csv] as const] : [])));
  const passedOver = new Set<string>();
  for (const csv of csvs) {
    const seen = new Set<string>();
    let last = csv;
    for (let next: ClusterServiceVersion | undefined = csv; next !== undefined; next = replacedBy.get(nameOf(last))) {
      const problem = (message: string): Result<never, InstalledProblem> =>
        failed({ kind: "installed", csv: nameOf(csv), message });
      if (seen.has(nameOf(next))) return problem(`csv ${namespace}/${nameOf(next)} has already been seen`);
      seen.add(nameOf(next));
      last = next;
      const phase = next.status?.phase ?? "";
      if (replacedBy.has(nameOf(next)) && phase !== "Replacing")
        return problem(`csv ${namespace}/${nameOf(next)} in phase ${phase} instead of Replacing`);
    }
    if (csv.status?.phase === "Replacing" && last.status?.phase === "Failed") passedOver.add(nameOf(csv));
  }
  return done(passedOver);
}
