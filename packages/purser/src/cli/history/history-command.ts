import { type JsonValue, plainJson } from "@purser/kubernetes/json";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { readHistory } from "../../engine/history/read-history.ts";
import type { Installation } from "../../installation/installation.ts";
import type { InstallationRevision } from "../../installation/revisions.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { installationArgument, withInstallation } from "../cluster/installations.ts";
import { type CommandSpec, type Invocation, type Outcome, textOption, UsageError } from "../command.ts";
import { formatAge } from "../output/duration.ts";
import { type ListColumn, listingOptions, printListing } from "../output/listing.ts";
import { shown } from "../output/shown.ts";

export const historyCommand: CommandSpec = {
  description: [
    "A revision is an InstallPlan of OLM v0 or a ClusterObjectSet of OLM v1. Five are kept: of a ClusterExtension its own, of",
    "Subscriptions those of their namespace.",
  ].join("\n"),
  arguments: [installationArgument],
  options: [...listingOptions],
  examples: [
    ["purser history data/etcd", "its versions, newest first"],
    ["purser history ext/argocd -o json", "the same as a document"],
  ],
  run: (invocation) =>
    withInstallation(invocation, (client, installation) => history(invocation, client, installation)),
};

async function history(invocation: Invocation, client: KubeClient, installation: Installation): Promise<Outcome> {
  const { reference } = installation;
  const found = await readHistory(client, installation);
  if (found === undefined) throw withoutHistory(reference);
  const { revisions } = found;
  const printed = printListing(invocation, {
    kind: "RevisionList",
    items: revisions,
    columns: columnsAt(systemClock.now()),
    nameOf: ({ name }) => name,
    document: (one) => plainJson(one) as { readonly [field: string]: JsonValue },
    about: { installation: reference },
    footer: nextSteps(reference, revisions),
  });
  const isNamed = textOption(invocation, "output") === "name";
  return revisions.length > 0 || isNamed
    ? printed
    : { ...printed, human: shown(`No revision of ${reference} exists yet`) };
}

/** The error of commands on revisions for a ClusterServiceVersion that nothing installs. */
export function withoutHistory(reference: string): UsageError {
  return new UsageError(`${reference} has no Subscription, so no revision of it is recorded`, "purser list -A");
}

function nextSteps(reference: string, revisions: readonly InstallationRevision[]): readonly string[] {
  const former = revisions.find(({ outcome }) => outcome === "replaced");
  const current = revisions.find(({ outcome }) => outcome === "current");
  return former === undefined || current === undefined
    ? []
    : [`Next: purser diff ${reference} ${former.revision} ${current.revision}`];
}

function columnsAt(now: number): readonly ListColumn<InstallationRevision>[] {
  return [
    {
      heading: "REV",
      cell: ({ revision }) => String(revision),
      compare: (left, right) => left.revision - right.revision,
    },
    { heading: "VERSION", cell: ({ version, bundle }) => (version === "" ? bundle : version) },
    { heading: "OUTCOME", cell: ({ outcome }) => outcome },
    { heading: "WHEN", rank: 3, cell: ({ when }) => when },
    { heading: "AGE", rank: 1, cell: ({ when }) => formatAge(when, now), compare: byTime },
    {
      heading: "TOOK",
      rank: 2,
      cell: ({ tookSeconds }) => (tookSeconds === undefined ? undefined : `${tookSeconds}s`),
      compare: (left, right) => (left.tookSeconds ?? -1) - (right.tookSeconds ?? -1),
    },
    {
      heading: "APPROVED BY",
      isSentence: true,
      cell: ({ approvedBy, outcome }) =>
        approvedBy ?? (outcome === "waiting" || outcome === "withdrawn" ? undefined : "nobody was asked"),
    },
    { heading: "PLAN", rank: 4, cell: ({ plan }) => plan?.slice(0, "sha256:".length + 8) },
  ];
}

/** The newest first, as ages grow. */
function byTime(left: InstallationRevision, right: InstallationRevision): number {
  return Date.parse(right.when ?? "") - Date.parse(left.when ?? "");
}
