// Failing worlds on a whole embedded cluster: what a command prints as a way out is carried out word by word, in the world that
// printed it, until the cause is gone. For worlds of resolution alone see remedies.test.ts. A sample of them; all with
// PURSER_TEST_REMEDIES=all, and those whose name fits a regular expression with PURSER_TEST_REMEDIES=EXPRESSION.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { carryOutRemedies } from "./testing/carry-out.ts";
import { commandWorlds } from "./testing/command-worlds.ts";
import { type CorpusCluster, startCorpusCluster } from "./testing/corpus-cluster.ts";
import { recordedRemedies, remedyText } from "./testing/printed-remedies.ts";
import { resolutionWorlds } from "./testing/resolution-worlds.ts";
import { v0Worlds } from "./testing/v0-worlds.ts";
import { v1Worlds } from "./testing/v1-worlds.ts";

const { PURSER_TEST_REMEDIES: chosen } = process.env;
const worlds = [...resolutionWorlds, ...v0Worlds, ...v1Worlds, ...commandWorlds];
const recorded = recordedRemedies();

let cluster: CorpusCluster;
before(async () => {
  cluster = await startCorpusCluster();
});
after(() => cluster.stop());

const isTried = (name: string, at: number): boolean =>
  chosen === undefined ? at % 5 === 0 : chosen === "all" || new RegExp(chosen).test(name);

for (const world of worlds.filter(({ name }, at) => isTried(name, at)))
  test(`the remedies work: ${world.name}`, async () => {
    const found = await carryOutRemedies(cluster, world);
    assert.deepEqual(found.map(remedyText), recorded.get(world.name));
  });

test("the corpus has at least sixty worlds of both families, each with what it prints", () => {
  const names = worlds.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length >= 60);
  assert.deepEqual([...recorded.keys()].toSorted(), names.toSorted());
  for (const [name, remedies] of recorded) assert.ok(remedies.length > 0, name);
});
