import { get } from "node:https";
import { setTimeout as pause } from "node:timers/promises";
import { apiServices, secrets } from "@purser/kubernetes/apis/resources";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterCatalogs } from "../../src/apis/olm-resources.ts";
import { eventually } from "../eventually.ts";
import type { DeployedPurser } from "./deployment.ts";
import { isRunning } from "./pod-runner.ts";

const apiService = "v1.packages.operators.coreos.com";

/** The names of packages that the API server shows; a text when it shows none. */
async function packages(client: KubeClient): Promise<readonly string[] | string> {
  const path = "/apis/packages.operators.coreos.com/v1/packagemanifests";
  try {
    const list = await client.requestJson({ method: "GET", path }, new AbortController().signal);
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
}

/** Each pod serves the catalog over https, by a certificate that the authority of the Secret issued for the Service. */
export async function everyPodServesCatalogs(
  { pods }: DeployedPurser,
  client: KubeClient,
  namespace: string,
): Promise<void> {
  const secret = await client.get(secrets, { namespace, name: "purser-serving" });
  const ca = Buffer.from(secret?.data?.["ca.crt"] ?? "", "base64").toString("utf8");
  const servername = `purser-catalogs.${namespace}.svc`;
  const catalog = await client.get(clusterCatalogs, { name: "community" });
  if (catalog?.status?.urls?.base !== `https://${servername}/catalogs/community`)
    throw new Error(`the ClusterCatalog shows ${catalog?.status?.urls?.base}`);
  for (const pod of pods.filter(isRunning)) {
    const options = {
      host: "127.0.0.1",
      port: pod.ports["catalogs"],
      path: "/catalogs/community/api/v1/all",
      ca,
      servername,
    };
    await eventually(
      "the catalog is served",
      () =>
        new Promise((resolve) => {
          const asked = get({ ...options, agent: false }, (response) => {
            response.resume();
            resolve(response.statusCode === 200 ? undefined : `answers ${response.statusCode}`);
          });
          asked.on("error", (error) => resolve(String(error)));
        }),
    );
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
