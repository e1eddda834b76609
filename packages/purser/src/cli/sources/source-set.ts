import { isJsonObject, type JsonObject, type JsonValue, plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { catalogSources, clusterCatalogs } from "../../apis/olm-resources.ts";
import { connect } from "../cluster/connect.ts";
import { flagOption, type Invocation, type Outcome, type SubcommandSpec, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { failure, type Failure } from "../failure.ts";
import { refusedWrite } from "../report-refusal.ts";
import { waits } from "../wait-for.ts";
import { settledSource } from "./settled-source.ts";
import { catalogSourceFields, sourceFieldOptions, sourceFields } from "./source-fields.ts";
import { sourceArgument } from "./named-source.ts";

export const sourceSetCommand: SubcommandSpec = {
  name: "set",
  summary: "Change a catalog: image, polling, priority, labels; of a ClusterCatalog its availability as well",
  description: "Fields that no flag names are kept; --reset sets polling, priority and availability to their defaults.",
  arguments: [sourceArgument],
  options: [
    { flags: "--image REFERENCE", summary: "image of the catalog, with a tag or a digest" },
    ...sourceFieldOptions,
    { flags: "--reset", summary: "set polling, priority and availability to their defaults where no flag names them" },
    { flags: "--dry-run", summary: "print the change, write nothing" },
  ],
  examples: [
    ["purser source set cc/community --priority -100 --yes", "prefer other catalogs"],
    ["purser source set cc/community --unavailable --yes", "install nothing more from it"],
    ["purser source set olm/community --image quay.io/org/catalog:v2 --yes", "another image of a CatalogSource"],
  ],
  async run(invocation) {
    const connection = connect(invocation);
    try {
      return await set(invocation, connection.client);
    } finally {
      connection.close();
    }
  },
};

const defaults: JsonObject = {
  priority: 0,
  availabilityMode: "Available",
  source: { image: { pollIntervalMinutes: null } },
};

const sourceDefaults: JsonObject = { priority: 0, updateStrategy: null };

/** A catalog that is about to change, with the fields as its kind has them. */
interface Changing {
  readonly kind: "ClusterCatalog" | "CatalogSource";
  readonly type: ResourceType;
  readonly live: KubeObject;
  readonly defaults: JsonObject;
  readonly named: JsonObject;
  /** The image that it has or gets. */
  readonly ref: string;
}

async function set(invocation: Invocation, client: KubeClient): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const [given = ""] = invocation.arguments;
  const { spec = {}, labels = {} } = sourceFields(invocation);
  const isReset = flagOption(invocation, "reset");
  if (Object.keys(spec).length === 0 && Object.keys(labels).length === 0 && !isReset)
    throw new UsageError("no field to set is given", "purser source set --help lists the fields");
  const found = await catalogNamed(invocation, client, given, spec);
  if (!found.ok) return { explanation: found.problem };
  const { kind, type, live, named, ref, defaults: standard } = found.value;
  const { namespace, name = "" } = live.metadata;
  const key = { name, ...(namespace === undefined ? {} : { namespace }) };
  const reference = namespace === undefined ? `cc/${name}` : `${namespace}/${name}`;
  const shownName = namespace === undefined ? name : reference;
  const held = plainJson(live) as JsonObject;
  const wanted: JsonObject = {
    ...(Object.keys(labels).length === 0 ? {} : { metadata: { labels } }),
    spec: isReset ? merged(standard, named) : named,
  };
  const poll = textOption(invocation, "poll");
  if (ref.includes("@") && poll !== undefined && poll !== "none")
    throw new UsageError("an image with a digest does not change, so it is not polled", "leave out --poll");
  const patch = changesOf(wanted, held);
  const lines = linesOf(patch, held);
  if (lines.length === 0)
    return { exitCode: exitCodes.done, data: plainJson(live), human: shown(`${shownName} already has these values`) };
  const text = [`Change ${kind} ${shownName}`, ...lines.map((line) => `  ${line}`)];
  const data = { apiVersion: "purser.dev/v1alpha1", kind: "SpecChange", source: reference, patch };
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data, human: shown(...text) };
  terminal.err(...text);
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("changed");
  const written = await client.write({ verb: "patch", type, key, patchType: "merge", patch }, signal);
  if (!written.ok) return refusedWrite(`change ${kind} ${shownName}`, written.problem, reference);
  if (kind === "CatalogSource")
    return { exitCode: exitCodes.done, data, human: shown(`${shownName} is changed; purser source show ${reference}`) };
  if (!waits(invocation)) return { exitCode: exitCodes.done, data, human: shown(`${name} is changed`) };
  return settledSource(invocation, client, name);
}

