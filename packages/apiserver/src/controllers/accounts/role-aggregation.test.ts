import assert from "node:assert/strict";
import { setImmediate as nextTurn } from "node:timers/promises";
import { test } from "node:test";
import type { KubeObject } from "@purser/kubernetes/apis/object";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectsIn } from "../../kinds/decoding/json-parts.ts";
import { Version } from "../../storage/version.ts";
import type { TestServer } from "../../testing/server.ts";
import { started } from "../../testing/server.ts";

const path = "/apis/rbac.authorization.k8s.io/v1/clusterroles";

let reads = 0;

/** Counts reads of stored ClusterRoles. */
for (const name of ["object", "passing"] as const) {
  const property = Object.getOwnPropertyDescriptor(Version.prototype, name);
  Object.defineProperty(Version.prototype, name, {
    get(this: Version) {
      const object = property?.get?.call(this) as KubeObject;
      if (object.kind === "ClusterRole") reads++;
      return object;
    },
  });
}

function role(name: string, labels: JsonObject, more: JsonObject): JsonObject {
  return { apiVersion: "rbac.authorization.k8s.io/v1", kind: "ClusterRole", metadata: { name, labels }, ...more };
}

async function post(server: TestServer, body: JsonObject): Promise<void> {
  const answer = await server.ask({ method: "POST", path, body });
  assert.equal(answer.code, 201, answer.message);
}

/** Creates `count` roles, and one that aggregates each of them by its own selector, as OperatorGroups do for APIs. */
async function aggregate(count: number): Promise<{ readonly all: number; readonly mostInOneTurn: number }> {
  const server = await started();
  for (let number = 0; number < count; number++) {
    const rules = [{ apiGroups: [`group-${number}.example.org`], resources: ["things"], verbs: ["get"] }];
    await post(server, role(`part-${number}`, { [`aggregate-${number}`]: "true" }, { rules }));
  }
  await server.server.settled();
  const clusterRoleSelectors = Array.from({ length: count }, (_, number) => ({
    matchLabels: { [`aggregate-${number}`]: "true" },
  }));
  await post(server, role("whole", {}, { aggregationRule: { clusterRoleSelectors }, rules: [] }));
  const before = reads;
  let mostInOneTurn = 0;
  let isOver = false;
  const settled = server.server.settled().then(() => (isOver = true));
  for (let seen = before; !isOver; seen = reads) {
    await nextTurn();
    mostInOneTurn = Math.max(mostInOneTurn, reads - seen);
  }
  await settled;
  const whole = (await server.ask({ path: `${path}/whole` })).object;
  assert.equal(objectsIn(whole, "rules").length, count);
  await server.server.stop();
  return { all: reads - before, mostInOneTurn };
}

test("the number of reads per aggregated role does not grow with their number", async () => {
  const few = await aggregate(100);
  const many = await aggregate(800);
  assert.ok(many.all / 800 < (few.all / 100) * 2, `${few.all} reads for 100 roles, ${many.all} for 800`);
  // Building the index reads the table once, in one turn.
  assert.ok(many.mostInOneTurn < 1500, `${many.mostInOneTurn} reads in one turn`);
});

test("a selector with matchExpressions only selects among all roles, and duplicate rules are merged", async () => {
  const server = await started();
  const rules = [{ apiGroups: ["ex.io"], resources: ["foos"], verbs: ["get"] }];
  await post(server, role("one", { team: "a" }, { rules }));
  await post(server, role("two", { team: "b" }, { rules }));
  const clusterRoleSelectors = [{ matchExpressions: [{ key: "team", operator: "In", values: ["a", "b"] }] }];
  await post(server, role("whole", {}, { aggregationRule: { clusterRoleSelectors }, rules: [] }));
  await server.server.settled();
  const held = async (): Promise<readonly JsonObject[]> =>
    objectsIn((await server.ask({ path: `${path}/whole` })).object, "rules");
  assert.deepEqual(await held(), rules);
  await server.ask({ method: "DELETE", path: `${path}/one` });
  await server.ask({ method: "DELETE", path: `${path}/two` });
  await server.server.settled();
  assert.deepEqual(await held(), []);
  await server.server.stop();
});
