import assert from "node:assert/strict";
import { test } from "node:test";
import type { ClusterServiceVersion } from "../../../apis/v0/cluster-service-version.ts";
import { desiredDeployment, subscriptionConfigOf } from "./csv-deployment.ts";
import { hashOfAuthority, isComputable, trustedAuthorityHash } from "./serving-authority.ts";
import { podAccount, servesApis, servingResources } from "./serving-resources.ts";
import type { StrategyWorld } from "./strategy-world.ts";

interface Served {
  readonly apis?: readonly object[];
  readonly webhooks?: readonly object[];
  readonly deployments?: readonly object[];
}

const csvOf = ({ apis, webhooks, deployments = [] }: Served): ClusterServiceVersion =>
  ({
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    metadata: { namespace: "ns", name: "op.v1", uid: "uid" },
    spec: {
      install: { strategy: "deployment", spec: { deployments } },
      ...(apis === undefined ? {} : { apiservicedefinitions: { owned: apis } }),
      ...(webhooks === undefined ? {} : { webhookdefinitions: webhooks }),
    },
  }) as unknown as ClusterServiceVersion;

const api = (deploymentName: string, containerPort?: number) => ({
  deploymentName,
  group: "g.io",
  version: "v1",
  containerPort,
});
const webhook = (deploymentName: string, containerPort?: number, targetPort?: number | string) => ({
  type: "ConversionWebhook",
  generateName: "hook",
  deploymentName,
  containerPort,
  targetPort,
});
const entry = (account?: string, matchLabels?: object) =>
  ({
    name: "manager",
    spec: {
      ...(matchLabels === undefined ? {} : { selector: { matchLabels } }),
      template: { spec: { ...(account === undefined ? {} : { serviceAccountName: account }), containers: [] } },
    },
  }) as never;

test("a deployment serves when a webhook or an API names it", () => {
  const serves = (served: Served) => servesApis(csvOf(served), "manager");
  assert.deepEqual(
    [
      serves({}),
      serves({ apis: [api("manager")] }),
      serves({ webhooks: [webhook("other"), webhook("manager")] }),
      serves({ apis: [api("other")], webhooks: [] }),
    ],
    [false, true, true, false],
  );
});

test("the account of pods is default where they name none", () =>
  assert.deepEqual(
    [
      podAccount(undefined),
      podAccount({}),
      podAccount({ spec: { serviceAccountName: "", containers: [] } } as never),
      podAccount({ spec: { serviceAccountName: "op", containers: [] } } as never),
    ],
    ["default", "default", "default", "op"],
  ));

test("the Service has a port for each that is served, once, 443 where none is named", () => {
  const ports = (served: Served) => {
    const { spec } = servingResources(csvOf(served), entry(undefined, { app: "op" })).service as unknown as {
      readonly spec: { readonly ports: readonly object[] };
    };
    return spec.ports;
  };
  assert.deepEqual(
    ports({
      apis: [api("manager"), api("other", 1), api("manager", 5443)],
      webhooks: [
        webhook("manager", 0),
        webhook("manager", 9443, "https"),
        webhook("other", 2),
        webhook("manager", 5443, 8443),
      ],
    }),
    [
      { name: "443", port: 443, targetPort: 443 },
      { name: "5443", port: 5443, targetPort: 5443 },
      { name: "9443", port: 9443, targetPort: "https" },
      { name: "5443", port: 5443, targetPort: 8443 },
    ],
  );
});

