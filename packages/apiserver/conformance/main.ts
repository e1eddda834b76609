import { clusterOf, embeddedCluster } from "./cluster.ts";
import type { Row } from "./row.ts";
import { CannotShow, runRow } from "./row.ts";
import { rows } from "./rows.ts";
import { Scene } from "./scene.ts";

/** Concurrency; most rows wait for the server or for time to pass. */
export const rowsAtOnce = 6;

function isNamed({ row, name }: Row, only: string): boolean {
  if (only === name) return true;
  return only.split(",").some((part) => {
    const [, first = "", last = first] = /^(\d+)(?:-(\d+))?$/.exec(part) ?? [];
    return first !== "" && row >= Number(first) && row <= Number(last);
  });
}

/**
 * Runs the conformance rows over HTTP against the embedded server, or against the cluster of a kubeconfig, in
 * namespaces and groups that it creates and deletes. `only`: a row's name, its number, or numbers and ranges
 * (`21-23,34`). Resolves to the exit code.
 */
export async function runApiserverRows(options: {
  readonly kubeconfig: string | undefined;
  readonly only: string | undefined;
}): Promise<number> {
  const cluster = options.kubeconfig === undefined ? await embeddedCluster() : clusterOf(options.kubeconfig);
  const run = Date.now().toString(36);
  const { only } = options;
  const wanted = rows.filter((row) => only === undefined || isNamed(row, only));
  let [passed, failed, skipped] = [0, 0, 0];
  const scenes: Scene[] = [];
  const runOne = async (index: number, row: Row): Promise<void> => {
    const skip = (why: string): void => {
      skipped++;
      console.log(`SKIP ${row.row} ${row.name}: ${why}`);
    };
    const why = row.skip ?? (cluster.given ? row.skipGiven : undefined);
    if (why !== undefined) {
      skip(why);
      return;
    }
    const scene = new Scene(cluster, `conf-${run}-${index}`);
    scenes.push(scene);
    try {
      await scene.open();
      await runRow(row, scene);
      passed++;
    } catch (failure) {
      if (failure instanceof CannotShow) skip(failure.message);
      else {
        failed++;
        console.log(`FAIL ${row.row} ${row.name}\n  ${failure instanceof Error ? failure.message : String(failure)}`);
      }
    }
    await scene.close();
  };
  const queue = wanted.entries();
  const work = async (): Promise<void> => {
    for (const [index, row] of queue) await runOne(index, row);
  };
  await Promise.all(Array.from({ length: rowsAtOnce }, work));
  for (const scene of scenes) await scene.removeNamespaces();
  await cluster.close();
  console.log(`${passed} passed, ${failed} failed, ${skipped} skipped`);
  return failed > 0 ? 1 : 0;
}
