import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectAt, objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { podTotal } from "../kinds/pods/pod-resources.ts";
import type { StoredVersion } from "../storage/storage.ts";
import { Version } from "../storage/version.ts";
import { started } from "../testing/server.ts";
import { apps, set } from "../testing/sets.ts";
import { workPerTurn } from "../turns.ts";
import { objectsInTurns } from "./runtime.ts";

test("large objects of one pass are read in turns of their own, small ones at once", async () => {
  let reads = 0;
  const versions = (size: number): readonly StoredVersion[] =>
    Array.from({ length: 20 }, () => ({
      size,
      get object() {
        reads++;
        return {} as KubeObject;
      },
    })) as unknown as readonly StoredVersion[];
  let isOver = false;
  const large = objectsInTurns(versions(workPerTurn)).finally(() => (isOver = true));
  let most = 0;
  for (let before = 0; !isOver; before = reads) {
    await nextTurn();
    most = Math.max(most, reads - before);
  }
  assert.equal((await large).length, 20);
  assert.ok(most <= 2, `${most} large objects in one turn`);
  reads = 0;
  const small = objectsInTurns(versions(1000));
  assert.equal(reads, 20);
  await small;
});

test("the pods of an owner are read in turns when they are large", async () => {
  const size = workPerTurn;
  const server = await started();
  const env = [{ name: "V", value: "x".repeat(size) }];
  const body = set("Deployment", { replicas: 8 });
  const [container] = objectAt(body, "spec", "template", "spec")["containers"] as readonly JsonObject[];
  Object.assign(objectAt(body, "spec", "template", "spec"), { containers: [{ ...container, env }] });
  await server.ask({ method: "POST", path: `${apps}/deployments`, body });
  await server.server.settled();
  const [owner = {}] = objectsIn((await server.ask({ path: `${apps}/replicasets` })).object, "items");
  const made = textIn(objectIn(owner, "metadata"), "name");
  assert.match(made, /^s-/u);
  const reads: string[] = [];
  const property = Object.getOwnPropertyDescriptor(Version.prototype, "object");
  Object.defineProperty(Version.prototype, "object", {
    ...property,
    get(this: Version) {
      reads.push(this.key);
      return property?.get?.call(this) as KubeObject;
    },
  });
  let isOver = false;
  const scaled = server
    .ask({
      method: "PATCH",
      path: `${apps}/replicasets/${made}`,
      body: JSON.stringify({ metadata: { annotations: { a: "b" } } }),
      headers: { "content-type": "application/merge-patch+json" },
    })
    .then(() => server.server.settled())
    .finally(() => (isOver = true));
  let most = 0;
  for (let before = reads.length; !isOver; before = reads.length) {
    await nextTurn();
    most = Math.max(most, new Set(reads.slice(before).filter((key) => /\/s-[^-]+-/u.test(key))).size);
  }
  await scaled;
  if (property !== undefined) Object.defineProperty(Version.prototype, "object", property);
  assert.ok(reads.length > 8 && most > 0 && most <= 4, `${most} of 8 large pods in one turn`);
  await server.server.stop();
});

/** How often each of the pods is read when one more is created beside them, or a quota counts them. */
async function readsBeside(pods: number): Promise<number> {
  const server = await started();
  const path = "/api/v1/namespaces/demo/pods";
  const pod = (name: string): JsonObject => ({
    metadata: { name },
    spec: { containers: [{ name: "c", image: "i", resources: { requests: { cpu: "100m", memory: "1Mi" } } }] },
  });
  const hard = { pods: "1000", "requests.cpu": "100", "count/pods": "1000" };
  await server.ask({
    method: "POST",
    path: path.replace("pods", "resourcequotas"),
    body: { metadata: { name: "q" }, spec: { hard } },
  });
  for (let number = 0; number < pods; number++) {
    const made = await server.ask({ method: "POST", path, body: pod(`p${number}`) });
    assert.equal(made.code, 201, made.message);
  }
  await server.server.settled();
  let reads = 0;
  const properties = (["object", "passing"] as const).map(
    (name) => [name, Object.getOwnPropertyDescriptor(Version.prototype, name)] as const,
  );
  for (const [name, property] of properties)
    Object.defineProperty(Version.prototype, name, {
      ...property,
      get(this: Version) {
        const object = property?.get?.call(this) as KubeObject;
        if (object.kind === "Pod") reads++;
        return object;
      },
    });
  const made = await server.ask({ method: "POST", path, body: pod("last") });
  assert.equal(made.code, 201, made.message);
  await server.server.settled();
  for (const [name, property] of properties)
    if (property !== undefined) Object.defineProperty(Version.prototype, name, property);
  const { object } = await server.ask({ path: `${path.replace("pods", "resourcequotas")}/q` });
  const used = objectAt(object, "status", "used");
  assert.deepEqual(used, { "count/pods": `${pods + 1}`, pods: `${pods + 1}`, "requests.cpu": `${(pods + 1) * 100}m` });
  await server.server.stop();
  return reads;
}

test("a pod in a namespace with a quota does not make the others be read again", async () => {
  const few = await readsBeside(5);
  const many = await readsBeside(44);
  assert.ok(many <= few + 5, `${few} reads beside 5 pods, ${many} beside 44`);
});

test("the total of thousands of containers that each name a resource of their own is one pass", () => {
  const container = (number: number): JsonObject => ({
    name: `c${number}`,
    resources: { requests: { [`example.com/r${number}`]: "1", cpu: "1" } },
  });
  const many = Array.from({ length: 3000 }, (_, number) => container(number));
  let sets = 0;
  const add = Object.getOwnPropertyDescriptor(Map.prototype, "set");
  assert.ok(add !== undefined);
  const write = add.value as typeof Map.prototype.set;
  Object.defineProperty(Map.prototype, "set", {
    ...add,
    value(this: Map<unknown, unknown>, ...of: readonly [unknown, unknown]) {
      sets++;
      return write.apply(this, [...of]);
    },
  });
  try {
    const sidecars = many.map((one) => ({ ...one, restartPolicy: "Always" }));
    const total = podTotal({ containers: many, initContainers: [...sidecars, ...many] }, "requests");
    assert.equal(total.get("cpu"), "6k");
    assert.equal(total.get("example.com/r7"), "2");
    assert.equal(total.size, 3001);
  } finally {
    if (add !== undefined) Object.defineProperty(Map.prototype, "set", add);
  }
  assert.ok(sets <= 30 * many.length, `${sets} entries were written`);
});
