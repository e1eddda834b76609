import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import type { Property } from "../../catalog/catalog-index.ts";
import { recordedProperties } from "../../installation/installed-packages.ts";

interface Api {
  readonly group: string;
  readonly kind: string;
}

/** What others may require of an operator. */
export interface Offer {
  readonly packageName: string;
  /** Of the definitions that it brings. */
  readonly crdNames: readonly string[];
  /** Those of its definitions, and what it serves by an APIService. */
  readonly apis: readonly Api[];
}

/**
 * Whether an operator requires an API of another, or its package, by its CSV or by the properties that its installation recorded.
 * One of several alternatives counts, and so does a rule in CEL, which may be about anything: what may be needed stays.
 */
export function requiresOperator(
  csv: ClusterServiceVersion,
  needed: ClusterServiceVersion,
  packageName: string,
): boolean {
  const { customresourcedefinitions: crds, apiservicedefinitions: services } = needed.spec;
  const crdNames = (crds?.owned ?? []).map(({ name }) => name);
  const apis = [...(crds?.owned ?? []).map(crdApi), ...(services?.owned ?? [])];
  return requiresOffer(csv, { packageName, crdNames, apis });
}

/** The same of any operator. */
export function requiresOffer(csv: ClusterServiceVersion, offer: Offer): boolean {
  const { customresourcedefinitions: crds, apiservicedefinitions: services } = csv.spec;
  return (
    (crds?.required ?? []).some(({ name }) => offer.crdNames.includes(name)) ||
    (services?.required ?? []).some((api) => offersApi(offer, api)) ||
    statesRequirementOf(recordedProperties(csv), offer)
  );
}

/** Whether one of a bundle's properties requires the operator, or may. */
export function statesRequirementOf(properties: readonly Property[], offer: Offer): boolean {
  return properties.some(({ type, value }) => isMetBy(type, value, offer));
}

const crdApi = ({ name, kind }: { readonly name: string; readonly kind: string }): Api => ({
  group: name.slice(name.indexOf(".") + 1),
  kind,
});

const offersApi = ({ apis }: Offer, { group, kind }: Api): boolean =>
  apis.some((api) => api.group === group && api.kind === kind);

function isMetBy(type: string, value: JsonValue, offer: Offer): boolean {
  if (!isJsonObject(value)) return false;
  switch (type) {
    case "olm.package.required":
      return member(value, "packageName") === offer.packageName;
    case "olm.gvk.required":
      return offersApi(offer, { group: textOf(value, "group"), kind: textOf(value, "kind") });
    case "olm.constraint":
      return isConstraintMetBy(value, offer);
    default:
      return false;
  }
}

function isConstraintMetBy(value: JsonObject, offer: Offer): boolean {
  if (member(value, "cel") !== undefined) return true;
  return (
    isMetBy("olm.package.required", member(value, "package") ?? null, offer) ||
    isMetBy("olm.gvk.required", member(value, "gvk") ?? null, offer) ||
    [...partsOf(value, "all"), ...partsOf(value, "any")].some((part) => isMetBy("olm.constraint", part, offer))
  );
}

function partsOf(value: JsonObject, name: string): readonly JsonValue[] {
  const group = member(value, name);
  const parts = isJsonObject(group) ? member(group, "constraints") : undefined;
  return Array.isArray(parts) ? (parts as readonly JsonValue[]) : [];
}

function textOf(value: JsonObject, name: string): string {
  const found = member(value, name);
  return typeof found === "string" ? found : "";
}
