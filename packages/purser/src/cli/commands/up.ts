import { readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { writeFileAtomically } from "@purser/kubernetes/system/atomic-file";
import { type DemoWorld, demoWorld, demoWorlds } from "../../engine/demo-world.ts";
import type { Embedded } from "../../engine/embedded.ts";
import { defaultDataDirectory } from "../../engine/directories.ts";
import { collectAfterStart, giveBackIdleMemory, keepHeapSmall } from "@purser/kubernetes/system/idle-memory";
import { scriptsDirectory } from "../../engine/package-directory.ts";
import { announceInstance, withdrawInstance } from "../../engine/running-instance.ts";
import { Shutdown } from "../../engine/shutdown.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { cacheDirectoryOf } from "../cache-directory.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, listOption, textOption, UsageError } from "../command.ts";
import { engineFlags, engineOptions } from "../engine-flags.ts";
import { counted } from "../../explanation/summary.ts";
import { exitCodes } from "../exit-code.ts";
import { jsonLines, logTo } from "../log-to.ts";
import { ownCommand } from "../own-script-directory.ts";
import { refused, startRefusal } from "./start-refusal.ts";

export const upCommand: CommandSpec = {
  description: [
    "Runs an embedded Kubernetes API server on 127.0.0.1 and all controllers until it is stopped (Ctrl-C).",
    "The embedded cluster runs no containers: Deployments become available through a simulator; everything else is real.",
    "State is kept in the data directory, so the next start continues where this one stopped. When the directory's files are",
    "removed or replaced meanwhile, writes are refused, reads are still served, and the exit code is 1.",
  ].join("\n"),
  options: [
    { flags: "--data DIR", summary: "directory of the cluster's state (default: the XDG data directory)" },
    { flags: "--fresh", summary: "forget the state and start over" },
    { flags: "--ephemeral", summary: "keep the state in memory only" },
    { flags: "--port N", summary: "port on 127.0.0.1 (default 7443, else a free one)" },
    { flags: "--write-kubeconfig FILE", summary: "where the admin's kubeconfig goes (default: the data directory)" },
    {
      flags: "--demo WORLD",
      summary: "what to set up on the first start: default or none (none when a --catalog is given)",
    },
    ...engineOptions,
  ],
  examples: [
    ["purser up", "a cluster with a demo catalog"],
    ["purser up --ephemeral --catalog community=./catalog --bundles ./bundles", "your own catalog, nothing kept"],
  ],
  run: up,
};

async function up(invocation: Invocation): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const flags = engineFlags(invocation, true);
  const ephemeral = flagOption(invocation, "ephemeral");
  const data = textOption(invocation, "data");
  if (ephemeral && data !== undefined)
    throw new UsageError("--ephemeral keeps nothing, so it cannot be combined with --data");
  const dataDirectory = resolve(data ?? defaultDataDirectory(terminal.env));
  const demo = demoOf(invocation);
  const port = portOf(invocation);
  keepHeapSmall();
  // Loaded only here: most commands need neither API server nor controllers.
  const [{ startEmbedded }, { hasCluster }] = await Promise.all([
    import("../../engine/embedded.ts"),
    import("@purser/apiserver"),
  ]);
  const continues = !ephemeral && !flagOption(invocation, "fresh") && hasCluster(dataDirectory);
  const cache = await cacheDirectoryOf(terminal);
  try {
    const started = await startEmbedded(
      {
        data: ephemeral
          ? { kind: "memory" }
          : { kind: "directory", path: dataDirectory, fresh: flagOption(invocation, "fresh") },
        ...flags,
        ...(port === undefined ? {} : { port }),
        ...(demo === undefined ? {} : { demo }),
        cacheDirectory: cache.path,
        clock: systemClock,
        entropy: systemEntropy,
        log: logTo(terminal, systemClock, jsonLines(flagOption(invocation, "verbose") ? "debug" : "error")),
      },
      signal,
    );
    if (!started.ok) return refused(terminal, startRefusal(started.problem, dataDirectory));
    const demoShown = demo === undefined ? [] : [demoLine(demo, continues)];
    return await serve(invocation, started.value, ephemeral ? undefined : dataDirectory, demoShown);
  } finally {
    await cache.close();
  }
}

