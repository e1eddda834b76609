// `node packages/purser/e2e/deployed/two-versions.ts --kubeconfig FILE --older PURSER_JS`: this version and an older one beside each
// other, as in a rolling upgrade and on the way back. While operators are upgraded, each in turn is ended, the other leads, and the
// first comes back as a follower. PURSER_JS is `packages/purser/dist/purser.js` of the older sources.
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { findKubectl } from "@purser/apiserver/testing/find-kubectl";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterExtensions, clusterServiceVersions, subscriptions } from "../../src/apis/olm-resources.ts";
import { freePort } from "../../src/image/testing/free-port.ts";
import { installationsOf } from "../../src/installation/installation.ts";
import { builtProduct } from "../built-product.ts";
import { ClusterTenancy } from "../cluster-tenancy.ts";
import { kubectlDriver } from "../driver.ts";
import { contentInDirectories } from "../flow-content.ts";
import { flows } from "../flows.ts";
import { connectWith, patient } from "../surroundings.ts";

const { values: given } = parseArgs({
  options: {
    kubeconfig: { type: "string", default: process.env["PURSER_E2E_KUBECONFIG"] ?? "" },
    older: { type: "string", default: process.env["PURSER_E2E_OLDER"] ?? "" },
  },
});
const kubectl = findKubectl(process.env);
if (given.kubeconfig === "" || given.older === "" || kubectl === undefined) {
  console.error("needs --kubeconfig FILE, --older PURSER_JS and kubectl");
  process.exit(2);
}
/** How long one version leads. */
const leadsMs = 2_000;
const scratch = mkdtempSync(join(tmpdir(), "purser-versions-"));
const cluster = connectWith(given.kubeconfig);
const { client } = cluster;
const wanted = flows.filter(({ name }) => /kube-green (goes|is installed|reaches)|the messaging topology/.test(name));
const tenancy = await ClusterTenancy.begin(client, wanted);
const content = contentInDirectories(wanted);

interface Version {
  readonly name: string;
  start(): Promise<void>;
  stop(): Promise<void>;
}

function versionOf(name: string, program: string): Version {
  let stop = (): Promise<void> => Promise.resolve();
  return {
    name,
    async start() {
      const flags = ["--kubeconfig", given.kubeconfig, "--lease-duration=3", "--no-package-api"];
      const catalogs = `--catalog-address=127.0.0.1:${await freePort()}`;
      const child = spawn(process.execPath, [program, "run", "--install-crds", ...flags, catalogs, ...content.flags], {
        env: { ...process.env, PURSER_CACHE_DIR: join(scratch, name), PURSER_COMPAT: "" },
        stdio: ["ignore", "pipe", "pipe"],
      });
      let output = "";
      const ended = new Promise<void>((done) => child.on("close", () => done()));
      await new Promise<void>((ready, refuse) => {
        for (const stream of [child.stdout, child.stderr])
          stream.on("data", (piece: Buffer) => {
            output = `${output}${piece.toString()}`.slice(-10_000);
            if (/^Ready/m.test(output)) ready();
          });
        void ended.then(() => refuse(new Error(`the ${name} version ended:\n${output}`)));
      });
      stop = async () => {
        child.kill("SIGTERM");
        await ended;
      };
    },
    stop: () => stop(),
  };
}

/** In which states the installations were when the leader changed. */
const seen = new Map<string, number>();
async function noteStates(leader: string): Promise<void> {
  const [subs, csvs, extensions] = await Promise.all([
    client.list(subscriptions),
    client.list(clusterServiceVersions),
    client.list(clusterExtensions),
  ]);
  const states = installationsOf({ subscriptions: subs, csvs, installPlans: [], extensions }).map(({ state }) => state);
  for (const state of [...new Set(states), ...csvs.map(({ status }) => `CSV ${status?.phase}`)]) {
    const key = `${state}, then the ${leader} version leads`;
    seen.set(key, (seen.get(key) ?? 0) + 1);
  }
}

const older = versionOf("older", given.older);
const current = versionOf("current", builtProduct());
let changes = 0;
let failures = 0;
const stopping = new AbortController();
await older.start();
await current.start();
const changing = (async () => {
  for (let [leader, follower] = [older, current]; !stopping.signal.aborted; [leader, follower] = [follower, leader]) {
    await noteStates(follower.name);
    await leader.stop();
    changes++;
    await leader.start();
    await systemClock.sleep(leadsMs, patient);
  }
})();
const changed = changing.then(
  () => undefined,
  (error: unknown) => String(error),
);
const driver = kubectlDriver(kubectl, given.kubeconfig, client);
for (const flow of wanted) {
  const before = changes;
  const problem = await flow.run(driver).then(
    () => undefined,
    (error: unknown) => String(error),
  );
  if (problem !== undefined) failures++;
  const title = `${flow.name}, with ${changes - before} changes of the leader`;
  console.log(problem === undefined ? `passed  ${title}` : `FAILED  ${title}\n${problem}`);
  await tenancy.clear(flow);
}
stopping.abort();
const problem = await changed;
if (problem !== undefined) {
  failures++;
  console.log(`FAILED  ${problem}`);
}
for (const [state, times] of [...seen].toSorted(([left], [right]) => (left < right ? -1 : 1)))
  console.log(`  ${times} x ${state}`);
await tenancy.removeDefaultObjects();
await older.stop();
await current.stop();
await tenancy.removeInstallation();
const left = await tenancy.leftovers();
if (left.length > 0) console.log(`LEFT BEHIND\n  ${left.join("\n  ")}`);
cluster.close();
rmSync(scratch, { recursive: true, force: true });
console.log(failures === 0 && left.length === 0 ? "all passed" : "failed");
process.exitCode = failures > 0 || left.length > 0 ? 1 : 0;
