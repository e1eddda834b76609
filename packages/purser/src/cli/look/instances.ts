import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { findCondition, type Condition } from "@purser/kubernetes/apis/condition";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { isJsonObject, type JsonObject, type JsonValue, plainJson } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { done, failed, type Result } from "@purser/kubernetes/result";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { readYaml } from "@purser/kubernetes/text/documents";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import { clusterServiceVersions } from "../../apis/olm-resources.ts";
import { copiedFromLabel } from "../../apis/v0/labels.ts";
import { observeUninstall } from "../../engine/review/observe-uninstall.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { counted } from "../../explanation/summary.ts";
import { connect } from "../cluster/connect.ts";
import { findInstallation, readInstallations } from "../cluster/installations.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { formatAge } from "../output/duration.ts";
import { listingOptions, printListing, selectorOption } from "../output/listing.ts";
import { shown } from "../output/shown.ts";
import { refusedWrite } from "../report-refusal.ts";

export const instancesCommand: CommandSpec = {
  description: [
    "Without an argument it lists those of all installations. new KIND prints an example from the operator's ClusterServiceVersion;",
    "--edit opens it in $EDITOR and creates the saved object.",
  ].join("\n"),
  arguments: [
    { name: "installation", summary: "an installation, a kind such as EtcdCluster, or new" },
    { name: "kind", summary: "with new: kind of the example" },
  ],
  options: [
    { flags: "--example N", summary: "with new: number of the example (default 1)" },
    { flags: "--edit", summary: "with new: edit the example in $EDITOR, then create it" },
    selectorOption,
    ...listingOptions,
  ],
  examples: [
    ["purser instances data/etcd -A", "custom resources that would be deleted with the CRDs"],
    ["purser instances EtcdCluster", "of one kind"],
    ["purser instances new EtcdCluster", "an example, to pipe into kubectl apply -f -"],
  ],
  async run(invocation) {
    const [what, kind, ...more] = invocation.arguments;
    if (more.length > 0 || (kind !== undefined && what !== "new"))
      throw new UsageError(`unexpected argument "${kind ?? ""}"`, "purser instances --help");
    const connection = connect(invocation);
    try {
      return what === "new"
        ? await newInstance(invocation, connection.client, kind)
        : await list(invocation, connection.client, what);
    } finally {
      connection.close();
    }
  },
};

interface Row {
  readonly crd: CustomResourceDefinition;
  readonly object: KubeObject;
}

async function list(invocation: Invocation, client: KubeClient, what: string | undefined): Promise<Outcome> {
  const definitions = await definitionsOf(invocation, client, what);
  if (!definitions.ok) return definitions.problem;
  const crds = definitions.value;
  const namespace = flagOption(invocation, "all-namespaces") ? undefined : textOption(invocation, "namespace");
  const rows: Row[] = [];
  for (const crd of crds) {
    const type = typeOf(crd);
    if (type === undefined) continue;
    const scope = namespace === undefined || !type.namespaced ? {} : { namespace };
    for (const object of await client.list(type, scope)) rows.push({ crd, object });
  }
  const printed = printListing(invocation, {
    kind: "InstanceList",
    items: rows,
    columns: [
      { heading: "NAMESPACE", rank: 1, cell: ({ object }) => object.metadata.namespace },
      { heading: "KIND", cell: ({ crd }) => crd.spec.names.kind },
      { heading: "NAME", cell: ({ object }) => object.metadata.name },
      { heading: "READY", rank: 2, cell: ({ object }) => readyOf(object)?.status },
      {
        heading: "AGE",
        rank: 3,
        cell: ({ object }) => formatAge(object.metadata.creationTimestamp, systemClock.now()),
        compare: (left, right) =>
          (left.object.metadata.creationTimestamp ?? "") < (right.object.metadata.creationTimestamp ?? "") ? -1 : 1,
      },
      { heading: "WHY", isSentence: true, cell: ({ object }) => whyOf(object) },
    ],
    nameOf: ({ crd, object }) => `${crd.metadata.name}/${object.metadata.name}`,
    labelsOf: ({ object }) => object.metadata.labels ?? {},
    document: ({ crd, object }) => documentOf(crd, object),
    footer: [`${counted(rows.length, "instance")} of ${counted(crds.length, "kind")}`],
  });
  if (rows.length > 0 || textOption(invocation, "output") !== undefined) return printed;
  const [first] = crds;
  const next = first === undefined ? "" : `; purser instances new ${first.spec.names.kind}`;
  const kinds = crds.map(({ spec }) => spec.names.kind);
  return { ...printed, human: shown(`No instances of ${kinds.join(", ") || "any kind"}${next}`) };
}

