// Passes over InstallPlans that were approved by what they change, or that policies judge.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { ObjectWrite } from "@purser/kubernetes/apis/object-write";
import { serviceAccounts } from "@purser/kubernetes/apis/resources";
import { digestOf } from "@purser/kubernetes/digest";
import { done } from "@purser/kubernetes/result";
import type { JsonObject } from "@purser/kubernetes/json";
import { VirtualClock } from "@purser/kubernetes/testing/virtual-clock";
import { RecordingCluster } from "../../../../conformance/suites/v0/recording-cluster.ts";
import type { ClusterUpdatePolicySpec } from "../../../apis/policy/cluster-update-policy.ts";
import type { InstallPlan } from "../../../apis/v0/install-plan.ts";
import { planAnnotation } from "../../../apis/v0/labels.ts";
import { smallCsv } from "../../../bundle/testing/small-bundle.ts";
import { loadCatalog } from "../../../catalog/loading/load.ts";
import { indexOf } from "../../../catalog/memory-index.ts";
import { smallCatalog } from "../../../catalog/testing/small-catalog.ts";
import type { CatalogContent } from "../../../content/content.ts";
import { improved } from "../../../compat.ts";
import { SetContent } from "../../../content/testing/set-content.ts";
import type { Surroundings } from "../../surroundings.ts";
import { passOf } from "../../testing/passes.ts";
import { NamespacePasses } from "../namespace/namespace-passes.ts";
import { installPlanController } from "./install-plan-controller.ts";

const olm = "operators.coreos.com";
const object = (apiVersion: string, kind: string, metadata: JsonObject, more: object = {}): KubeObject =>
  ({ apiVersion, kind, metadata, ...more }) as unknown as KubeObject;
const csv = smallCsv({ minKubeVersion: "" }, { name: "kiln.v1.0.0", namespace: "ns" });
const stepOf = (kind: string, group: string, version: string, name: string, manifest: JsonObject): object => ({
  resolving: "kiln.v1.0.0",
  status: "Unknown",
  resource: {
    group,
    version,
    kind,
    name,
    manifest: JSON.stringify(manifest),
    sourceName: "cat",
    sourceNamespace: "olm",
  },
});
const steps = [
  stepOf("ClusterServiceVersion", olm, "v1alpha1", "kiln.v1.0.0", csv),
  stepOf("ServiceAccount", "", "v1", "kiln", { apiVersion: "v1", kind: "ServiceAccount", metadata: { name: "kiln" } }),
];

interface Given {
  readonly phase?: string;
  readonly spec?: object;
  readonly annotations?: JsonObject;
  readonly objects?: readonly KubeObject[];
  readonly account?: string;
  readonly forbidden?: readonly string[];
  readonly plan?: readonly object[];
}

const planOf = ({ phase = "RequiresApproval", spec = {}, annotations = {}, plan = steps }: Given): KubeObject =>
  object(
    `${olm}/v1alpha1`,
    "InstallPlan",
    { namespace: "ns", name: "plan", uid: "plan", annotations },
    {
      spec: {
        approval: "Manual",
        approved: true,
        clusterServiceVersionNames: ["kiln.v1.0.0"],
        ...spec,
      },
      status: { phase, catalogSources: ["cat"], plan },
    },
  );
const subscription = object(
  `${olm}/v1alpha1`,
  "Subscription",
  { namespace: "ns", name: "sub" },
  {
    spec: { name: "kiln", source: "cat", sourceNamespace: "olm" },
    status: { installPlanRef: { namespace: "ns", name: "plan" }, currentCSV: "kiln.v1.0.0" },
  },
);
const policyOf = (spec: ClusterUpdatePolicySpec): KubeObject =>
  object("purser.dev/v1alpha1", "ClusterUpdatePolicy", { name: "policy" }, { spec });

class Live extends RecordingCluster {
  requestJson(): Promise<JsonObject> {
    return Promise.resolve({ resources: [] });
  }

  /** A review of rules finds none. */
  override write(write: ObjectWrite): ReturnType<RecordingCluster["write"]> {
    if (write.type.kind !== "SelfSubjectRulesReview" || write.verb !== "create") return super.write(write);
    const reviewed = { ...write.object, status: { resourceRules: [] } } as unknown as KubeObject;
    return Promise.resolve(done({ object: reviewed, warnings: [] }));
  }
}

const { blobs } = loadCatalog([{ file: "c", text: smallCatalog("kiln", ["1.0.0"]) }]);
const catalogSource = object(
  `${olm}/v1alpha1`,
  "CatalogSource",
  { namespace: "olm", name: "cat" },
  { spec: { sourceType: "grpc", image: "example.com/cat:1" } },
);

