import assert from "node:assert/strict";
import { test } from "node:test";
import type { JsonObject } from "@purser/kubernetes/json";
import { numberIn, objectAt, objectIn, objectsIn, textIn } from "../../kinds/decoding/json-parts.ts";
import { items, started } from "../../testing/server.ts";
import { apps, change, core, image, make, podImages, revisionNumbers, said, set } from "../../testing/sets.ts";

const statefulPath = `${apps}/statefulsets/s`;

test("a StatefulSet starts its pods one by one and counts them as kube-controller-manager does", async () => {
  const server = await started();
  const watch = await server.watch(`${apps}/statefulsets?watch=true`);
  const done = await make(server, set("StatefulSet", { replicas: 2, serviceName: "svc" }));
  const status = objectIn(done, "status");
  const revision = textIn(status, "currentRevision");
  assert.match(revision, /^s-[bcdfghjklmnpqrstvwxz2456789]+$/);
  assert.deepEqual(status, {
    observedGeneration: 1,
    replicas: 2,
    readyReplicas: 2,
    currentReplicas: 2,
    updatedReplicas: 2,
    currentRevision: revision,
    updateRevision: revision,
    collisionCount: 0,
    availableReplicas: 2,
  });
  const pods = await items(server, `${core}/pods`);
  assert.deepEqual(
    pods.map((pod) => objectAt(pod, "metadata", "labels")),
    [0, 1].map((ordinal) => ({
      app: "s",
      "apps.kubernetes.io/pod-index": String(ordinal),
      "controller-revision-hash": revision,
      "statefulset.kubernetes.io/pod-name": `s-${ordinal}`,
    })),
  );
  assert.equal(objectAt(pods[1] ?? {}, "spec")["hostname"], "s-1");
  assert.equal(objectAt(pods[1] ?? {}, "spec")["subdomain"], "svc");
  assert.deepEqual(await said(server, "StatefulSet"), [
    "Normal SuccessfulCreate: Create Pod s-0 in StatefulSet s successful",
    "Normal SuccessfulCreate: Create Pod s-1 in StatefulSet s successful",
  ]);
  const counts: string[] = [];
  while (!counts.at(-1)?.startsWith("2/2/2")) {
    const seen = objectIn((await watch.next())?.object as unknown as JsonObject, "status");
    counts.push(
      ["replicas", "readyReplicas", "availableReplicas", "observedGeneration"]
        .map((key) => numberIn(seen, key) ?? 0)
        .join("/"),
    );
  }
  // The second pod is created after the first is ready.
  assert.ok(counts.indexOf("1/1/1/1") > 0, counts.join(" "));
  assert.ok(!counts.some((count) => count.startsWith("2/0")), counts.join(" "));
  assert.deepEqual(counts.slice(0, 2), ["0/0/0/0", "0/0/0/1"]);
  await server.server.stop();
});

test("a revision has the name that kube-controller-manager computes", async () => {
  const server = await started();
  const template = { spec: { containers: [{ name: "c", image: "example.com/app:1" }] } };
  const done = await make(server, set("StatefulSet", { serviceName: "svc" }, template));
  assert.equal(objectIn(done, "status")["currentRevision"], "s-7798d4c587");
  const [revision = {}] = await items(server, `${apps}/controllerrevisions`);
  assert.equal(revision["revision"], 1);
  assert.deepEqual(objectAt(revision, "metadata", "labels"), {
    app: "s",
    "controller.kubernetes.io/hash": "7798d4c587",
  });
  await server.server.stop();
});

test("a new template replaces pods from the last to the first, and a former template reuses its revision", async () => {
  const server = await started();
  const before = await make(server, set("StatefulSet", { replicas: 3 }));
  const first = textIn(objectIn(before, "status"), "currentRevision");
  const deleted = await server.watch(`${core}/pods?watch=true`);
  const done = await change(server, statefulPath, image("registry.example/s:2"));
  assert.deepEqual(await podImages(server), ["s-0 2", "s-1 2", "s-2 2"]);
  const status = objectIn(done, "status");
  assert.notEqual(status["currentRevision"], first);
  assert.equal(status["currentRevision"], status["updateRevision"]);
  const gone: string[] = [];
  while (gone.length < 3) {
    const event = await deleted.next();
    if (event?.type === "DELETED") gone.push(event.object.metadata.name ?? "");
  }
  assert.deepEqual(gone, ["s-2", "s-1", "s-0"]);
  const back = await change(server, statefulPath, image("registry.example/s:1"));
  assert.equal(objectIn(back, "status")["currentRevision"], first);
  assert.deepEqual(await revisionNumbers(server), [2, 3]);
  await server.server.stop();
});

