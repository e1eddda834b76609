import assert from "node:assert/strict";
import { findCondition } from "@purser/kubernetes/apis/condition";
import { asJson } from "@purser/kubernetes/apis/object";
import {
  apiServices,
  clusterRoles,
  customResourceDefinitions,
  deployments,
  namespaces,
  secrets,
  validatingWebhookConfigurations,
} from "@purser/kubernetes/apis/resources";
import {
  clusterCatalogs,
  clusterExtensions,
  clusterServiceVersions,
  installPlans,
  subscriptions,
} from "../src/apis/olm-resources.ts";
import type { Driver } from "./driver.ts";
import { eventually } from "./eventually.ts";
import {
  namespace,
  operatorGroup,
  subscription,
  extension,
  csvSucceeded,
  csvGone,
  waitingPlan,
  extensionAt,
  extensionSays,
  removeSubscription,
} from "./flow-steps.ts";

/** A user flow that must work on any cluster: actions and their expected results. */
export interface Flow {
  readonly name: string;
  /** The objects that the flow creates, so that they can be removed. */
  readonly namespaces: readonly string[];
  readonly extensions?: readonly string[];
  readonly crds?: readonly string[];
  /** Directories of the catalogs that it needs beside the community's, by name; "none": it needs no catalog at all. */
  readonly catalogs?: Readonly<Record<string, string>> | "none";
  readonly run: (driver: Driver) => Promise<void>;
}

/** The steps from the first plan to the head, each approved by hand. */
const manualUpgrade: Flow = {
  name: "v0: kube-green goes from 0.5.2 to 0.7.1 one approved plan at a time",
  namespaces: ["community-operators"],
  crds: ["sleepinfos.kube-green.com"],
  async run(driver) {
    const where = "community-operators";
    const spec = { channel: "alpha", startingCSV: "kube-green.v0.5.2", installPlanApproval: "Manual" };
    await driver.apply(namespace(where) + operatorGroup(where) + subscription(where, "kube-green", spec));
    let before: string | undefined;
    for (const version of ["0.5.2", "0.6.0", "0.7.0", "0.7.1"]) {
      const csv = `kube-green.v${version}`;
      const plan = await waitingPlan(driver, where, "kube-green", csv);
      await driver.merge(installPlans, { namespace: where, name: plan }, { spec: { approved: true } });
      await csvSucceeded(driver, where, csv);
      if (before !== undefined) await csvGone(driver, where, before);
      before = csv;
    }
    const deployment = await driver.get(deployments, { namespace: where, name: "kube-green-controller-manager" });
    assert.equal(deployment?.status?.availableReplicas, 1);
    const certificate = await driver.get(secrets, {
      namespace: where,
      name: "kube-green-controller-manager-service-cert",
    });
    assert.deepEqual(Object.keys(certificate?.data ?? {}).sort(), ["olmCAKey", "tls.crt", "tls.key"]);
    const hooks = (await driver.list(validatingWebhookConfigurations)).filter(
      ({ metadata }) => metadata.labels?.["olm.owner"] === "kube-green.v0.7.1",
    );
    assert.equal(hooks.length, 1, "one webhook configuration belongs to the new CSV");
    const complete = (await driver.list(installPlans, where)).map((plan) => plan.status?.phase);
    assert.deepEqual(complete, ["Complete", "Complete", "Complete", "Complete"]);
    await removeSubscription(driver, where);
    const owned = (await driver.list(clusterRoles)).filter(
      ({ metadata }) => metadata.labels?.["olm.owner"]?.startsWith("kube-green") === true,
    );
    assert.deepEqual(
      owned.map(({ metadata }) => metadata.name),
      [],
      "no cluster role of the operator is left",
    );
  },
};

const automaticUpgrade: Flow = {
  name: "v0: with Automatic approval kube-green reaches the head by itself",
  namespaces: ["community-operators"],
  crds: ["sleepinfos.kube-green.com"],
  async run(driver) {
    const where = "community-operators";
    await driver.apply(
      namespace(where) +
        operatorGroup(where) +
        subscription(where, "kube-green", { channel: "alpha", startingCSV: "kube-green.v0.5.2" }),
    );
    await csvSucceeded(driver, where, "kube-green.v0.7.1");
    await eventually("the Subscription is at the latest known version", async () => {
      const status = (await driver.get(subscriptions, { namespace: where, name: "kube-green" }))?.status;
      return status?.state === "AtLatestKnown" && status.installedCSV === "kube-green.v0.7.1"
        ? undefined
        : `it is ${status?.state} at ${status?.installedCSV}`;
    });
    await csvGone(driver, where, "kube-green.v0.7.0");
    await removeSubscription(driver, where);
  },
};

