import { after, before, describe, test } from "node:test";
import { embeddedCluster } from "./cluster.ts";
import type { Cluster } from "./cluster.ts";
import { rowsAtOnce } from "./main.ts";
import { CannotShow, runRow } from "./row.ts";
import { rows } from "./rows.ts";
import { Scene } from "./scene.ts";

describe("the conformance list against the embedded server", { concurrency: rowsAtOnce }, () => {
  let cluster: Cluster | undefined;
  before(async () => {
    cluster = await embeddedCluster();
  });
  after(() => cluster?.close());
  for (const [index, row] of rows.entries())
    test(`${row.row} ${row.name}`, { skip: row.skip ?? false }, async (context) => {
      if (cluster === undefined) throw new Error("the server did not start");
      const scene = new Scene(cluster, `conf-${index}`);
      await scene.open();
      try {
        await runRow(row, scene);
      } catch (failure) {
        if (!(failure instanceof CannotShow)) throw failure;
        context.skip(`not here: ${failure.message}`);
      } finally {
        await scene.close();
      }
    });
});
