import assert from "node:assert/strict";
import type { Row } from "../row.ts";
import { assertAnswer, CannotShow } from "../row.ts";
import type { Scene } from "../scene.ts";
import { at, namesOf, text } from "../scene.ts";

/** The token of a list with revision 1. */
function agedToken(token: string): string {
  const read = JSON.parse(Buffer.from(token, "base64url").toString()) as Readonly<Record<string, unknown>>;
  return Buffer.from(JSON.stringify({ ...read, rv: 1 })).toString("base64url");
}

async function needsCompaction({ ask, cms }: Scene): Promise<void> {
  const answer = await ask({ path: `${cms}?resourceVersion=1&resourceVersionMatch=Exact` });
  if (answer.code === 200) throw new CannotShow("the server has not compacted yet, which it does every five minutes");
}

export const historyRows: readonly Row[] = [
  {
    row: 98,
    name: "an object created between two pages is on neither",
    run: async (scene) => {
      for (const name of ["b", "d"]) await scene.make(name);
      const first = await scene.ok({ path: `${scene.cms}?limit=2` });
      await scene.make("c");
      const token = text(first, "metadata", "continue");
      const rest = namesOf(await scene.ok({ path: `${scene.cms}?limit=9&continue=${token}` }));
      assert.ok(rest.includes("d") && !rest.includes("c"), String(rest));
    },
  },
  {
    row: 106,
    name: "an exact list of an expired revision gets 410",
    run: async (scene) => {
      await needsCompaction(scene);
      assertAnswer(await scene.ask({ path: `${scene.cms}?resourceVersion=1&resourceVersionMatch=Exact` }), {
        code: 410,
        reason: "Expired",
        message: "The resourceVersion for the provided list is too old.",
      });
    },
  },
  {
    row: 106,
    name: "410 for an expired token includes a new token",
    run: async (scene) => {
      await needsCompaction(scene);
      for (const name of ["b", "c"]) await scene.make(name);
      const first = await scene.ok({ path: `${scene.cms}?limit=1` });
      const token = agedToken(text(first, "metadata", "continue"));
      const answer = await scene.ask({ path: `${scene.cms}?limit=1&continue=${token}` });
      assertAnswer(answer, {
        code: 410,
        reason: "Expired",
        message: "The provided continue parameter is too old to display a consistent list result. You can start…",
      });
      const next = text(answer.object, "metadata", "continue");
      const rest = await scene.ok({ path: `${scene.cms}?limit=1&continue=${next}` });
      assert.deepEqual(namesOf(rest), ["b"]);
    },
  },
  {
    row: 118,
    name: "a patch that changes nothing causes no event",
    run: async (scene) => {
      const from = text(await scene.ok({ path: scene.cms }), "metadata", "resourceVersion");
      const watch = await scene.watch(`${scene.cms}?watch=true&resourceVersion=${from}&fieldSelector=metadata.name=a`);
      await scene.merge(`${scene.cms}/a`, { data: { k: "v" } });
      await scene.merge(`${scene.cms}/a`, { data: { k: "w" } });
      assert.deepEqual(at((await watch.next())?.object as never, "data"), { k: "w" });
    },
  },
  {
    row: 121,
    name: "a watch without revision and with bookmarks gets one after the initial state",
    run: async (scene) => {
      const watch = await scene.watch(`${scene.cms}?watch=true&allowWatchBookmarks=true&fieldSelector=metadata.name=a`);
      assert.equal((await watch.next())?.type, "ADDED");
      const end = await watch.next();
      assert.equal(end?.type, "BOOKMARK");
      assert.equal(end.object.metadata.annotations?.["k8s.io/initial-events-end"], "true");
    },
  },
  {
    row: 124,
    name: "a watch from an expired revision gets one ERROR event and ends",
    run: async (scene) => {
      // There is no history from before the definition.
      const path = await scene.define(scene.definition("olds", "Old", { type: "object" }));
      const watch = await scene.watch(`${path}?watch=true&resourceVersion=1`);
      assert.equal(watch.code, 200);
      const event = await watch.next();
      assert.equal(event?.type, "ERROR");
      const status = event.object as unknown as Readonly<Record<string, unknown>>;
      assert.deepEqual([status["code"], status["reason"]], [410, "Expired"]);
      assert.match(String(status["message"]), /^too old resource version: 1 \(\d+\)$/);
      assert.equal(await watch.next(), undefined);
    },
  },
];