const missingBundle: Flow = {
  name: "v0: a bundle that is not there is refused with BundleUnavailable and what to do",
  namespaces: ["missing-bundle"],
  async run(driver) {
    const where = "missing-bundle";
    await driver.apply(
      namespace(where) +
        operatorGroup(where) +
        subscription(where, "kube-green", { channel: "alpha", startingCSV: "kube-green.v0.5.1" }),
    );
    await eventually("the Subscription says BundleUnavailable", async () => {
      const conditions =
        (await driver.get(subscriptions, { namespace: where, name: "kube-green" }))?.status?.conditions ?? [];
      const said =
        conditions.find(({ type, status }) => type === "BundleUnpackFailed" && status === "True")?.message ?? "";
      return /BundleUnavailable: kube-green\.v0\.5\.1: .*; /.test(said)
        ? undefined
        : `it says ${JSON.stringify(conditions)}`;
    });
    assert.deepEqual(await driver.list(installPlans, where), []);
  },
};

const dependency: Flow = {
  name: "v0: the messaging topology operator brings in the cluster operator",
  namespaces: ["rabbit"],
  crds: [],
  async run(driver) {
    const where = "rabbit";
    await driver.apply(
      namespace(where) +
        operatorGroup(where) +
        subscription(where, "rabbitmq-messaging-topology-operator", {
          channel: "stable",
          installPlanApproval: "Manual",
        }),
    );
    const plan = await waitingPlan(
      driver,
      where,
      "rabbitmq-messaging-topology-operator",
      "rabbitmq-messaging-topology-operator.v1.19.3",
    );
    await driver.merge(installPlans, { namespace: where, name: plan }, { spec: { approved: true } });
    await csvSucceeded(driver, where, "rabbitmq-messaging-topology-operator.v1.19.3");
    await csvSucceeded(driver, where, "rabbitmq-cluster-operator.v2.22.3");
    const names = (await driver.list(subscriptions, where)).map(({ spec }) => spec.name).sort();
    assert.deepEqual(names, ["rabbitmq-cluster-operator", "rabbitmq-messaging-topology-operator"]);
    await removeSubscription(driver, where);
  },
};

const extensionUpgrade: Flow = {
  name: "v1: kube-green is installed at 0.5.2, follows a widened range edge by edge, keeps what it has when a range matches nothing, and leaves nothing behind",
  namespaces: ["community-operators"],
  extensions: ["kube-green"],
  crds: ["sleepinfos.kube-green.com"],
  async run(driver) {
    const where = "community-operators";
    await driver.apply(namespace(where) + extension("kube-green", where, { version: "0.5.x" }));
    await extensionAt(driver, "kube-green", "0.5.2");
    const range = (version: string): Promise<void> =>
      driver.merge(clusterExtensions, { name: "kube-green" }, { spec: { source: { catalog: { version } } } });
    await range(">=0.5.0");
    await extensionAt(driver, "kube-green", "0.7.1");
    await range(">=9.0.0");
    await extensionSays(driver, "kube-green", /^NoVersionInRange: /);
    assert.equal(
      (await driver.get(clusterExtensions, { name: "kube-green" }))?.status?.install?.bundle.version,
      "0.7.1",
    );
    const [hook] = (await driver.list(validatingWebhookConfigurations)).filter(
      ({ metadata }) => metadata.labels?.["olm.operatorframework.io/owner-name"] === "kube-green",
    );
    assert.notEqual(
      hook?.webhooks?.[0]?.clientConfig?.caBundle ?? "",
      "",
      "the webhook trusts the certificate that was issued for it",
    );
    await driver.remove(clusterExtensions, { name: "kube-green" });
    await eventually("its objects are gone", async () => {
      if ((await driver.get(clusterExtensions, { name: "kube-green" })) !== undefined)
        return "the extension is still there";
      if ((await driver.get(deployments, { namespace: where, name: "kube-green-controller-manager" })) !== undefined)
        return "the Deployment is still there";
      return (await driver.get(customResourceDefinitions, { name: "sleepinfos.kube-green.com" })) === undefined
        ? undefined
        : "the CRD is still there";
    });
  },
};

const refusedDependency: Flow = {
  name: "v1: an extension whose dependencies are missing is refused with DependencyMissing",
  namespaces: ["refused"],
  extensions: ["rabbitmq-messaging-topology-operator"],
  async run(driver) {
    await driver.apply(namespace("refused") + extension("rabbitmq-messaging-topology-operator", "refused", {}));
    await extensionSays(driver, "rabbitmq-messaging-topology-operator", /^DependencyMissing: /);
    assert.equal(
      findCondition(
        (await driver.get(clusterExtensions, { name: "rabbitmq-messaging-topology-operator" }))?.status?.conditions,
        "Installed",
      )?.status,
      "False",
    );
  },
};

