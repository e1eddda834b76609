import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import type { JsonObject } from "@purser/kubernetes/json";
import { eventually } from "./eventually.ts";

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Smoke {
  readonly kubectl: string;
  readonly kubeconfig: string;
  /** An empty directory for kubectl's discovery cache. */
  readonly cache: string;
  /** Made at the beginning, removed at the end. */
  readonly namespace: string;
}

/** What a person does with kubectl in the first hour; the same on every API server. */
export class KubectlSession {
  readonly #smoke: Smoke;

  constructor(smoke: Smoke) {
    this.#smoke = smoke;
  }

  start(args: readonly string[]): ReturnType<typeof spawn> {
    const { kubectl, kubeconfig, cache, namespace } = this.#smoke;
    return spawn(kubectl, ["--kubeconfig", kubeconfig, "--cache-dir", cache, "-n", namespace, ...args], {
      stdio: ["pipe", "pipe", "pipe"],
    });
  }

  run(args: readonly string[], input?: JsonObject): Promise<Ran> {
    const child = this.start(args);
    let [out, err] = ["", ""];
    child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
    child.stderr?.on("data", (chunk: Buffer) => (err += chunk.toString()));
    child.stdin?.end(input === undefined ? "" : JSON.stringify(input));
    return new Promise((done, refuse) => {
      child.on("error", refuse);
      child.on("close", (code) => done({ code, out, err }));
    });
  }

  /** Its output; @throws with all it said when it fails */
  async ok(args: readonly string[], input?: JsonObject): Promise<string> {
    const { code, out, err } = await this.run(args, input);
    assert.equal(code, 0, `kubectl ${args.join(" ")}: ${out}${err}`);
    return out;
  }
}

function deployment(name: string, image: string): JsonObject {
  return {
    apiVersion: "apps/v1",
    kind: "Deployment",
    metadata: { name },
    spec: {
      replicas: 1,
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: "c", image }] } },
    },
  };
}

function configMap(data: JsonObject): JsonObject {
  return { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "settings" }, data };
}

