import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { createClient } from "@purser/kubernetes/kube/client";
import { httpTransport } from "@purser/kubernetes/kube/http-transport";
import { loadKubeconfig } from "@purser/kubernetes/kube/access/kubeconfig";
import { contentInFolders, contentInImages, type FlowContent } from "./flow-content.ts";
import { withoutData } from "./data.ts";
import { clientDriver, kubectlDriver } from "./driver.ts";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import { authorinoFlow } from "./authorino-flow.ts";
import { type Flow, flows } from "./flows.ts";
import { startPurser } from "./purser-process.ts";

const scratch = mkdtempSync(join(tmpdir(), "purser-e2e-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const all = [...flows, authorinoFlow(join(scratch, "authorino"))];

/** @param cache its own for each kind of content, so that nothing is served that another test fetched */
async function runFlow(flow: Flow, content: FlowContent, cache: string): Promise<void> {
  const kubeconfig = join(cache, "kubeconfig");
  const purser = await startPurser(["up", "--ephemeral", "--write-kubeconfig", kubeconfig, ...content.flags], {
    ...content.env,
    PURSER_CACHE_DIR: cache,
  });
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
}

for (const flow of all)
  test(flow.name, { skip: withoutData }, () => runFlow(flow, contentInFolders([flow]), join(scratch, "folders")));

suite("with catalogs and bundles that are images only", { skip: withoutData }, () => {
  let content: FlowContent;
  before(async () => (content = await contentInImages(all, join(scratch, "images"))));
  after(() => content.stop());

  for (const flow of all.filter(({ catalogs }) => catalogs !== "none"))
    test(flow.name, () => runFlow(flow, content, join(scratch, "cache-of-images")));
});
