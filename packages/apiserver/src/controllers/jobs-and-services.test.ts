import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { objectAt, objectIn, objectsIn, textIn, textsIn } from "../kinds/decoding/json-parts.ts";
import { items, started, type TestServer } from "../testing/server.ts";

const jobsPath = "/apis/batch/v1/namespaces/demo/jobs";
const podsPath = "/api/v1/namespaces/demo/pods";
const merge = { "content-type": "application/merge-patch+json" };

async function post(server: TestServer, path: string, body: JsonObject): Promise<JsonObject> {
  const answer = await server.ask({ method: "POST", path, body });
  assert.equal(answer.code, 201, JSON.stringify(answer.object));
  await server.server.settled();
  return answer.object;
}

function job(result: string, more: JsonObject = {}): JsonObject {
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "j" },
    spec: {
      ...more,
      template: {
        metadata: { annotations: { "sim/result": result } },
        spec: { restartPolicy: "Never", containers: [{ name: "c", image: "registry.example/j:1" }] },
      },
    },
  };
}

async function conditions(server: TestServer): Promise<readonly string[]> {
  const { object } = await server.ask({ path: `${jobsPath}/j` });
  return objectsIn(objectIn(object, "status"), "conditions").map(
    (held) => `${textIn(held, "type")} ${textIn(held, "reason")}`,
  );
}

test("a Job gets its uid in selector and labels, and completes", async () => {
  const server = await started();
  const made = await post(server, jobsPath, job("succeed"));
  const { uid } = objectIn(made, "metadata");
  assert.deepEqual(objectAt(made, "spec", "selector"), { matchLabels: { "batch.kubernetes.io/controller-uid": uid } });
  assert.equal(objectAt(made, "spec", "template", "metadata", "labels")["job-name"], "j");
  assert.deepEqual(await conditions(server), ["SuccessCriteriaMet CompletionsReached", "Complete CompletionsReached"]);
  const { object } = await server.ask({ path: `${jobsPath}/j` });
  assert.equal(objectIn(object, "status")["succeeded"], 1);
  const [pod] = await items(server, podsPath);
  assert.equal(objectIn(pod ?? {}, "metadata")["finalizers"], undefined);
  await server.server.stop();
});

test("a Job with backoffLimit 0 fails with its first pod", async () => {
  const server = await started();
  await post(server, jobsPath, job("fail", { backoffLimit: 0 }));
  assert.deepEqual(await conditions(server), ["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"]);
  await server.server.stop();
});

test("a failed pod is retried after ten seconds, not before", async () => {
  const server = await started();
  await post(server, jobsPath, job("fail", { backoffLimit: 1 }));
  assert.equal((await items(server, podsPath)).length, 1);
  assert.deepEqual(await conditions(server), []);
  server.clock.advance(10_000);
  await server.server.settled();
  assert.equal((await items(server, podsPath)).length, 2);
  assert.deepEqual(await conditions(server), ["FailureTarget BackoffLimitExceeded", "Failed BackoffLimitExceeded"]);
  await server.server.stop();
});

test("a Job past activeDeadlineSeconds fails and its pods are deleted", async () => {
  const server = await started();
  await post(server, jobsPath, job("never-ready", { activeDeadlineSeconds: 5 }));
  assert.equal((await items(server, podsPath)).length, 1);
  server.clock.advance(5000);
  await server.server.settled();
  assert.deepEqual(await conditions(server), ["FailureTarget DeadlineExceeded", "Failed DeadlineExceeded"]);
  assert.deepEqual(await items(server, podsPath), []);
  await server.server.stop();
});

test("a Job deleted without propagation policy returns a warning and keeps its pods", async () => {
  const server = await started();
  await post(server, jobsPath, job("succeed"));
  const answer = await server.ask({ method: "DELETE", path: `${jobsPath}/j` });
  assert.match(answer.warnings[0] ?? "", /^child pods are preserved by default when jobs are deleted/);
  await server.server.settled();
  assert.equal((await server.ask({ path: `${jobsPath}/j` })).code, 404);
  assert.equal((await items(server, podsPath)).length, 1);
  await server.server.stop();
});