/** Each step by what it shows; they build on one another. */
export const smokeSteps: readonly (readonly [string, (session: KubectlSession) => Promise<void>])[] = [
  [
    "api-resources lists kinds with their short names",
    async (session) => {
      const out = await session.ok(["api-resources"]);
      assert.match(out, /^configmaps +cm +v1 +true +ConfigMap$/m);
      assert.match(out, /^deployments +deploy +apps\/v1 +true +Deployment$/m);
      assert.match(
        out,
        /^customresourcedefinitions +crd,crds +apiextensions\.k8s\.io\/v1 +false +CustomResourceDefinition$/m,
      );
    },
  ],
  [
    "explain shows fields and what they are for",
    async (session) => {
      const out = await session.ok(["explain", "deployment.spec.strategy"]);
      assert.match(out, /KIND: +Deployment/);
      assert.match(out, /rollingUpdate/);
    },
  ],
  [
    "apply creates, changes, and leaves alone",
    async (session) => {
      assert.equal(
        await session.ok(["apply", "-f", "-"], configMap({ a: "1", b: "1" })),
        "configmap/settings created\n",
      );
      assert.equal(await session.ok(["apply", "-f", "-"], configMap({ a: "2" })), "configmap/settings configured\n");
      assert.equal(await session.ok(["apply", "-f", "-"], configMap({ a: "2" })), "configmap/settings unchanged\n");
      const held = await session.ok(["get", "cm", "settings", "-o", "jsonpath={.data}"]);
      assert.deepEqual(JSON.parse(held), { a: "2" });
    },
  ],
  [
    "apply --server-side meets what another manager holds",
    async (session) => {
      const args = ["apply", "--server-side", "--field-manager", "other", "-f", "-"];
      const refused = await session.run(args, configMap({ a: "3" }));
      assert.equal(refused.code, 1);
      assert.match(refused.err, /conflict with "kubectl-client-side-apply"/);
      assert.equal(
        await session.ok([...args, "--force-conflicts"], configMap({ a: "3" })),
        "configmap/settings serverside-applied\n",
      );
    },
  ],
  [
    "get -w tells what changes",
    async (session) => {
      const child = session.start(["get", "cm", "settings", "-w", "-o", "jsonpath={.data.a}{'\\n'}"]);
      let out = "";
      child.stdout?.on("data", (chunk: Buffer) => (out += chunk.toString()));
      try {
        await eventually("the watch has begun", () => Promise.resolve(out.startsWith("3\n") ? undefined : out));
        await session.ok(["patch", "cm", "settings", "--type", "merge", "-p", '{"data":{"a":"4"}}']);
        await eventually("the watch goes on", () => Promise.resolve(out === "3\n4\n" ? undefined : out));
      } finally {
        child.kill();
      }
    },
  ],
  [
    "patch in three ways",
    async (session) => {
      const patch = (type: string, text: string): Promise<string> =>
        session.ok(["patch", "cm", "settings", "--type", type, "-p", text]);
      assert.equal(
        await patch("json", '[{"op":"replace","path":"/data/a","value":"5"}]'),
        "configmap/settings patched\n",
      );
      assert.equal(await patch("strategic", '{"data":{"a":"6"}}'), "configmap/settings patched\n");
      assert.equal(await patch("merge", '{"data":{"a":"6"}}'), "configmap/settings patched (no change)\n");
    },
  ],
  [
    "rollout status and wait follow a Deployment",
    async (session) => {
      await session.ok(["apply", "-f", "-"], deployment("web", "example.com/web:1"));
      assert.match(
        await session.ok(["rollout", "status", "deployment/web", "--timeout", "60s"]),
        /deployment "web" successfully rolled out\n$/,
      );
      await session.ok(["set", "image", "deployment/web", "c=example.com/web:2"]);
      await session.ok(["rollout", "status", "deployment/web", "--timeout", "60s"]);
      assert.match(await session.ok(["rollout", "history", "deployment/web"]), /^2 +<none>$/m);
      assert.equal(
        await session.ok(["wait", "deployment/web", "--for", "condition=Available", "--timeout", "60s"]),
        "deployment.apps/web condition met\n",
      );
      assert.match(await session.ok(["get", "deployment", "web"]), /^web +1\/1 +1 +1 +\d+s$/m);
    },
  ],
  [
    "delete --cascade=orphan leaves what was owned",
    async (session) => {
      await session.ok(["delete", "deployment", "web", "--cascade=orphan"]);
      const sets = await session.ok(["get", "rs", "-l", "app=web", "-o", "name"]);
      assert.equal(sets.trim().split("\n").length, 2);
      await session.ok(["delete", "rs", "-l", "app=web"]);
    },
  ],
  ...(["background", "foreground"] as const).map(
    (cascade) =>
      [
        `delete --cascade=${cascade} takes what was owned with it`,
        async (session: KubectlSession) => {
          await session.ok(["apply", "-f", "-"], deployment(cascade, "example.com/web:1"));
          await session.ok(["rollout", "status", `deployment/${cascade}`, "--timeout", "60s"]);
          await session.ok(["delete", "deployment", cascade, `--cascade=${cascade}`]);
          await eventually("nothing is left", async () => {
            const left = await session.ok(["get", "rs,pods", "-l", `app=${cascade}`, "-o", "name"]);
            return left === "" ? undefined : left;
          });
        },
      ] as const,
  ),
  [
    "wait --for=delete ends with the object",
    async (session) => {
      const waiting = session.run(["wait", "cm/settings", "--for=delete", "--timeout=60s"]);
      await session.ok(["delete", "cm", "settings"]);
      const { code } = await waiting;
      assert.equal(code, 0);
    },
  ],
  [
    "auth can-i answers for oneself and for others",
    async (session) => {
      assert.equal(await session.ok(["auth", "can-i", "create", "deployments.apps"]), "yes\n");
      const { code, out } = await session.run(["auth", "can-i", "create", "deployments.apps", "--as", "nobody"]);
      assert.deepEqual([code, out], [1, "no\n"]);
      assert.match(await session.ok(["auth", "whoami"]), /system:masters/);
    },
  ],
];
