// Failing worlds on a whole embedded cluster: what a command prints as a way out is carried out word by word, in the world that
// printed it, until the cause is gone. For worlds of resolution alone see remedies.test.ts. A sample of them; all with
// PURSER_TEST_REMEDIES=all, and those whose name fits a regular expression with PURSER_TEST_REMEDIES=EXPRESSION.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { ObjectKey } from "@purser/kubernetes/apis/object";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { clusterServiceVersions } from "../../apis/olm-resources.ts";
import { carryOutRemedies, lossesFrom, stand } from "./testing/carry-out.ts";
import { commandWorlds } from "./testing/command-worlds.ts";
import { type CorpusCluster, startCorpusCluster } from "./testing/corpus-cluster.ts";
import { deletes, runs } from "./testing/live-world.ts";
import { recordedRemedies, remedyText } from "./testing/printed-remedies.ts";
import { resolutionWorlds } from "./testing/resolution-worlds.ts";
import { v0Worlds } from "./testing/v0-worlds.ts";
import { v1DependencyWorlds } from "./testing/v1-dependency-worlds.ts";
import { v1Worlds } from "./testing/v1-worlds.ts";

const { PURSER_TEST_REMEDIES: chosen } = process.env;
const worlds = [...resolutionWorlds, ...v0Worlds, ...v1Worlds, ...v1DependencyWorlds, ...commandWorlds];
const recorded = recordedRemedies();
const never = new AbortController().signal;

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
    assert.deepEqual(
      found.map((remedy) => remedyText(remedy).replaceAll(/\binstall-[a-z0-9]{5}\b/g, "install-NAME")),
      recorded.get(world.name),
    );
  });

test("a remedy may replace a CSV by an upgrade, and may not delete one without saying so", async () => {
  const world = worlds.find(({ name }) => name === "an upgrade whose permissions need approval");
  assert.ok(world !== undefined);
  const remedy = { summary: "begin anew", command: "purser approve sub/tenant/greedy" };
  const version = (text: string) => ({ namespace: "tenant", name: `greedy.v${text}` });
  const [former, next] = [version("1.0.0"), version("1.1.0")];
  const phaseOf = async (key: ObjectKey): Promise<string | undefined> =>
    (await cluster.client.get(clusterServiceVersions, key))?.status?.phase;
  const reach = async (what: string, wanted: readonly [former: string | undefined, next: string | undefined]) => {
    for (let tries = 0; (await phaseOf(former)) !== wanted[0] || (await phaseOf(next)) !== wanted[1]; tries++) {
      assert.ok(tries < 3000, what);
      await systemClock.sleep(50, never);
    }
  };
  try {
    await stand(cluster, world);
    const fromFormer = await lossesFrom(cluster);
    await runs("approve", "sub/tenant/greedy", "--no-wait")(cluster);
    await reach("it is not upgraded", [undefined, "Succeeded"]);
    await fromFormer(remedy);
    const fromNext = await lossesFrom(cluster);
    await deletes(clusterServiceVersions, next)(cluster);
    await reach("it is not deleted", [undefined, undefined]);
    await assert.rejects(fromNext(remedy), /deletes ClusterServiceVersion tenant\/greedy\.v1\.1\.0 without saying so/);
    await assert.rejects(
      fromFormer(remedy),
      /deletes ClusterServiceVersion tenant\/greedy\.v1\.0\.0 without saying so/,
    );
  } finally {
    await cluster.clear();
  }
});

test("the corpus has at least sixty worlds of both families, each with what it prints", () => {
  const names = worlds.map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
  assert.ok(names.length >= 60);
  assert.deepEqual([...recorded.keys()].toSorted(), names.toSorted());
  for (const [name, remedies] of recorded) assert.ok(remedies.length > 0, name);
});
