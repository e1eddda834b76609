import { isJsonObject, type JsonObject, type JsonValue, plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { clusterCatalogs } from "../../apis/olm-resources.ts";
import { connect } from "../cluster/connect.ts";
import { flagOption, type Invocation, type Outcome, type SubcommandSpec, textOption, UsageError } from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { shown } from "../output/shown.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { failure } from "../failure.ts";
import { refusedWrite } from "../report-refusal.ts";
import { waits } from "../wait-for.ts";
import { settledSource } from "./settled-source.ts";
import { sourceFieldOptions, sourceFields } from "./source-fields.ts";

export const sourceSetCommand: SubcommandSpec = {
  name: "set",
  summary: "Change a ClusterCatalog: image, polling, priority, labels, availability",
  description: "Fields that no flag names are kept; --reset sets polling, priority and availability to their defaults.",
  arguments: [{ name: "source", summary: "cc/NAME or NAME of a ClusterCatalog", required: true }],
  options: [
    { flags: "--image REFERENCE", summary: "image of the catalog, with a tag or a digest" },
    ...sourceFieldOptions,
    { flags: "--reset", summary: "set polling, priority and availability to their defaults where no flag names them" },
    { flags: "--dry-run", summary: "print the change, write nothing" },
  ],
  examples: [
    ["purser source set cc/community --priority -100 --yes", "prefer other catalogs"],
    ["purser source set cc/community --unavailable --yes", "install nothing more from it"],
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

async function set(invocation: Invocation, client: KubeClient): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const [given = ""] = invocation.arguments;
  const name = given.replace(/^cc\//, "");
  const { spec: named = {}, labels = {} } = sourceFields(invocation);
  const isReset = flagOption(invocation, "reset");
  if (Object.keys(named).length === 0 && Object.keys(labels).length === 0 && !isReset)
    throw new UsageError("no field to set is given", "purser source set --help lists the fields");
  const live = await client.get(clusterCatalogs, { name });
  if (live === undefined) {
    const names = (await client.list(clusterCatalogs)).map(({ metadata }) => metadata.name ?? "");
    return {
      explanation: failure("NotFound", `There is no ClusterCatalog "${name}"`, [
        ...nearestNames(name, new Set(names)).map(
          (near) => [`purser source show cc/${near}`, "did you mean this one?"] as const,
        ),
        ["purser source list", "all of them"],
      ]),
    };
  }
  const held = plainJson(live) as JsonObject;
  const wanted: JsonObject = {
    ...(Object.keys(labels).length === 0 ? {} : { metadata: { labels } }),
    spec: isReset ? merged(defaults, named) : named,
  };
  const ref = textOption(invocation, "image") ?? live.spec.source.image?.ref ?? "";
  const poll = textOption(invocation, "poll");
  if (ref.includes("@") && poll !== undefined && poll !== "none")
    throw new UsageError("an image with a digest does not change, so it is not polled", "leave out --poll");
  const patch = changesOf(wanted, held);
  const lines = linesOf(patch, held);
  if (lines.length === 0)
    return { exitCode: exitCodes.done, data: plainJson(live), human: shown(`${name} already has these values`) };
  const text = [`Change ClusterCatalog ${name}`, ...lines.map((line) => `  ${line}`)];
  const data = { apiVersion: "purser.dev/v1alpha1", kind: "SpecChange", source: `cc/${name}`, patch };
  if (flagOption(invocation, "dry-run")) return { exitCode: exitCodes.done, data, human: shown(...text) };
  terminal.err(...text);
  if (!(await confirm(invocation, "Continue?"))) return notConfirmed("changed");
  const write = { verb: "patch", type: clusterCatalogs, key: { name }, patchType: "merge", patch } as const;
  const written = await client.write(write, signal);
  if (!written.ok) return refusedWrite(`change ClusterCatalog ${name}`, written.problem, `cc/${name}`);
  if (!waits(invocation)) return { exitCode: exitCodes.done, data, human: shown(`${name} is changed`) };
  return settledSource(invocation, client, name);
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