function pod(name: string, result: string): JsonObject {
  return {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name, labels: { app: "web" }, annotations: { "sim/result": result } },
    spec: { containers: [{ name: "c", image: "x:1", ports: [{ name: "http", containerPort: 8080 }] }] },
  };
}

const service: JsonObject = {
  apiVersion: "v1",
  kind: "Service",
  metadata: { name: "web" },
  spec: { selector: { app: "web" }, ports: [{ port: 80, targetPort: "http" }] },
};

test("Endpoints list ready and unready pods separately with resolved ports, and are deleted with the Service", async () => {
  const server = await started();
  await post(server, podsPath, pod("up", "ready"));
  await post(server, podsPath, pod("down", "never-ready"));
  await post(server, "/api/v1/namespaces/demo/services", service);
  const found = (await server.ask({ path: "/api/v1/namespaces/demo/endpoints/web" })).object;
  const [subset = {}] = objectsIn(found, "subsets");
  const names = (key: string): readonly string[] =>
    objectsIn(subset, key).map((address) => textIn(objectIn(address, "targetRef"), "name"));
  assert.deepEqual([names("addresses"), names("notReadyAddresses")], [["up"], ["down"]]);
  assert.deepEqual(subset["ports"], [{ port: 8080, protocol: "TCP" }]);
  const [slice = {}] = await items(server, "/apis/discovery.k8s.io/v1/namespaces/demo/endpointslices");
  const ready = objectsIn(slice, "endpoints").filter((endpoint) => objectIn(endpoint, "conditions")["ready"] === true);
  assert.equal(ready.length, 1);
  assert.equal(textsIn(ready[0] ?? {}, "addresses").length, 1);
  const body = { metadata: { annotations: { "sim/result": "ready" } } };
  await server.ask({ method: "PATCH", path: `${podsPath}/down`, headers: merge, body });
  await server.server.settled();
  const later = (await server.ask({ path: "/api/v1/namespaces/demo/endpoints/web" })).object;
  assert.equal(objectsIn(objectsIn(later, "subsets")[0] ?? {}, "addresses").length, 2);
  await server.ask({ method: "DELETE", path: "/api/v1/namespaces/demo/services/web" });
  await server.server.settled();
  assert.equal((await server.ask({ path: "/api/v1/namespaces/demo/endpoints/web" })).code, 404);
  assert.deepEqual(await items(server, "/apis/discovery.k8s.io/v1/namespaces/demo/endpointslices"), []);
  await server.server.stop();
});

test("a new pod gets account, token, priority and tolerations", async () => {
  const server = await started();
  const made = await post(server, podsPath, pod("p", "ready"));
  const spec = objectIn(made, "spec");
  assert.deepEqual(
    [spec["serviceAccountName"], spec["serviceAccount"], spec["priority"], spec["preemptionPolicy"]],
    ["default", "default", 0, "PreemptLowerPriority"],
  );
  assert.equal(objectsIn(spec, "tolerations").length, 2);
  const [volume = {}] = objectsIn(spec, "volumes");
  assert.match(textIn(volume, "name"), /^kube-api-access-[a-z0-9]{5}$/);
  const refused = await server.ask({
    method: "POST",
    path: podsPath,
    body: { ...pod("q", "ready"), spec: { ...objectIn(pod("q", "ready"), "spec"), priorityClassName: "nope" } },
  });
  assert.equal(refused.code, 403);
  assert.equal(refused.object["message"], 'pods "q" is forbidden: no PriorityClass with name nope was found');
  await server.server.stop();
});

test("a deleted pod that is bound remains until the simulated kubelet has terminated it", async () => {
  const server = await started();
  await post(server, podsPath, pod("p", "ready"));
  const twice = await server.ask({
    method: "POST",
    path: `${podsPath}/p/binding`,
    body: { apiVersion: "v1", kind: "Binding", metadata: { name: "p" }, target: { kind: "Node", name: "other" } },
  });
  assert.equal(twice.code, 409);
  const deleted = await server.ask({ method: "DELETE", path: `${podsPath}/p` });
  assert.equal(objectIn(deleted.object, "metadata")["deletionGracePeriodSeconds"], 30);
  await server.server.settled();
  assert.equal((await server.ask({ path: `${podsPath}/p` })).code, 404);
  await server.server.stop();
});
