import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { roleBindings, roles } from "@purser/kubernetes/apis/resources";
import { clusterServiceVersions, installPlans } from "../../apis/olm-resources.ts";
import type { InstallPlan } from "../../apis/v0/install-plan.ts";
import { demoWorld } from "../../engine/demo-world.ts";
import { type EmbeddedOptions, startEmbedded } from "../../engine/embedded.ts";
import { embeddedOptions } from "../../engine/testing/embedded-options.ts";
import { settled } from "../../engine/testing/settling.ts";
import type { KubeClient } from "@purser/kubernetes/kube/client";
import { type Ran, runPurser } from "./run-purser.ts";

const never = new AbortController().signal;
const namespace = "demo-logbook";

/** The embedded cluster with the demo, on which `purser` runs over HTTP. */
export interface DemoCluster {
  readonly client: KubeClient;
  readonly cacheDirectory: string;
  /** Runs a command line; `answer` is given to every question. */
  purser(args: readonly string[], answer?: string | (() => Promise<string>)): Promise<Ran>;
  /** The same without the directories of the bundles, as on another machine. */
  elsewhere(args: readonly string[], answer?: string): Promise<Ran>;
  /** Runs a command line until the pattern fits its output, and answers with that run. */
  eventually(args: readonly string[], pattern: RegExp): Promise<Ran>;
  /** The InstallPlan of demo-logbook that brings the CSV and waits for approval. */
  waiting(csv: string): Promise<InstallPlan>;
  /** Resolves when engine and API server have done everything that the objects ask for. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

type More = Partial<Pick<EmbeddedOptions, "catalogs" | "bundleDirectories" | "catalogServing" | "packageServing">>;

/**
 * Returns when the upgrade of logbook-db to 1.1.0 waits for approval.
 * @param more catalogs and bundles beside those of the demo, written below the directory
 */
export async function startDemoCluster(more: (directory: string) => More = () => ({})): Promise<DemoCluster> {
  const directory = mkdtempSync(join(tmpdir(), "purser-demo-cluster-"));
  const demo = demoWorld("default");
  assert.ok(demo !== undefined);
  const options = embeddedOptions(join(directory, "cache"), { demo, globalNamespace: "olm", ...more(directory) });
  const started = await startEmbedded(options, never);
  assert.ok(started.ok);
  const { client, kubeconfig, server, engine } = started.value;
  writeFileSync(join(directory, "kubeconfig"), kubeconfig);
  const env = {
    KUBECONFIG: join(directory, "kubeconfig"),
    PURSER_CACHE_DIR: join(directory, "cache"),
    HOME: directory,
  };
  writeFileSync(join(directory, "elsewhere"), kubeconfig.replace(/^ +extensions: .*\n/m, ""));
  const cluster: DemoCluster = {
    client,
    cacheDirectory: join(directory, "cache"),
    purser: (args, answer) => runPurser(args, { env, ...(answer === undefined ? {} : { answer }) }),
    elsewhere: (args, answer) =>
      runPurser(args, {
        env: { ...env, KUBECONFIG: join(directory, "elsewhere") },
        ...(answer === undefined ? {} : { answer }),
      }),
    async eventually(args, pattern) {
      for (let tries = 0; ; tries++) {
        const ran = await cluster.purser(args);
        if (pattern.test(ran.text)) return ran;
        if (tries > 3000) assert.fail(`${args.join(" ")}:\n${ran.text}\n${ran.errors}`);
        await systemClock.sleep(100, never);
      }
    },
    async waiting(csv) {
      for (let tries = 0; tries < 6000; tries++) {
        const plans = await client.list(installPlans, { namespace });
        const found = plans.find(
          ({ spec, status }) => spec.clusterServiceVersionNames.includes(csv) && status?.phase === "RequiresApproval",
        );
        if (found !== undefined) return found;
        await systemClock.sleep(50, never);
      }
      return assert.fail(`no plan for ${csv} waits`);
    },
    settled: () => settled({ server, engine, client }),
    async stop() {
      await started.value.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
  await cluster.waiting("logbook-db.v1.1.0");
  await installed(cluster.client);
  return cluster;
}

/** The plan of the upgrade may wait before all objects of the installed version are there. */
async function installed(client: KubeClient): Promise<void> {
  for (let tries = 0; tries < 6000; tries++) {
    const held = await client.list(clusterServiceVersions, { namespace });
    const isDone = held.some(
      ({ metadata, status }) => metadata.name === "logbook-db.v1.0.0" && status?.phase === "Succeeded",
    );
    // One Role of the bundle, and one for the OperatorCondition; each with a binding.
    const [own, bound] = [await client.list(roles, { namespace }), await client.list(roleBindings, { namespace })];
    if (isDone && own.length >= 2 && bound.length >= 2) return;
    await systemClock.sleep(50, never);
  }
  assert.fail("logbook-db.v1.0.0 is not installed");
}
