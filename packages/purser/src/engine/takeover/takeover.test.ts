import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { type ApiServer, createApiServer } from "@purser/apiserver";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import { keyOf } from "@purser/kubernetes/apis/object";
import { formatTime } from "@purser/kubernetes/clock";
import { createClient, type KubeClient } from "@purser/kubernetes/kube/client";
import { createDiscovery } from "@purser/kubernetes/kube/discovery";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { readYaml } from "@purser/kubernetes/text/documents";
import { parseApiVersion } from "@purser/kubernetes/apis/resource-type";
import { type ApiFamily, everyFamily } from "../../apis/api-family.ts";
import { improved, parseCompat } from "../../compat.ts";
import { clusterServiceVersions } from "../../apis/olm-resources.ts";
import { ensureNamespace } from "../catalog-objects.ts";
import { applyOwnCrds } from "../own-manifests.ts";
import { observeTakeover } from "./observe-takeover.ts";
import { takeoverFindings } from "./plan/takeover-findings.ts";

interface TakeoverCase {
  readonly name: string;
  readonly compat?: string;
  readonly families?: readonly ApiFamily[];
  readonly fieldManager?: string;
  /** The look is a day after the writes. */
  readonly later?: boolean;
  readonly objects?: readonly KubeObject[];
  readonly deleted?: readonly KubeObject[];
  readonly findings: readonly string[];
}

const never = new AbortController().signal;
const now = systemClock.now();
const micro = (time: number): string => formatTime(time).replace("Z", ".000000Z");
const minute = 60_000;
const day = 24 * 60 * minute;
const text = readFileSync(join(import.meta.dirname, "testing", "takeover-worlds.yaml"), "utf8")
  .replaceAll("$NOW", micro(now))
  .replaceAll("$RECENT", micro(now - minute));
const read = readYaml(text, "takeover-worlds.yaml");
assert.ok(read.ok, read.ok ? "" : read.problem.message);
const cases = read.value as unknown as readonly TakeoverCase[];

let base: ApiServer;
before(async () => {
  base = await createApiServer();
  await applyOwnCrds(createClient(base.transport()), systemClock, never, improved);
});
after(() => base.stop());

async function typeOf(client: KubeClient, { apiVersion, kind }: KubeObject) {
  const type = await createDiscovery(client).typeOf({ ...parseApiVersion(apiVersion), kind });
  assert.ok(type !== undefined, kind);
  return type;
}

async function fill(client: KubeClient, { objects = [], deleted = [], fieldManager = "kubectl" }: TakeoverCase) {
  for (const object of objects) {
    const type = await typeOf(client, object);
    written(await client.write({ verb: "create", type, object, fieldManager }, never));
    const { status } = object as { readonly status?: object };
    if (status === undefined) continue;
    const patch = { status } as never;
    const key = keyOf(object);
    written(
      await client.write(
        { verb: "patch", type, key, patchType: "merge", patch, subresource: "status", fieldManager },
        never,
      ),
    );
  }
  for (const object of deleted)
    written(await client.write({ verb: "delete", type: await typeOf(client, object), key: keyOf(object) }, never));
}

for (const one of cases)
  test(one.name, async () => {
    const server = await base.fork();
    try {
      const client = createClient(server.transport());
      await fill(client, one);
      const compat = parseCompat(one.compat ?? "");
      assert.ok(compat.ok);
      const reads = { client, compat: compat.value, families: one.families ?? everyFamily, globalNamespace: "olm" };
      const look = now + (one.later === true ? day : 0);
      const found = takeoverFindings(await observeTakeover(reads, never), look);
      const lines = found.map(
        ({ severity, code, object, summary, remedy }) =>
          `${severity} ${code} ${object} ${summary}${remedy === undefined ? "" : ` [${remedy}]`}`,
      );
      assert.deepEqual(
        lines.map((line) => line.replace(/at \d{4}-\S+Z, which/, "at $WRITTEN, which")),
        one.findings,
      );
    } finally {
      await server.stop();
    }
  });

test("every page of copies is read", async () => {
  const server = await base.fork();
  try {
    const client = createClient(server.transport());
    await ensureNamespace(client, "many", never);
    const spec = { displayName: "a", install: { strategy: "deployment", spec: { deployments: [] } } };
    const [apiVersion, kind] = ["operators.coreos.com/v1alpha1", "ClusterServiceVersion"];
    for (let number = 0; number < 501; number++) {
      const metadata = { namespace: "many", name: `a.v${number}`, labels: { "olm.copiedFrom": "ops" } };
      const object = { apiVersion, kind, metadata, spec };
      written(await client.write({ verb: "create", type: clusterServiceVersions, object }, never));
    }
    const reads = { client, compat: improved, families: everyFamily, globalNamespace: "olm" };
    assert.equal((await observeTakeover(reads, never)).copies.length, 501);
  } finally {
    await server.stop();
  }
});
