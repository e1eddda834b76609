import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { catalogFlags, withoutData } from "./data.ts";
import { clientDriver, kubectlDriver } from "./driver.ts";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import { authorinoFlow } from "./authorino-flow.ts";
import { flows } from "./flows.ts";
import { startPurser } from "./purser-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "purser-e2e-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const cache = { PURSER_CACHE_DIR: join(scratch, "cache") };

for (const [index, flow] of [...flows, authorinoFlow(join(scratch, "authorino"))].entries()) {
  test(flow.name, { skip: withoutData }, async () => {
    const kubeconfig = join(scratch, `kubeconfig-${index}`);
    const purser = await startPurser(
      ["up", "--ephemeral", "--write-kubeconfig", kubeconfig, ...catalogFlags, ...(flow.flags ?? [])],
      cache,
    );
    try {
      const kubectl = findKubectl(process.env);
      const access = loadKubeconfig({ path: kubeconfig, env: {} });
      if (!access.ok) throw new Error(JSON.stringify(access.problem));
      const transport = httpTransport(access.value);
      try {
        const client = createClient(transport);
        await flow.run(kubectl === undefined ? clientDriver(client) : kubectlDriver(kubectl, kubeconfig, client));
      } catch (error) {
        throw new Error(`${String(error)}\n${purser.output()}`, { cause: error });
      } finally {
        transport.close();
      }
    } finally {
      await purser.stop("SIGTERM");
    }
  });
}
