import assert from "node:assert/strict";
import { test } from "node:test";
import { turnsByName } from "./turns-by-name.ts";

/** Work that notes its begin and its end, which is caused from outside. */
function noting(
  log: string[],
): (name: string) => { readonly work: () => Promise<string>; readonly end: PromiseWithResolvers<string> } {
  return (name) => {
    const end = Promise.withResolvers<string>();
    const work = async (): Promise<string> => {
      log.push(`begin ${name}`);
      try {
        return await end.promise;
      } finally {
        log.push(`end ${name}`);
      }
    };
    return { work, end };
  };
}

test("work of one name begins when the earlier has ended, also when that failed; another name does not wait", async () => {
  const log: string[] = [];
  const [first, second, third, other] = ["first", "second", "third", "other"].map(noting(log));
  assert.ok(first && second && third && other);
  const inTurn = turnsByName();
  const results = [inTurn("a", first.work), inTurn("a", second.work), inTurn("a", third.work), inTurn("b", other.work)];
  assert.deepEqual(log, ["begin first", "begin other"]);
  first.end.reject(new Error("lost"));
  second.end.resolve("2");
  third.end.resolve("3");
  other.end.resolve("b");
  const ended = await Promise.allSettled(results);
  assert.deepEqual(
    ended.map((result) => (result.status === "fulfilled" ? result.value : (result.reason as Error).message)),
    ["lost", "2", "3", "b"],
  );
  const ofA = log.filter((line) => !line.endsWith("other"));
  assert.deepEqual(ofA, ["begin first", "end first", "begin second", "end second", "begin third", "end third"]);
});
