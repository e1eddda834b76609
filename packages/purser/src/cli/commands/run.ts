import { hostname } from "node:os";
import { leaderAnnotations } from "../../apis/leader-version.ts";
import { ownVersion } from "../own-version.ts";
import { collectAfterStart, giveBackIdleMemory, keepHeapSmall } from "@purser/kubernetes/system/idle-memory";
import { missingCrds } from "../../engine/own-manifests.ts";
import { leaseTimes } from "../../engine/lease-times.ts";
import { crdsDirectory } from "../../engine/package-directory.ts";
import { Shutdown } from "../../engine/shutdown.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { anonymousAccess, httpTransport } from "@purser/kubernetes/kube/http-transport";
import { tokenIdentities } from "@purser/kubernetes/kube/access/identities";
import { Counters } from "@purser/kubernetes/kube/counters";
import { cacheDirectoryOf } from "../cache-directory.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption, UsageError } from "../command.ts";
import { addressRefusal, refused } from "./start-refusal.ts";
import { connect } from "../cluster/connect.ts";
import { engineFlags, engineOptions } from "../engine-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { advised } from "../failure.ts";
import { logTo } from "../log-to.ts";
import { openSettings } from "../settings/open-settings.ts";

export const runCommand: CommandSpec = {
  description:
    "Runs until it is stopped. Of several instances on one cluster one is the leader, elected by a Lease; the others wait.",
  options: [
    { flags: "--install-crds", summary: "apply our CustomResourceDefinitions first" },
    { flags: "--lease-namespace NAMESPACE", summary: "namespace of the leader's Lease (default kube-system)" },
    {
      flags: "--lease-duration SECONDS",
      summary: "seconds after which a leader that does not renew its Lease is replaced (default 15, at least 3)",
    },
    ...engineOptions,
    {
      flags: "--log-format FORMAT",
      summary: "format of the log: json (default) or text",
      choices: ["json", "text"],
    },
    {
      flags: "--log-level LEVEL[,ROOM=LEVEL...]",
      summary:
        "level of the log: debug, info (default), warn or error, or ROOM=LEVEL; rooms are the names of controllers, kube, catalogs, packages and doors",
    },
    {
      flags: "--config FILE",
      summary:
        "YAML file with these flags as keys; a flag and PURSER_NAME_OF_FLAG come first. Changes of log-level and log-format apply at once, others are logged",
    },
  ],
  examples: [
    [
      "purser run --kubeconfig ./kubeconfig --install-crds --catalog community=./catalog",
      "everything the controllers need",
    ],
  ],
  run,
};

async function run(given: Invocation): Promise<Outcome> {
  const { terminal, signal } = given;
  const settings = await openSettings(runCommand.options ?? [], given);
  const invocation = { ...given, options: settings.options };
  const flags = engineFlags(invocation, false);
  const leaseOf = leaseTimes(leaseSeconds(invocation));
  const lease = { namespace: textOption(invocation, "lease-namespace") ?? "kube-system", name: "purser" };
  const metrics = new Counters();
  const log = logTo(terminal, systemClock, settings.logging);
  const connection = connect(invocation, true, metrics);
  const { client, access } = connection;
  const closing = new Shutdown();
  closing.add(async () => connection.close());
  // Most replicas follow for weeks; the one that leads may let its heap grow.
  keepHeapSmall();
  try {
    const installs = flagOption(invocation, "install-crds");
    const missing = installs ? [] : await missingCrds(client, flags.families);
    if (missing.length > 0) {
      return {
        explanation: advised(
          "Refused",
          `The cluster does not serve ${missing.join(", ")}`,
          "add --install-crds to this command",
          `kubectl apply -f ${crdsDirectory()}`,
        ),
      };
    }
    const cache = await cacheDirectoryOf(terminal);
    closing.add(() => cache.close());
    const anonymous = anonymousAccess(access);
    const identity = `${hostname()}_${systemEntropy.uuid()}`;
    // Loaded only here: most commands need no controllers.
    const { startLifecycle } = await import("../../engine/lifecycle.ts");
    const started = await startLifecycle(
      {
        ...flags,
        metrics,
        client,
        identities: tokenIdentities({
          client,
          withToken: (token) =>
            httpTransport({ ...anonymous, bearer: { kind: "provider", token } }, { clock: systemClock }),
          clock: systemClock,
        }),
        cacheDirectory: cache.path,
        clock: systemClock,
        entropy: systemEntropy,
        log,
        leaderElection: {
          ...lease,
          identity,
          annotations: leaderAnnotations(identity, ownVersion()),
          ...leaseOf,
        },
      },
      installs ? "apply" : "given",
      signal,
    );
    if (!started.ok) return refused(terminal, addressRefusal(started.problem));
    const { engine, catalogOrigin, stop } = started.value;
    closing.add(stop);
    closing.add(settings.follow(systemClock, log));
    await engine.synced();
    if (catalogOrigin !== undefined) terminal.err(`catalogs  ${catalogOrigin}/catalogs/NAME/api/v1/all`);
    terminal.out(readyLine(engine.leading(), lease));
    collectAfterStart();
    await giveBackIdleMemory(systemClock, signal);
    return { exitCode: exitCodes.done };
  } finally {
    await closing.run();
  }
}

/** What a process says when it has read the cluster. */
export function readyLine(
  leads: boolean,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): string {
  const does = leads ? "the controllers run" : `waits for the lease ${namespace}/${name}, which another process holds`;
  return `Ready  ${does}; stop with Ctrl-C`;
}

/** The value of `--lease-duration`. @throws UsageError */
function leaseSeconds(invocation: Invocation): number {
  const text = textOption(invocation, "lease-duration") ?? "15";
  if (/^\d{1,3}$/.test(text) && Number(text) >= 3) return Number(text);
  throw new UsageError(`--lease-duration "${text}" is not a number of seconds`, "write 3 to 999");
}
