import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { isJsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { done } from "@purser/kubernetes/result";
import { compareBytes } from "@purser/kubernetes/text/documents";
import { ignoreRules } from "../loading/index-ignore.ts";
import { checkCatalog } from "./check-catalog.ts";
import { judge } from "./judge.ts";

const golden = join(import.meta.dirname, "../../../conformance/golden/fbc-validate.jsonl");
const textFields = (value: JsonValue | undefined): readonly (readonly [string, string])[] =>
  isJsonObject(value)
    ? Object.entries(value).flatMap(([name, text]) => (typeof text === "string" ? [[name, text] as const] : []))
    : [];

test("a catalog has errors, or documents without content, exactly when upstream refuses it", () => {
  let cases = 0;
  const differing: string[] = [];
  for (const line of readFileSync(golden, "utf8").split("\n")) {
    if (line === "") continue;
    const { name, input, expect } = JSON.parse(line) as Readonly<Record<string, JsonValue>>;
    if (!isJsonObject(input) || !isJsonObject(expect)) continue;
    const all = textFields(member(input, "files"));
    // Cases with links or bytes instead of texts belong to the tests of the directory walk.
    if (all.length !== Object.keys(isJsonObject(input["files"]) ? input["files"] : {}).length) continue;
    const ignored = ignoreRules(
      all
        .filter(([path]) => path.split("/").at(-1) === ".indexignore")
        .map(([path, text]) => ({ directory: path.split("/").slice(0, -1), text })),
    );
    const files = all
      .filter(([path]) => path.split("/").at(-1) !== ".indexignore" && !ignored(path.split("/")))
      .sort(([left], [right]) => compareBytes(left, right));
    const found = judge(checkCatalog(files.map(([file, text]) => done({ file, text }))).findings, {
      severities: new Map(),
    });
    const refused = found.some(({ rule, severity }) => severity === "error" || rule === "PFL009");
    cases++;
    if (refused !== (expect["exit"] !== 0))
      differing.push(`${JSON.stringify(name)}: ${found.map(({ message }) => message).join("; ")}`);
  }
  assert.ok(cases > 600, `${cases} cases`);
  assert.deepEqual(differing, []);
});
