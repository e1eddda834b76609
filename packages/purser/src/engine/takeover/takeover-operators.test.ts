import assert from "node:assert/strict";
import { isDeepStrictEqual } from "node:util";
import { after, before, test } from "node:test";
import { deployments, secrets } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, operatorGroups, subscriptions } from "../../apis/olm-resources.ts";
import { improved } from "../../compat.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { JsonObject } from "@purser/kubernetes/json";
import { written } from "@purser/kubernetes/kube/refusal";
import { serverContainer, webhookOperator } from "../testing/server-operator.ts";
import { World } from "../testing/world.ts";
import { observeTakeover } from "./observe-takeover.ts";
import { takeoverFindings } from "./plan/takeover-findings.ts";

let world: World;
const namespace = "served";
const key = { namespace, name: "checks.v1" };

/** What would differ if the engine started now, orphans and its own Lease left out. */
async function found(now = systemClock.now()): Promise<readonly string[]> {
  const options = { client: world.client, compat: improved, families: ["v0", "v1"], globalNamespace: "olm" } as const;
  const findings = takeoverFindings(await observeTakeover(options, new AbortController().signal), now);
  return findings
    .filter(({ code }) => code !== "OrphanedOperator")
    .map(({ code, severity, object, summary }) => `${severity} ${code} ${object} ${summary}`);
}

const csvText = `ClusterServiceVersion ${namespace}/${key.name}`;
const deployment = { namespace, name: "server" };
const year = 365 * 24 * 3600_000;

before(async () => {
  world = await World.open();
  await world.tenant(namespace);
  await world.create(clusterServiceVersions, webhookOperator(namespace, key.name));
  await world.reaches(clusterServiceVersions, key, "Succeeded", ({ status }) => status?.phase === "Succeeded");
  await world.settled();
});
after(() => world.stop());

interface Fault {
  readonly what: string;
  readonly fault: () => Promise<unknown>;
  readonly findings: readonly string[];
  /** Whether the engine then restarts the pods. */
  readonly rollsOut: boolean;
}

/** What a restart of the pods changes. */
async function podsOf(): Promise<unknown> {
  const live = await world.client.get(deployments, deployment);
  return live === undefined ? undefined : { uid: live.metadata.uid, template: live.spec?.template };
}
/** A change by another field manager. */
const edit = async (patch: JsonObject): Promise<unknown> =>
  written(
    await world.client.write(
      { verb: "patch", type: deployments, key: deployment, patchType: "merge", patch, fieldManager: "kubectl-edit" },
      new AbortController().signal,
    ),
  );
const relabelled = (value: string): Promise<void> =>
  world.merge(deployments, deployment, { metadata: { labels: { "olm.deployment-spec-hash": value } } });

const faults: readonly Fault[] = [
  { what: "as OLM left it", fault: () => Promise.resolve(), findings: [], rollsOut: false },
  {
    what: "the hash of another configuration",
    fault: () => relabelled("old"),
    findings: [
      `note OperatorInstalledAnew ${csvText} is installed again, without a restart of pods (ComponentUnhealthy: installing: deployment changed old hash=old, new hash=HASH)`,
    ],
    rollsOut: false,
  },
  {
    what: "an annotation on the pods beside it",
    fault: async () => {
      await relabelled("old");
      await world.merge(deployments, deployment, {
        spec: { template: { metadata: { annotations: { "kubectl.kubernetes.io/restartedAt": "x" } } } },
      });
    },
    findings: [
      `change OperatorRollsOut ${csvText} rolls out Deployment served/server (ComponentUnhealthy: installing: deployment changed old hash=old, new hash=HASH)`,
    ],
    rollsOut: true,
  },
  {
    what: "another image",
    fault: async () => {
      await edit({ spec: { template: { spec: { containers: [{ ...serverContainer, image: "other" }] } } } });
      // The first pass only sets it; what follows is reported all the same.
      await world.merge(clusterServiceVersions, key, { metadata: { finalizers: null } });
    },
    findings: [
      `change OperatorRollsOut ${csvText} rolls out Deployment served/server (ComponentUnhealthy: installing: deployment server was edited: spec.template.spec.containers[name=server].image differs from the CSV)`,
    ],
    rollsOut: true,
  },
  {
    what: "a certificate that is lost",
    fault: () => world.remove(secrets, { namespace, name: "server-service-cert" }),
    findings: [
      `change CertificateRenewed ${csvText} gets new serving certificates, so that its Deployments roll out (NeedsCertRotation: CSV owns resources that require a cert refresh)`,
    ],
    rollsOut: true,
  },
  {
    what: "a lost Deployment",
    fault: () => world.remove(deployments, deployment),
    findings: [
      `change OperatorRollsOut ${csvText} rolls out Deployment served/server (ComponentUnhealthy: installing: missing deployment with name=server)`,
    ],
    rollsOut: true,
  },
  {
    what: "a lost OperatorGroup",
    fault: () => world.remove(operatorGroups, { namespace, name: "group" }),
    findings: [
      `change OperatorChangesPhase ${csvText} moves to phase Failed (NoOperatorGroup: csv in namespace with no operatorgroups)`,
    ],
    rollsOut: false,
  },
  {
    what: "an installation under way",
    fault: () => world.mergeStatus(clusterServiceVersions, key, { phase: "Pending", message: "waits" }),
    findings: [`note OperatorNotAtRest ${csvText} is in phase Pending: waits; its installation continues`],
    rollsOut: false,
  },
  {
    what: "a configuration of a Subscription that does not record its installed CSV yet",
    fault: async () => {
      await world.subscribe(namespace, "checks", { config: { env: [{ name: "COLOUR", value: "blue" }] } });
      const lastUpdated = "2026-01-01T00:00:00Z";
      await world.mergeStatus(subscriptions, { namespace, name: "checks" }, { currentCSV: key.name, lastUpdated });
    },
    findings: [
      `change OperatorRollsOut ${csvText} rolls out Deployment served/server (ComponentUnhealthy: installing: deployment changed old hash=HASH, new hash=HASH)`,
    ],
    rollsOut: true,
  },
];

for (const { what, fault, findings, rollsOut } of faults)
  test(`${what}: ${rollsOut ? "the pods are restarted, as reported" : "no pod is restarted"}`, async () => {
    let before: unknown;
    await world.restartEngine(async () => {
      before = await podsOf();
      await fault();
      const seen = (await found()).map((line) =>
        line.replace(/new hash=\w+/, "new hash=HASH").replace(/old hash=\w{10,}/, "old hash=HASH"),
      );
      assert.deepEqual(seen, findings);
      before = (await podsOf()) ?? before;
    });
    if (what === "a lost OperatorGroup") await world.group(namespace, "group", { targetNamespaces: [namespace] });
    await world.settled();
    await world.reaches(clusterServiceVersions, key, "Succeeded", ({ status }) => status?.phase === "Succeeded");
    if (rollsOut) await world.until("a roll-out", async () => !isDeepStrictEqual(await podsOf(), before));
    await world.settled();
    const equal = isDeepStrictEqual(await podsOf(), before);
    assert.equal(equal, !rollsOut);
  });

test("certificates that have expired by then are reported", async () => {
  await world.restartEngine(async () => {
    assert.deepEqual(await found(systemClock.now() + 2 * year), [
      `change CertificateRenewed ${csvText} gets new serving certificates, so that its Deployments roll out (NeedsCertRotation: CSV owns resources that require a cert refresh)`,
    ]);
  });
});
