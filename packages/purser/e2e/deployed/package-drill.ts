import { get, type RequestOptions } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { resourcePath } from "@purser/kubernetes/apis/resource-type";
import { apiServices, secrets, serviceAccounts } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterCatalogs } from "../../src/apis/olm-resources.ts";
import { eventually } from "../eventually.ts";
import type { DeployedPurser } from "./deployment.ts";
import { isRunning, type RunningPod } from "./pod-runner.ts";

const never = new AbortController().signal;
const servername = "purser-packages.purser-system.svc";
const apiService = "v1.packages.operators.coreos.com";

/** The names of packages that the API server shows; a text when it shows none. */
async function packages(client: KubeClient): Promise<readonly string[] | string> {
  const path = "/apis/packages.operators.coreos.com/v1/packagemanifests";
  try {
    const list = await client.requestJson({ method: "GET", path }, never);
    const { items } = list as unknown as {
      readonly items: readonly { readonly metadata: { readonly name: string } }[];
    };
    return items.length === 0 ? "no packages" : items.map(({ metadata }) => metadata.name).toSorted();
  } catch (error) {
    return String(error);
  }
}

/** Each pod, whether it leads or not, answers with the same packages, by the certificate of the one Secret. */
export async function everyPodServesPackages(deployed: DeployedPurser, client: KubeClient): Promise<void> {
  const shown = new Set<string>();
  const running = deployed.pods.filter(isRunning);
  if (running.length < 2) throw new Error(`only ${running.length} pods run`);
  for (const pod of running) {
    deployed.network.only = pod;
    await eventually("packages are shown", async () => {
      const found = await packages(client);
      if (typeof found === "string") return found;
      shown.add(found.join());
      return undefined;
    });
  }
  deployed.network.only = undefined;
  if (shown.size !== 1) throw new Error(`pods show different packages: ${[...shown].join(" | ")}`);
  const { spec } = (await client.get(apiServices, { name: apiService })) ?? {};
  const secret = await client.get(secrets, { namespace: spec?.service?.namespace ?? "", name: "purser-serving" });
  if (spec?.caBundle === undefined || spec.caBundle !== secret?.data?.["ca.crt"])
    throw new Error("the APIService does not trust the authority of the Secret");
  await repairsRegistration(client, spec.caBundle);
  for (const pod of running) await explains(pod, Buffer.from(spec.caBundle, "base64").toString("utf8"), client);
}

/** An APIService that somebody changed leads to the replicas again. */
async function repairsRegistration(client: KubeClient, caBundle: string): Promise<void> {
  const key = { name: apiService };
  const patch = { spec: { caBundle: btoa("-----BEGIN CERTIFICATE-----") } };
  written(await client.write({ verb: "patch", type: apiServices, key, patchType: "merge", patch }, never));
  await eventually("the APIService is repaired", async () =>
    (await client.get(apiServices, key))?.spec?.caBundle === caBundle ? undefined : "it is not",
  );
  await eventually("packages are shown again", async () => {
    const found = await packages(client);
    return typeof found === "string" ? found : undefined;
  });
}

/** A pod shows the installations that the holder of a token may list, and asks for a token. */
async function explains(pod: RunningPod, ca: string, client: KubeClient): Promise<void> {
  const where = { namespace: "purser-system", name: "purser" };
  const answer = await client.requestJson(
    {
      method: "POST",
      path: resourcePath(serviceAccounts, where, "token"),
      headers: { "content-type": "application/json" },
      body: { kind: "object", value: { apiVersion: "authentication.k8s.io/v1", kind: "TokenRequest", spec: {} } },
    },
    never,
  );
  const { token } = (answer as unknown as { readonly status: { readonly token: string } }).status;
  const options = { host: "127.0.0.1", port: pod.ports["packages"], path: "/explain", ca, servername };
  const statusFor = (headers: Readonly<Record<string, string>>): Promise<string> => statusOf({ ...options, headers });
  const shown = `${await statusFor({ authorization: `Bearer ${token}` })} ${await statusFor({})}`;
  if (shown !== "200 401") throw new Error(`/explain answers ${shown}`);
}

/** The status of one request over a connection of its own, or why there is none. */
function statusOf(options: RequestOptions): Promise<string> {
  return new Promise((resolve) => {
    const asked = get({ ...options, agent: false }, (response) => {
      response.resume();
      resolve(String(response.statusCode));
    });
    asked.on("error", (error) => resolve(String(error)));
  });
}

/** Each pod serves the catalog over https, by a certificate that the authority of the Secret issued for the Service. */
export async function everyPodServesCatalogs(
  { pods }: DeployedPurser,
  client: KubeClient,
  namespace: string,
): Promise<void> {
  const secret = await client.get(secrets, { namespace, name: "purser-serving" });
  const ca = Buffer.from(secret?.data?.["ca.crt"] ?? "", "base64").toString("utf8");
  const catalogs = `purser-catalogs.${namespace}.svc`;
  const catalog = await client.get(clusterCatalogs, { name: "community" });
  if (catalog?.status?.urls?.base !== `https://${catalogs}/catalogs/community`)
    throw new Error(`the ClusterCatalog shows ${catalog?.status?.urls?.base}`);
  for (const pod of pods.filter(isRunning)) {
    const options = {
      host: "127.0.0.1",
      port: pod.ports["catalogs"],
      path: "/catalogs/community/api/v1/all",
      ca,
      servername: catalogs,
    };
    await eventually("the catalog is served", async () => {
      const status = await statusOf(options);
      return status === "200" ? undefined : `answers ${status}`;
    });
  }
}

/** How package requests went while something else happened. */
export interface WatchedPackages {
  readonly asked: number;
  /** Longest time without an answer, in milliseconds. */
  readonly longestGapMs: number;
  readonly failures: readonly string[];
}

/** Asks for packages all the time while `act` runs, and for a second more. */
export async function whilePackagesAreAsked(client: KubeClient, act: () => Promise<void>): Promise<WatchedPackages> {
  let isDone = false;
  let asked = 0;
  let longestGapMs = 0;
  const failures: string[] = [];
  const asking = (async () => {
    let answeredAt = systemClock.monotonic();
    while (!isDone) {
      const found = await packages(client);
      asked++;
      const now = systemClock.monotonic();
      if (typeof found === "string") failures.push(found);
      else {
        longestGapMs = Math.max(longestGapMs, now - answeredAt);
        answeredAt = now;
      }
      await pause(50);
    }
    longestGapMs = Math.max(longestGapMs, systemClock.monotonic() - answeredAt);
  })();
  try {
    await act();
    await pause(1000);
  } finally {
    isDone = true;
    await asking;
  }
  return { asked, longestGapMs, failures };
}
