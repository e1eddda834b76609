import { hostname } from "node:os";
import { createContent } from "../../content/create-content.ts";
import { registerCatalog, ensureNamespace } from "../../engine/catalog-objects.ts";
import { giveBackIdleMemory } from "@purser/kubernetes/system/idle-memory";
import { globalNamespace, systemNamespace } from "../../engine/own-namespaces.ts";
import { applyOwnCrds, missingCrds } from "../../engine/own-manifests.ts";
import { crdsFolder } from "../../engine/package-folder.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { systemEntropy } from "@purser/kubernetes/system/system-entropy";
import { anonymousAccess, httpTransport } from "@purser/kubernetes/kube/http-transport";
import { tokenIdentities } from "@purser/kubernetes/kube/access/identities";
import { cacheFolderOf } from "../cache-folder.ts";
import type { CommandSpec, Invocation, Outcome } from "../command.ts";
import { flagOption, textOption } from "../command.ts";
import { catalogAddressRefused } from "./up.ts";
import { connect } from "../cluster/connect.ts";
import { engineFlags, engineOptions } from "../engine-flags.ts";
import { exitCodes } from "../exit-code.ts";
import { logTo } from "../log-to.ts";

export const runCommand: CommandSpec = {
  name: "run",
  group: "Run",
  summary: "Run the operator lifecycle controllers against a cluster",
  description: "Runs until it is stopped. Of several instances on one cluster one leads, by a Lease; the others wait.",
  options: [
    { flags: "--install-crds", summary: "apply our CustomResourceDefinitions first" },
    { flags: "--lease-namespace NAMESPACE", summary: "namespace of the leader's Lease (default kube-system)" },
    ...engineOptions,
  ],
  examples: [
    [
      "purser run --kubeconfig ./kubeconfig --install-crds --catalog community=./catalog",
      "everything the controllers need",
    ],
  ],
  run,
};

async function run(invocation: Invocation): Promise<Outcome> {
  const { terminal, signal } = invocation;
  const flags = engineFlags(invocation);
  const connection = connect(invocation, true);
  const { client, access } = connection;
  try {
    if (flagOption(invocation, "install-crds")) await applyOwnCrds(client, systemClock, signal, flags.compat);
    const missing = await missingCrds(client);
    if (missing.length > 0) {
      terminal.err(
        `${terminal.paint("bad", terminal.symbol("failed"))} The cluster does not serve ${missing.join(", ")}`,
      );
      terminal.err("  do    add --install-crds to this command");
      terminal.err(`  or    kubectl apply -f ${crdsFolder()}`);
      return { exitCode: exitCodes.failed };
    }
    await ensureNamespace(client, globalNamespace, signal);
    await ensureNamespace(client, systemNamespace, signal);
    for (const catalog of flags.catalogs) await registerCatalog(client, catalog, signal);
    const cache = await cacheFolderOf(terminal);
    const content = createContent({ ...flags, cacheDir: cache.path, clock: systemClock });
    const log = logTo(terminal, systemClock, flagOption(invocation, "verbose") ? "debug" : "info");
    const { startCatalogServing } = await import("../../engine/catalog-serving.ts");
    const serving =
      flags.catalogServing === undefined
        ? undefined
        : await startCatalogServing(flags.catalogServing, {
            reader: client,
            content,
            clock: systemClock,
            entropy: systemEntropy,
            log,
          });
    if (serving?.ok === false) {
      await content.stop();
      await cache.close();
      return catalogAddressRefused(terminal, serving.problem);
    }
    const anonymous = anonymousAccess(access);
    const { startEngine } = await import("../../engine/start-engine.ts");
    const engine = startEngine({
      client,
      identities: tokenIdentities({
        client,
        withToken: (token) =>
          httpTransport({ ...anonymous, bearer: { kind: "provider", token } }, { clock: systemClock }),
        clock: systemClock,
      }),
      content,
      clock: systemClock,
      entropy: systemEntropy,
      log,
      compat: flags.compat,
      webhookCertificates: flags.webhookCertificates,
      globalNamespace,
      systemNamespace,
      ...(serving === undefined ? {} : { catalogOrigin: serving.value.origin }),
      leaderElection: {
        namespace: textOption(invocation, "lease-namespace") ?? "kube-system",
        name: "purser",
        identity: `${hostname()}_${systemEntropy.uuid()}`,
      },
    });
    try {
      await engine.synced();
      if (serving !== undefined) terminal.err(`catalogs  ${serving.value.origin}/catalogs/NAME/api/v1/all`);
      terminal.out("Ready  the controllers run; stop with Ctrl-C");
      await giveBackIdleMemory(systemClock, signal);
    } finally {
      await engine.stop();
      await serving?.value.stop();
      await content.stop();
      await cache.close();
    }
    return { exitCode: exitCodes.done };
  } finally {
    connection.close();
  }
}
