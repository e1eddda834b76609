// `node packages/purser/e2e/rights/every-right.ts [--only WORDS] [--kept FILE] [--parallel 4]`: each right of Purser's ClusterRole is
// missing once while both families install, upgrade and remove. A run that was ended goes on where FILE ends.
import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { rightNames } from "../../src/engine/testing/lacking-rights.ts";
import type { World } from "../../src/engine/testing/world.ts";
import { askedRights, openRich, type Outcome, tryWithout } from "./trial.ts";

const { values: given } = parseArgs({
  options: {
    only: { type: "string", default: "" },
    kept: { type: "string" },
    parallel: { type: "string", default: "4" },
  },
});

const ended = new Map<string, Outcome>();
if (given.kept !== undefined && existsSync(given.kept))
  for (const line of readFileSync(given.kept, "utf8").split("\n").filter(Boolean)) {
    const { right, ...outcome } = JSON.parse(line) as Outcome & { readonly right: string };
    if (outcome.kind !== "failed") ended.set(right, outcome);
  }
const wanted = rightNames.filter((name) => name.includes(given.only));
const left = wanted.filter((name) => !ended.has(name));
if (left.length < wanted.length)
  console.log(`${wanted.length - left.length} of ${wanted.length} are kept in ${given.kept}`);

const words = (outcome: Outcome): string => {
  switch (outcome.kind) {
    case "named":
      return `named at ${outcome.stages.join(", ")}`;
    case "unasked":
      return "no request needed it";
    case "quiet":
      return `QUIET ${outcome.refused.join(", ")}`;
    case "failed":
      return `FAILED ${outcome.why}`;
  }
};

function end(right: string, outcome: Outcome, start: number): void {
  ended.set(right, outcome);
  if (given.kept !== undefined) appendFileSync(given.kept, `${JSON.stringify({ right, ...outcome })}\n`);
  const seconds = ((systemClock.monotonic() - start) / 1000).toFixed(1);
  console.log(`${ended.size}/${wanted.length}  ${right}: ${words(outcome)}  (${seconds} s)`);
}

/** Rights that are asked for once, when a kind is followed, are missing from the start of a cluster of their own. */
const atStart = (right: string): boolean => /^(list|watch) /.test(right);

async function work(): Promise<void> {
  let kept: World | undefined;
  for (;;) {
    const right = left.shift();
    if (right === undefined) break;
    const start = systemClock.monotonic();
    const own = atStart(right);
    const world = own || kept === undefined ? await openRich(own ? right : undefined) : kept;
    const outcome = await tryWithout(world, right);
    end(right, outcome, start);
    // What is left of a failure would be a fault of the next right.
    kept = own ? kept : world;
    if (own || outcome.kind === "failed") {
      await world.stop();
      if (kept === world) kept = undefined;
    }
  }
  await kept?.stop();
}

if (left.length > 0) {
  const start = systemClock.monotonic();
  const asked = await askedRights();
  const isCheck = (right: string): boolean => /^(escalate|bind|update \S+\/finalizers)/.test(right);
  for (const right of left.filter((name) => !asked.has(name) && !isCheck(name))) end(right, { kind: "unasked" }, start);
  left.splice(0, left.length, ...left.filter((name) => !ended.has(name)));
}
await Promise.all(Array.from({ length: Number(given.parallel) }, work));
const count = (kind: Outcome["kind"]): number => [...ended.values()].filter((outcome) => outcome.kind === kind).length;
console.log(
  `${count("named")} named, ${count("unasked")} without a request, ${count("quiet")} quiet, ${count("failed")} failed`,
);
process.exitCode = count("failed") > 0 ? 1 : 0;
