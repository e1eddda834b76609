import { readBundle } from "../../../src/bundle/read-bundle.ts";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { checkCrdUpgrade } from "../../../src/review/crd-upgrade-safety.ts";
import { compareExactly } from "../../compare.ts";
import type { Compare, Suite, SuiteData } from "../../suite.ts";
import { absent, answer } from "../../suite.ts";
import { bundleAt, listAt, objectAt, textAt } from "../bundle-directory.ts";

interface Pair {
  readonly old: JsonObject | undefined;
  readonly next: JsonObject;
}

function crdsOf(data: SuiteData, path: string): readonly JsonObject[] | undefined {
  const files = bundleAt(data, path);
  const bundle = files === undefined ? undefined : readBundle(files);
  return bundle?.ok === true ? bundle.value.crds.map(({ object }) => object) : undefined;
}

/** The CRD as a cluster holds it: its storage version is stored. */
function stored(crd: JsonObject): JsonObject {
  const versions = listAt(objectAt(crd, "spec"), "versions").filter(isJsonObject);
  const storedVersions = versions
    .filter((version) => member(version, "storage") === true)
    .map((version) => textAt(version, "name"));
  return { ...crd, status: { ...objectAt(crd, "status"), storedVersions } };
}

function pairsOf(input: JsonObject, data: SuiteData): readonly Pair[] | undefined {
  if (member(input, "newBundle") === undefined) {
    const own = (entry: JsonObject): Pair => {
      const old = member(entry, "old");
      return { old: isJsonObject(old) ? old : undefined, next: objectAt(entry, "new") };
    };
    return [own(input), ...listAt(input, "more").filter(isJsonObject).map(own)];
  }
  const old = crdsOf(data, textAt(input, "oldBundle"));
  const next = crdsOf(data, textAt(input, "newBundle"));
  if (old === undefined || next === undefined) return undefined;
  const nameOf = (crd: JsonObject) => textAt(objectAt(crd, "metadata"), "name");
  return next.map((crd) => {
    const before = old.find((candidate) => nameOf(candidate) === nameOf(crd));
    return { old: before === undefined ? undefined : stored(before), next: crd };
  });
}

/** Dumps of Go structs are internals of OLM: such lines are compared up to the dump. */
function upToDump(line: string): string {
  return /: (oneOf|unhandled): /.test(line) ? (line.split(/[[(](?![0-9]+\])/)[0] ?? line).trimEnd() : line;
}

function comparable(value: JsonValue): JsonValue {
  if (!isJsonObject(value)) return value;
  const refused = listAt(value, "refused")
    .filter(isJsonObject)
    .map((entry) => ({
      ...entry,
      messages: listAt(entry, "messages")
        .map((line) => (typeof line === "string" ? upToDump(line) : ""))
        .toSorted(),
    }));
  return member(value, "refused") === undefined ? value : { ...value, refused };
}

const compareRefusals: Compare = (golden, value) => {
  const expect = comparable(golden.expect);
  return compareExactly()(isJsonObject(expect) ? { ...golden, expect } : golden, comparable(value));
};

export const suite: Suite = {
  name: "v1-crd-upgrade-safety",
  compare: compareRefusals,
  run({ input }, { data }) {
    const pairs = pairsOf(input, data);
    if (pairs === undefined) return absent(`bundles ${textAt(input, "oldBundle")} and ${textAt(input, "newBundle")}`);
    const refusals = pairs.map(({ old, next }) => checkCrdUpgrade(old, next));
    const unreadable = refusals.find((refusal) => refusal?.unreadable === true);
    if (unreadable !== undefined) return answer({ error: unreadable.messages[0] ?? "" });
    const refused = refusals.flatMap((refusal): JsonObject[] => {
      if (refusal === undefined) return [];
      return [{ prefix: `validating upgrade for CRD "${refusal.crd}": `, messages: refusal.messages }];
    });
    return answer(refused.length === 0 ? { ok: true } : { refused });
  },
};
