import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync } from "node:fs";
import { join } from "node:path";
import type { ConfigMap } from "@purser/kubernetes/apis/core";
import { asJson, type KubeObject } from "@purser/kubernetes/apis/object";
import { configMaps, deployments } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { ownName } from "../../src/deploy/labels.ts";
import type { InstallValues } from "../../src/deploy/values.ts";
import { holds } from "../../src/deploy/conditions.ts";
import { wholeInstallation } from "../../build/deploy/files.ts";
import { eventually } from "../eventually.ts";
import { type PodTemplate, type RunningPod, startPod } from "./pod-runner.ts";
import { playServiceNetwork, type ServiceNetwork } from "./service-network.ts";
import { type RecordedRequest, type RecordingProxy, startRecordingProxy } from "./recording-proxy.ts";

/** A pod with what it asked the API server for. */
export interface DeployedPod extends RunningPod {
  readonly requests: readonly RecordedRequest[];
}

/** Purser in a cluster, by its manifests, with processes of this machine as pods. */
export interface DeployedPurser {
  readonly pods: readonly DeployedPod[];
  readonly network: ServiceNetwork;
  /** Starts one more pod and waits until it is ready. */
  start(): Promise<DeployedPod>;
  /** Ends all pods, and deletes what was applied. */
  remove(): Promise<void>;
}

export interface DeployOptions {
  readonly kubectl: string;
  readonly kubeconfig: string;
  readonly client: KubeClient;
  /** Origin of the API server. */
  readonly url: string;
  readonly values: InstallValues;
  /** ConfigMaps of its namespace that its volumes name. */
  readonly configMaps: readonly ConfigMap[];
  readonly directory: string;
  /** Takes over fields that an older `purser run --install-crds` has written. */
  readonly takesFields?: true;
}

/** Applies the manifests with kubectl; starts no pod yet. */
export async function deploy(options: DeployOptions): Promise<DeployedPurser> {
  const { values, client, directory } = options;
  mkdirSync(directory, { recursive: true });
  const manifests = JSON.stringify({
    apiVersion: "v1",
    kind: "List",
    items: [...wholeInstallation(values), ...options.configMaps],
  });
  const kubectl = (args: readonly string[], input = ""): string => {
    const { status, stdout, stderr } = spawnSync(options.kubectl, ["--kubeconfig", options.kubeconfig, ...args], {
      input,
      encoding: "utf8",
      maxBuffer: 1 << 26,
    });
    if (status !== 0) throw new Error(`kubectl ${args.join(" ")}: ${stderr}`);
    return stdout;
  };
  const forced = options.takesFields === true ? ["--force-conflicts"] : [];
  // Until the API server has noticed the kind of a policy's parameters it refuses what the policy selects: the last ConfigMaps here.
  await eventually("the manifests are applied", async () => {
    try {
      kubectl(["apply", "--server-side", ...forced, "-f", "-"], manifests);
      return undefined;
    } catch (error) {
      if (!String(error).includes("failed to configure policy")) throw error;
      return String(error);
    }
  });
  const { namespace } = values;
  const proxies: RecordingProxy[] = [];
  const pods: DeployedPod[] = [];
  const network = holds("packageApi", values)
    ? await playServiceNetwork(client, namespace, pods)
    : { only: undefined, close: () => undefined };
  return {
    pods,
    network,
    async start() {
      // What the cluster holds counts, with its defaults, not what was applied.
      const deployment = await client.get(deployments, { namespace, name: ownName });
      const maps = await client.list(configMaps, { namespace });
      const proxy = await startRecordingProxy(options.url);
      proxies.push(proxy);
      const started = await startPod(templateOf(deployment), {
        namespace,
        apiServer: { port: proxy.port, authority: proxy.authority },
        token: kubectl(["-n", namespace, "create", "token", ownName, "--duration", "1h"]).trim(),
        configMaps: maps,
        directory: mkdtempSync(join(directory, "pod-")),
      });
      const pod = { ...started, requests: proxy.requests };
      pods.push(pod);
      await eventually("the pod is ready", async () => {
        if (pod.child.exitCode !== null) throw new Error(`the pod ended:\n${pod.output()}`);
        return (await pod.ready()) ? undefined : pod.output().slice(-2000);
      });
      return pod;
    },
    async remove() {
      await Promise.all(pods.map((pod) => pod.stop("SIGTERM")));
      network.close();
      await Promise.all(proxies.map((proxy) => proxy.stop()));
      kubectl(["delete", "--ignore-not-found", "-f", "-"], manifests);
    },
  };
}

function templateOf(deployment: KubeObject | undefined): PodTemplate {
  if (deployment === undefined) throw new Error("the Deployment was not created");
  const { template } = asJson(deployment)["spec"] as unknown as { readonly template: { readonly spec: PodTemplate } };
  return template.spec;
}
