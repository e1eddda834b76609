import assert from "node:assert/strict";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { runKubectl, wordsOf } from "../../testing/run-remedy.ts";
import { type CorpusCluster, customResource } from "./corpus-cluster.ts";
import type { LiveWorld } from "./live-world.ts";
import { deletionOf, type PrintedRemedy, printedRemedies } from "./printed-remedies.ts";

const never = new AbortController().signal;

/** A look takes some 50 ms on an idle machine. */
const mostLooks = 400;

/** Commands that change nothing, and flags that keep a command from it. */
const looks = new Set([
  "tenancy",
  "status",
  "explain",
  "show",
  "list",
  "plan",
  "policy",
  "events",
  "search",
  "source",
  "history",
  "instances",
  "permissions",
]);
const isLook = ([word = "", ...rest]: readonly string[]): boolean =>
  (word === "approve" && rest.length === 0) ||
  (looks.has(word) && !["remove", "add", "set"].includes(rest[0] ?? "")) ||
  rest.includes("--dry-run");

/** What waits for a retry is never idle, so nobody waits long for that. */
const idle = (cluster: CorpusCluster): Promise<unknown> =>
  Promise.race([cluster.settled(), systemClock.sleep(1000, never)]);

async function said(cluster: CorpusCluster, asked: readonly string[]): Promise<string> {
  const { text, errors } = await cluster.purser(asked);
  return `${text}\n${errors}`;
}

async function reads(cluster: CorpusCluster, asked: readonly string[], fits: (text: string) => boolean, else_: string) {
  for (let tries = 0; ; tries++) {
    await idle(cluster);
    const text = await said(cluster, asked);
    if (fits(text)) return text;
    assert.ok(tries < mostLooks, `${else_}:\n${text}`);
    await systemClock.sleep(100, never);
  }
}

/** Makes the world, and answers with what its command prints then. */
export async function stand(cluster: CorpusCluster, { objects, next, asked, says }: LiveWorld): Promise<string> {
  for (const object of objects) await cluster.create(object);
  await next?.(cluster);
  return reads(cluster, asked, (text) => says.test(text), "it does not fail as the world says");
}

/** Runs a remedy's command line as people paste it. `looked`: nothing was changed by it. */
async function run(cluster: CorpusCluster, command: string): Promise<"changed" | "looked"> {
  if (!command.startsWith("purser ")) return runKubectl(cluster.client, command);
  const [, ...words] = wordsOf(command);
  const isOne = isLook(words);
  const ran = await cluster.purser(isOne ? words : [...words, "--yes", "--no-wait"]);
  // A look says by its exit code what it found.
  const isAccepted = isOne ? `${ran.text}${ran.errors}` !== "" : ran.exitCode === 0;
  assert.ok(isAccepted, `${command}: ${ran.exitCode} ${ran.text}\n${ran.errors}`);
  return isOne ? "looked" : "changed";
}

/**
 * Carries out every remedy that a world prints, each in the world as it was, and returns what was printed. A remedy is accepted, and
 * the cause is gone after it or the next documented state is reached; what it deletes is named before.
 */
export async function carryOutRemedies(cluster: CorpusCluster, world: LiveWorld): Promise<readonly PrintedRemedy[]> {
  let printed: readonly PrintedRemedy[] = [];
  for (let at = 0; at === 0 || at < printed.length; at++) {
    const first = at > 0 && !printed.slice(at).some(({ command }) => command !== undefined);
    if (first) break;
    try {
      const text = await stand(cluster, world);
      // Names that the cluster gives differ each time.
      const now = printedRemedies(text);
      if (at === 0) printed = now;
      const remedy = now[at];
      if (remedy?.command === undefined) continue;
      await carryOut(cluster, world, remedy, remedy.command);
    } finally {
      await cluster.clear();
    }
  }
  return printed;
}

async function carryOut(
  cluster: CorpusCluster,
  world: LiveWorld,
  remedy: PrintedRemedy,
  command: string,
): Promise<void> {
  const deletesNothing = await lossesFrom(cluster);
  const did = await run(cluster, command);
  if (did === "looked" || world.isCommand === true) {
    if (did === "changed") await idle(cluster);
    await deletesNothing(remedy);
    return;
  }
  const { asked, says, leaves = {} } = world;
  const [, left] = Object.entries(leaves).find(([start]) => command.startsWith(start)) ?? [];
  await reads(cluster, asked, (text) => (left === undefined ? !says.test(text) : left.test(text)), `${command} leaves`);
  await deletesNothing(remedy);
}

/**
 * What a remedy deletes from now on, it names: the object, or for definitions and the objects in them their kind. A CSV that an
 * upgrade replaced is no loss.
 */
export async function lossesFrom(cluster: CorpusCluster): Promise<(remedy: PrintedRemedy) => Promise<void>> {
  const before = await cluster.inventory();
  return async (remedy) => {
    const after = await cluster.inventory();
    deletesNothing(before, after, await cluster.replaced(), remedy);
  };
}

function deletesNothing(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  replaced: ReadonlySet<string>,
  { summary, command = "" }: PrintedRemedy,
): void {
  const uid = (text: string | undefined): string | undefined => text?.split(" ")[0];
  const gone = [...before].filter(([name, was]) => uid(after.get(name)) !== uid(was)).map(([name]) => name);
  const text = `${summary} ${command}`;
  const deletion = deletionOf({ summary, command });
  for (const one of gone) {
    const [kind = "", name = ""] = one.split(" ");
    if (replaced.has(one)) continue;
    // A hold is a policy that people know by its effect.
    if (name.startsWith("hold-") && /hold/.test(text)) continue;
    const isDefinition = kind === "CustomResourceDefinition";
    const isNamed = isDefinition
      ? deletion === "data" || /CustomResourceDefinition/.test(text)
      : text.includes((name.split("/").at(-1) ?? "").split(".v")[0] ?? "");
    const isSaid = kind.startsWith(customResource) ? deletion === "data" : deletion !== undefined && isNamed;
    assert.ok(isSaid, `"${summary}" (${command}) deletes ${one} without saying so`);
  }
}
