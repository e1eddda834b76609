// The chart on a real cluster by each Helm that is there: install, upgrade, `helm test`, rollback, uninstall. Needs PURSER_E2E_KUBECONFIG,
// whose pods are not run by a kubelet: the pod of `helm test` is run here, with the token of its ServiceAccount.
import assert from "node:assert/strict";
import { execFile, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import { resourcePath } from "@purser/kubernetes/apis/resource-type";
import { clusterWide, deployments, namespaced, namespaces, serviceAccounts } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { findHelms } from "../build/deploy/find-helms.ts";
import { builtProduct } from "./built-product.ts";
import { eventually } from "./eventually.ts";
import { connectWith } from "./surroundings.ts";

const kubeconfig = process.env["PURSER_E2E_KUBECONFIG"] ?? "";
const helms = findHelms(process.env);
const skip =
  kubeconfig === ""
    ? "PURSER_E2E_KUBECONFIG names no cluster"
    : helms.length === 0 && "there is no helm (CONTRIBUTING.md)";
const chart = resolve(import.meta.dirname, "../../../deploy/helm/purser");
/** The namespaces that the chart keeps belong to the release of this namespace. */
const namespace = "purser-system";
const never = new AbortController().signal;
const pods = namespaced("", "v1", "Pod", "pods");
const roles = clusterWide("rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles");
const run = promisify(execFile);

/** Runs the pod as a kubelet would, with the token of its ServiceAccount, and reports how it ended; returns what it printed. */
async function playTestPod(client: KubeClient, server: string, directory: string): Promise<string> {
  const key = { namespace, name: "purser-test" };
  let pod: KubeObject | undefined;
  await eventually("helm creates the pod of its test", async () => {
    pod = await client.get(pods, key);
    return (asJson(pod ?? ({} as KubeObject))["status"] as { readonly phase?: string } | undefined)?.phase === "Running"
      ? undefined
      : "it is not there";
  });
  const { spec } = asJson(pod as KubeObject) as unknown as {
    readonly spec: {
      readonly serviceAccountName: string;
      readonly containers: readonly [{ readonly args: readonly string[] }];
    };
  };
  const request = {
    method: "POST" as const,
    path: resourcePath(serviceAccounts, { namespace, name: spec.serviceAccountName }, "token"),
    headers: { "content-type": "application/json" },
    body: {
      kind: "object" as const,
      value: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} },
    },
  };
  const answer = await client.requestJson(request, never);
  const { token } = (answer as unknown as { readonly status: { readonly token: string } }).status;
  const config = join(directory, "account");
  const cluster = { server, "insecure-skip-tls-verify": true };
  writeFileSync(
    config,
    JSON.stringify({
      apiVersion: "v1",
      kind: "Config",
      clusters: [{ name: "c", cluster }],
      users: [{ name: "u", user: { token } }],
      contexts: [{ name: "x", context: { cluster: "c", user: "u" } }],
      "current-context": "x",
    }),
    { mode: 0o600 },
  );
  const child = spawn(process.execPath, [builtProduct(), ...spec.containers[0].args], {
    env: { PATH: process.env["PATH"], HOME: directory, KUBECONFIG: config },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece: Buffer) => (output += piece.toString()));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  const patch = { status: { phase: code === 0 ? "Succeeded" : "Failed" } };
  written(
    await client.write({ verb: "patch", type: pods, key, patchType: "merge", patch, subresource: "status" }, never),
  );
  return output;
}

suite("the chart on a cluster", { skip }, () => {
  for (const helm of helms)
    test(`${helm} installs, upgrades, tests, rolls back and removes it`, async () => {
      const directory = mkdtempSync(join(tmpdir(), "purser-helm-"));
      const cluster = connectWith(kubeconfig);
      const { client } = cluster;
      const call = (...args: readonly string[]): Promise<{ readonly stdout: string }> =>
        run(helm, [...args, "--namespace", namespace], {
          env: {
            ...process.env,
            KUBECONFIG: kubeconfig,
            HELM_CACHE_HOME: directory,
            HELM_CONFIG_HOME: directory,
            HELM_DATA_HOME: directory,
          },
        });
      const replicas = async (): Promise<unknown> =>
        (
          asJson((await client.get(deployments, { namespace, name: "purser" })) ?? ({} as KubeObject))["spec"] as {
            readonly replicas: number;
          }
        ).replicas;
      try {
        await call("install", "purser", chart, "--create-namespace", "--wait", "--timeout", "300s");
        assert.equal(await replicas(), 2);
        await call("upgrade", "purser", chart, "--set", "replicas=3", "--wait", "--timeout", "300s");
        assert.equal(await replicas(), 3);
        const [, output] = await Promise.all([
          call("test", "purser", "--timeout", "300s"),
          playTestPod(client, cluster.url, directory),
        ]);
        assert.doesNotMatch(output, /forbidden/i);
        await call("rollback", "purser", "1", "--wait", "--timeout", "300s");
        assert.equal(await replicas(), 2);
        await call("uninstall", "purser", "--wait", "--timeout", "300s");
        const left = (await client.list<KubeObject>(roles)).map(({ metadata }) => metadata.name ?? "");
        assert.deepEqual(
          left.filter((name) => /^purser($|-crds|-metrics)/.test(name)),
          [],
        );
        assert.equal(await client.get(deployments, { namespace, name: "purser" }), undefined);
      } finally {
        await client.write({ verb: "delete", type: namespaces, key: { name: namespace } }, never);
        await eventually("the namespace is gone", async () =>
          (await client.get(namespaces, { name: namespace })) === undefined ? undefined : "it is not",
        );
        cluster.close();
        rmSync(directory, { recursive: true, force: true });
      }
    });
});
