import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { member } from "@purser/kubernetes/json";
import { parseLooseVersion, strictFault } from "../../src/masterminds-version.ts";
import type { Result } from "@purser/kubernetes/result";
import { failed } from "@purser/kubernetes/result";
import { parseBlangRange, parseMastermindsRange } from "../../src/version-range.ts";
import type { Version } from "@purser/kubernetes/version";
import { compareVersions, formatVersion, parseTolerantVersion, parseVersion } from "@purser/kubernetes/version";
import { compareExactly, compareLoosely } from "../compare.ts";
import type { Suite } from "../suite.ts";
import { answer } from "../suite.ts";

function textsOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? (value as readonly JsonValue[]).filter((item) => typeof item === "string") : [];
}

function rangeAnswer(dialect: JsonValue | undefined, text: string, versions: readonly string[]): JsonObject {
  const range = dialect === "blang" ? parseBlangRange(text) : parseMastermindsRange(text);
  if (!range.ok) return { error: range.problem.message };
  return {
    in: versions.map((candidate) => {
      const version = parseVersion(candidate);
      return version.ok ? range.value.includes(version.value) : null;
    }),
  };
}

function parseAs(dialect: JsonValue | undefined, text: string): Result<Version, string> {
  if (dialect === "masterminds") return parseLooseVersion(text);
  const version = dialect === "blang" ? parseVersion(text) : parseTolerantVersion(text);
  return version.ok ? version : failed(version.problem.message);
}

function orderAnswer(dialect: JsonValue | undefined, texts: readonly string[]): JsonObject {
  const versions = texts.map((text) => parseAs(dialect, text));
  const parsed = versions.map((version, index): JsonObject => {
    const strictError = dialect === "masterminds" ? strictFault(texts[index] ?? "") : undefined;
    const strict = strictError === undefined ? {} : { strictError };
    return version.ok ? { version: formatVersion(version.value), ...strict } : { error: version.problem, ...strict };
  });
  const ascending = versions
    .flatMap((version, index) => (version.ok ? [{ index, version: version.value }] : []))
    .toSorted((a, b) => compareVersions(a.version, b.version));
  const steps = ascending.slice(1).map(({ version }, index) => {
    const before = ascending[index];
    return before === undefined ? 0 : compareVersions(before.version, version);
  });
  return { parsed, order: ascending.map(({ index }) => index), steps };
}

export const suite: Suite = {
  name: "version-range",
  compare: compareLoosely(compareExactly(), ["error", "strictError"]),
  run({ input }) {
    const range = member(input, "range");
    const dialect = member(input, "dialect");
    const versions = textsOf(member(input, "versions"));
    return answer(typeof range === "string" ? rangeAnswer(dialect, range, versions) : orderAnswer(dialect, versions));
  },
};
