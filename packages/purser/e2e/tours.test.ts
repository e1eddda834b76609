// What three people see: a newcomer, a user of OLM v0 and v1, and a maintainer of a catalog, in terminals of 80 and 120 columns
// and through a pipe. One cluster serves all; each tour ends in the state that it promises.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { builtProduct } from "./built-product.ts";
import { type PurserProcess, startPurser } from "./purser-process.ts";
import { freshSurroundings } from "./surroundings.ts";

type Screen = 80 | 120 | "pipe";
const screens: readonly Screen[] = [80, 120, "pipe"];
const { env, path } = freshSurroundings();
const skip = !existsSync("/usr/bin/script") && "not here: script of util-linux makes the terminals";

interface Seen {
  readonly code: number | null;
  /** As it came, without the terminal's carriage returns. */
  readonly raw: string;
  /** Without colours. */
  readonly text: string;
}

const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Runs purser on a screen; on a terminal both streams are what the terminal shows. */
async function on(screen: Screen, args: readonly string[]): Promise<Seen> {
  const words = [process.execPath, builtProduct(), ...args];
  const [program = "", ...rest] =
    screen === "pipe"
      ? words
      : ["script", "-qefc", `stty cols ${screen} rows 50; exec ${words.map(quoted).join(" ")}`, "/dev/null"];
  const child = spawn(program, rest, {
    env: { ...process.env, ...env, TERM: "xterm-256color", LANG: "C.UTF-8", LC_ALL: "C.UTF-8", PURSER_COLOR: "auto" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let raw = "";
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (chunk: Buffer) => (raw += chunk.toString().replaceAll("\r\n", "\n")));
  const code = await new Promise<number | null>((done) => child.on("close", done));
  // eslint-disable-next-line no-control-regex -- colours are what is looked for
  return { code, raw, text: raw.replaceAll(/\u001b\[[0-9;]*[A-Za-z]|\r/g, "") };
}

/** Holds a command to its exit code, to what it shows, and to its screen. */
async function shows(screen: Screen, args: string, code: number, ...patterns: readonly RegExp[]): Promise<string> {
  const { raw, text, code: ended } = await on(screen, args.split(" "));
  const told = `purser ${args} on ${screen}\n${text}`;
  assert.equal(ended, code, told);
  for (const pattern of patterns) assert.match(text, pattern, told);
  if (screen === "pipe") assert.ok(!raw.includes("\u001b"), told);
  else
    for (const line of text.split("\n"))
      assert.ok(line.length <= screen, `${line.length} > ${screen}: ${line}\n${told}`);
  return text;
}

let up: PurserProcess;
before(async () => {
  if (skip === false) up = await startPurser(["up", "--catalog-address", "none"], env);
});
after(async () => {
  if (skip === false) await up.stop("SIGTERM");
});

suite("tours", { skip }, () => {
  test("the banner says what the demo holds, where its state is, how to stop and what to type", () => {
    const { [0]: first = "" } = up
      .output()
      .split("\n")
      .filter((line) => line.startsWith("Ready"));
    assert.match(first, /^Ready {2}https:\/\/127\.0\.0\.1:\d+ {2}context purser$/);
    for (const line of [
      /^demo {2}3 packages \(ballast-cache, logbook-db, semaphore-gateway\), 2 installations; an upgrade is pending approval$/m,
      /^state {2}\/.+: kept when this process ends; .*up --fresh starts over$/m,
      /^stop {2}Ctrl-C$/m,
      /^Next, in another terminal:$/m,
    ])
      assert.match(up.output(), line);
  });

  // An upgrade waits on each terminal; the pipe sees that nothing is left.
  const upgrades: Readonly<Record<string, readonly [waits: RegExp, approved: string]>> = {
    80: [/1\.1\.0 pending approval/, "1.1.0"],
    120: [/1\.2\.0 pending approval/, "1.2.0"],
  };
  for (const screen of screens)
    test(`a newcomer finds a package, sees an upgrade before it happens and approves it (${screen})`, async () => {
      await shows(screen, "search", 0, /^NAME +LATEST/m, /semaphore-gateway +1\.1\.0/, /3 of 3 packages/);
      await shows(screen, "show semaphore-gateway", 0, /purser install semaphore-gateway/);
      const [waits, version] = upgrades[screen] ?? [];
      if (waits !== undefined && version !== undefined) {
        await eventuallyShows(screen, "list -A", waits);
        await shows(screen, "approve logbook-db --dry-run", 0, /sha256:[0-9a-f]{64}/, /images/);
        await shows(screen, "approve logbook-db --yes", 0, /approved/);
        await eventuallyShows(
          screen,
          "status logbook-db",
          new RegExp(`^sub/demo-logbook/logbook-db {2}${version.replaceAll(".", "\\.")} {2}(Ready|Approve)`, "m"),
        );
      } else await eventuallyShows(screen, "status logbook-db", /logbook-db {2}1\.2\.0 {2}Ready/);
      await shows(screen, "explain logbook-db", 0, /logbook-db/);
    });

  for (const screen of screens)
    test(`a user of v0 and v1 resolves a collision and has both families in one list (${screen})`, async () => {
      await eventuallyShows(screen, "list -A", /ballast-cache +(v1 +)?0\.4\.1.*Ready/);
      const refused = await shows(
        screen,
        "install semaphore-gateway -n ops --create-namespace --yes",
        1,
        /ObjectOwnedElsewhere/,
      );
      assert.equal(
        refused.match(/belongs to ClusterExtension/g)?.length ?? refused.match(/belongs\s+to/g)?.length,
        1,
        "the cause is printed once",
      );
      await shows(screen, "uninstall ext/ballast-cache --mode everything --yes", 0, /ballast-cache/);
      await shows(
        screen,
        "install semaphore-gateway -n ops --create-namespace --yes",
        0,
        /is ready as sub\/ops\/semaphore-gateway/,
      );
      await shows(screen, "tenancy ops", 0, /semaphore-gateway/);
      await shows(screen, "permissions sub/ops/semaphore-gateway", 0, /ServiceAccount/);
      await shows(screen, "uninstall sub/ops/semaphore-gateway --mode everything --with-dependencies --yes", 0);
      await shows(
        screen,
        "install ballast-cache@0.4.x -n demo-cache --as-extension --yes",
        0,
        /is ready as ext\/ballast-cache/,
      );
      await shows(screen, "list -A", 0, /logbook-db/, /ballast-cache/, /2 installations/);
    });

  for (const screen of screens)
    test(`a maintainer starts a catalog, checks it and sees what a change does to users (${screen})`, async () => {
      const directory = path(`author-${screen}`);
      mkdirSync(directory);
      const demo = `${builtProduct().replace(/dist\/purser\.js$/, "demo/default/catalog")}`;
      await shows(screen, `catalog validate ${demo}`, 0);
      await shows(screen, `catalog path ${demo} --package logbook-db --from 1.0.0`, 0, /1\.2\.0/);
      await shows(screen, `catalog graph ${demo} --package logbook-db`, 0, /stable/);
      await shows(screen, `catalog prune ${demo} --keep logbook-db@>=1.1.0 --to ${directory}/pruned`, 0);
      await shows(screen, `catalog diff ${demo} ${directory}/pruned`, 0, /ballast-cache/);
      await shows(screen, `catalog validate ${directory}/pruned`, 0);
    });
});

/** Asks again until the text is shown; the cluster works meanwhile. */
async function eventuallyShows(screen: Screen, args: string, pattern: RegExp): Promise<void> {
  for (let tries = 0; ; tries++) {
    const text = await shows(screen, args, 0);
    if (pattern.test(text)) return;
    assert.ok(tries < 300, `purser ${args} never shows ${String(pattern)}:\n${text}`);
  }
}
