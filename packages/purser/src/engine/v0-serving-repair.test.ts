import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { roleBindings, secrets, validatingWebhookConfigurations } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions } from "../apis/olm-resources.ts";
import { webhookOperator } from "./testing/server-operator.ts";
import { World } from "./testing/world.ts";

let world: World;
before(async () => {
  world = await World.open();
});
after(() => world.stop());

const namespace = "serving";
const key = { namespace, name: "checks.v1" };
const secret = { namespace, name: "server-service-cert" };

const succeeds = (): Promise<unknown> =>
  world.reaches(clusterServiceVersions, key, "Succeeded", ({ status }) => status?.phase === "Succeeded");

const authority = async (): Promise<string> => (await world.client.get(secrets, secret))?.data?.["olmCAKey"] ?? "";

test("an operator whose serving Secret is overwritten or deleted gets another certificate", async () => {
  await world.tenant(namespace);
  await world.create(clusterServiceVersions, webhookOperator(namespace, key.name));
  await succeeds();
  await world.settled();
  const faults = [
    () => world.merge(secrets, secret, { data: { "tls.crt": btoa("garbage") } }),
    () => world.merge(secrets, secret, { data: { olmCAKey: btoa("garbage") }, metadata: { labels: null } }),
    () => world.remove(secrets, secret),
  ];
  for (const [at, fault] of faults.entries()) {
    const former = await authority();
    await fault();
    const wanted = await world.until(`another certificate after fault ${at}`, async () => {
      const now = await authority();
      return now !== "" && now !== former && now !== btoa("garbage") ? now : undefined;
    });
    await succeeds();
    await world.settled();
    const [configuration] = await world.client.list(validatingWebhookConfigurations, {
      labelSelector: "olm.owner=checks.v1",
    });
    assert.equal(configuration?.webhooks?.[0]?.clientConfig.caBundle, wanted, `fault ${at}`);
  }
});

test("passes over an operator that serves, after it was repaired, read and write nothing", async () => {
  await world.settled();
  const [reads, writes] = [world.engineReads.length, world.engineWrites.length];
  const passes = (): number => world.passes()["cluster-service-version"] ?? 0;
  const before = passes();
  await world.merge(
    roleBindings,
    { namespace, name: "server-service-cert" },
    { metadata: { annotations: { a: "b" } } },
  );
  await world.until("a pass", async () => passes() > before);
  await world.settled();
  assert.deepEqual(world.engineReads.slice(reads), []);
  assert.deepEqual(world.engineWrites.slice(writes), []);
});