const ownedElsewhere: Flow = {
  name: "v1: kube-green over a CRD that v0 left behind ends in ObjectOwnedElsewhere with its remedy",
  namespaces: ["community-operators"],
  extensions: ["kube-green"],
  crds: ["sleepinfos.kube-green.com"],
  async run(driver) {
    const where = "community-operators";
    await driver.apply(
      namespace(where) + operatorGroup(where) + subscription(where, "kube-green", { channel: "alpha" }),
    );
    await csvSucceeded(driver, where, "kube-green.v0.7.1");
    await removeSubscription(driver, where);
    await driver.apply(extension("kube-green", where, { version: "0.7.1" }));
    await extensionSays(driver, "kube-green", /ObjectOwnedElsewhere/);
    assert.equal((await driver.get(clusterExtensions, { name: "kube-green" }))?.status?.install, undefined);
  },
};

const catalogUrl: Flow = {
  name: "v1: every ClusterCatalog names a URL that answers with its packages",
  namespaces: [],
  async run(driver) {
    const catalogs = await driver.list(clusterCatalogs);
    assert.ok(catalogs.length > 0, "there is a catalog");
    for (const { metadata } of catalogs) {
      const name = metadata.name ?? "";
      await eventually(`the URL of ${name} answers`, async () => {
        const base = (await driver.get(clusterCatalogs, { name }))?.status?.urls?.base;
        if (base === undefined) return "its status names no URL";
        assert.ok(base.endsWith(`/catalogs/${name}`), base);
        const answer = await fetch(`${base}/api/v1/metas?schema=olm.package`);
        const text = await answer.text();
        return answer.status === 200 && text.includes('"defaultChannel"') ? undefined : `${answer.status}: ${text}`;
      });
    }
  },
};

/** A ClusterServiceVersion of one Deployment whose pods serve nothing. */
const silentOperator = (where: string, name: string, spec: Readonly<Record<string, unknown>>): string => {
  const template = {
    metadata: { labels: { app: name } },
    spec: { containers: [{ name: "c", image: "none.example/c:1" }] },
  };
  const deployment = { name: "server", spec: { selector: { matchLabels: { app: name } }, template } };
  return `---\n${JSON.stringify({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { name, namespace: where },
    spec: {
      displayName: name,
      install: { strategy: "deployment", spec: { deployments: [deployment] } },
      installModes: [{ type: "AllNamespaces", supported: true }],
      ...spec,
    },
  })}\n`;
};

const deadApi: Flow = {
  name: "v0: a namespace ends although nobody serves the API that its operator owns",
  namespaces: ["dead-api"],
  catalogs: "none",
  async run(driver) {
    const where = "dead-api";
    const owned = [
      { name: "things", group: "dead-api.example", version: "v1", kind: "Thing", deploymentName: "server" },
    ];
    await driver.apply(
      namespace(where) +
        operatorGroup(where) +
        silentOperator(where, "silent.v1", { apiservicedefinitions: { owned } }),
    );
    await eventually("the operator waits for its API", async () => {
      const status = (await driver.get(clusterServiceVersions, { namespace: where, name: "silent.v1" }))?.status;
      return status?.message === "apiServices not installed" ? undefined : `it is ${status?.phase}: ${status?.message}`;
    });
    assert.ok((await driver.get(apiServices, { name: "v1.dead-api.example" })) !== undefined);
    await driver.remove(namespaces, { name: where });
    await eventually("the namespace is gone", async () => {
      const left = await driver.get(namespaces, { name: where });
      return left === undefined ? undefined : JSON.stringify(asJson(left)["status"]);
    });
    assert.equal(await driver.get(apiServices, { name: "v1.dead-api.example" }), undefined);
  },
};

const reservedApi: Flow = {
  name: "v0: a ClusterServiceVersion that owns an API of the lifecycle manager is refused on admission",
  namespaces: ["reserved"],
  catalogs: "none",
  async run(driver) {
    const where = "reserved";
    const owned = [{ name: "subscriptions.operators.coreos.com", version: "v1alpha1", kind: "Subscription" }];
    const csv = silentOperator(where, "greedy.v1", { customresourcedefinitions: { owned } });
    await driver.apply(namespace(where));
    await assert.rejects(
      driver.apply(csv),
      /it owns CustomResourceDefinitions of the lifecycle manager: subscriptions\.operators\.coreos\.com\. /,
    );
    assert.equal(await driver.get(clusterServiceVersions, { namespace: where, name: "greedy.v1" }), undefined);
  },
};

/** Flows on real catalogs and bundles. */
export const flows: readonly Flow[] = [
  manualUpgrade,
  automaticUpgrade,
  missingBundle,
  dependency,
  extensionUpgrade,
  refusedDependency,
  ownedElsewhere,
  catalogUrl,
  deadApi,
  reservedApi,
];

export { catalogUrl, silentOperator };
