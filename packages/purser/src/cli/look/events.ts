import type { Event } from "@purser/kubernetes/apis/core";
import { events } from "@purser/kubernetes/apis/resources";
import { plainJson, type JsonObject } from "@purser/kubernetes/json";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import { counted } from "../../explanation/summary.ts";
import { reservedGroups } from "../../apis/reserved-groups.ts";
import { connect } from "../cluster/connect.ts";
import { findInstallation, noInstallation, readInstallations } from "../cluster/installations.ts";
import { type CommandSpec, flagOption, type Invocation, type Outcome, textOption } from "../command.ts";
import { formatAge, parseDuration } from "../output/duration.ts";
import { type Listing, type ListColumn, listingOptions, printListing } from "../output/listing.ts";
import { shown } from "../output/shown.ts";
import type { Terminal } from "../output/terminal.ts";
import { type NamedObject, objectsOf } from "./installation-objects.ts";

export const eventsCommand: CommandSpec = {
  arguments: [
    { name: "installation", summary: "name, package, sub/NAMESPACE/NAME or ext/NAME (default: all installations)" },
  ],
  options: [
    { flags: "--since DURATION", summary: "only newer events, such as 1h (the API server keeps most for an hour)" },
    { flags: "-w, --watch", summary: "print new events until Ctrl-C; json and yaml: one document each" },
    ...listingOptions,
  ],
  examples: [
    ["purser events data/etcd --since 10m", "events of the last 10 minutes"],
    ["purser events -w", "all installations, as it happens"],
  ],
  async run(invocation) {
    const connection = connect(invocation);
    try {
      const { client } = connection;
      const [name] = invocation.arguments;
      if (name === undefined) return await report(invocation, client, undefined);
      const all = await readInstallations(client, undefined);
      const found = findInstallation(name, all, textOption(invocation, "namespace"));
      if (found.kind === "missing") return noInstallation(name, found.near);
      return await report(invocation, client, await objectsOf(client, found.installation));
    } finally {
      connection.close();
    }
  },
};

/** How often `--watch` looks, in milliseconds. */
const lookEveryMs = 1000;

async function report(
  invocation: Invocation,
  client: KubeClient,
  objects: readonly NamedObject[] | undefined,
): Promise<Outcome> {
  const namespace = flagOption(invocation, "all-namespaces") ? undefined : textOption(invocation, "namespace");
  const since = textOption(invocation, "since");
  const first = since === undefined ? 0 : systemClock.now() - parseDuration(since, "--since");
  const look = async (): Promise<readonly Event[]> =>
    (await client.list(events, namespace === undefined ? {} : { namespace }))
      .filter((event) => concerns(event, objects) && Date.parse(timeOf(event)) >= first)
      .toSorted((left, right) => (timeOf(left) < timeOf(right) ? -1 : 1));
  if (!flagOption(invocation, "watch")) {
    const found = await look();
    const printed = printListing(invocation, listing(invocation, found));
    const isPlain = textOption(invocation, "output") === undefined;
    return found.length === 0 && isPlain
      ? { ...printed, human: shown("No events; the API server keeps them for an hour") }
      : printed;
  }
  const seen = new Map<string, string>();
  for (let withHeadings = true; ; withHeadings = false) {
    const fresh = (await look()).filter(({ metadata }) => seen.get(metadata.uid ?? "") !== metadata.resourceVersion);
    for (const { metadata } of fresh) seen.set(metadata.uid ?? "", metadata.resourceVersion ?? "");
    if (fresh.length > 0) printFresh(invocation, fresh, withHeadings);
    await systemClock.sleep(lookEveryMs, invocation.signal);
  }
}

function printFresh(invocation: Invocation, fresh: readonly Event[], withHeadings: boolean): void {
  const { terminal } = invocation;
  const output = textOption(invocation, "output");
  if (output === "json") for (const event of fresh) terminal.write(`${JSON.stringify(documentOf(event))}\n`);
  else if (output === "yaml") for (const event of fresh) terminal.write(`---\n${writeYaml(documentOf(event))}`);
  else {
    const options = withHeadings ? invocation.options : { ...invocation.options, headers: false };
    const { human } = printListing({ ...invocation, options }, { ...listing(invocation, fresh), footer: [] });
    if (human !== undefined) terminal.show(human);
  }
}

/** Whether the event is about one of the objects or a pod of one; without objects, about a kind of OLM or Purser. */
function concerns({ involvedObject: about }: Event, objects: readonly NamedObject[] | undefined): boolean {
  const { kind = "", name = "", namespace = "", apiVersion = "" } = about;
  if (objects === undefined) return reservedGroups.some((group) => apiVersion.startsWith(`${group}/`));
  return objects.some((one) => {
    if ((one.namespace ?? "") !== namespace)
      return one.namespace === undefined && one.kind === kind && one.name === name;
    if (one.kind === kind) return one.name === name;
    // Pods and ReplicaSets begin with the name of their Deployment.
    return one.kind === "Deployment" && (kind === "Pod" || kind === "ReplicaSet") && name.startsWith(`${one.name}-`);
  });
}

/** When it was last seen, RFC 3339. */
const timeOf = ({ lastTimestamp, series, eventTime, firstTimestamp, metadata }: Event): string =>
  lastTimestamp ?? series?.lastObservedTime ?? eventTime ?? firstTimestamp ?? metadata.creationTimestamp ?? "";

const listing = ({ terminal }: Invocation, found: readonly Event[]): Listing<Event> => ({
  kind: "EventList",
  items: found,
  columns: columns(terminal, systemClock.now()),
  nameOf: ({ metadata }) => `event/${metadata.namespace}/${metadata.name}`,
  document: (event) => documentOf(event),
  footer: found.length === 0 ? [] : [counted(found.length, "event")],
});

function columns(terminal: Terminal, now: number): readonly ListColumn<Event>[] {
  return [
    {
      heading: "SEEN",
      cell: (event) => formatAge(timeOf(event), now),
      compare: (left, right) => (timeOf(left) < timeOf(right) ? -1 : 1),
    },
    {
      heading: "TYPE",
      rank: 2,
      cell: ({ type = "" }) => (type === "Warning" ? terminal.paint("attention", type) : type),
    },
    { heading: "REASON", rank: 1, cell: ({ reason }) => reason },
    { heading: "NAMESPACE", rank: 3, cell: ({ involvedObject: about }) => about.namespace },
    { heading: "OBJECT", cell: ({ involvedObject: about }) => objectWords(about) },
    { heading: "MESSAGE", isSentence: true, cell: ({ message = "" }) => message.trim().replaceAll(/\s+/g, " ") },
  ];
}

const objectWords = ({ kind = "", name = "" }: Event["involvedObject"]): string =>
  `${shortKinds[kind] ?? kind.toLowerCase()}/${name}`;

/** As references name them. */
const shortKinds: Readonly<Record<string, string>> = {
  ClusterServiceVersion: "csv",
  Subscription: "sub",
  ClusterExtension: "ext",
  ClusterCatalog: "cc",
};

function documentOf(event: Event): JsonObject {
  const { involvedObject, type, reason, message, count, series } = event;
  return plainJson({
    time: timeOf(event),
    type,
    reason,
    object: { kind: involvedObject.kind, namespace: involvedObject.namespace, name: involvedObject.name },
    message,
    count: series?.count ?? count ?? 1,
  }) as JsonObject;
}
