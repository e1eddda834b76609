import { statSync } from "node:fs";
import { gzipSync } from "node:zlib";
import type { BundleDirectory } from "../../src/bundle/bundle-files.ts";
import type { IndexFile } from "../../src/bundle/validators/community.ts";
import { contentFaults } from "../../src/bundle/validators/content.ts";
import { formatFaults } from "../../src/bundle/validators/format.ts";
import type { BundleIssue, ValidatorResult } from "../../src/bundle/validators/issue.ts";
import { loadBundle } from "../../src/bundle/validators/loaded-bundle.ts";
import { runValidator, validatorNames } from "../../src/bundle/validators/suites.ts";
import { readBundleDirectory } from "../../src/cli/bundle-directory.ts";
import { indexFileAt } from "../../src/cli/bundle/index-file.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { canonicalJson } from "@purser/kubernetes/text/documents";
import { comparePanic, expectedAnswer, firstDifference, sortedLists } from "../compare.ts";
import { answer, type Compare, type GoldenCase, type Suite } from "../suite.ts";
import { objectAt, textAt } from "./bundle-directory.ts";
import { withFiles } from "./catalog-files.ts";

function issueJson(name: string, { level, type, detail, field, value }: BundleIssue): JsonObject {
  return {
    level,
    type,
    detail,
    ...(name === "" ? {} : { name }),
    ...(field === undefined ? {} : { field }),
    ...(value === undefined || value.text === "" ? {} : { value: value.text }),
    ...(value?.type === undefined ? {} : { valueType: value.type }),
  };
}

function flat(results: readonly ValidatorResult[]): readonly JsonObject[] {
  return results.flatMap(({ name, issues }) => issues.map((issue) => issueJson(name, issue)));
}

function sizesOf({ files }: BundleDirectory): { raw: number; compressed: number } {
  const texts = files.filter(({ path }) => path.startsWith("manifests/"));
  const raw = texts.reduce((sum, { bytes }) => sum + bytes.length, 0);
  return { raw, compressed: gzipSync(Buffer.concat(texts.map(({ bytes }) => bytes))).length };
}

function validate(root: string, optional: JsonObject): JsonObject {
  const read = readBundleDirectory(root);
  if (!read.ok) throw new Error(read.problem);
  const files = read.value;
  const hide = (text: string): string => text.replaceAll(root, "$ROOT");
  const own = {
    format: formatFaults(files, root)
      .map(({ message }) => hide(message))
      .toSorted(),
    content: contentFaults(files, root).map(({ message }) => hide(message)),
  };
  const loaded = loadBundle(files, root);
  if (!loaded.ok) return { ...own, loadError: hide(loaded.problem.message) };
  const { name, packageName, channels, defaultChannel } = loaded.value;
  const text = (key: string): string => {
    const value = member(optional, key);
    return typeof value === "string" ? value : "";
  };
  const path = text("index-path");
  const indexFile: IndexFile = path === "" ? { kind: "notGiven" } : indexFileAt(path.replaceAll("$ROOT", root));
  const results: Record<string, JsonValue> = {};
  for (const validator of validatorNames) {
    const found = flat(
      runValidator(validator, loaded.value, { sizes: sizesOf(files), indexFile, kubernetes: text("k8s-version") }),
    );
    if (found.length > 0) results[validator] = found;
  }
  return { ...own, bundle: { channels, defaultChannel, name, package: packageName }, results };
}

/** Memory addresses in Go output are not compared. */
const withoutAddresses = (value: JsonValue): JsonValue =>
  JSON.parse(canonicalJson(value).replaceAll(/0x[0-9a-f]+/g, "0x0")) as JsonValue;

/** Texts of the inside of upstream's decoders; the number of findings and their kinds stay. */
function loosened(value: JsonValue): JsonValue {
  if (typeof value === "string") return "(a text)";
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(loosened);
  if (!isJsonObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, held = null]) => [
      key,
      ["level", "type", "field", "name"].includes(key) ? held : loosened(held),
    ]),
  );
}

const compare: Compare = (golden, value) => {
  if (member(golden.expect, "panic") !== undefined) return comparePanic(value);
  const isUnordered = member(golden.expect, "unordered") === true;
  const crashed = member(golden.expect, "contentPanic") !== undefined;
  const shape = (answered: JsonValue, loose = false): JsonValue => {
    const plain = loose ? loosened(withoutAddresses(answered)) : withoutAddresses(answered);
    return isUnordered ? sortedLists(plain, ["content", ...validatorNames]) : plain;
  };
  const expected = withoutPanics(expectedAnswer(golden.expect), value, crashed);
  const difference = firstDifference(shape(expected), shape(value));
  return difference === undefined || !golden.loose
    ? difference
    : firstDifference(shape(expected, true), shape(value, true));
};

/** When OLM panicked there is nothing to compare; any answer is right. */
function withoutPanics(one: JsonValue, other: JsonValue, crashed: boolean): JsonValue {
  if (!isJsonObject(one)) return one;
  const otherObject = isJsonObject(other) ? other : {};
  const { contentPanic, ...rest } = one;
  const kept: Record<string, JsonValue | undefined> = { ...rest };
  if (contentPanic !== undefined && crashed) kept["content"] = member(otherObject, "content");
  const results = member(one, "results");
  const others = member(otherObject, "results");
  if (!isJsonObject(results)) return kept;
  const panicked = isJsonObject(others) ? others : {};
  kept["results"] = Object.fromEntries(
    Object.entries(results).map(([name, found]) => [
      name,
      isJsonObject(found) && member(found, "panic") !== undefined ? member(panicked, name) : found,
    ]),
  );
  return kept;
}

/** Whether every finding names an OperatorGroup among the manifests and says which annotation it misspells. */
function isAboutGroups({ input }: GoldenCase, findings: JsonValue | undefined): boolean {
  const files = Object.values(objectAt(input, "files")).map((file) =>
    typeof file === "string" ? file : JSON.stringify(file),
  );
  const groups = files.filter((text) => /\bkind"?: ?"?OperatorGroup\b/.test(text));
  const wrongCase = /^provided annotation (\S+) uses wrong case and should be (\S+) instead$/;
  return (
    Array.isArray(findings) &&
    findings.length > 0 &&
    (findings as readonly JsonValue[]).filter(isJsonObject).every((finding) => {
      const [, given = "", right = ""] = wrongCase.exec(textAt(finding, "detail")) ?? [];
      const names = groups.filter((text) => text.includes(textAt(finding, "name")) && text.includes(given));
      return names.length > 0 && given !== right && given.toLowerCase() === right.toLowerCase();
    })
  );
}

export const suite: Suite = {
  name: "bundle-validate",
  compare,
  differences: {
    "operator groups are looked at": (golden, value) => {
      const results = isJsonObject(value) ? member(value, "results") : undefined;
      if (!isJsonObject(value) || !isJsonObject(results)) return false;
      const { operatorgroup: ours, ...others } = results;
      return isAboutGroups(golden, ours) && compare(golden, { ...value, results: others }) === undefined;
    },
  },
  run({ input }) {
    const optional = member(input, "optionalValues");
    return withFiles(member(input, "files"), (root) => {
      if (!statSync(root).isDirectory()) throw new Error(root);
      return answer(validate(root, isJsonObject(optional) ? optional : {}));
    });
  },
};