test("the objects with which a deployment serves: whole, with an owner only where one is given", () => {
  const labels = { "olm.managed": "true" };
  const reference = { apiVersion: "v", kind: "k", name: "n", uid: "u" };
  const found = servingResources(csvOf({}), entry("op", { app: "op" }));
  const data = { "tls.crt": "a", "tls.key": "b", olmCAKey: "c" };
  const owner = {
    apiVersion: "operators.coreos.com/v1alpha1",
    kind: "ClusterServiceVersion",
    name: "op.v1",
    uid: "uid",
    controller: false,
    blockOwnerDeletion: false,
  };
  const [secret, service] = ["manager-service-cert", "manager-service"];
  assert.deepEqual(found.service, {
    apiVersion: "v1",
    kind: "Service",
    metadata: { name: service, namespace: "ns", labels, ownerReferences: [owner] },
    spec: { ports: [], selector: { app: "op" } },
  });
  assert.deepEqual((servingResources(csvOf({}), entry()).service as { readonly spec?: unknown }).spec, { ports: [] });
  assert.deepEqual(found.secret(data, "hash", reference), {
    apiVersion: "v1",
    kind: "Secret",
    metadata: {
      name: secret,
      namespace: "ns",
      labels,
      ownerReferences: [reference],
      annotations: {
        olmcahash: "hash",
        "openshift.io/owning-component": "Operator Framework / operator-lifecycle-manager",
      },
    },
    data,
    type: "kubernetes.io/tls",
  });
  const rbac = { apiVersion: "rbac.authorization.k8s.io/v1" };
  const roleRef = (kind: string, name: string) => ({ apiGroup: "rbac.authorization.k8s.io", kind, name });
  const subject = { kind: "ServiceAccount", name: "op", namespace: "ns" };
  assert.deepEqual(found.role(undefined), {
    ...rbac,
    kind: "Role",
    metadata: { name: secret, namespace: "ns", labels },
    rules: [{ verbs: ["get"], apiGroups: [""], resources: ["secrets"], resourceNames: [secret] }],
  });
  assert.deepEqual(found.roleBinding(reference), {
    ...rbac,
    kind: "RoleBinding",
    metadata: { name: secret, namespace: "ns", labels, ownerReferences: [reference] },
    subjects: [subject],
    roleRef: roleRef("Role", secret),
  });
  assert.deepEqual(found.authDelegator, {
    ...rbac,
    kind: "ClusterRoleBinding",
    metadata: {
      name: `${service}-system:auth-delegator`,
      labels: {
        "olm.owner": "op.v1",
        "olm.owner.namespace": "ns",
        "olm.owner.kind": "ClusterServiceVersion",
        ...labels,
      },
    },
    subjects: [{ ...subject, apiGroup: "" }],
    roleRef: roleRef("ClusterRole", "system:auth-delegator"),
  });
  assert.deepEqual(found.authReader, {
    ...rbac,
    kind: "RoleBinding",
    metadata: { name: `${service}-auth-reader`, namespace: "kube-system", labels },
    subjects: [{ ...subject, apiGroup: "" }],
    roleRef: roleRef("Role", "extension-apiserver-authentication-reader"),
  });
});

const authority = Buffer.from("PEM").toString("base64");
const hash = hashOfAuthority(authority);

function worldOf(csv: ClusterServiceVersion, more: object = {}): StrategyWorld {
  return {
    csv,
    apiServices: new Map(),
    crds: new Map(),
    secrets: new Map([["manager-service-cert", {}]]),
    subscriptions: [],
    ...more,
  } as unknown as StrategyWorld;
}

test("the authority of a deployment is that of its APIs and webhooks, with its Secret; else it is OLM's text", () => {
  const apiServices = new Map([["v1.g.io", { spec: { caBundle: authority } }]]);
  const crdOf = (clientConfig: object) => ({ spec: { conversion: { webhook: { clientConfig } } } });
  const crds = new Map([
    ["as.g.io", crdOf({})],
    ["bs.g.io", crdOf({ caBundle: authority })],
  ]);
  const served = csvOf({ apis: [api("other"), api("manager")] });
  const converting = (...conversionCRDs: readonly string[]) =>
    csvOf({ webhooks: [webhook("other"), { ...webhook("manager"), conversionCRDs }] });
  const lacksApi = "could not retrieve caBundle for owned APIServices v1.g.io: unable to find CA";
  const lacksHook = "could not retrieve caBundle for WebhookDescription hook: unable to find CA";
  const of = (csv: ClusterServiceVersion, more: object = {}) => {
    const found = trustedAuthorityHash(worldOf(csv, more), "manager");
    return found.ok ? found.value : found.problem;
  };
  assert.deepEqual(
    [
      of(csvOf({})),
      of(csvOf({ apis: [api("other")] })),
      of(served, { apiServices }),
      of(served),
      of(served, { apiServices: new Map([["v1.g.io", {}]]) }),
      of(served, { apiServices, secrets: new Map() }),
      of(served, { apiServices: new Map([["v1.g.io", { spec: { caBundle: "#" } }]]) }),
      of(converting("missing", "as.g.io", "bs.g.io"), { crds }),
      of(converting("as.g.io"), { crds }),
      of(converting(), { crds }),
    ],
    [
      undefined,
      undefined,
      hash,
      lacksApi,
      lacksApi,
      'secret "manager-service-cert" not found',
      "the caBundle is no base64",
      hash,
      lacksHook,
      lacksHook,
    ],
  );
  assert.equal(hash, "384fb9a44fabe158be2757b9b8d8f67029f2280fcc1776ab2a53103e6f0c582d");
});

