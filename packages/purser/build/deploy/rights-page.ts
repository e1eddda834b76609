import type { Right } from "../../src/deploy/rights/right.ts";
import { rights } from "../../src/deploy/rights/rights.ts";
import type { Condition } from "../../src/deploy/conditions.ts";

const whenGranted: Readonly<Partial<Record<Condition, string>>> = {
  v0: "OLM v0",
  v1: "OLM v1",
  reviews: "PackageManifests, or metrics over TLS",
  packageApi: "PackageManifests",
  tls: "metrics over TLS",
  openshift: "OpenShift",
};

function row({ condition, group, resources, verbs, why }: Right): string {
  const shownGroup = group === "" ? "core" : group;
  const when = condition === undefined ? "always" : (whenGranted[condition] ?? condition);
  return `| ${when} | ${shownGroup} | ${resources.join(", ").replaceAll("*", "\\*")} | ${verbs.join(", ")} | ${why} |`.replace(
    "| * |",
    "| \\* |",
  );
}

const table = (chosen: readonly Right[]): string =>
  ["| when | API group | resources | verbs | purpose |", "| --- | --- | --- | --- | --- |", ...chosen.map(row)].join(
    "\n",
  );

/** The text of `docs/rights.md`. */
export const rightsPage = `# What Purser may do in a cluster

Written by \`packages/purser/build/deploy/main.ts\` from the list that also makes the Roles in \`deploy/\`; change the reasons there.
\`purser manifests\` prints the same Roles for the parts that you choose.

The ServiceAccount \`purser\` has one ClusterRole and, in its own namespace, one Role. Both hold what follows and nothing else. A test
records the requests of whole installs, upgrades and removals: it fails when a right is missing, or when one of the first two tables was not
used. Give further rights (for
objects of kinds that no bundle may hold, in ClusterObjectSets of your own) by binding another ClusterRole to the ServiceAccount.

## Every request that Purser sends

${table(rights.filter(({ scope, asked }) => scope === "cluster" && asked === "request"))}

## In its own namespace

${table(rights.filter(({ scope }) => scope === "own"))}

## What depends on the content of bundles

Requests for these kinds are sent when a bundle holds such an object, or a new version of a definition.

${table(rights.filter(({ asked }) => asked === "content"))}

## What is rarely needed

The flows of the test send none of these, or not each time: they need many versions, repeated events, or an object that somebody else
changed.

${table(rights.filter(({ asked }) => asked === "rare"))}

## What the API server checks besides

No request names these verbs; the API server asks for them when a request contains a permission or an owner.

${table(rights.filter(({ asked }) => asked === "check"))}
`;
