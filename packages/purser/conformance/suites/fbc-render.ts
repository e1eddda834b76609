import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { compareExactly, compareLoosely } from "../compare.ts";
import { absent, answer, type Suite } from "../suite.ts";
import { withFiles } from "./catalog-files.ts";
import { type Ran, runCatalogCommand, shapeOf } from "./opm-runs.ts";
import { withoutRandomPackage, withRandomPackage } from "./random-package.ts";

const textsOf = (value: JsonValue | undefined): readonly string[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => typeof item === "string") : [];

function runsOf(input: JsonObject): readonly (readonly string[])[] {
  const runs = member(input, "runs");
  return Array.isArray(runs) ? runs.map((run) => textsOf(run)) : [];
}

/** Answers every run of a case on the catalog at `root`. */
export function answerRuns(
  input: JsonObject,
  root: string,
  run: (args: readonly string[]) => Ran,
  each: "none" | "each" | "blobs",
): JsonObject {
  const out = `${root}-out`;
  const hide = (text: string): string => text.replaceAll(out, "$OUT").replaceAll(root, "$ROOT");
  const runs = runsOf(input).map((args) => {
    const { exit, stdout, stderr, files } = run(
      args.map((word) => word.replaceAll("$ROOT", root).replaceAll("$OUT", out)),
    );
    const written =
      files === undefined || files.size === 0
        ? {}
        : { files: Object.fromEntries([...files].map(([path, text]) => [path, shapeOf(text)])) };
    return { exit, stderr: hide(stderr), stdout: shapeOf(hide(stdout), each), ...written };
  });
  return { runs };
}

/** Lines of an answer that OLM prints in random order. */
export function withoutOrder(expect: JsonObject, value: JsonValue): readonly [JsonObject, JsonValue] {
  const expected = member(expect, "runs");
  const actual = isJsonObject(value) ? member(value, "runs") : undefined;
  if (!Array.isArray(expected) || !Array.isArray(actual)) return [expect, value];
  const isUnordered = (expected as readonly JsonValue[]).map((run) => isJsonObject(run) && run["unordered"] === true);
  const plain = (runs: readonly JsonValue[]): JsonValue =>
    runs.map((run, index) => {
      if (!isJsonObject(run)) return run;
      const { unordered: _unordered, ...rest } = run;
      const stderr = rest["stderr"];
      return isUnordered[index] === true && typeof stderr === "string"
        ? {
            ...rest,
            stderr: stderr
              .split(/\\n|\n/)
              .toSorted()
              .join("\n"),
          }
        : rest;
    });
  return [{ runs: plain(expected as readonly JsonValue[]) }, { runs: plain(actual as readonly JsonValue[]) }];
}

export const suite: Suite = {
  name: "fbc-render",
  compare(golden, value) {
    const [expect, actual] = withoutOrder(...withoutRandomPackage(golden.expect, value));
    return compareLoosely(compareExactly(), ["stderr"])({ ...golden, expect }, actual);
  },
  run({ input }, { data }) {
    const name = member(input, "catalog");
    if (typeof name !== "string")
      return withFiles(member(input, "files"), (root) =>
        answer(withRandomPackage(answerRuns(input, root, runCatalogCommand, "none"), root)),
      );
    const root = data.catalog(name);
    return root === undefined ? absent(`catalog ${name}`) : answer(answerRuns(input, root, runCatalogCommand, "blobs"));
  },
};