/** Runs until the signal aborts. Without a data directory it uses a temporary one and removes it at the end. */
async function serve(
  invocation: Invocation,
  embedded: Embedded,
  dataDirectory: string | undefined,
  demoShown: readonly string[],
): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const shutdown = new Shutdown();
  shutdown.add(() => embedded.stop());
  try {
    const directory = dataDirectory ?? (await mkdtemp(join(tmpdir(), "purser-")));
    if (dataDirectory === undefined) shutdown.add(() => rm(directory, { recursive: true, force: true }));
    const kubeconfig = resolve(textOption(invocation, "write-kubeconfig") ?? join(directory, "kubeconfig"));
    try {
      await writeFileAtomically(kubeconfig, embedded.kubeconfig);
    } catch (error) {
      return refused(terminal, {
        what: `Cannot write the kubeconfig "${kubeconfig}": ${error instanceof Error ? error.message : String(error)}`,
        ways: ["purser up --write-kubeconfig FILE  writes it elsewhere"],
      });
    }
    if (dataDirectory !== undefined) {
      await announceInstance(dataDirectory, { pid: process.pid, url: embedded.url, kubeconfig });
      shutdown.add(() => withdrawInstance(dataDirectory));
    }
    greet(invocation, embedded, kubeconfig, dataDirectory, demoShown);
    collectAfterStart();
    await giveBackIdleMemory(systemClock, signal, () => embedded.server.forgetOld());
    const detached = embedded.detached();
    if (detached !== undefined)
      return refused(terminal, {
        what: `Writes were refused up to the end: ${detached.message}`,
        ways: ["purser up                  continues with the data directory as it is then"],
      });
    return { exitCode: exitCodes.done };
  } finally {
    terminal.err("stopping");
    await shutdown.run();
  }
}

function greet(
  invocation: Invocation,
  embedded: Embedded,
  kubeconfig: string,
  dataDirectory: string | undefined,
  demoShown: readonly string[],
): void {
  const { terminal } = invocation;
  const command = ownCommand(terminal.env, scriptsDirectory());
  if (embedded.movedFrom !== undefined) terminal.err(`port ${embedded.movedFrom} is taken: using ${embedded.port}`);
  terminal.err("The embedded cluster runs no containers: Deployments become available through a simulator.");
  // Printed in one write, so that a reader who waits for the first line gets all of them.
  terminal.out(
    `Ready  ${embedded.url}  context purser`,
    `kubeconfig  ${kubeconfig}`,
    ...(embedded.catalogOrigin === undefined ? [] : [`catalogs  ${embedded.catalogOrigin}/catalogs/NAME/api/v1/all`]),
    ...demoShown,
    dataDirectory === undefined
      ? "state  in memory: lost when this process ends"
      : `state  ${dataDirectory}: kept when this process ends; ${command} up --fresh starts over`,
    "stop  Ctrl-C",
    "Next, in another terminal:",
    `  export KUBECONFIG=${kubeconfig}`,
    "  kubectl get subscriptions,clusterextensions,csv -A",
    `  ${command} status`,
    `  ${command} search`,
  );
}

/** What the demo shows; a cluster that was kept may have been changed since. */
export function demoLine(demo: Pick<DemoWorld, "catalog" | "objects">, continues: boolean): string {
  const packages = readdirSync(demo.catalog).toSorted();
  const listed = `demo  ${counted(packages.length, "package")} (${packages.join(", ")})`;
  if (continues) return `${listed}, with the installations that this cluster was left with`;
  const objects = readFileSync(demo.objects, "utf8");
  const installed = objects.match(/^kind: (Subscription|ClusterExtension)$/gm) ?? [];
  const waits = /installPlanApproval: Manual/.test(objects) ? "; an upgrade is pending approval" : "";
  return `${listed}, ${counted(installed.length, "installation")}${waits}`;
}

function demoOf(invocation: Invocation): ReturnType<typeof demoWorld> {
  const wanted = textOption(invocation, "demo") ?? (listOption(invocation, "catalog").length > 0 ? "none" : "default");
  if (wanted === "none") return undefined;
  const world = demoWorld(wanted);
  if (world === undefined)
    throw new UsageError(`there is no demo world "${wanted}"`, `worlds: none, ${demoWorlds().join(", ")}`);
  return world;
}

function portOf(invocation: Invocation): number | undefined {
  const text = textOption(invocation, "port");
  if (text === undefined) return undefined;
  const port = Number(text);
  if (!/^\d+$/.test(text) || port < 1 || port > 65_535)
    throw new UsageError(`--port "${text}" is not a port`, "write a number from 1 to 65535");
  return port;
}
