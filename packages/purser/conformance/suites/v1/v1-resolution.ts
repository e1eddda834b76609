import type { ClusterCatalog } from "../../../src/apis/v1/cluster-catalog.ts";
import type { BundleMetadata, CatalogFilter } from "../../../src/apis/v1/cluster-extension.ts";
import { loadCatalog } from "../../../src/catalog/loading/load.ts";
import { indexOf } from "../../../src/catalog/memory-index.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import { documentsOf } from "@purser/kubernetes/text/documents";
import { resolveNow } from "../../../src/resolver/resolution.ts";
import { deprecationConditions } from "../../../src/resolver/v1/deprecation-conditions.ts";
import type { ExtensionCatalog, ExtensionInput } from "../../../src/resolver/v1/input.ts";
import { resolveExtension } from "../../../src/resolver/v1/resolve-extension.ts";
import { compareExactly, compareLoosely } from "../../compare.ts";
import type { Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";

const items = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [];
const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** The directory of OLM's cache in which a blob lies: that of its package. */
function ownerOf({ schema = "", package: packageName = "", name = "" }: JsonObject): JsonValue {
  return schema === "olm.package" ? name : packageName;
}

/** Upstream keeps one blob of each package, schema and name: the last of the stream. */
function lastOfEach(blobs: readonly JsonObject[]): readonly JsonObject[] {
  const kept = new Map<string, JsonObject>();
  for (const blob of blobs) {
    const { schema = "", name = "" } = blob;
    kept.set(JSON.stringify([ownerOf(blob), schema, name === "" ? schema : name]), blob);
  }
  return [...kept.values()];
}

/** What OLM finds while it divides the stream into blobs; all else only while it reads those of one package. */
const ofStream = new Set(["syntax", "not-an-object", "meta-type"]);

/** The error of loading the blobs of one package, with the text of OLM's catalog client. */
function contentOf(catalog: JsonObject, packageName: string): ExtensionCatalog["content"] {
  if (member(catalog, "notServing") === true || member(catalog, "notCached") === true)
    return { kind: "unavailable", cause: "no content yet" };
  const fbcText = member(catalog, "fbcText");
  const stream = [
    ...items(member(catalog, "fbc")).map((blob) => JSON.stringify(blob)),
    ...(typeof fbcText === "string" ? [fbcText] : []),
  ].join("\n");
  const name = JSON.stringify(textOf(member(catalog, "name")));
  const broken = loadCatalog([{ file: "catalog.json", text: stream }]).problems.find(({ rule }) => ofStream.has(rule));
  if (broken !== undefined) {
    const { message } = broken;
    const upstream = `error retrieving cache for catalog ${name}: error parsing catalog contents: ${message}`;
    return { kind: "unavailable", cause: message, upstream };
  }
  const own = [...documentsOf(stream)]
    .flatMap((document) => (document.ok && isJsonObject(document.value.value) ? [document.value.value] : []))
    .filter((blob) => ownerOf(blob) === packageName);
  const text = lastOfEach(own)
    .map((blob) => JSON.stringify(blob))
    .join("\n");
  const { blobs, problems } = loadCatalog([{ file: "catalog.json", text }]);
  const [problem] = problems;
  if (problem !== undefined) {
    const upstream = `error loading package ${JSON.stringify(packageName)}: ${problem.message}`;
    return { kind: "unavailable", cause: problem.message, upstream };
  }
  return { kind: "present", index: indexOf(blobs) };
}

function catalogOf(catalog: JsonObject, packageName: string): ExtensionCatalog {
  const name = textOf(member(catalog, "name"));
  const labels = member(catalog, "labels");
  const serving = member(catalog, "notServing") === true ? "False" : "True";
  const object: ClusterCatalog = {
    apiVersion: "olm.operatorframework.io/v1",
    kind: "ClusterCatalog",
    metadata: { name, labels: (isJsonObject(labels) ? labels : {}) as Record<string, string> },
    spec: {
      source: { type: "Image" },
      priority: Number(member(catalog, "priority") ?? 0),
      availabilityMode: member(catalog, "unavailable") === true ? "Unavailable" : "Available",
    },
    status: {
      conditions: [{ type: "Serving", status: serving, reason: "", message: "", lastTransitionTime: "" }],
    },
  };
  return { catalog: object, content: contentOf(catalog, packageName) };
}

export function extensionWorldOf(input: JsonObject): ExtensionInput {
  const filter = member(input, "extension") as unknown as CatalogFilter;
  const installed = member(input, "installed");
  return {
    name: "ext",
    filter,
    catalogs: items(member(input, "catalogs"))
      .filter(isJsonObject)
      .map((catalog) => catalogOf(catalog, filter.packageName)),
    ...(isJsonObject(installed) ? { installed: installed as unknown as BundleMetadata } : {}),
    gates: { bundleReleaseSupport: items(member(input, "gates")).includes("BundleReleaseSupport") },
  };
}

/** Cases name a catalog by the bundle's image, which is looked for among parsed blobs only, not in raw text. */
function catalogByImage(input: JsonObject, chosen: string, image: string): string {
  const catalog = items(member(input, "catalogs"))
    .filter(isJsonObject)
    .find((candidate) => member(candidate, "name") === chosen);
  const parsed = items(member(catalog ?? {}, "fbc"))
    .filter(isJsonObject)
    .some((blob) => member(blob, "image") === image);
  return parsed ? chosen : "";
}

export const suite: Suite = {
  name: "v1-resolution",
  compare: compareLoosely(compareExactly(), ["error"]),
  run({ input }) {
    const world = extensionWorldOf(input);
    const outcome = resolveNow(resolveExtension(world));
    if (outcome.kind === "failed") return answer({ error: outcome.upstream });
    const conditions = deprecationConditions({
      data: outcome.deprecation,
      channels: world.filter.channels ?? [],
      installed: world.installed?.name,
    });
    return answer({
      bundle: outcome.bundle.name,
      version: outcome.version,
      ...(outcome.release === undefined ? {} : { release: outcome.release }),
      catalog: catalogByImage(input, outcome.catalog, outcome.bundle.image),
      status: { ...outcome.metadata },
      ...(outcome.deprecation === undefined ? {} : { deprecation: outcome.deprecation }),
      conditions: Object.fromEntries(
        conditions.map(({ type, status, reason, message }) => [type, [status, reason, message]]),
      ),
    });
  },
};
