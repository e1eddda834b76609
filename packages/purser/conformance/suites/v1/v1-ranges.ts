import type { Property } from "../../../src/catalog/catalog-index.ts";
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";
import { isJsonObject, member } from "@purser/kubernetes/json";
import {
  bundleVersion,
  compareVersionReleases,
  formatRelease,
  metadataOf,
} from "../../../src/resolver/v1/bundle-version.ts";
import { formatVersion, parseVersion } from "@purser/kubernetes/version";
import { parseBlangRange, parseMastermindsRange } from "../../../src/version-range.ts";
import type { Suite } from "../../suite.ts";
import { answer } from "../../suite.ts";

const items = (value: JsonValue | undefined): readonly JsonValue[] =>
  Array.isArray(value) ? (value as readonly JsonValue[]) : [];
const textOf = (value: JsonValue | undefined): string => (typeof value === "string" ? value : "");

function rangeAnswer(input: JsonObject): JsonObject {
  const range = member(input, "range");
  const parsed =
    typeof range === "string" ? parseMastermindsRange(range) : parseBlangRange(textOf(member(input, "skipRange")));
  if (!parsed.ok) return { error: parsed.problem.message };
  return {
    matches: items(member(input, "versions")).filter((text) => {
      const version = parseVersion(textOf(text));
      return version.ok && parsed.value.includes(version.value);
    }),
  };
}

function orderAnswer(bundles: readonly JsonObject[], releaseSupport: boolean): JsonObject {
  const read = bundles.map((bundle) => {
    const name = textOf(member(bundle, "name"));
    return {
      name,
      version: bundleVersion(name, items(member(bundle, "properties")) as unknown as Property[], releaseSupport),
    };
  });
  const sorted = read.toSorted((left, right) =>
    left.version.ok && right.version.ok
      ? compareVersionReleases(right.version.value, left.version.value)
      : Number(!left.version.ok) - Number(!right.version.ok),
  );
  return {
    order: sorted.map(({ name }) => name),
    parsed: Object.fromEntries(
      read.map(({ name, version }): [string, JsonObject] => [
        name,
        version.ok
          ? {
              version: formatVersion(version.value.version),
              ...(version.value.release === undefined ? {} : { release: formatRelease(version.value.release) }),
              status: { ...metadataOf(name, version.value, releaseSupport) },
            }
          : { error: version.problem },
      ]),
    ),
  };
}

export const suite: Suite = {
  name: "v1-ranges",
  run({ input }) {
    const sort = member(input, "sort");
    if (sort === undefined) return answer(rangeAnswer(input));
    const gates = items(member(input, "gates"));
    return answer(orderAnswer(items(sort).filter(isJsonObject), gates.includes("BundleReleaseSupport")));
  },
};
