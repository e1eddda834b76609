// up and run in this process, until their signal aborts.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { once } from "node:events";
import { hostname, tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { startApiServer } from "@purser/apiserver";
import type { Lease } from "@purser/kubernetes/apis/coordination";
import { leases } from "@purser/kubernetes/apis/resources";
import { createClient } from "@purser/kubernetes/kube/client";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { demoWorld } from "../../engine/demo-world.ts";
import { UsageError } from "../command.ts";
import { type Ran, runPurser } from "../testing/run-purser.ts";
import { demoLine } from "./up.ts";

const directory = mkdtempSync(join(tmpdir(), "purser-up-"));
after(() => rmSync(directory, { recursive: true, force: true }));
const data = join(directory, "data");
const env = { PURSER_CACHE_DIR: join(directory, "cache"), PURSER_DATA_DIR: data, HOME: directory };
const never = new AbortController().signal;
const nowhere = ["--catalog-address", "none", "--no-package-api"];

/** Ports and the clock differ from run to run. */
const settled = ({ exitCode, text, errors }: Ran): Pick<Ran, "exitCode" | "text" | "errors"> => {
  const known = (printed: string): string =>
    printed
      .replaceAll(directory, "DIR")
      .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
      .replaceAll(/(?<=taken: using )\d+/g, "PORT")
      .replaceAll(/^port 7443 is taken: using PORT\n/gm, "");
  return { exitCode, text: known(text), errors: known(errors) };
};

/** Runs the command line until it is ready, then what `meanwhile` does, then stops it. */
async function running(args: readonly string[], meanwhile: () => Promise<void>, own = env): Promise<Ran> {
  const stop = new AbortController();
  const ready = Promise.withResolvers<void>();
  const onShow = (text: string): void => {
    if (text.startsWith("Ready")) ready.resolve();
  };
  const ran = runPurser(args, { env: own, signal: stop.signal, onShow });
  await Promise.race([ready.promise, ran]);
  try {
    await meanwhile();
  } finally {
    stop.abort(new Error("stopped"));
  }
  return ran;
}

test("only a cluster that begins with the demo says what waits in it", () => {
  const demo = demoWorld("default") ?? assert.fail("there is a demo");
  const packages = "demo  3 packages (ballast-cache, logbook-db, semaphore-gateway)";
  assert.equal(demoLine(demo, false), `${packages}, 2 installations; an upgrade is pending approval`);
  assert.equal(demoLine(demo, true), `${packages}, with the installations that this cluster was left with`);
});

const wrong: readonly (readonly [args: readonly string[], message: string, hint?: string])[] = [
  [["--ephemeral", "--data", "x"], "--ephemeral keeps nothing, so it cannot be combined with --data"],
  [["--demo", "other"], 'there is no demo world "other"', "worlds: none, default"],
  [["--port", "0"], '--port "0" is not a port', "write a number from 1 to 65535"],
  [["--port", "65536"], '--port "65536" is not a port', "write a number from 1 to 65535"],
  [["--port", "1e3"], '--port "1e3" is not a port', "write a number from 1 to 65535"],
];
for (const [args, message, hint] of wrong)
  test(`purser up ${args.join(" ")} is refused`, () =>
    assert.rejects(
      runPurser(["up", ...args], { env }),
      (error) => error instanceof UsageError && error.message === message && error.hints[0] === hint,
    ));

test("purser up keeps its cluster in the data directory, where other commands find it while it runs", async () => {
  const next = ["  kubectl get subscriptions,clusterextensions,csv -A", "  purser status", "  purser search"];
  const greeting = (demo: string): readonly string[] => [
    "Ready  https://127.0.0.1:PORT  context purser",
    "kubeconfig  DIR/data/kubeconfig",
    "catalogs  http://127.0.0.1:PORT/catalogs/NAME/api/v1/all",
    `demo  3 packages (ballast-cache, logbook-db, semaphore-gateway), ${demo}`,
    "state  DIR/data: kept when this process ends; purser up --fresh starts over",
    "stop  Ctrl-C",
    "Next, in another terminal:",
    "  export KUBECONFIG=DIR/data/kubeconfig",
    ...next,
    "",
  ];
  const first = await running(["up", "--no-package-api"], async () => {
    const listed = await runPurser(["list", "-A", "-o", "name"], { env });
    assert.equal(listed.errors, `using the local cluster that purser up runs (${data})`);
    assert.equal(listed.exitCode, 0);
    const second = await runPurser(["up"], { env });
    assert.equal(second.exitCode, 1);
    assert.match(second.errors, /Another process uses the data directory/);
  });
  const errors = "The embedded cluster runs no containers: Deployments become available through a simulator.\nstopping";
  const text = greeting("2 installations; an upgrade is pending approval").join("\n");
  assert.deepEqual(settled(first), { exitCode: 0, text, errors });
  assert.equal(existsSync(join(data, "running.json")), false);
  await assert.rejects(
    runPurser(["list"], { env: { ...env, HOME: join(directory, "none") } }),
    /No cluster to connect/,
  );
  const file = join(directory, "own/kubeconfig");
  const kept = await running(["up", "--no-package-api", "--write-kubeconfig", file], async () => {
    assert.match(readFileSync(file, "utf8"), /server: https:\/\/127\.0\.0\.1:\d+\n/);
  });
  const left = greeting("with the installations that this cluster was left with").join("\n");
  assert.equal(settled(kept).text, left.replaceAll("DIR/data/kubeconfig", "DIR/own/kubeconfig"));
  const blocked = await runPurser(["up", "--no-package-api", "--write-kubeconfig", join(file, "below")], { env });
  assert.deepEqual(
    [blocked.exitCode, settled(blocked).errors.split("\n").slice(0, 2)],
    [
      1,
      [
        "failed Cannot write the kubeconfig \"DIR/own/kubeconfig/below\": EEXIST: file already exists, mkdir 'DIR/own/kubeconfig'",
        "  do    purser up --write-kubeconfig FILE  writes it elsewhere",
      ],
    ],
  );
});

test("purser up --ephemeral leaves nothing behind, and takes no port that is taken", async () => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  const { port } = taken.address() as { readonly port: number };
  const refused = await runPurser(["up", "--ephemeral", "--port", String(port)], { env });
  assert.deepEqual(
    [refused.exitCode, refused.errors.split("\n")[0]],
    [1, `failed Cannot listen on 127.0.0.1:${port}: the port is taken`],
  );
  taken.close();
  await once(taken, "close");
  const args = ["up", "--ephemeral", "--demo", "none", "--port", String(port), ...nowhere];
  const ran = await running(args, async () => undefined);
  const [, temporary = ""] = /^kubeconfig {2}(\S+)\/kubeconfig$/m.exec(ran.text) ?? [];
  const { text, ...rest } = settled(ran);
  assert.deepEqual(rest, {
    exitCode: 0,
    errors: "The embedded cluster runs no containers: Deployments become available through a simulator.\nstopping",
  });
  assert.deepEqual(text.replaceAll(temporary, "TEMPORARY").split("\n"), [
    "Ready  https://127.0.0.1:PORT  context purser",
    "kubeconfig  TEMPORARY/kubeconfig",
    "state  in memory: lost when this process ends",
    "stop  Ctrl-C",
    "Next, in another terminal:",
    "  export KUBECONFIG=TEMPORARY/kubeconfig",
    "  kubectl get subscriptions,clusterextensions,csv -A",
    "  purser status",
    "  purser search",
    "",
  ]);
  assert.deepEqual([temporary.startsWith(tmpdir()), existsSync(temporary)], [true, false]);
});