/**
 * The catalog of that name: `cc/NAME` is a ClusterCatalog, `NAMESPACE/NAME` a CatalogSource, and a name alone a ClusterCatalog before a
 * CatalogSource. @throws UsageError when several CatalogSources have the name, or a flag is not for the kind
 */
async function catalogNamed(
  invocation: Invocation,
  client: KubeClient,
  given: string,
  spec: JsonObject,
): Promise<Result<Changing, Failure>> {
  const [name = "", place] = given
    .replace(/^(cc|cs)\//, "")
    .split("/")
    .toReversed();
  const namespace = place ?? textOption(invocation, "namespace");
  const catalogs = place === undefined ? await client.list(clusterCatalogs) : [];
  const catalog = given.startsWith("cs/") ? undefined : catalogs.find(({ metadata }) => metadata.name === name);
  if (catalog !== undefined) {
    const ref = textOption(invocation, "image") ?? catalog.spec.source.image?.ref ?? "";
    return done({ kind: "ClusterCatalog", type: clusterCatalogs, live: catalog, defaults, named: spec, ref });
  }
  const sources = given.startsWith("cc/")
    ? []
    : await client.list(catalogSources, namespace === undefined ? {} : { namespace });
  const [source, ...more] = sources.filter(({ metadata }) => metadata.name === name);
  if (source === undefined) return failed(noCatalog(given, name, catalogs, sources));
  if (more.length > 0)
    throw new UsageError(
      `"${given}" names ${more.length + 1} CatalogSources`,
      ...[source, ...more].map(({ metadata }) => `${metadata.namespace}/${name}`),
    );
  return done({
    kind: "CatalogSource",
    type: catalogSources,
    live: source,
    defaults: sourceDefaults,
    named: catalogSourceFields(invocation, source.spec, given),
    ref: textOption(invocation, "image") ?? source.spec.image ?? "",
  });
}

function noCatalog(
  given: string,
  name: string,
  catalogs: readonly KubeObject[],
  sources: readonly KubeObject[],
): Failure {
  const references = new Map([
    ...sources.map(({ metadata }) => [metadata.name ?? "", `${metadata.namespace}/${metadata.name}`] as const),
    ...catalogs.map(({ metadata }) => [metadata.name ?? "", `cc/${metadata.name}`] as const),
  ]);
  const near = nearestNames(name, references.keys()).map((one) => references.get(one) ?? one);
  return failure("NotFound", `There is no catalog "${given}"`, [
    ...near.map((one) => [`purser source show ${one}`, "did you mean this one?"] as const),
    ["purser source list", "all of them"],
  ]);
}

function merged(left: JsonObject, right: JsonObject): JsonObject {
  const both = Object.entries(right).map(([field, value]) => {
    const held = left[field];
    return [field, isJsonObject(held) && isJsonObject(value) ? merged(held, value) : (value ?? null)] as const;
  });
  return { ...left, ...Object.fromEntries(both) };
}

/** The part of a merge patch that changes the object. */
function changesOf(patch: JsonObject, held: JsonObject): JsonObject {
  const changes = Object.entries(patch).flatMap(([field, value]): readonly (readonly [string, JsonValue])[] => {
    const before = held[field];
    if (!isJsonObject(value)) return (before ?? null) === value || value === undefined ? [] : [[field, value]];
    const inner = changesOf(value, isJsonObject(before) ? before : {});
    return Object.keys(inner).length === 0 ? [] : [[field, inner]];
  });
  return Object.fromEntries(changes);
}

/** `priority  0 -> 10`, a line for each changed field. */
function linesOf(patch: JsonObject, held: JsonObject): readonly string[] {
  return Object.entries(patch).flatMap(([field, value]) => {
    const before = held[field];
    if (isJsonObject(value)) return linesOf(value, isJsonObject(before) ? before : {});
    const words = (one: JsonValue | undefined): string =>
      typeof one === "string" ? one : (one ?? null) === null ? "not set" : JSON.stringify(one);
    return [`${field}  ${words(before)} -> ${words(value)}`];
  });
}