async function pass(given: Given): Promise<readonly string[]> {
  const group = object(
    `${olm}/v1`,
    "OperatorGroup",
    { namespace: "ns", name: "group" },
    {
      spec: given.account === undefined ? {} : { serviceAccountName: given.account },
      status: {
        namespaces: ["ns"],
        ...(given.account === undefined ? {} : { serviceAccountRef: { namespace: "ns", name: given.account } }),
      },
    },
  );
  const held = [planOf(given), group, subscription, catalogSource, ...(given.objects ?? [])];
  const cluster = new Live(held, given.forbidden);
  const measured: string[] = [];
  const content = new SetContent();
  const ready = { state: { kind: "ready", digest: digestOf("c") }, index: indexOf(blobs) } as unknown as CatalogContent;
  content.setCatalog("image example.com/cat:1", ready);
  const surroundings = {
    compat: improved,
    content,
    client: cluster,
    discovery: {
      typeOf: () => Promise.resolve(serviceAccounts),
      lookUp: ({ kind }: { readonly kind: string }) =>
        Promise.resolve(kind === "ServiceAccount" ? { kind: "served", type: serviceAccounts } : { kind: "absent" }),
      serves: () => Promise.resolve(true),
    },
    globalNamespace: "olm",
    metrics: { add: (...one: readonly unknown[]) => measured.push(JSON.stringify(one)) },
  };
  const passes = new NamespacePasses(new VirtualClock());
  const controller = installPlanController(surroundings as unknown as Surroundings, passes);
  const { events, error } = await passOf(controller, { namespace: "ns", name: "plan" }, held, cluster);
  return [
    ...cluster.requests.map(lineOf),
    ...events.map((event) => `event ${event}`),
    ...measured,
    ...(error === undefined ? [] : [error]),
  ];
}

function lineOf(write: ObjectWrite): string {
  if (write.verb === "patch") return `patch ${write.type.kind} ${write.key.name} ${JSON.stringify(write.patch)}`;
  if (write.verb === "delete") return `delete ${write.type.kind} ${write.key.name}`;
  const { kind, metadata } = write.object;
  if (kind !== "InstallPlan" || write.verb !== "replace") return `${write.verb} ${kind} ${metadata.name}`;
  const { phase, message, conditions = [] } = (write.object as InstallPlan).status ?? {};
  const shown = conditions
    .filter(({ type }) => type === "Installed")
    .map(({ status, reason, message: text }) => ` Installed=${status} ${reason}: ${text}`);
  return `show ${phase}${message === undefined ? "" : ` (${message})`}${shown.join("")}`;
}

const account = object("v1", "ServiceAccount", { namespace: "ns", name: "acc" });
const approved = (changes: string): readonly string[] => [
  "show Installing",
  `event Normal Approved plan: ${changes}, approved by someone`,
];
const byHand = approved("kiln.v1.0.0 is installed whatever it changes");
const digest = "sha256:3c00041762437527814bdf634af8959c4bf2880389d8bd5ad47d6fa42ebf5c90";
const stale = `The changes of kiln.v1.0.0 that were approved, sha256:bad, are now ${digest}: nothing is changed. See and approve them: purser approve`;
const denied =
  "kiln.v1.0.0 is held back by ClusterUpdatePolicy policy: denied. see which policy decides, and change it: purser policy effective sub/ns/sub";
const executed = ["create ClusterServiceVersion kiln.v1.0.0", "create ServiceAccount kiln"];
const failure =
  'retrying execution due to error: error creating serviceaccount kiln: serviceaccounts. "" is forbidden: denied by test';

const table: readonly (readonly [string, Given, readonly string[]])[] = [
  ["that somebody approved begins, and says so", {}, byHand],
  ["that nobody has looked at begins too", { phase: "Planning" }, byHand],
  ["of an empty phase begins too", { phase: "" }, byHand],
  ["that needs no approval begins without an event", { spec: { approval: "Automatic" } }, ["show Installing"]],
  ["that is not approved waits", { spec: { approved: false } }, []],
  [
    "whose approved changes are those of now begins",
    { annotations: { [planAnnotation]: digest } },
    approved(`kiln.v1.0.0 is installed with the changes ${digest}`),
  ],
  [
    "whose approved changes are others by now does not begin, and says what they are",
    { annotations: { [planAnnotation]: "sha256:bad" } },
    [`show RequiresApproval Installed=False PlanStale: ${stale}`, `event Warning PlanStale plan: ${stale}`],
  ],
  [
    "that a policy denies does not begin, and says why",
    { objects: [policyOf({ versions: { denied: ["1.0.0"] } })] },
    [`show RequiresApproval Installed=False VersionHeld: ${denied}`, `event Warning VersionHeld plan: ${denied}`],
  ],
  [
    "that a policy judges by its contents begins when they are allowed",
    { objects: [policyOf({ crdChange: "Deny" })] },
    byHand,
  ],
  [
    "that has begun is executed whatever a policy says",
    { phase: "Installing", objects: [policyOf({ versions: { denied: ["1.0.0"] } })] },
    [...executed, "show Complete Installed=True undefined: undefined"],
  ],
  [
    "whose account lacks rights names the first refusal and every rule that is missing",
    { phase: "Installing", account: "acc", objects: [account], forbidden: ["serviceaccounts"] },
    [
      "create ClusterServiceVersion kiln.v1.0.0",
      `show Installing (${failure}\nPermissionDenied: ServiceAccount ns/acc may not create,patch,update serviceaccounts in ns; create,delete,patch,update deployments.apps in ns; create,patch,update clusterserviceversions.operators.coreos.com in ns. \`purser bundle rights BUNDLE --namespace ns --account acc\` writes the roles that it needs)`,
    ],
  ],
  [
    "without an account that lacks rights names the refusal alone",
    { phase: "Installing", forbidden: ["serviceaccounts"] },
    ["create ClusterServiceVersion kiln.v1.0.0", `show Installing (${failure})`],
  ],
];
for (const [what, given, expected] of table)
  test(`an InstallPlan ${what}`, async () => assert.deepEqual(await pass(given), expected));
