import assert from "node:assert/strict";
import { test } from "node:test";
import { objectAt, objectIn, objectsIn, textIn } from "../kinds/decoding/json-parts.ts";
import { testServer, withNamespace } from "../testing/server.ts";

test("a controller without its role is reported once, in the log and in an event", async () => {
  const reports: string[] = [];
  const server = await testServer({ controllers: true, report: (text) => reports.push(text) });
  await withNamespace(server, "demo");
  const role = "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings/system:controller:replicaset-controller";
  assert.equal((await server.ask({ method: "DELETE", path: role })).code, 200);
  const spec = {
    replicas: 1,
    selector: { matchLabels: { app: "a" } },
    template: { metadata: { labels: { app: "a" } }, spec: { containers: [{ name: "c", image: "i:1" }] } },
  };
  const path = "/apis/apps/v1/namespaces/demo/replicasets";
  for (const name of ["a", "b"]) await server.ask({ method: "POST", path, body: { metadata: { name }, spec } });
  await server.server.settled();
  server.clock.advance(60_000);
  await server.server.settled();
  const pods = 'cannot create resource "pods"';
  assert.equal(reports.filter((text) => text.includes(pods)).length, 1);
  assert.match(reports[0] ?? "", /^The built-in controller replicaset-controller lacks a role: .* cannot /);
  const events = objectsIn((await server.ask({ path: "/api/v1/namespaces/kube-system/events" })).object, "items");
  const recorded = events.filter((event) => textIn(event, "message").includes(pods));
  assert.equal(recorded.length, 1);
  assert.equal(textIn(objectIn(recorded[0] ?? {}, "involvedObject"), "name"), "replicaset-controller");
  assert.equal(textIn(recorded[0] ?? {}, "reason"), "Forbidden");
  await server.server.stop();
});

test("a refusal by a quota is not reported as a missing role", async () => {
  const reports: string[] = [];
  const server = await testServer({ controllers: true, report: (text) => reports.push(text) });
  await withNamespace(server, "demo");
  const quota = { metadata: { name: "none" }, spec: { hard: { pods: "0" } } };
  await server.ask({ method: "POST", path: "/api/v1/namespaces/demo/resourcequotas", body: quota });
  await server.server.settled();
  const pod = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i:1" }] } };
  const body = { metadata: { name: "j" }, spec: { template: pod } };
  await server.ask({ method: "POST", path: "/apis/batch/v1/namespaces/demo/jobs", body });
  await server.server.settled();
  const jobs = await server.ask({ path: "/apis/batch/v1/namespaces/demo/jobs/j" });
  assert.equal(objectAt(jobs.object, "status")["active"], undefined);
  assert.deepEqual(reports, []);
  await server.server.stop();
});
