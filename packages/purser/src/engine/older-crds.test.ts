// Definitions that an older OLM left, or an installation that was cut off: they are brought up to date, and nothing stored is lost.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { createApiServer } from "@purser/apiserver";
import type { CustomResourceDefinition } from "@purser/kubernetes/apis/apiextensions";
import { asJson } from "@purser/kubernetes/apis/object";
import { customResourceDefinitions } from "@purser/kubernetes/apis/resources";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { subscriptions } from "../apis/olm-resources.ts";
import { improved } from "../compat.ts";
import { applyOwnCrds, missingCrds, ownCrds } from "./own-manifests.ts";

const never = new AbortController().signal;
let server: Awaited<ReturnType<typeof createApiServer>>;
let client: KubeClient;

before(async () => {
  server = await createApiServer();
  client = createClient(server.transport());
});
after(() => server.stop());

/** The definition of Subscriptions without its newest columns and with what another manager wrote. */
async function olderSubscriptions(): Promise<CustomResourceDefinition> {
  const found = (await ownCrds(["v0"])).find(
    ({ metadata }) => metadata.name === subscriptions.plural + ".operators.coreos.com",
  );
  assert.ok(found !== undefined);
  const [version] = found.spec.versions;
  assert.ok(version !== undefined);
  const { additionalPrinterColumns: _, ...bare } = version;
  return {
    ...found,
    metadata: {
      ...found.metadata,
      labels: { "olm.example/kept": "yes" },
      annotations: { "other.example/note": "kept" },
    },
    spec: { ...found.spec, versions: [bare] },
  };
}

test("an older definition and one alone of many are completed without losing what is stored or what others wrote", async () => {
  const older = await olderSubscriptions();
  written(await client.write({ verb: "create", type: customResourceDefinitions, object: older }, never));
  const key = { name: older.metadata.name ?? "" };
  for (;;) {
    const live = await client.get(customResourceDefinitions, key);
    if (live?.status?.conditions?.some(({ type, status }) => type === "Established" && status === "True") === true)
      break;
    await systemClock.sleep(20, never);
  }
  const metadata = { namespace: "default", name: "stored", annotations: { "user.example/unknown": "kept" } };
  const spec = {
    name: "logbook-db",
    channel: "stable",
    source: "demo",
    sourceNamespace: "olm",
    config: { env: [{ name: "A", value: "b" }] },
  };
  const object = { apiVersion: "operators.coreos.com/v1alpha1", kind: "Subscription", metadata, spec };
  written(await client.write({ verb: "create", type: subscriptions, object }, never));
  const before = await client.get(subscriptions, metadata);

  const missing = await missingCrds(client, ["v0"]);
  assert.ok(missing.length > 5 && !missing.includes(key.name), missing.join());
  await applyOwnCrds(client, systemClock, never, improved, ["v0"]);
  assert.deepEqual(await missingCrds(client, ["v0"]), []);

  const live = await client.get(customResourceDefinitions, key);
  assert.equal(live?.metadata.labels?.["olm.example/kept"], "yes");
  assert.equal(live?.metadata.annotations?.["other.example/note"], "kept");
  assert.ok((live?.spec.versions[0]?.additionalPrinterColumns ?? []).length > 0);
  const now = await client.get(subscriptions, metadata);
  assert.deepEqual(asJson(now ?? object), asJson(before ?? object));
});
