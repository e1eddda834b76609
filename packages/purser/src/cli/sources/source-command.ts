import type { ResourceType } from "@purser/kubernetes/apis/resource-type";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { type JsonObject, plainJson } from "@purser/kubernetes/json";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { catalogSources, clusterCatalogs } from "../../apis/olm-resources.ts";
import { globalNamespace } from "../../apis/own-namespaces.ts";
import { counted } from "../../explanation/summary.ts";
import { parseImageReference } from "../../image-reference.ts";
import { connect } from "../cluster/connect.ts";
import { isNamespaceMissing } from "../cluster/missing-namespace.ts";
import { readInstallations } from "../cluster/installations.ts";
import {
  type CommandFamily,
  flagOption,
  type Invocation,
  type Outcome,
  type SubcommandSpec,
  textOption,
  UsageError,
} from "../command.ts";
import { confirm, notConfirmed } from "../confirm.ts";
import { exitCodes } from "../exit-code.ts";
import { failure } from "../failure.ts";
import { formatAge } from "../output/duration.ts";
import { listingOptions, printListing, selectorOption } from "../output/listing.ts";
import { shown } from "../output/shown.ts";
import type { Meaning } from "../output/terminal.ts";
import { refusedWrite } from "../report-refusal.ts";
import { waits } from "../wait-for.ts";
import { settledSource } from "./settled-source.ts";
import { labelChanges } from "../settings/label-flags.ts";
import { labelOption } from "./source-fields.ts";
import { sourceArgument, withRow, withRows } from "./named-source.ts";
import { sourceDiffCommand } from "./source-diff.ts";
import { sourceRefreshCommand } from "./source-refresh.ts";
import { sourceRemoveCommand } from "./source-remove.ts";
import type { SourceRow } from "./source-row.ts";
import { sourceSetCommand } from "./source-set.ts";

const list: SubcommandSpec = {
  name: "list",
  summary: "List the catalogs of both families, with the age of their content",
  options: [selectorOption, ...listingOptions],
  examples: [
    ["purser source list", "all catalogs of the cluster"],
    ["purser source list -l tier=own", "those with a label"],
  ],
  run: (invocation) =>
    withRows(invocation, (rows) => {
      const now = systemClock.now();
      const { terminal } = invocation;
      const printed = printListing(invocation, {
        kind: "SourceList",
        items: rows,
        columns: [
          { heading: "SOURCE", cell: ({ reference }) => reference },
          { heading: "API", rank: 4, cell: ({ api }) => api },
          { heading: "PACKAGES", rank: 2, cell: ({ packages }) => packages?.toString() },
          { heading: "BUNDLES", rank: 3, cell: ({ bundles }) => bundles?.toString() },
          { heading: "STATE", cell: ({ state }) => terminal.paint(meanings[state], state) },
          { heading: "READ", rank: 1, cell: ({ checked }) => formatAge(checked, now) },
          { heading: "NOTE", isSentence: true, cell: ({ note }) => note },
        ],
        nameOf: ({ reference }) => reference,
        document: (row) => plainJson(row) as JsonObject,
        labelsOf: ({ labels = {} }) => labels,
        footer: [counted(rows.length, "source")],
      });
      const isPlain = rows.length === 0 && textOption(invocation, "output") === undefined;
      return isPlain ? { ...printed, human: shown("No catalogs exist; purser source add NAME IMAGE") } : printed;
    }),
};

const meanings: Readonly<Record<SourceRow["state"], Meaning>> = {
  ok: "good",
  stale: "attention",
  failing: "bad",
  reading: "link",
  off: "detail",
};

const show: SubcommandSpec = {
  name: "show",
  summary: "Show a catalog: its source, the age of its content, and what is installed from it",
  arguments: [sourceArgument],
  examples: [["purser source show olm/community", "one of them"]],
  run: (invocation) =>
    withRow(invocation, async (row, { client, world }) => {
      const installed = client === undefined ? [] : await readInstallations(client, undefined);
      const fed = installed.filter(
        ({ api, namespace, name }) =>
          api === row.api &&
          (row.api === "v0"
            ? world.snapshot.subscriptions.some(
                ({ metadata, spec }) =>
                  metadata.namespace === namespace &&
                  metadata.name === name &&
                  spec.source === row.name &&
                  spec.sourceNamespace === row.namespace,
              )
            : true),
      );
      const lines: readonly (readonly [string, string])[] = [
        ["content", row.from],
        ["state", row.note === "" ? row.state : `${row.state}: ${row.note}`],
        [
          "read",
          row.checked === undefined ? "not yet" : `${formatAge(row.checked, systemClock.now())} ago (${row.checked})`,
        ],
        [
          "holds",
          row.packages === undefined
            ? "unknown on this machine"
            : `${counted(row.packages, "package")}, ${counted(row.bundles ?? 0, "bundle")}`,
        ],
        ["digest", row.digest ?? "-"],
        ["priority", String(row.priority)],
        ["feeds", fed.length === 0 ? "no installation" : fed.map(({ reference }) => reference).join(", ")],
      ];
      return {
        exitCode: exitCodes.done,
        data: {
          apiVersion: "purser.dev/v1alpha1",
          kind: "Source",
          ...(plainJson(row) as JsonObject),
          feeds: fed.map(({ reference }) => reference),
        },
        human: shown(row.reference, ...lines.map(([title, text]) => `  ${title.padEnd(9)} ${text}`)),
      };
    }),
};