/** The definitions of a kind, else of an installation, else of all installations. */
async function definitionsOf(
  invocation: Invocation,
  client: KubeClient,
  what: string | undefined,
): Promise<Result<readonly CustomResourceDefinition[], Outcome>> {
  const all = await client.list(customResourceDefinitions);
  const installations = await readInstallations(client, undefined);
  if (what === undefined) {
    const names = new Set((await Promise.all(installations.map((one) => crdsOf(client, one)))).flat());
    return done(all.filter(({ metadata }) => names.has(metadata.name ?? "")));
  }
  const named = all.filter(({ metadata, spec }) =>
    [metadata.name, spec.names.kind, spec.names.plural, spec.names.singular, ...(spec.names.shortNames ?? [])].some(
      (name) => name?.toLowerCase() === what.toLowerCase(),
    ),
  );
  if (named.length > 0) return done(named);
  const found = findInstallation(what, installations, textOption(invocation, "namespace"));
  if (found.kind === "missing") return failed(noKind(what, all, found.near));
  const names = new Set(await crdsOf(client, found.installation));
  return done(all.filter(({ metadata }) => names.has(metadata.name ?? "")));
}

const crdsOf = async (client: KubeClient, one: Parameters<typeof observeUninstall>[1]): Promise<readonly string[]> =>
  (await observeUninstall(client, one)).apis.map(({ crd }) => crd);

function noKind(wanted: string, all: readonly CustomResourceDefinition[], near: readonly string[]): Outcome {
  const kinds = nearestNames(wanted, new Set(all.map(({ spec }) => spec.names.kind)));
  const ways = [...near, ...kinds].map((one) => [`purser instances ${one}`, "did you mean this one?"] as const);
  return {
    explanation: failure("NotFound", `"${wanted}" is neither an installation nor a kind of the cluster`, [
      ...ways,
      ["purser instances", "of all installations"],
    ]),
  };
}

const textIn = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

/** The type under which the definition's objects are read; undefined while no version is served. */
function typeOf({ spec }: CustomResourceDefinition): ResourceType | undefined {
  const served =
    spec.versions.find(({ served: isServed, storage }) => isServed && storage) ??
    spec.versions.find(({ served }) => served);
  if (served === undefined) return undefined;
  const { kind, plural } = spec.names;
  return {
    group: spec.group,
    version: served.name,
    kind,
    plural,
    namespaced: spec.scope === "Namespaced",
  } as ResourceType;
}

function readyOf(object: KubeObject): Condition | undefined {
  const { status } = object as KubeObject & { readonly status?: { readonly conditions?: readonly Condition[] } };
  const conditions = Array.isArray(status?.conditions) ? status.conditions : [];
  return findCondition(conditions, "Ready") ?? findCondition(conditions, "Available");
}

const whyOf = (object: KubeObject): string => {
  const ready = readyOf(object);
  return ready === undefined || ready.status === "True" ? "" : (ready.message ?? ready.reason ?? "");
};

function documentOf({ metadata, spec }: CustomResourceDefinition, object: KubeObject): JsonObject {
  return plainJson({
    definition: metadata.name,
    kind: spec.names.kind,
    namespace: object.metadata.namespace,
    name: object.metadata.name,
    created: object.metadata.creationTimestamp,
    ready: readyOf(object)?.status,
    why: whyOf(object),
  }) as JsonObject;
}

