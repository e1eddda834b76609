import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { after, before, suite, test } from "node:test";
import { subscriptions } from "../src/apis/olm-resources.ts";
import { eventually } from "./eventually.ts";
import type { PurserProcess } from "./purser-process.ts";
import { purser, startPurser } from "./purser-process.ts";
import { connectWith, freshSurroundings, touchedHome } from "./surroundings.ts";

const surroundings = freshSurroundings();
const { env, path } = surroundings;
let up: PurserProcess | undefined;
type Ended = Awaited<ReturnType<typeof purser>>;
const run = (...args: readonly string[]): Promise<Ended> => purser(args, env);

/** Runs purser and holds it to its exit code; the streams are matched when asked for. */
async function expect(
  args: readonly string[],
  code: number,
  streams: { readonly stdout?: RegExp; readonly stderr?: RegExp } = {},
  environment: Readonly<Record<string, string>> = env,
): Promise<Ended> {
  const ended = await purser(args, environment);
  const told = `purser ${args.join(" ")}\n${ended.stdout}\n${ended.stderr}\n${up?.output() ?? ""}`;
  assert.equal(ended.code, code, told);
  if (streams.stdout !== undefined) assert.match(ended.stdout, streams.stdout, told);
  if (streams.stderr !== undefined) assert.match(ended.stderr, streams.stderr, told);
  return ended;
}

const versionOfItself = /"version": "\d+\.\d+\.\d+"/;
mkdirSync(path("Bad_Name"));
mkdirSync(path("good"));
const withoutCluster: readonly (readonly [args: readonly string[], code: number, stdout: RegExp, stderr: RegExp])[] = [
  [[], 0, /Usage: purser <command>/, /^$/],
  [["install", "--help"], 0, /Usage: purser install <package>/, /^$/],
  [["help", "exit-codes"], 0, /9 +cluster unreachable/, /^$/],
  [["version", "--client", "-o", "json"], 0, versionOfItself, /^$/],
  [["version"], 0, /^purser \d/, /^$/],
  [["completion", "bash"], 0, /complete -o default -F _purser purser/, /^$/],
  [["completion", "tcsh"], 2, /^$/, /no completion for "tcsh"\n +shells: bash/],
  [["__complete", "up", "--eph"], 0, /^--ephemeral$/m, /^$/],
  [["instal", "x"], 2, /^$/, /unknown command "instal"\n +did you mean "purser install"\?/],
  [["up", "--ephemral"], 2, /^$/, /unknown option "--ephemral"\n.*--ephemeral/],
  [["up", "--demo", "moon"], 2, /^$/, /no demo world "moon"\n +worlds: none, default/],
  [["up", "--port", "70000"], 2, /^$/, /"70000" is not a port/],
  [["up", "--ephemeral", "--data", path("x")], 2, /^$/, /--ephemeral keeps nothing/],
  [["up", "--compat", "bogus"], 2, /^$/, /bogus/],
  [["up", "--bundles", path("none")], 2, /^$/, /--bundles: the directory .* does not exist/],
  [["up", "--global-pull-secret", "pull"], 2, /^$/, /"pull" does not name a Secret\n.*NAMESPACE\/NAME/],
  [["up", "--pull-cas-dir", path("none")], 2, /^$/, /--pull-cas-dir: the directory .* does not exist/],
  [
    ["up", "--catalog", "a=example.com/catalog"],
    2,
    /^$/,
    /neither a tag nor a digest; write example\.com\/catalog:TAG/,
  ],
  [["up", "--catalog", path("Bad_Name")], 2, /^$/, /"Bad_Name" is not a DNS-1123 label.*--catalog NAME=/],
  [["up", "--catalog", `a=${path("none")}`], 2, /^$/, /does not exist/],
  [
    ["up", "--catalog", `a=${path("good")}`, "--catalog", `b/a=${path("good")}`],
    2,
    /^$/,
    /two catalogs are called "a"/,
  ],
  [["list", "--timeout", "soon"], 9, /^$/, /No cluster to connect to: No kubeconfig found/],
  [["status"], 9, /^$/, /purser up +starts a local cluster/],
  [["list", "--kubeconfig", path("none")], 9, /^$/, /Cannot read the kubeconfig/],
];
suite("without a cluster", { concurrency: 2 }, () => {
  for (const [args, code, stdout, stderr] of withoutCluster) {
    const shown = args.map((arg) => arg.replaceAll(surroundings.directory, "")).join(" ");
    test(`purser ${shown} ends with ${code} and says why on the right stream`, () =>
      expect(args, code, { stdout, stderr }).then(() => undefined));
  }
});