const add: SubcommandSpec = {
  name: "add",
  summary: "Add a catalog image, as a CatalogSource for all namespaces or as a ClusterCatalog",
  arguments: [
    { name: "name", summary: "namespace of the new object", required: true },
    { name: "image", summary: "such as quay.io/org/catalog:v1", required: true },
  ],
  options: [
    { flags: "--as-clustercatalog", summary: "create a ClusterCatalog (v1) instead of a CatalogSource (v0)" },
    { flags: "--priority N", summary: "priority; the highest is preferred when several catalogs offer a package" },
    { flags: "--poll DURATION", summary: "time between two looks at the tag (default 10m; never for a digest)" },
    labelOption,
    { flags: "--unavailable", summary: "v1: create it with availabilityMode Unavailable" },
    { flags: "--dry-run", summary: "print the object, write nothing" },
  ],
  examples: [
    ["purser source add community quay.io/operatorhubio/catalog:latest", "for Subscriptions of all namespaces"],
    ["purser source add community quay.io/operatorhubio/catalog:latest --as-clustercatalog", "for ClusterExtensions"],
  ],
  run: addSource,
};

async function addSource(invocation: Invocation): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const [name = "", image = ""] = invocation.arguments;
  const reference = parseImageReference(image);
  if (!reference.ok) throw new UsageError(`"${image}" is not an image`, "write it as HOST/REPOSITORY:TAG");
  const priorityText = textOption(invocation, "priority") ?? "0";
  if (!/^-?\d+$/.test(priorityText)) throw new UsageError(`--priority "${priorityText}" is not a number`);
  const priority = Number(priorityText);
  const isCatalog = flagOption(invocation, "as-clustercatalog");
  const isOff = flagOption(invocation, "unavailable");
  if (isOff && !isCatalog) throw new UsageError("--unavailable is for a ClusterCatalog", "add --as-clustercatalog");
  const labels = newLabels(invocation);
  const poll = textOption(invocation, "poll") ?? "10m";
  const [, minutes] = /^(\d+)m$/.exec(poll) ?? [];
  if (minutes === undefined || minutes === "0")
    throw new UsageError(`--poll "${poll}" is not a number of minutes`, "write it as 10m");
  const isPinned = image.includes("@");
  const namespace = textOption(invocation, "namespace") ?? globalNamespace;
  const object: KubeObject = isCatalog
    ? ({
        apiVersion: "olm.operatorframework.io/v1",
        kind: "ClusterCatalog",
        metadata: { name, ...labels },
        spec: {
          priority,
          ...(isOff ? { availabilityMode: "Unavailable" } : {}),
          source: {
            type: "Image",
            image: { ref: image, ...(isPinned ? {} : { pollIntervalMinutes: Number(minutes) }) },
          },
        },
      } as KubeObject)
    : ({
        apiVersion: "operators.coreos.com/v1alpha1",
        kind: "CatalogSource",
        metadata: { name, namespace, ...labels },
        spec: {
          sourceType: "grpc",
          image,
          priority,
          ...(isPinned ? {} : { updateStrategy: { registryPoll: { interval: poll } } }),
        },
      } as KubeObject);
  const type: ResourceType = isCatalog ? clusterCatalogs : catalogSources;
  const where = isCatalog ? `cc/${name}` : `${namespace}/${name}`;
  const data = plainJson(object);
  if (flagOption(invocation, "dry-run"))
    return { exitCode: exitCodes.done, data, human: shown(`Would create ${object.kind} ${where} with ${image}`) };
  const connection = connect(invocation);
  try {
    const { client } = connection;
    if (!isCatalog && (await isNamespaceMissing(client, namespace)))
      throw new UsageError(`there is no namespace "${namespace}"`, "name another one with -n");
    terminal.err(`Create ${object.kind} ${where} with ${image}`);
    if (!(await confirm(invocation, "Continue?"))) return notConfirmed("written");
    const made = await client.write({ verb: "create", type, object, fieldManager: "purser-cli" }, signal);
    if (!made.ok && made.problem.kind === "alreadyExists")
      return {
        explanation: failure("AlreadyExists", `${object.kind} ${where} exists already; nothing was written`, [
          [`purser source show ${where}`, "look at it"],
          [`purser source remove ${where}`, "remove it first", "objects"],
        ]),
      };
    if (!made.ok) return refusedWrite(`create ${object.kind} ${where}`, made.problem, where);
    if (isCatalog && waits(invocation)) return await settledSource(invocation, client, name);
    return {
      exitCode: exitCodes.done,
      data,
      human: shown(`${terminal.symbol("ok")} added ${where}; purser source show ${where}`),
    };
  } finally {
    connection.close();
  }
}

/** The labels of a new object. @throws UsageError */
function newLabels(invocation: Invocation): { readonly labels?: JsonObject } {
  const labels = labelChanges(invocation);
  const removed = Object.keys(labels).find((label) => labels[label] === null);
  if (removed !== undefined)
    throw new UsageError(`a new catalog has no label "${removed}" to remove`, "write KEY=VALUE");
  return Object.keys(labels).length === 0 ? {} : { labels };
}

export const sourceCommand: CommandFamily = {
  members: [list, show, add, sourceSetCommand, sourceRefreshCommand, sourceDiffCommand, sourceRemoveCommand],
};