test("pods below the partition keep their revision, also when they are created again", async () => {
  const server = await started();
  await make(server, set("StatefulSet", { replicas: 3, updateStrategy: { rollingUpdate: { partition: 2 } } }));
  const done = await change(server, statefulPath, image("registry.example/s:2"));
  assert.deepEqual(await podImages(server), ["s-0 1", "s-1 1", "s-2 2"]);
  const status = objectIn(done, "status");
  assert.deepEqual([status["currentReplicas"], status["updatedReplicas"]], [2, 1]);
  await server.ask({ method: "DELETE", path: `${core}/pods/s-0` });
  await server.server.settled();
  assert.deepEqual(await podImages(server), ["s-0 1", "s-1 1", "s-2 2"]);
  await change(server, statefulPath, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
  assert.deepEqual(await podImages(server), ["s-0 2", "s-1 2", "s-2 2"]);
  await server.server.stop();
});

test("under OnDelete a pod gets the new template only after its deletion", async () => {
  const server = await started();
  await make(server, set("StatefulSet", { replicas: 2, updateStrategy: { type: "OnDelete" } }));
  await change(server, statefulPath, image("registry.example/s:2"));
  assert.deepEqual(await podImages(server), ["s-0 1", "s-1 1"]);
  await server.ask({ method: "DELETE", path: `${core}/pods/s-0` });
  await server.server.settled();
  assert.deepEqual(await podImages(server), ["s-0 2", "s-1 1"]);
  await server.server.stop();
});

test("a StatefulSet scales down from the highest ordinal, one pod at a time, and respects ordinals.start", async () => {
  const server = await started();
  await make(server, set("StatefulSet", { replicas: 3, ordinals: { start: 5 } }));
  assert.deepEqual(await podImages(server), ["s-5 1", "s-6 1", "s-7 1"]);
  const done = await change(server, statefulPath, { spec: { replicas: 1 } });
  assert.deepEqual(await podImages(server), ["s-5 1"]);
  assert.equal(objectIn(done, "status")["replicas"], 1);
  await server.server.stop();
});

test("an ordered StatefulSet waits for a pod that is not ready, a parallel one does not", async () => {
  const never = { metadata: { annotations: { "sim/result": "never-ready" } } };
  for (const [podManagementPolicy, pods] of [
    ["OrderedReady", 1],
    ["Parallel", 3],
  ] as const) {
    const server = await started();
    const done = await make(server, set("StatefulSet", { replicas: 3, podManagementPolicy }, never));
    assert.equal((await podImages(server)).length, pods, podManagementPolicy);
    assert.equal(objectIn(done, "status")["readyReplicas"], undefined);
    await server.server.stop();
  }
});

test("pods get the claims of volumeClaimTemplates, which are retained or deleted by the retention policy", async () => {
  const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } };
  const claims = [{ metadata: { name: "data", labels: { l: "1" } }, spec }];
  const mounts = [{ name: "c", image: "i:1", volumeMounts: [{ name: "data", mountPath: "/d" }] }];
  for (const [whenScaled, left] of [
    ["Retain", ["data-s-0", "data-s-1"]],
    ["Delete", ["data-s-0"]],
  ] as const) {
    const server = await started();
    const wanted = {
      replicas: 2,
      volumeClaimTemplates: claims,
      persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete", whenScaled },
    };
    const answer = await server.ask({
      method: "POST",
      path: `${apps}/statefulsets`,
      body: set("StatefulSet", wanted, { spec: { containers: mounts } }),
    });
    assert.equal(answer.code, 201, answer.message);
    await server.server.settled();
    const [claim = {}] = await items(server, `${core}/persistentvolumeclaims`);
    assert.deepEqual(objectAt(claim, "metadata", "labels"), { app: "s", l: "1" });
    const [owner = {}] = objectsIn(objectIn(claim, "metadata"), "ownerReferences");
    assert.deepEqual([owner["kind"], owner["controller"]], ["StatefulSet", true]);
    const [pod = {}] = await items(server, `${core}/pods`);
    assert.deepEqual(objectsIn(objectIn(pod, "spec"), "volumes")[0], {
      name: "data",
      persistentVolumeClaim: { claimName: "data-s-0" },
    });
    await change(server, statefulPath, { spec: { replicas: 1 } });
    const names = (await items(server, `${core}/persistentvolumeclaims`)).map((held) =>
      textIn(objectIn(held, "metadata"), "name"),
    );
    assert.deepEqual(names, left, whenScaled);
    await server.server.stop();
  }
});

test("a pod without a controller and with the name and labels of a member is adopted", async () => {
  const server = await started();
  const body = {
    apiVersion: "v1",
    kind: "Pod",
    metadata: { name: "s-0", labels: { app: "s" } },
    spec: { containers: [{ name: "c", image: "registry.example/s:0" }] },
  };
  await server.ask({ method: "POST", path: `${core}/pods`, body });
  await server.ask({
    method: "POST",
    path: `${core}/pods`,
    body: { ...body, metadata: { ...body.metadata, name: "x" } },
  });
  await make(server, set("StatefulSet", { updateStrategy: { type: "OnDelete" } }));
  assert.deepEqual(await podImages(server), ["s-0 0", "x 0"]);
  const owners = (await items(server, `${core}/pods`)).map(
    (pod) => objectsIn(objectIn(pod, "metadata"), "ownerReferences").length,
  );
  assert.deepEqual(owners, [1, 0]);
  await server.server.stop();
});

test("a finished pod of a StatefulSet is created again", async () => {
  const server = await started();
  await make(server, set("StatefulSet"));
  const [before = {}] = await items(server, `${core}/pods`);
  await server.ask({
    method: "PATCH",
    path: `${core}/pods/s-0/status`,
    body: { status: { phase: "Failed" } },
    headers: { "content-type": "application/merge-patch+json" },
  });
  await server.server.settled();
  const [after = {}] = await items(server, `${core}/pods`);
  assert.notEqual(objectIn(after, "metadata")["uid"], objectIn(before, "metadata")["uid"]);
  await server.server.stop();
});

test("revisions beyond the history limit are deleted", async () => {
  const server = await started();
  await make(server, set("StatefulSet", { revisionHistoryLimit: 1 }));
  for (const tag of ["2", "3", "4"]) await change(server, statefulPath, image(`registry.example/s:${tag}`));
  assert.deepEqual(await revisionNumbers(server), [3, 4]);
  await server.server.stop();
});
