import assert from "node:assert/strict";
import type { JsonObject } from "@purser/kubernetes/json";
import { kubectlIn } from "../kubectl.ts";
import type { Row } from "../row.ts";
import type { Scene } from "../scene.ts";
import { configMap } from "../scene.ts";
import { transcriptRow } from "../transcript.ts";

const openSchema = { type: "object", "x-kubernetes-preserve-unknown-fields": true };

function deployment(replicas: number): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name: "d" },
    spec: {
      replicas,
      selector: { matchLabels: { a: "b" } },
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [{ name: "c", image: "i:v1" }] } },
    },
  };
}

interface Subject {
  readonly name: string;
  readonly what: string;
  readonly object: (scene: Scene, value: number) => JsonObject;
}

const subjects: readonly Subject[] = [
  { name: "a ConfigMap", what: "configmap/c", object: (_, value) => configMap("c", { data: { v: String(value) } }) },
  { name: "a Deployment", what: "deployment.apps/d", object: (_, value) => deployment(value) },
  {
    name: "a custom resource",
    what: "thing.{group}/t",
    object: (scene, value) => scene.object("Thing", "t", { spec: { v: value } }),
  },
];

async function define(scene: Scene): Promise<void> {
  await scene.define(scene.definition("things", "Thing", { type: "object", properties: { spec: openSchema } }));
}

export const kubectlRows: readonly Row[] = [
  {
    row: 23,
    name: "kubectl reports an unknown kind with every validation mode",
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      const typo = JSON.stringify({ ...deployment(1), kind: "Deploymnt" });
      const { code, text } = await kubectl(["apply", "-f", "-"], typo);
      assert.equal(code, 1);
      assert.match(text, /no matches for kind "Deploymnt" in version "apps\/v1"/);
    },
  },
  {
    row: 23,
    name: "kubectl auth can-i",
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      assert.deepEqual(await kubectl(["auth", "can-i", "get", "pods"]), { code: 0, text: "yes\n" });
    },
  },
  {
    row: 23,
    name: "kubectl auth can-i --list prints an administrator's rules once",
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      const { code, text } = await kubectl(["auth", "can-i", "--list"]);
      assert.equal(code, 0, text);
      const everything = text.split("\n").filter((line) => /^(\*\.\*)? +\[\*?\] +\[\] +\[\*\]$/.test(line));
      assert.equal(everything.length, 2, text);
    },
  },
  ...subjects.map(({ name, what, object }): Row => ({
    row: 43,
    name: `kubectl creates, applies, diffs and deletes ${name}`,
    run: async (scene) => {
      await define(scene);
      const kubectl = await kubectlIn(scene);
      const said = what.replace("{group}", scene.group);
      const [first, second] = [0, 1].map((value) => JSON.stringify(object(scene, value)));
      const expect = async (args: readonly string[], input: string | undefined, code: number, text: RegExp) => {
        const ran = await kubectl(args, input);
        assert.equal(ran.code, code, ran.text);
        assert.match(ran.text, text);
      };
      const words = said.replaceAll(".", String.raw`\.`);
      await expect(["create", "-f", "-"], first, 0, new RegExp(`^${words} created\n$`));
      await expect(["delete", "-f", "-"], first, 0, new RegExp(`${said.replace("/", ' "')}" deleted`));
      await expect(["apply", "-f", "-"], first, 0, new RegExp(`^${words} created\n$`));
      await expect(["apply", "-f", "-"], first, 0, new RegExp(`^${words} unchanged\n$`));
      await expect(["diff", "-f", "-"], first, 0, /^$/);
      await expect(["diff", "-f", "-"], second, 1, /^[-+] .*1/m);
      await expect(["apply", "-f", "-"], second, 0, new RegExp(`^${words} configured\n$`));
      await expect(["delete", "-f", "-"], second, 0, /deleted/);
    },
  })),
  {
    row: 44,
    name: "a second kubectl apply --server-side changes nothing",
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      const input = JSON.stringify(deployment(0));
      for (const _ of [1, 2]) {
        const ran = await kubectl(["apply", "--server-side", "-f", "-"], input);
        assert.deepEqual(ran, { code: 0, text: "deployment.apps/d serverside-applied\n" });
      }
      const path = `/apis/apps/v1/namespaces/${scene.ns}/deployments/d`;
      const { metadata } = await scene.ok({ path });
      await kubectl(["apply", "--server-side", "-f", "-"], input);
      const again = await scene.ok({ path });
      const generation = (held: typeof metadata): unknown => (held as JsonObject)["generation"];
      assert.equal(generation(again["metadata"]), generation(metadata));
    },
  },
  {
    row: 45,
    name: "kubectl explain works for a Deployment and a custom resource",
    run: async (scene) => {
      await define(scene);
      const kubectl = await kubectlIn(scene);
      const deep = await kubectl(["explain", "deployment.spec.template.spec.containers"]);
      assert.equal(deep.code, 0, deep.text);
      assert.match(deep.text, /^GROUP: +apps\nKIND: +Deployment\nVERSION: +v1\n/);
      assert.match(deep.text, /^ +imagePullPolicy\t<string>/m);
      const custom = await kubectl(["explain", `things.${scene.group}`]);
      assert.equal(custom.code, 0, custom.text);
      assert.match(custom.text, /^KIND: +Thing$/m);
    },
  },
  {
    row: 47,
    name: "kubectl get prints workloads with their columns",
    run: async (scene) => {
      const kubectl = await kubectlIn(scene);
      await kubectl(["create", "-f", "-"], JSON.stringify(deployment(1)));
      // A Pod's row depends on controllers.
      for (let tries = 0; ; tries++) {
        const ran = await kubectl(["get", "deploy,rs,po", "-o", "wide"]);
        assert.equal(ran.code, 0, ran.text);
        const heads = ran.text.split("\n").filter((line) => line.startsWith("NAME"));
        if (heads.length < 3 && tries < 20) continue;
        assert.deepEqual(
          heads.map((line) => line.split(/ {2,}/)),
          [
            ["NAME", "READY", "UP-TO-DATE", "AVAILABLE", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"],
            ["NAME", "DESIRED", "CURRENT", "READY", "AGE", "CONTAINERS", "IMAGES", "SELECTOR"],
            ["NAME", "READY", "STATUS", "RESTARTS", "AGE", "IP", "NODE", "NOMINATED NODE", "READINESS GATES"],
          ],
        );
        break;
      }
    },
  },
  transcriptRow(47, "kubectl shows every kind, and says who may do what", "look"),
  transcriptRow(47, "kubectl shows, scales, waits for and explains custom resources", "custom"),
  transcriptRow(47, "kubectl makes, labels, patches and deletes, and is refused in the same words", "change"),
  transcriptRow(47, "kubectl rolls out, pauses, undoes and scales", "rollout"),
];
