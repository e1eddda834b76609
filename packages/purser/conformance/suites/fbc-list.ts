import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { compareExactly, compareLoosely } from "../compare.ts";
import { absent, answer, type Suite } from "../suite.ts";
import { withFiles } from "./catalog-files.ts";
import { answerRuns, withoutOrder } from "./fbc-render.ts";
import { readingOnce, runAlphaCommand } from "./opm-runs.ts";
import { withoutRandomPackage, withRandomPackage } from "./random-package.ts";

/** Link numbers and the order of styles come from the load order where several packages are drawn with v0 semantics. */
function withoutLinkNumbers(expect: JsonObject, value: JsonValue): readonly [JsonObject, JsonValue] {
  const expected = member(expect, "runs");
  const actual = isJsonObject(value) ? member(value, "runs") : undefined;
  if (!Array.isArray(expected) || !Array.isArray(actual)) return [expect, value];
  const isFree = (expected as readonly JsonValue[]).map(
    (run) => isJsonObject(run) && run["unordered"] === true && run["exit"] === 0,
  );
  const relaxed = (runs: readonly JsonValue[]): JsonValue =>
    runs.map((run, index) => {
      if (!isJsonObject(run) || isFree[index] !== true) return run;
      const { stdout, ...rest } = run;
      return { ...rest, stdout: isJsonObject(stdout) ? comparableDrawing(stdout) : (stdout ?? null) };
    });
  return [{ runs: relaxed(expected as readonly JsonValue[]) }, { runs: relaxed(actual as readonly JsonValue[]) }];
}

function comparableDrawing(stdout: JsonObject): JsonObject {
  const { text, each, lines } = stdout;
  if (typeof text === "string")
    return {
      lines: text
        .split("\n")
        .filter((line) => !line.startsWith("linkStyle"))
        .toSorted(),
    };
  // Lines are hashed: all but one, which may be the link numbers, must be there.
  return { lines: lines ?? null, hashed: Array.isArray(each) ? each.slice(0, -1).map(String).toSorted() : null };
}

export const suite: Suite = {
  name: "fbc-list",
  compare(golden, value) {
    const [expect, actual] = withoutOrder(...withoutLinkNumbers(...withoutRandomPackage(golden.expect, value)));
    return compareLoosely(compareExactly(), ["stderr"])({ ...golden, expect }, actual);
  },
  run({ input }, { data }) {
    const name = member(input, "catalog");
    if (typeof name !== "string")
      return withFiles(member(input, "files"), (root) =>
        answer(withRandomPackage(answerRuns(input, root, runAlphaCommand, "none"), root)),
      );
    const root = data.catalog(name);
    if (root === undefined) return absent(`catalog ${name}`);
    const sourceAt = readingOnce();
    return answer(answerRuns(input, root, (args) => runAlphaCommand(args, sourceAt), "each"));
  },
};
