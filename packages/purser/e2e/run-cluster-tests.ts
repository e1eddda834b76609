// `npm run test:cluster -- --kubeconfig F`: the flows of e2e/ on a cluster that is already there, with catalogs and bundles
// in directories, or with --images as images of a registry on this machine, and the drills of e2e/drills with a kube-apiserver of their own. What is missing is installed, what was created is removed, and an inventory of everything that is served proves that nothing is left.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { authorinoFlow } from "./authorino-flow.ts";
import { ClusterTenancy } from "./cluster-tenancy.ts";
import { contentInDirectories, contentInImages } from "./flow-content.ts";
import { withoutData } from "./data.ts";
import { clientDriver, kubectlDriver } from "./driver.ts";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import { drills, runDrills } from "./drills/run-drills.ts";
import { flows } from "./flows.ts";
import { startPurser } from "./purser-process.ts";
import { tenantLeftovers } from "./tenant-leftovers.ts";
import { tenantRights } from "./tenant-rights.ts";
import { connectWith } from "./surroundings.ts";
import { systemClock } from "@purser/kubernetes/system/system-clock";

const { values } = parseArgs({
  options: { kubeconfig: { type: "string" }, only: { type: "string" }, images: { type: "boolean", default: false } },
  allowPositionals: false,
});
const { kubeconfig, only = "", images } = values;
if (kubeconfig === undefined) {
  console.error("which cluster? npm run test:cluster -- --kubeconfig FILE [--only WORDS OF A FLOW'S NAME] [--images]");
  process.exit(2);
}
if (withoutData !== false) {
  console.log(`skipped: ${withoutData}`);
  process.exit(0);
}

const scratch = mkdtempSync(join(tmpdir(), "purser-cluster-"));
const wanted = [...flows, tenantRights, tenantLeftovers, authorinoFlow(join(scratch, "authorino"))].filter(({ name }) =>
  name.includes(only),
);
const wantedDrills = drills.filter(({ name }) => name.includes(only));
const cluster = connectWith(kubeconfig);
const tenancy = await ClusterTenancy.begin(cluster.client, [
  ...wanted,
  ...wantedDrills.map((drill) => ({ ...drill, run: () => Promise.resolve() })),
]);
if (tenancy.occupied.length > 0) {
  console.error(`this cluster already has ${tenancy.occupied.join(", ")}: the flows would not know theirs from yours`);
  process.exit(2);
}
let failures = 0;
if (wanted.length > 0) await runFlows(kubeconfig);
failures += await runDrills(wantedDrills, { cluster, kubeconfig, tenancy, scratch });
await tenancy.removeInstallation();
const left = await tenancy.leftovers();
console.log(left.length === 0 ? "nothing is left" : `LEFT BEHIND\n  ${left.join("\n  ")}`);
cluster.close();
rmSync(scratch, { recursive: true, force: true });
console.log(`${wanted.length + wantedDrills.length - failures} passed, ${failures} failed`);
process.exitCode = failures > 0 || left.length > 0 ? 1 : 0;

async function runFlows(on: string): Promise<void> {
  const content = images ? await contentInImages(wanted, join(scratch, "images")) : contentInDirectories(wanted);
  const purser = await startPurser(["run", "--kubeconfig", on, "--install-crds", ...content.flags], {
    ...content.env,
    PURSER_CACHE_DIR: join(scratch, "cache"),
    PURSER_COMPAT: "",
  });
  try {
    const kubectl = findKubectl(process.env);
    const driver = kubectl === undefined ? clientDriver(cluster.client) : kubectlDriver(kubectl, on, cluster.client);
    console.log(`acting with ${kubectl ?? "our own client"}, catalogs and bundles are ${content.title}`);
    for (const flow of wanted) {
      const start = systemClock.monotonic();
      let problem: string | undefined;
      try {
        await flow.run(driver);
      } catch (error) {
        problem = String(error);
        failures++;
      }
      const seconds = ((systemClock.monotonic() - start) / 1000).toFixed(1);
      console.log(`${problem === undefined ? "passed" : "FAILED"}  ${flow.name}  (${seconds} s)`);
      if (problem !== undefined) console.log(problem);
      await tenancy.clear(flow);
    }
    await tenancy.removeDefaultObjects();
  } catch (error) {
    failures++;
    console.log(`FAILED  ${String(error)}\n${purser.output().slice(-4000)}`);
  } finally {
    await purser.stop("SIGTERM");
    await content.stop();
  }
}
