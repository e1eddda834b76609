import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import { authorinoFlow } from "./authorino-flow.ts";
import { ClusterTenancy } from "./cluster-tenancy.ts";
import { withoutData } from "./data.ts";
import { clientDriver, kubectlDriver } from "./driver.ts";
import { contentInDirectories, contentInImages, type FlowContent } from "./flow-content.ts";
import { type Flow, flows } from "./flows.ts";
import { type PurserProcess, startPurser } from "./purser-process.ts";
import { tenantRights } from "./tenant-rights.ts";
import { type ClusterConnection, connectWith } from "./surroundings.ts";

const scratch = mkdtempSync(join(tmpdir(), "purser-e2e-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const all = [...flows, tenantRights, authorinoFlow(join(scratch, "authorino"))];

/**
 * Runs the flows one after the other on one `purser up`: what a flow created is removed after it, so that the next finds
 * the cluster as the first did. At the end an inventory of everything that is served proves it.
 * @param title also of the cache directory, so that nothing is served that was fetched from the other kind of content
 */
function runFlows(title: string, wanted: readonly Flow[], prepare: () => FlowContent | Promise<FlowContent>): void {
  suite(title, { skip: withoutData }, () => {
    const cache = join(scratch, `cache-of-${title.replaceAll(" ", "-")}`);
    const kubeconfig = join(cache, "kubeconfig");
    let content: FlowContent | undefined;
    let purser: PurserProcess | undefined;
    let cluster: ClusterConnection | undefined;
    let tenancy: ClusterTenancy | undefined;

    before(async () => {
      content = await prepare();
      const args = ["up", "--ephemeral", "--write-kubeconfig", kubeconfig, ...content.flags];
      purser = await startPurser(args, { ...content.env, PURSER_CACHE_DIR: cache });
      cluster = connectWith(kubeconfig);
      tenancy = await ClusterTenancy.begin(cluster.client, wanted);
      assert.deepEqual(tenancy.occupied, []);
    });
    after(async () => {
      cluster?.close();
      await purser?.stop("SIGTERM");
      await content?.stop();
    });

    for (const flow of wanted)
      test(flow.name, async () => {
        assert.ok(cluster !== undefined && tenancy !== undefined);
        const { client } = cluster;
        const kubectl = findKubectl(process.env);
        try {
          await flow.run(kubectl === undefined ? clientDriver(client) : kubectlDriver(kubectl, kubeconfig, client));
        } catch (error) {
          throw new Error(`${String(error)}\n${purser?.output()}`, { cause: error });
        } finally {
          await tenancy.clear(flow);
        }
      });

    test("nothing that a flow created is left", async () => {
      assert.deepEqual(await tenancy?.leftovers(), []);
    });
  });
}

runFlows("catalogs and bundles in directories", all, () => contentInDirectories(all));
runFlows(
  "catalogs and bundles that are images only",
  all.filter(({ catalogs }) => catalogs !== "none"),
  () => contentInImages(all, join(scratch, "images")),
);
