// `npm run test:deployed -- --kubeconfig F`: Purser by its manifests on a cluster that is already there, with the ServiceAccount's
// own token. Flows of one API family at a time; the requests must be exactly what the list of rights allows.
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import type { ConfigMap } from "@purser/kubernetes/apis/core";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import type { ApiFamily } from "../../src/apis/api-family.ts";
import { globalNamespace } from "../../src/apis/own-namespaces.ts";
import { defaultValues, type InstallValues, withValues } from "../../src/deploy/values.ts";
import { registerCatalog } from "../../src/engine/catalog-objects.ts";
import { ClusterTenancy } from "../cluster-tenancy.ts";
import { bundlesDirectory, communityCatalog, withoutData } from "../data.ts";
import { kubectlDriver } from "../driver.ts";
import { eventually } from "../eventually.ts";
import { catalogUrl, type Flow, flows } from "../flows.ts";
import { startPushedImages } from "../pushed-images.ts";
import { connectWith, patient } from "../surroundings.ts";
import { auditOf } from "./audit.ts";
import { furtherFlows } from "./further-flows.ts";
import { deploy } from "./deployment.ts";
import { everyPodServesCatalogs, everyPodServesPackages } from "./package-drill.ts";
import { takeOverDrill } from "./take-over-drill.ts";
import { canMount, isRunning } from "./pod-runner.ts";

const { values: given } = parseArgs({
  options: { kubeconfig: { type: "string" }, only: { type: "string" } },
  allowPositionals: false,
});
const kubectl = findKubectl(process.env);
if (given.kubeconfig === undefined) {
  console.error("which cluster? npm run test:deployed -- --kubeconfig FILE [--only v0|v1]");
  process.exit(2);
}
const skipped =
  withoutData !== false
    ? withoutData
    : kubectl === undefined
      ? "there is no kubectl"
      : canMount()
        ? ""
        : "unshare --mount needs root";
if (skipped !== "" || kubectl === undefined) {
  console.log(`skipped: ${skipped}`);
  process.exit(0);
}
const program = kubectl;
const kubeconfigPath = given.kubeconfig;
const registriesName = "purser-registries";
const packages = ["kube-green", "rabbitmq-cluster-operator", "rabbitmq-messaging-topology-operator"];
const scratch = mkdtempSync(join(tmpdir(), "purser-deployed-"));
const images = await startPushedImages(join(scratch, "images"));
let failures = 0;
try {
  await images.pushBundles(bundlesDirectory, packages);
  const catalog = await images.pushCatalog("community", communityCatalog);
  for (const family of ["v0", "v1"] as const) {
    if (given.only !== undefined && given.only !== family) continue;
    failures += await runFamily(family, catalog);
  }
} finally {
  await images.stop();
  rmSync(scratch, { recursive: true, force: true });
}
console.log(failures === 0 ? "all passed" : `${failures} failed`);
process.exitCode = failures > 0 ? 1 : 0;

function flowsOf(family: ApiFamily): readonly Flow[] {
  // There is no Service network: the Service that a ClusterCatalog's URL names cannot be reached.
  return [...flows, ...furtherFlows].filter(
    (flow) => flow !== catalogUrl && flow.name.startsWith(`${family}:`) && !/v0 left|v1/.test(flow.name.slice(3)),
  );
}

/** Installs one family, runs its flows, audits, removes; returns how many of these failed. */
async function runFamily(family: ApiFamily, image: string): Promise<number> {
  const wanted = flowsOf(family);
  const cluster = connectWith(kubeconfigPath);
  const { client } = cluster;
  const tenancy = await ClusterTenancy.begin(client, wanted);
  const values: InstallValues = withValues(defaultValues, {
    [family === "v0" ? "apis.v1" : "apis.v0"]: false,
    "registry.configuration": registriesName,
    "catalogs.tls": true,
  });
  const registries: ConfigMap = {
    apiVersion: "v1",
    kind: "ConfigMap",
    metadata: { name: registriesName, namespace: values.namespace },
    data: { "registries.conf": images.registriesConf },
  };
  let failed = 0;
  const tried = async (what: string, act: () => Promise<void>): Promise<void> => {
    const start = systemClock.monotonic();
    const problem = await act().then(
      () => undefined,
      (error: unknown) => String(error),
    );
    const seconds = ((systemClock.monotonic() - start) / 1000).toFixed(1);
    console.log(`${problem === undefined ? "passed" : "FAILED"}  ${family} deployed: ${what}  (${seconds} s)`);
    if (problem === undefined) return;
    failed++;
    console.log(problem);
  };
  const deployed = await deploy({
    kubectl: program,
    kubeconfig: kubeconfigPath,
    client,
    url: cluster.url,
    values,
    configMaps: [registries],
    directory: join(scratch, family),
  });
  try {
    await tried("two pods become ready with the ServiceAccount's own token", async () => {
      await deployed.start();
      await deployed.start();
    });
    // Policies that name a kind refuse everything until the API server has noticed the kind's definition.
    await eventually("the catalog can be registered", () =>
      registerCatalog(client, { namespace: globalNamespace, name: "community", image }, [family], patient).then(
        () => undefined,
        (error: unknown) => String(error),
      ),
    );
    const driver = kubectlDriver(program, kubeconfigPath, client);
    for (const flow of wanted) {
      await tried(flow.name, () => flow.run(driver));
      await tenancy.clear(flow);
    }
    await tried("purser doctor finds nothing", () => {
      const main = join(import.meta.dirname, "../../src/cli/main.ts");
      const ran = spawnSync(process.execPath, [main, "doctor", "--kubeconfig", kubeconfigPath], { encoding: "utf8" });
      return ran.status === 0 ? Promise.resolve() : Promise.reject(new Error(ran.stdout + ran.stderr));
    });
    if (family === "v0")
      await tried("every pod serves PackageManifests", () => everyPodServesPackages(deployed, client));
    else
      await tried("every pod serves catalogs over https", () =>
        everyPodServesCatalogs(deployed, client, values.namespace),
      );
    await tried("a killed leader is replaced within five seconds, one that ends within one", () =>
      takeOverDrill(deployed, client, { namespace: values.namespace, packages: family === "v0" }),
    );
    await tenancy.removeDefaultObjects();
    await tried("the pods end at SIGTERM", async () => {
      for (const pod of deployed.pods.filter(isRunning)) {
        const code = await pod.stop("SIGTERM");
        if (code !== 0) throw new Error(`ended with ${code}:\n${pod.output().slice(-2000)}`);
      }
    });
  } finally {
    await deployed.remove();
  }
  await tried("no request was forbidden, none lacks a right, no right is unused", () => {
    const requests = deployed.pods.flatMap((pod) => pod.requests);
    const { missing, unused } = auditOf(requests, values);
    const forbidden = requests.filter(
      ({ status, refusal = "" }) => status === 403 && !refusal.includes("because it is being terminated"),
    );
    const lines = [
      ...new Set(
        forbidden.map(({ verb, group, resource, refusal }) => `forbidden: ${verb} ${group}/${resource}: ${refusal}`),
      ),
      ...missing.map((name) => `missing: ${name}`),
      ...unused.map((name) => `unused: ${name}`),
    ];
    return lines.length === 0 ? Promise.resolve() : Promise.reject(new Error(lines.join("\n")));
  });
  await tried("nothing is left after removal", async () => {
    const left = await tenancy.leftovers();
    if (left.length > 0) throw new Error(left.join("\n"));
  });
  cluster.close();
  return failed;
}