async function newInstance(invocation: Invocation, client: KubeClient, kind: string | undefined): Promise<Outcome> {
  if (kind === undefined) throw new UsageError("new requires a kind", "purser instances new KIND");
  const definitions = await definitionsOf(invocation, client, kind);
  if (!definitions.ok) return definitions.problem;
  const [crd] = definitions.value;
  if (crd === undefined) throw new UsageError(`${kind} has no kinds`, "purser instances");
  const examples = await examplesOf(client, crd);
  const text = textOption(invocation, "example") ?? "1";
  const example = examples[Number(text) - 1];
  if (example === undefined && text !== "1")
    throw new UsageError(`--example ${text}: the operator gives ${counted(examples.length, "example")}`);
  const type = typeOf(crd);
  const bare = {
    apiVersion: `${crd.spec.group}/${type?.version}`,
    kind: crd.spec.names.kind,
    metadata: { name: "example" },
    spec: {},
  };
  const object = example ?? bare;
  if (!flagOption(invocation, "edit")) {
    const note = example === undefined ? ["# The operator gives no example; kubectl explain lists the fields.\n"] : [];
    return {
      exitCode: exitCodes.done,
      data: object,
      human: shown(...`${note.join("")}${writeYaml(object)}`.trimEnd().split("\n")),
    };
  }
  const edited = editedYaml(invocation, writeYaml(object));
  if (edited === undefined)
    return { exitCode: exitCodes.failed, human: shown("Nothing was changed, so nothing was created.") };
  if (type === undefined) throw new UsageError(`${crd.metadata.name} serves no version`);
  const namespace = textOption(invocation, "namespace") ?? "default";
  const metadata = { ...(isJsonObject(edited["metadata"]) ? edited["metadata"] : {}) };
  const placed = {
    ...edited,
    metadata: type.namespaced && metadata["namespace"] === undefined ? { ...metadata, namespace } : metadata,
  };
  const made = await client.write(
    { verb: "create", type, object: placed as unknown as KubeObject, fieldManager: "purser-cli" },
    invocation.signal,
  );
  const name = `${crd.spec.names.kind} ${textIn(placed.metadata["name"])}`;
  if (!made.ok) return refusedWrite(`create ${name}`, made.problem, "");
  return {
    exitCode: exitCodes.done,
    data: placed,
    human: shown(`${invocation.terminal.symbol("ok")} created ${name}`),
  };
}

/** The examples of the kind in the ClusterServiceVersions that own it. */
async function examplesOf(client: KubeClient, { spec }: CustomResourceDefinition): Promise<readonly JsonObject[]> {
  const csvs = await client.list(clusterServiceVersions, { labelSelector: `!${copiedFromLabel}` });
  return csvs.flatMap(({ metadata }) => {
    const read = readYaml(metadata.annotations?.["alm-examples"] ?? "[]");
    const list = read.ok && Array.isArray(read.value) ? (read.value as readonly JsonValue[]) : [];
    return list.filter(
      (one): one is JsonObject =>
        isJsonObject(one) && one["kind"] === spec.names.kind && textIn(one["apiVersion"]).startsWith(`${spec.group}/`),
    );
  });
}

/** What was saved in the editor; undefined when the text is the same or empty. @throws UsageError without a terminal, or for a text that is no object */
function editedYaml({ terminal }: Invocation, before: string): JsonObject | undefined {
  if (!terminal.isInteractive) throw new UsageError("--edit needs a terminal", "leave out --edit to print the example");
  const editor = terminal.env["EDITOR"] ?? terminal.env["VISUAL"] ?? "vi";
  const directory = mkdtempSync(join(tmpdir(), "purser-edit-"));
  try {
    const file = join(directory, "instance.yaml");
    writeFileSync(file, before);
    const [program = "vi", ...args] = editor.split(" ");
    const { status, error } = spawnSync(program, [...args, file], { stdio: "inherit" });
    if (error !== undefined || status !== 0) throw new UsageError(`the editor "${editor}" failed`, "set EDITOR");
    const after = readFileSync(file, "utf8");
    if (after === before || after.trim() === "") return undefined;
    const read = readYaml(after);
    if (!read.ok) throw new UsageError(`the saved text is not YAML: ${read.problem.message}`);
    if (!isJsonObject(read.value)) throw new UsageError("the saved text is not an object");
    return read.value;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}
