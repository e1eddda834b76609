import assert from "node:assert/strict";
import { test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import type { EnvVar } from "@purser/kubernetes/apis/core";
import type { Proxy } from "../../../apis/openshift.ts";
import type { Subscription } from "../../../apis/v0/subscription.ts";
import { csvAt, worldOf } from "../../../controllers/v0/cluster-service-version/plan/testing/csv-world.ts";
import { desiredDeployment, strategyDeployments } from "./csv-deployment.ts";

const base = csvAt("op.v1", "Installing");

/** `NAME=VALUE` of the variables that both main containers get, and the hash of the Deployment. */
function variables(status: Proxy["status"] | undefined, own: readonly EnvVar[] = [], held: readonly EnvVar[] = []) {
  const containers = ["a", "b"].map((name) => ({ name, image: "i", env: held }));
  const template = { spec: { containers, initContainers: [{ name: "init", image: "i" }] } };
  const spec = { deployments: [{ name: "d", spec: { template } }] };
  const csv = { ...base, spec: { ...base.spec, install: { strategy: "deployment", spec } } } as unknown as typeof base;
  const subscription = {
    metadata: { name: "s" },
    spec: { config: { env: own } },
    status: { installedCSV: "op.v1" },
  } as unknown as Subscription;
  const proxy =
    status === undefined
      ? undefined
      : ({ apiVersion: "config.openshift.io/v1", kind: "Proxy", metadata: { name: "cluster" }, status } as Proxy);
  const world = { ...worldOf(csv).strategy, csv, proxy, subscriptions: [subscription] };
  const [entry] = strategyDeployments(world);
  assert.ok(entry);
  const { object, specHash } = desiredDeployment(world, entry, undefined);
  const pod = (object as unknown as Deployment).spec?.template.spec;
  assert.equal(pod?.initContainers?.[0]?.env, undefined);
  const [first, second] = (pod?.containers ?? []).map(({ env = [] }) =>
    env.map(({ name, value = "" }) => `${name}=${value}`),
  );
  assert.deepEqual(first, second);
  return { env: first, specHash };
}

const all = { httpProxy: "http://p", httpsProxy: "https://p", noProxy: ".svc" };
const injected = ["HTTP_PROXY=http://p", "HTTPS_PROXY=https://p", "NO_PROXY=.svc"];
const own = "OPERATOR_CONDITION_NAME=op.v1";

type Case = readonly [string, Parameters<typeof variables>, readonly string[]];
const cases: readonly Case[] = [
  ["a cluster without a Proxy sets nothing", [undefined], [own]],
  ["a Proxy without a status sets nothing", [{}], [own]],
  ["the variables of the Proxy are set in every main container", [all], [...injected, own]],
  ["an empty address is left out", [{ ...all, httpsProxy: "" }], ["HTTP_PROXY=http://p", "NO_PROXY=.svc", own]],
  ["they follow those of the Subscription", [all, [{ name: "A", value: "1" }]], ["A=1", ...injected, own]],
  [
    "they replace those of the ClusterServiceVersion",
    [all, [], [{ name: "NO_PROXY", value: "old" }]],
    ["NO_PROXY=.svc", "HTTP_PROXY=http://p", "HTTPS_PROXY=https://p", own],
  ],
  ...["HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY"].map((name): Case => {
    const why = `a Subscription that sets ${name} sets all three, also to nothing`;
    return [why, [all, [{ name, value: "" }]], [`${name}=`, own]];
  }),
  ["names are compared exactly", [all, [{ name: "http_proxy", value: "x" }]], ["http_proxy=x", ...injected, own]],
];
for (const [name, given, expected] of cases) test(name, () => assert.deepEqual(variables(...given).env, expected));

test("a Proxy changes the hash of the Deployment, and an empty one does not", () => {
  assert.notEqual(variables(all).specHash, variables(undefined).specHash);
  assert.equal(variables({}).specHash, variables(undefined).specHash);
});
