import assert from "node:assert/strict";
import { kubectlIn } from "../../kubectl.ts";
import { pathsOf, nameOf, names, said, image, changed, counted } from "../../rollouts.ts";
import type { Row } from "../../row.ts";
import { eventually } from "../../eventually.ts";
import { assertContains, assertAnswer } from "../../row.ts";
import { at, itemsOf, text } from "../../scene.ts";
import { daemonSet, statefulSet } from "../../workloads.ts";

/** DaemonSets, and kubectl rollout for both kinds of sets. */
export const daemonSetRows: readonly Row[] = [
  {
    row: 290,
    name: "a DaemonSet runs on every node and follows its template",
    run: async (scene) => {
      const { daemons, pods, revisions } = pathsOf(scene);
      const path = `${daemons}/d`;
      await scene.ok({ method: "POST", path: daemons, body: daemonSet("d") });
      await eventually(async () => {
        const held = await scene.ok({ path });
        const nodes = at(held, "status", "desiredNumberScheduled");
        assert.ok(typeof nodes === "number" && nodes > 0);
        assert.deepEqual(at(held, "status"), {
          currentNumberScheduled: nodes,
          desiredNumberScheduled: nodes,
          numberAvailable: nodes,
          numberMisscheduled: 0,
          numberReady: nodes,
          observedGeneration: 1,
          updatedNumberScheduled: nodes,
        });
      });
      const [made = {}] = itemsOf(await scene.ok({ path: pods }));
      const hash = text(made, "metadata", "labels", "controller-revision-hash");
      assertContains(made, {
        metadata: { generateName: "d-", labels: { app: "d", "pod-template-generation": "1" } },
      });
      assert.deepEqual(
        at(made, "spec", "tolerations"),
        [
          ["not-ready", "NoExecute"],
          ["unreachable", "NoExecute"],
          ["disk-pressure", "NoSchedule"],
          ["memory-pressure", "NoSchedule"],
          ["pid-pressure", "NoSchedule"],
          ["unschedulable", "NoSchedule"],
        ].map(([key = "", effect = ""]) => ({ effect, key: `node.kubernetes.io/${key}`, operator: "Exists" })),
      );
      assertContains(await scene.ok({ path: `${revisions}/d-${hash}` }), {
        revision: 1,
        metadata: {
          labels: { app: "d", "controller-revision-hash": hash },
          annotations: { "deprecated.daemonset.template.generation": "1" },
        },
      });
      await changed(scene, path, image("2"));
      const nodes = at(await scene.ok({ path }), "status", "desiredNumberScheduled") ?? 0;
      await counted(scene, path, { observedGeneration: 2, updatedNumberScheduled: nodes, numberAvailable: nodes });
      const events = await said(scene, "DaemonSet");
      assert.ok(events.includes(`Normal SuccessfulCreate: Created pod: ${nameOf(made)}`), events.join("\n"));
      assert.ok(events.includes(`Normal SuccessfulDelete: Deleted pod: ${nameOf(made)}`), events.join("\n"));
    },
  },
  {
    row: 290,
    name: "a DaemonSet without a matching node",
    run: async (scene) => {
      const { daemons, pods } = pathsOf(scene);
      await scene.ok({
        method: "POST",
        path: daemons,
        body: daemonSet("d", {}, { nodeSelector: { "example.com/none": "1" } }),
      });
      await counted(scene, `${daemons}/d`, { observedGeneration: 1, desiredNumberScheduled: 0 });
      assert.deepEqual(await names(scene, pods), []);
    },
  },
  {
    row: 88,
    name: "the update strategy of a DaemonSet",
    run: async (scene) => {
      const { daemons } = pathsOf(scene);
      for (const [strategy, message] of [
        [
          { type: "Foo" },
          'spec.updateStrategy: Unsupported value: {"Type":"Foo","RollingUpdate":null}: supported values: "RollingUpdate", "OnDelete"',
        ],
        [
          { rollingUpdate: { maxUnavailable: 0 } },
          "spec.updateStrategy.rollingUpdate.maxUnavailable: Required value: cannot be 0 when maxSurge is 0",
        ],
        [
          { rollingUpdate: { maxUnavailable: "101%" } },
          'spec.updateStrategy.rollingUpdate.maxUnavailable: Invalid value: "101%": must not be greater than 100%',
        ],
      ] as const)
        assertAnswer(
          await scene.ask({ method: "POST", path: daemons, body: daemonSet("d", { updateStrategy: strategy }) }),
          { code: 422, message: `DaemonSet.apps "d" is invalid: ${message}` },
        );
      for (const [strategy, stored] of [
        [{ type: "OnDelete" }, { type: "OnDelete" }],
        [
          { type: "OnDelete", rollingUpdate: {} },
          { type: "OnDelete", rollingUpdate: { maxUnavailable: 0, maxSurge: 0 } },
        ],
        [
          { type: "OnDelete", rollingUpdate: { maxUnavailable: 1 } },
          { type: "OnDelete", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } },
        ],
        [{}, { type: "RollingUpdate", rollingUpdate: { maxUnavailable: 1, maxSurge: 0 } }],
      ] as const) {
        const query = "dryRun=All";
        const body = daemonSet("d", { updateStrategy: strategy });
        const made = await scene.ok({ method: "POST", path: `${daemons}?${query}`, body });
        assert.deepEqual(at(made, "spec", "updateStrategy"), stored);
      }
    },
  },
  {
    row: 291,
    name: "kubectl rollout status and undo for both kinds of sets",
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      const { stateful, daemons } = pathsOf(scene);
      await scene.ok({ method: "POST", path: stateful, body: statefulSet("s", { replicas: 2 }) });
      await scene.ok({ method: "POST", path: daemons, body: daemonSet("d") });
      for (const [target, done] of [
        ["statefulset/s", /partitioned roll out complete|statefulset rolling update complete 2 pods/],
        ["daemonset/d", /daemon set "d" successfully rolled out/],
      ] as const) {
        const rolledOut = async (): Promise<void> => {
          const followed = await kubectl(["rollout", "status", target, "--timeout=30s"]);
          assert.equal(followed.code, 0, followed.text);
          assert.match(followed.text, done);
        };
        await rolledOut();
        assert.equal((await kubectl(["set", "image", target, "c=example.com/app:2"])).code, 0);
        await rolledOut();
        const history = await kubectl(["rollout", "history", target]);
        assert.match(history.text, /^1 +<none>\n2 +<none>$/m, history.text);
        const undone = await kubectl(["rollout", "undo", target]);
        assert.equal(undone.code, 0, undone.text);
        await rolledOut();
        const image = await kubectl(["get", target, "-o", "jsonpath={.spec.template.spec.containers[0].image}"]);
        assert.equal(image.text, "example.com/app:1");
      }
      const table = await kubectl(["get", "controllerrevisions", "--no-headers"]);
      assert.match(table.text, /^d-\S+ +daemonset\.apps\/d +\d+ +\d+s$/m);
      assert.match(table.text, /^s-\S+ +statefulset\.apps\/s +\d+ +\d+s$/m);
    },
  },
];