suite("with an embedded cluster", () => {
  let url = "";
  const kubeconfig = join(surroundings.dataDirectory, "kubeconfig");
  before(async () => {
    up = await startPurser(["up"], env);
    url = /^Ready {2}(\S+)/m.exec(up.output())?.[1] ?? "";
  });
  after(async () => {
    await up?.stop("SIGTERM");
  });

  test("Ready names the kubeconfig and four commands, and the simulated workloads are said once", () => {
    const said = up?.output() ?? "";
    assert.match(said, /^Ready {2}https:\/\/127\.0\.0\.1:\d+ {2}context purser$/m);
    assert.ok(said.includes(`kubeconfig  ${kubeconfig}`));
    assert.equal(said.split("\n").filter((line) => line.startsWith("  ")).length, 4);
    assert.equal(said.split("runs no containers").length, 2);
    assert.equal(touchedHome(surroundings), false, "nothing below ~/.kube");
  });

  test("the demo shows an extension and a Subscription with an upgrade that waits", async () => {
    await eventually("both are where the demo leaves them", async () => {
      const { stdout } = await run("list", "-A", "-o", "json");
      const { items } = JSON.parse(stdout) as { items: readonly { reference: string; state: string }[] };
      const seen = items.map(({ reference, state }) => `${reference} ${state}`).join(", ");
      return seen === "ext/ballast-cache Ready, sub/demo-logbook/logbook-db Approve" ? undefined : seen;
    });
  });

  test("the local cluster is used and said on stderr, unless a kubeconfig is named by flag or environment", async () => {
    const notice = /using the local cluster that purser up runs/;
    await expect(["list", "-A", "-o", "yaml"], 0, { stdout: /^kind: InstallationList$/m, stderr: notice });
    const byFlag = await expect(["list", "-A", "--kubeconfig", kubeconfig], 0, { stdout: /^NAMESPACE +NAME/ });
    const byEnv = await expect(["list", "-A"], 0, { stdout: /ballast-cache/ }, { ...env, KUBECONFIG: kubeconfig });
    assert.doesNotMatch(byFlag.stderr + byEnv.stderr, notice);
    await expect(["list"], 9, {}, { ...env, KUBECONFIG: path("none") });
  });

  test("list narrows by namespace and state, prints names and leaves out headings", async () => {
    assert.equal(
      (await run("list", "-n", "demo-logbook", "-o", "name")).stdout,
      "ext/ballast-cache\nsub/demo-logbook/logbook-db\n",
    );
    assert.equal((await run("list", "-A", "--state", "Approve", "-o", "name")).stdout, "sub/demo-logbook/logbook-db\n");
    assert.doesNotMatch((await run("list", "-A", "--no-headers")).stdout, /NAMESPACE/);
  });

  test("no colours without a terminal, colours when they are requested", async () => {
    const plain = await expect(["status", "nothing-like-it"], 6, {
      stderr: /There is no installation "nothing-like-it"/,
    });
    assert.ok(!plain.stderr.includes("\u001b["));
    const painted = await run("status", "nothing-like-it", "--color", "always");
    assert.ok(painted.stderr.includes("\u001b["));
  });

  test("status shows an installation with its objects; a name that is nearly right is suggested", async () => {
    await expect(["status"], 0, { stdout: /logbook-db +v0 +1\.0\.0 +logbook-db\.v1\.1\.0 +Approve/ });
    await expect(["status", "logbook-db"], 0, {
      stdout: /InstallPlan install-\S+ +RequiresApproval logbook-db\.v1\.1\.0/,
    });
    await expect(["status", "ext/ballast-cache"], 0, { stdout: /ClusterObjectSet ballast-cache-1/ });
    await expect(["status", "balast-cache"], 6, { stderr: /purser status ext\/ballast-cache +did you mean/ });
  });

  test("explain repeats the resolution and shows its result", async () => {
    await expect(["explain", "logbook-db"], 0, { stdout: /logbook-db\.v1\.1\.0 +from olm\/demo, channel stable/ });
    await expect(["explain", "logbook-db"], 0, { stdout: /^Next: purser approve sub\/demo-logbook\/logbook-db$/m });
    await expect(["explain", "ballast-cache"], 0, {
      stdout: /ballast-cache\.v0\.4\.1 is installed, version 0\.4\.1: the head of channel stable /,
    });
    await expect(["explain", "lugbook-db"], 6, { stderr: /did you mean/ });
  });

  test("install of an existing installation writes nothing, not even the namespace", async () => {
    const again = ["install", "ballast-cache@0.4.x", "--as-extension", "-n", "elsewhere", "--yes"];
    await expect([...again, "--create-namespace"], 7, {
      stderr:
        /ClusterExtension ballast-cache already exists; nothing was written\n {2}do {4}purser status ext\/ballast-cache/,
    });
    await expect(again, 2, { stderr: /there is no namespace "elsewhere"/ });
  });

  test("install refuses a package that no catalog has, with the nearest names", async () => {
    const shared = ["-n", "demo-logbook", "--yes"];
    await expect(["install", "semafore-gateway", ...shared], 6, {
      stderr: /PackageNotFound\n[^]*purser install semaphore-gateway/,
    });
    await expect(["install", "semaphore-gateway", "--channel", "stabel", ...shared], 6, {
      stderr: /ChannelNotFound\n[^]*--channel stable/,
    });
    await expect(["install", "semaphore-gateway@1.0.1", ...shared], 6, {
      stderr: /VersionNotFound\n[^]*semaphore-gateway@1\.[01]\.0/,
    });
    await expect(["install", "semaphore-gateway", "--from-source", "demmo", ...shared], 6, {
      stderr: /CatalogNotFound\n[^]*--from-source demo/,
    });
    const machine = await expect(["install", "semafore-gateway", "-o", "json", ...shared], 6);
    assert.equal(
      (JSON.parse(machine.stderr.slice(machine.stderr.indexOf("{"))) as { code: string }).code,
      "PackageNotFound",
    );
    assert.equal(machine.stdout, "");
  });

  test("without a terminal a change needs --yes, and --dry-run writes nothing", async () => {
    const install = ["install", "semaphore-gateway", "-n", "sessions", "--unchecked"];
    await expect(install, 2, { stderr: /no namespace "sessions"\n +add --create-namespace/ });
    await expect([...install, "--create-namespace"], 2, { stderr: /no terminal to ask for confirmation\n +add --yes/ });
    await expect(["approve", "logbook-db"], 2, { stderr: /add --yes/ });
    await expect(["uninstall", "logbook-db"], 2, { stderr: /add --yes/ });
    const dry = await expect([...install, "--create-namespace", "--dry-run", "-o", "json"], 0);
    const { objects } = JSON.parse(dry.stdout) as { objects: { items: readonly { kind: string }[] } };
    assert.deepEqual(
      objects.items.map(({ kind }) => kind),
      ["Namespace", "OperatorGroup", "Subscription"],
    );
    const { client, close } = connectWith(kubeconfig);
    const names = (await client.list(subscriptions)).map(({ metadata }) => metadata.name);
    close();
    assert.deepEqual(names, ["logbook-db"]);
  });

  test("an extension is uninstalled with its data only when that is said, and installed again", async () => {
    await expect(["uninstall", "ext/ballast-cache", "--dry-run"], 0, { stdout: /kept +1 CRD, 0 instances/ });
    await expect(["uninstall", "ext/ballast-cache", "--mode", "everything", "--yes"], 0, { stdout: /is removed/ });
    await expect(["list", "-A"], 0, { stdout: /^(?!.*ballast-cache)/s });
    const install = ["install", "ballast-cache@0.3.x", "--as-extension", "-n", "demo-cache", "--yes"];
    await expect(install, 0, { stdout: /ballast-cache 0\.3\.0 is ready as ext\/ballast-cache/ });
    await expect(install, 7, { stderr: /already exists/ });
    await expect(["uninstall", "ballast-cache", "--mode", "everything", "--yes", "--no-wait"], 0);
    await eventually("it is gone", async () =>
      (await run("status", "ext/ballast-cache")).code === 6 ? undefined : "still there",
    );
  });

  test("a Manual installation waits with exit code 4, goes on when approved and waits again before the upgrade", async () => {
    await expect(
      ["install", "semaphore-gateway@1.0.0", "--approval", "Manual", "-n", "sessions", "--create-namespace", "--yes"],
      4,
      { stdout: /is pending approval\. purser approve sub\/sessions\/semaphore-gateway/ },
    );
    await expect(["approve", "sessions/semaphore-gateway", "--yes"], 0, { stderr: /semaphore-gateway\.v1\.0\.0/ });
    await eventually("1.0.0 runs, with its dependency, and 1.1.0 is offered", async () => {
      const { stdout } = await run("list", "-n", "sessions");
      return /semaphore-gateway +v0 +1\.0\.0 +semaphore-gateway\.v1\.1\.0 +Approve/.test(stdout) &&
        /ballast-cache/.test(stdout)
        ? undefined
        : stdout;
    });
    await expect(["approve", "ext/nothing", "--yes"], 6);
    await expect(["uninstall", "semaphore-gateway", "--yes"], 0, {
      stderr: /removed {2}\d+ objects: .*1 ClusterServiceVersion/,
    });
  });

  test("a wait that is longer than --timeout ends with 8 while work goes on; a refusal ends with 1 and says what to ask", async () => {
    const install = [
      "install",
      "ballast-cache",
      "--as-extension",
      "-n",
      "demo-cache",
      "--yes",
      "--unchecked",
      "--name",
    ];
    await expect([...install, "hasty", "--timeout", "1ms"], 8, {
      stderr: /not ready yet; the installation continues in the cluster\. purser status ext\/hasty/,
    });
    await expect([...install, "patient"], 1, {
      stderr: /ext\/patient is Blocked: [^]*do +purser explain ext\/patient/,
    });
  });

  test("version names the cluster's version too", async () => {
    await expect(["version"], 0, { stdout: /^purser [^]*\nKubernetes v1\.\d+/ });
  });

  test("a --port that is taken is an error; without --port a free one is taken and said once", async () => {
    const port = new URL(url).port;
    await expect(["up", "--ephemeral", "--port", port], 1, {
      stderr: new RegExp(`127\\.0\\.0\\.1:${port}: the port is taken`),
    });
    const second = await startPurser(["up", "--ephemeral", "--demo", "none"], env);
    const said = second.output();
    assert.equal(await second.stop("SIGINT"), 0);
    const other = /^Ready {2}https:\/\/127\.0\.0\.1:(\d+)/m.exec(said)?.[1];
    assert.notEqual(other, port);
    if (other !== "7443") assert.equal(said.split(`port 7443 is taken: using ${other}`).length, 2);
  });

  test("when the local cluster stopped, it is no longer found", async () => {
    assert.equal(await up?.stop("SIGINT"), 0);
    up = undefined;
    await expect(["list"], 9, { stderr: /No cluster to connect to/ });
  });
});