test("purser run asks for its CustomResourceDefinitions, and applies them with --install-crds", async () => {
  const started = await startApiServer({ port: 0, controllers: false });
  assert.ok(started.ok);
  try {
    const file = join(directory, "bare");
    writeFileSync(file, started.value.kubeconfig);
    const run = ["run", "--kubeconfig", file, "--apis", "v1"];
    const missing = await runPurser([...run, ...nowhere], { env });
    assert.equal(missing.exitCode, 1);
    assert.match(
      missing.errors,
      /^failed The cluster does not serve clustercatalogs\.olm\.operatorframework\.io, .*\n {2}do {4}add --install-crds to this command\n {2}or {4}kubectl apply -f \S+crds$/,
    );
    const flags = ["--install-crds", "--lease-namespace", "default", "--lease-duration", "4"];
    const client = createClient(started.value.server.transport());
    let lease: Lease | undefined;
    const ran = await running([...run, ...flags, "--no-package-api", "--catalog-address", "127.0.0.1:0"], async () => {
      for (let tries = 0; tries < 6000 && lease?.spec?.holderIdentity === undefined; tries++) {
        lease = await client.get(leases, { namespace: "default", name: "purser" });
        await systemClock.sleep(50, never);
      }
    });
    assert.match(lease?.spec?.holderIdentity ?? "", new RegExp(`^${hostname()}_[0-9a-f-]{36}$`));
    assert.equal(lease?.spec?.leaseDurationSeconds, 4);
    assert.equal(ran.exitCode, 0);
    // It may have become the leader already.
    assert.match(ran.text, /^Ready {2}[^\n]*; stop with Ctrl-C\n$/);
    assert.match(settled(ran).errors, /^catalogs {2}http:\/\/127\.0\.0\.1:PORT\/catalogs\/NAME\/api\/v1\/all$/m);
  } finally {
    await started.value.stop();
  }
});
