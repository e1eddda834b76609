import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { pathsOf, unscheduled } from "../../rollouts.ts";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import { at, gone, itemsOf, text } from "../../scene.ts";
import { pod } from "../../workloads.ts";

/** Objects that pods depend on: namespace, Services, node. */
export const workloadRows: readonly Row[] = [
  {
    row: 289,
    name: "the default service account and kube-root-ca.crt of a namespace are created again after deletion",
    run: async (scene) => {
      const account = `/api/v1/namespaces/${scene.ns}/serviceaccounts/default`;
      const authority = `/api/v1/namespaces/${scene.ns}/configmaps/kube-root-ca.crt`;
      for (const path of [account, authority]) {
        let first = "";
        await eventually(async () => {
          first = text(await scene.ok({ path }), "metadata", "uid");
        });
        await scene.ok({ method: "DELETE", path });
        await eventually(async () => assert.notEqual(text(await scene.ok({ path }), "metadata", "uid"), first));
      }
      const held = await scene.ok({ path: authority });
      assert.notEqual(text(held, "metadata", "annotations", "kubernetes.io/description"), "");
      assert.match(text(held, "data", "ca.crt"), /BEGIN CERTIFICATE/);
      await scene.merge(authority, { data: { "ca.crt": "edited" } });
      await eventually(async () =>
        assert.equal(text(await scene.ok({ path: authority }), "data", "ca.crt"), text(held, "data", "ca.crt")),
      );
    },
  },
  {
    row: 297,
    name: "endpoints follow the pods of a Service",
    run: async (scene) => {
      const { services, pods } = pathsOf(scene);
      const slices = `/apis/discovery.k8s.io/v1/namespaces/${scene.ns}/endpointslices?labelSelector=kubernetes.io/service-name%3Ds`;
      await scene.ok({ method: "POST", path: pods, body: pod("p") });
      const spec = { selector: { app: "p" }, ports: [{ port: 80, targetPort: 8080 }] };
      await scene.ok({ method: "POST", path: services, body: { metadata: { name: "s" }, spec } });
      const endpoints = `/api/v1/namespaces/${scene.ns}/endpoints/s`;
      const subset = async (): Promise<JsonObject> => {
        const [first] = (at(await scene.ok({ path: endpoints }), "subsets") ?? []) as unknown as readonly JsonObject[];
        return first ?? {};
      };
      const listed = (part: JsonObject, key: string): readonly JsonObject[] =>
        (part[key] ?? []) as unknown as readonly JsonObject[];
      await eventually(async () => {
        const ready = await subset();
        assert.equal(text(listed(ready, "addresses")[0] ?? {}, "targetRef", "name"), "p");
        assertContains(listed(ready, "ports")[0], { port: 8080, protocol: "TCP" });
        const [slice] = itemsOf(await scene.ok({ path: slices }));
        assert.match(text(slice ?? {}, "metadata", "name"), /^s-[a-z0-9]{5}$/);
        assertContains(slice, {
          addressType: "IPv4",
          metadata: {
            labels: { "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io" },
          },
        });
        const [endpoint] = listed(slice ?? {}, "endpoints");
        assertContains(endpoint, { conditions: { ready: true, serving: true, terminating: false } });
      });
      assertContains(await scene.ok({ path: endpoints }), {
        metadata: { labels: { "endpoints.kubernetes.io/managed-by": "endpoint-controller" } },
      });
      await scene.ok({
        method: "PATCH",
        path: `${pods}/p/status`,
        body: {
          status: {
            conditions: [
              { type: "Ready", status: "False" },
              { type: "ContainersReady", status: "False" },
            ],
          },
        },
        headers: { "content-type": "application/strategic-merge-patch+json" },
      });
      await eventually(async () => {
        const now = await subset();
        assert.equal(text(listed(now, "notReadyAddresses")[0] ?? {}, "targetRef", "name"), "p");
        assert.equal(listed(now, "addresses").length, 0);
      });
      await scene.ok({ method: "DELETE", path: `${services}/s` });
      await gone(scene, endpoints);
      await eventually(async () => assert.equal(itemsOf(await scene.ok({ path: slices })).length, 0));
    },
  },
  {
    row: 298,
    name: "a pod can be bound only once",
    run: async (scene) => {
      const { pods } = pathsOf(scene);
      await scene.ok({ method: "POST", path: pods, body: pod("p", unscheduled) });
      const body = {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: "p" },
        target: { apiVersion: "v1", kind: "Node", name: "nowhere" },
      };
      assertAnswer(await scene.ask({ method: "POST", path: `${pods}/p/binding`, body }), {
        code: 201,
        contains: { kind: "Status", status: "Success" },
      });
      assertContains(await scene.ok({ path: `${pods}/p` }), { spec: { nodeName: "nowhere" } });
      assertAnswer(await scene.ask({ method: "POST", path: `${pods}/p/binding`, body }), {
        code: 409,
        reason: "Conflict",
        message: 'Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "nowhere"',
      });
      await scene.ask({ method: "DELETE", path: `${pods}/p?gracePeriodSeconds=0` });
    },
  },
  {
    row: 298,
    name: "the body of a binding is decoded like others: wrong types and unknown fields are reported",
    run: async (scene) => {
      const { pods } = pathsOf(scene);
      await scene.ok({ method: "POST", path: pods, body: pod("p", unscheduled) });
      const bind = (target: JsonObject, query = ""): ReturnType<typeof scene.ask> =>
        scene.ask({
          method: "POST",
          path: `${pods}/p/binding${query}`,
          body: { metadata: { name: "p" }, target, zz: 1 },
        });
      const misread = 'Binding in version "v1" cannot be handled as a Binding: ';
      assertAnswer(await bind({ name: 5 }), {
        code: 400,
        message: `${misread}json: cannot unmarshal number into Go struct field ObjectReference.target.name of type string`,
      });
      assertAnswer(await bind({ kind: "Node", name: "n", aa: 1 }, "?fieldValidation=Strict"), {
        code: 400,
        message: `${misread}strict decoding error: unknown field "target.aa", unknown field "zz"`,
      });
      assertAnswer(await bind({ kind: "Pod", name: "n" }), { code: 500, warnings: ['unknown field "zz"'] });
    },
  },
];
