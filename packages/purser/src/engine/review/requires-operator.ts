import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { ClusterServiceVersion } from "../../apis/v0/cluster-service-version.ts";
import { recordedProperties } from "../../installation/installed-packages.ts";

interface Api {
  readonly group: string;
  readonly kind: string;
}

/** What others may require of an operator. */
interface Offer {
  readonly packageName: string;
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
  const offer: Offer = { packageName, apis };
  return (
    (csv.spec.customresourcedefinitions?.required ?? []).some(({ name }) => crdNames.includes(name)) ||
    (csv.spec.apiservicedefinitions?.required ?? []).some((api) => offersApi(offer, api)) ||
    recordedProperties(csv).some(({ type, value }) => isMetBy(type, value, offer))
  );
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
