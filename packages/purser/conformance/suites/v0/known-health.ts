// The expected status of a Subscription when OLM's check of a catalog's health fails and OLM shows no health: computed from
// the case itself, independently of Purser's code.
import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import { listAt, objectAt, textAt } from "../bundle-directory.ts";

const objects = (value: readonly JsonValue[]): readonly JsonObject[] => value.filter(isJsonObject);
const placeOf = (catalog: JsonObject): string => `${textAt(catalog, "namespace")}/${textAt(catalog, "name")}`;

// A type and no interface: it is JSON.
type Health = {
  /** `<namespace>/<name>` */
  readonly catalog: string;
  readonly healthy: boolean;
};

/** The catalogs that a Subscription can see, in the order in which they are shown. */
function healthOf(input: JsonObject): readonly Health[] {
  const scope = [textAt(input, "namespace"), textAt(input, "globalNamespace")];
  return objects(listAt(input, "catalogs"))
    .filter((catalog) => scope.includes(textAt(catalog, "namespace")))
    .toSorted((a, b) => (placeOf(a).replace("/", "") < placeOf(b).replace("/", "") ? -1 : 1))
    .map((catalog) => ({
      catalog: placeOf(catalog),
      healthy: textAt(objectAt(input, "health"), placeOf(catalog)) === "healthy",
    }));
}

function unhealthyText(health: readonly Health[], spec: JsonObject): string {
  const target = `${textAt(spec, "sourceNamespace")}/${textAt(spec, "source")}`;
  const targeted = health.find(({ catalog }) => catalog === target);
  const ill = health.filter(({ healthy }) => !healthy).map(({ catalog }) => catalog);
  if (targeted === undefined && textAt(spec, "source") !== "") return `targeted catalogsource ${target} missing`;
  return targeted?.healthy === false
    ? `targeted catalogsource ${target} unhealthy`
    : `catalogsource ${ill.join(", ")} unhealthy`;
}

/**
 * The condition `CatalogSourcesUnhealthy` that OLM shows, with the catalogs that are unhealthy named: healthy when a
 * Subscription names no catalog and all are healthy, which OLM calls missing.
 */
export function namedHealth(input: JsonObject, name: string, shown: JsonObject): JsonObject {
  const spec = specOf(input, name);
  const health = healthOf(input);
  const isIll = health.some(({ healthy }) => !healthy);
  if (isIll && textAt(shown, "status") === "True") return { ...shown, message: unhealthyText(health, spec) };
  if (isIll || textAt(spec, "source") !== "" || health.length === 0) return shown;
  return {
    ...shown,
    status: "False",
    reason: shown["reason"] === "UnhealthyCatalogSourceFound" ? "AllCatalogSourcesHealthy" : (shown["reason"] ?? ""),
    message: "all available catalogsources are healthy",
  };
}

function specOf(input: JsonObject, name: string): JsonObject {
  const subscription = objects(listAt(input, "objects")).find(
    (object) => object["kind"] === "Subscription" && textAt(objectAt(object, "metadata"), "name") === name,
  );
  return objectAt(subscription ?? {}, "spec");
}

/**
 * The Subscription of the case as it has to be shown when every catalog whose check did not say "healthy" is unhealthy.
 * @param held as OLM left it: its InstallPlan is shown already
 */
export function withKnownHealth(input: JsonObject, held: JsonObject): JsonObject {
  const subscription =
    objects(listAt(input, "objects")).find(
      (object) =>
        object["kind"] === "Subscription" &&
        textAt(objectAt(object, "metadata"), "name") === textAt(input, "subscription"),
    ) ?? {};
  const spec = objectAt(subscription, "spec");
  const before = objects(listAt(objectAt(subscription, "status"), "catalogHealth"));
  const health = healthOf(input);
  const changed = health.some(({ catalog, healthy }) => {
    const known = before.find((entry) => {
      const reference = objectAt(entry, "catalogSourceRef");
      return textAt(reference, "uid") === `uid-${catalog.replace("/", "-")}`;
    });
    return known === undefined || (known["healthy"] === true) !== healthy;
  });
  const reason =
    health.length > before.length
      ? "CatalogSourcesAdded"
      : health.length < before.length
        ? "CatalogSourcesDeleted"
        : changed
          ? "CatalogSourcesUpdated"
          : "UnhealthyCatalogSourceFound";
  const unhealthy = {
    type: "CatalogSourcesUnhealthy",
    status: "True",
    reason,
    message: unhealthyText(health, spec),
  };
  const others = objects(listAt(held, "conditions")).filter((condition) => condition["type"] !== unhealthy.type);
  const conditions = withDeprecations(input, spec, textAt(held, "installedCSV"), [...others, unhealthy]);
  return {
    ...held,
    catalogHealth: health,
    conditions: conditions.map(inOrder).toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
  };
}

/** With the members in the order by which answers sort their conditions. */
const inOrder = ({ message = "", reason = "", status = "", type = "" }: JsonObject): JsonObject => ({
  message,
  reason,
  status,
  type,
});

/** The conditions about what is deprecated, by the `olm.deprecations` blob of the catalog that the Subscription names. */
function withDeprecations(
  input: JsonObject,
  spec: JsonObject,
  installed: string,
  conditions: readonly JsonObject[],
): readonly JsonObject[] {
  const source = objects(listAt(input, "catalogs")).find(
    (catalog) => placeOf(catalog) === `${textAt(spec, "sourceNamespace")}/${textAt(spec, "source")}`,
  );
  const name = textAt(spec, "name");
  const blobs = objects(listAt(source ?? {}, "fbc")).filter((blob) => textAt(blob, "package") === name);
  const channel = blobs.find(
    (blob) =>
      blob["schema"] === "olm.channel" &&
      ["", textAt(blob, "name")].includes(textAt(spec, "channel")) &&
      objects(listAt(blob, "entries")).some((entry) => textAt(entry, "name") === installed),
  );
  if (channel === undefined) return conditions;
  const entries = blobs
    .filter((blob) => blob["schema"] === "olm.deprecations")
    .flatMap((blob) => objects(listAt(blob, "entries")));
  const textFor = (schema: string, subject: string, referenced: string): string | undefined => {
    const found = entries.find((entry) => {
      const reference = objectAt(entry, "reference");
      return textAt(reference, "schema") === schema && textAt(reference, "name") === referenced;
    });
    return found === undefined ? undefined : `${schema}/${subject}: ${textAt(found, "message")}`;
  };
  const channelName = textAt(channel, "name");
  const texts: readonly (readonly [type: string, text: string | undefined])[] = [
    ["PackageDeprecated", textFor("olm.package", name, "")],
    [
      "ChannelDeprecated",
      textAt(spec, "channel") === "" ? undefined : textFor("olm.channel", channelName, channelName),
    ],
    ["BundleDeprecated", textFor("olm.bundle", installed, installed)],
  ];
  const changes = texts.filter(([type, text]) => {
    const held = conditions.find((condition) => condition["type"] === type);
    return text === undefined ? held?.["status"] === "True" : textAt(held ?? {}, "message") !== text;
  });
  if (changes.length === 0) return conditions;
  const summary = texts.flatMap(([, text]) => text ?? []).join("; ");
  const shown = [...changes, ["Deprecated", summary === "" ? undefined : summary] as const];
  const rest = conditions.filter((condition) => !shown.some(([type]) => type === condition["type"]));
  const added = shown.flatMap(([type, message]) =>
    message === undefined ? [] : [{ type, status: "True", reason: "", message }],
  );
  return [...rest, ...added];
}