test("a strategy is computable when each description names a deployment whose authority is known", () => {
  const apiServices = new Map([["v1.g.io", { spec: { caBundle: authority } }]]);
  const deployments = [{ name: "manager" }];
  assert.deepEqual(
    [
      isComputable(worldOf(csvOf({}))),
      isComputable(worldOf(csvOf({ deployments, apis: [api("manager")] }), { apiServices })),
      isComputable(worldOf(csvOf({ deployments, apis: [api("manager")] }))),
      isComputable(worldOf(csvOf({ deployments, apis: [api("other")] }), { apiServices })),
      isComputable(worldOf(csvOf({ deployments, webhooks: [webhook("other")] }))),
    ],
    [true, true, false, false, false],
  );
});

test("a deployment that serves mounts its certificate; a mount of that path is replaced, one of that name stays", () => {
  const deploymentWith = (
    volumeMounts: readonly object[] | undefined,
    served: string | undefined,
    pod: object = {},
  ) => {
    const made = desiredDeployment(
      { csv: csvOf({}), subscriptions: [], proxy: undefined } as never,
      {
        name: "manager",
        spec: {
          template: {
            spec: { containers: [{ name: "c", ...(volumeMounts === undefined ? {} : { volumeMounts }) }], ...pod },
          },
        },
      } as never,
      served,
    );
    return (
      made.object as unknown as {
        readonly spec: {
          readonly template: {
            readonly metadata?: { readonly annotations?: object };
            readonly spec: Record<string, unknown> & {
              readonly containers: readonly {
                readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
              }[];
            };
          };
        };
      }
    ).spec.template;
  };
  const mounts = (volumeMounts: readonly object[] | undefined, served: string | undefined) =>
    (deploymentWith(volumeMounts, served).spec.containers[0]?.volumeMounts ?? []).map(
      ({ name, mountPath }) => `${name} ${mountPath}`,
    );
  const [first, second] = [
    "apiservice-cert /apiserver.local.config/certificates",
    "webhook-cert /tmp/k8s-webhook-server/serving-certs",
  ];
  assert.deepEqual(
    [
      mounts(undefined, undefined),
      mounts(undefined, "hash"),
      mounts([{ name: "own", mountPath: "/own" }], "hash"),
      mounts([{ name: "webhook-cert", mountPath: "/elsewhere" }], "hash"),
      mounts([{ name: "own", mountPath: "/tmp/k8s-webhook-server/serving-certs" }], "hash"),
    ],
    [[], [first, second], ["own /own", first, second], ["webhook-cert /elsewhere", first], [second, first]],
  );
  const template = deploymentWith(undefined, "hash");
  assert.deepEqual(
    [
      template.metadata?.annotations,
      template.spec["serviceAccountName"],
      (template.spec["volumes"] as readonly { readonly name: string }[]).map(({ name }) => name),
    ],
    [{ olmcahash: "hash" }, "default", ["apiservice-cert", "webhook-cert"]],
  );
  assert.equal(deploymentWith(undefined, "hash", { serviceAccountName: "op" }).spec["serviceAccountName"], "op");
  assert.deepEqual(deploymentWith(undefined, undefined).metadata?.annotations, undefined);
});

test("the configuration is that of the Subscription whose CSV is installed", () => {
  const of = (...installed: readonly string[]) =>
    subscriptionConfigOf({
      csv: csvOf({}),
      subscriptions: installed.map((installedCSV, at) => ({
        spec: { config: { env: [{ name: String(at) }] } },
        status: { installedCSV },
      })) as never,
    });
  assert.deepEqual([of(), of("other"), of("other", "op.v1")], [undefined, undefined, { env: [{ name: "1" }] }]);
});
