import assert from "node:assert/strict";
import type { Answer } from "../../cluster.ts";
import type { Row } from "../../row.ts";
import { assertAnswer } from "../../row.ts";
import { at, configMap, text } from "../../scene.ts";

export const writeRows: readonly Row[] = [
  {
    row: 52,
    name: "a generated name has a suffix of five characters",
    run: async ({ ok, cms }) => {
      const made = await ok({ method: "POST", path: cms, body: { metadata: { generateName: "gen-" } } });
      assert.match(text(made, "metadata", "name"), /^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
    },
  },
  {
    row: 54,
    name: "the server sets uid and creationTimestamp",
    run: async (scene) => {
      const made = await scene.make("x", { metadata: { uid: "mine", creationTimestamp: "2001-01-01T00:00:00Z" } });
      assert.notEqual(text(made, "metadata", "uid"), "mine");
      assert.notEqual(text(made, "metadata", "creationTimestamp"), "2001-01-01T00:00:00Z");
    },
  },
  {
    row: 67,
    name: "a PUT that changes nothing keeps the resourceVersion",
    run: async (scene) => {
      const made = await scene.make("same", { data: { a: "1" } });
      const again = await scene.ok({ method: "PUT", path: `${scene.cms}/same`, body: made });
      assert.deepEqual(again["metadata"], made["metadata"]);
    },
  },
  {
    row: 75,
    name: "data of an immutable ConfigMap is immutable, labels are not",
    run: async (scene) => {
      await scene.make("fixed", { data: { a: "1" }, immutable: true });
      assert.equal((await scene.merge(`${scene.cms}/fixed`, { data: { a: "2" } })).code, 422);
      assert.equal((await scene.merge(`${scene.cms}/fixed`, { metadata: { labels: { a: "b" } } })).code, 200);
    },
  },
  {
    row: 86,
    name: "a dry run stores nothing and returns no resourceVersion",
    run: async (scene) => {
      const answer = await scene.ask({ method: "POST", path: `${scene.cms}?dryRun=All`, body: configMap("dry") });
      assert.equal(answer.code, 201);
      assert.equal(at(answer.object, "metadata", "resourceVersion"), undefined);
      assert.equal((await scene.ask({ path: `${scene.cms}/dry` })).code, 404);
    },
  },
  {
    row: 86,
    name: "a dry run of a PUT that creates returns the sent resourceVersion, and lists as they would be stored",
    run: async (scene) => {
      const path = `/apis/rbac.authorization.k8s.io/v1/namespaces/${scene.ns}/roles/dry?dryRun=All`;
      const body = { metadata: { name: "dry", resourceVersion: "7" }, rules: [] };
      const answer = await scene.ask({ method: "PUT", path, body });
      assert.equal(answer.code, 201);
      assert.equal(text(answer.object, "metadata", "resourceVersion"), "7");
      assert.equal(answer.object["rules"], null);
    },
  },
  {
    row: 97,
    name: "an Eviction and a Binding must have the pod's name; an empty body has none",
    run: async (scene) => {
      const pods = `/api/v1/namespaces/${scene.ns}/pods`;
      const spec = { containers: [{ name: "c", image: "i" }] };
      await scene.ok({ method: "POST", path: pods, body: { metadata: { name: "p" }, spec } });
      for (const [subresource, kind] of [
        ["eviction", "Eviction"],
        ["binding", "Binding"],
      ] as const)
        for (const body of ["null", "{}", '{"metadata":{"name":"q"}}']) {
          const headers = { "content-type": "application/json" };
          const answer = await scene.ask({
            method: "POST",
            path: `${pods}/p/${subresource}?dryRun=All`,
            body,
            headers,
          });
          assertAnswer(answer, { code: 400, message: `name in URL does not match name in ${kind} object` });
        }
    },
  },
  {
    row: 97,
    name: "metadata of a core Event is validated last, that of an events.k8s.io Event first",
    run: async (scene) => {
      const ask = (path: string): Promise<Answer> => scene.ask({ method: "POST", path, body: { metadata: {} } });
      assertAnswer(await ask(`/api/v1/namespaces/${scene.ns}/events`), {
        code: 422,
        message: 'Event "" is invalid: involvedObject.namespace: Invalid value: "": does not match event.namespace',
      });
      assertAnswer(await ask("/apis/events.k8s.io/v1/namespaces/default/events"), {
        code: 422,
        message: 'Event "" is invalid: [metadata.name: Required value: name or generateName is required, …',
      });
    },
  },
  {
    row: 97,
    name: "warnings about a DaemonSet's template are repeated only when it changes",
    run: async (scene) => {
      const path = `/apis/apps/v1/namespaces/${scene.ns}/daemonsets`;
      const ports = [{ containerPort: 80 }];
      const containers = ["c1", "c2"].map((name) => ({ name, image: "i", ports }));
      const labels = { app: "x" };
      const template = { metadata: { labels }, spec: { containers, nodeSelector: { none: "such" } } };
      const body = { metadata: { name: "d" }, spec: { selector: { matchLabels: labels }, template } };
      const made = await scene.ask({ method: "POST", path, body });
      assert.equal(made.warnings.length, 1, made.text);
      const strategy = await scene.merge(`${path}/d`, { spec: { updateStrategy: { type: "OnDelete" } } });
      assert.deepEqual([strategy.code, strategy.warnings], [200, []]);
      const changed = await scene.merge(`${path}/d`, { spec: { template: { metadata: { annotations: { a: "b" } } } } });
      assert.deepEqual(changed.warnings, made.warnings);
    },
  },
  {
    row: 97,
    name: "both of two duplicate members are decoded: options of a delete, operations of a patch",
    run: async (scene) => {
      await scene.make("x");
      const path = `${scene.cms}/x`;
      const deleted = await scene.ask({
        method: "DELETE",
        path: `${path}?dryRun=All`,
        body: '{"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":true,"gracePeriodSeconds":0}',
        headers: { "content-type": "application/json" },
      });
      assertAnswer(deleted, {
        code: 400,
        message: "json: cannot unmarshal bool into Go struct field DeleteOptions.gracePeriodSeconds of type int64",
      });
      const review = await scene.ask({
        method: "POST",
        path: "/apis/authentication.k8s.io/v1/tokenreviews",
        body: '{"apiVersion":"authentication.k8s.io/v1","kind":-1,"kind":"TokenReview","spec":{"token":"t"}}',
        headers: { "content-type": "application/json" },
      });
      assertAnswer(review, {
        code: 400,
        message:
          "the object provided is unrecognized (must be of type TokenReview): couldn't get version/kind; json parse error: json: cannot unmarshal number into Go struct field .kind of type string…",
      });
      const patched = await scene.ask({
        method: "PATCH",
        path,
        body: '[{"op":"add","path":5,"path":"/data","value":{}}]',
        headers: { "content-type": "application/json-patch+json" },
      });
      assertAnswer(patched, {
        code: 400,
        message:
          "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.path of type string",
      });
    },
  },
  {
    row: 92,
    name: "stringData of a Secret becomes data, its type is immutable",
    run: async (scene) => {
      const path = `/api/v1/namespaces/${scene.ns}/secrets`;
      const made = await scene.ok({
        method: "POST",
        path,
        body: { metadata: { name: "s" }, stringData: { a: "b" } },
      });
      assert.deepEqual(at(made, "data"), { a: "Yg==" });
      assert.equal(at(made, "type"), "Opaque");
      assert.equal((await scene.merge(`${path}/s`, { type: "x/y" })).code, 422);
      const bad = { metadata: { name: "t" }, data: { a: "%" } };
      assertAnswer(await scene.ask({ method: "POST", path, body: bad }), { code: 400, reason: "BadRequest" });
    },
  },
];
