import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Deployment } from "@purser/kubernetes/apis/apps";
import { customResourceDefinitions, deployments } from "@purser/kubernetes/apis/resources";
import { subscriptions } from "../apis/olm-resources.ts";
import { proxies } from "../apis/openshift.ts";
import { createProxy, installOpenShift } from "./testing/openshift-definitions.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const operator = { namespace: "egress", name: "ballast-cache-controller" };

/** Waits until the operator's container has exactly these of the three variables. */
const gets = (expected: readonly string[]): Promise<Deployment> =>
  world.reaches(deployments, operator, `with [${expected.join()}]`, ({ spec }) => {
    const env = spec?.template.spec?.containers?.[0]?.env ?? [];
    const held = env.filter(({ name }) => name.endsWith("_PROXY")).map(({ name, value }) => `${name}=${value}`);
    return held.join() === expected.join();
  });

const asked = (): readonly string[] => world.engineReads.filter((path) => path.includes("config.openshift.io"));

test("operators follow the cluster's proxy, and those that are installed roll out again when it changes", async () => {
  await world.tenant("egress");
  await world.subscribe("egress", "ballast-cache");
  await gets([]);
  assert.deepEqual(asked(), []);
  await installOpenShift(world, "4.18.0");
  await createProxy(world, { httpProxy: "http://one", noProxy: ".svc" });
  await gets(["HTTP_PROXY=http://one", "NO_PROXY=.svc"]);
  await world.mergeStatus(proxies, { name: "cluster" }, { httpProxy: "http://two" });
  await gets(["HTTP_PROXY=http://two", "NO_PROXY=.svc"]);
  await world.settled();
  const reads = asked().length;
  const subscription = { namespace: "egress", name: "ballast-cache" };
  await world.merge(subscriptions, subscription, { metadata: { annotations: { touched: "true" } } });
  await world.settled();
  assert.equal(asked().length, reads);
});

test("a Subscription that sets one of the variables keeps the cluster's proxy out", async () => {
  const key = { namespace: "egress", name: "ballast-cache" };
  await world.merge(subscriptions, key, { spec: { config: { env: [{ name: "NO_PROXY", value: "own" }] } } });
  await gets(["NO_PROXY=own"]);
  await world.merge(subscriptions, key, { spec: { config: null } });
  await gets(["HTTP_PROXY=http://two", "NO_PROXY=.svc"]);
});

test("without a Proxy, or without its kind, the variables are removed", async () => {
  await world.remove(proxies, { name: "cluster" });
  await gets([]);
  await createProxy(world, { httpProxy: "http://three" });
  await gets(["HTTP_PROXY=http://three"]);
  await world.remove(customResourceDefinitions, { name: "proxies.config.openshift.io" });
  await gets([]);
});
