import { createHash } from "node:crypto";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { compareExactly, compareLoosely } from "../compare.ts";
import { absent, answer, type Suite } from "../suite.ts";
import { withFiles } from "./catalog-files.ts";
import { answerRuns, withoutOrder } from "./fbc-render.ts";
import { type Ran, runCatalogCommand } from "./opm-runs.ts";

const sha = (text: string): string => createHash("sha256").update(text).digest("hex");
const shortValue = 160;

/** Exit, errors, hash and size of one answer. */
function summary({ exit, stdout, stderr }: Ran, root: string): JsonObject {
  const hidden = stderr.replaceAll(root, "$ROOT");
  return {
    exit,
    ...(hidden === "" ? {} : { stderr: hidden }),
    sha256: sha(stdout),
    bytes: Buffer.byteLength(stdout),
  };
}

/** A property with its value, or with size and hash of a long one. */
function shortened(property: JsonValue): JsonValue {
  if (!isJsonObject(property)) return property;
  // Members in the order in which they were written.
  const text = JSON.stringify(member(property, "value") ?? null);
  const bytes = Buffer.byteLength(text);
  if (bytes <= shortValue) return property;
  return { type: member(property, "type"), bytes, sha256: sha(text).slice(0, 16) };
}

const listIn = (blob: JsonObject, key: string): readonly JsonValue[] => {
  const value = member(blob, key);
  return Array.isArray(value) ? value : [];
};

function blobOf({ stdout }: Ran): JsonObject {
  const value = stdout === "" ? {} : (JSON.parse(stdout) as JsonValue);
  return isJsonObject(value) ? value : {};
}

function answerBundle(root: string, template: string): JsonObject {
  const run = (...args: readonly string[]): Ran => runCatalogCommand(["render", root, "-o", ...args]);
  const json = run("json");
  const templated = run("json", "--alpha-image-ref-template", template);
  const migrated = run("json", "--migrate", "--alpha-image-ref-template", template);
  const blob = blobOf(json);
  const after = blobOf(migrated);
  const isBulk = (item: JsonValue): boolean =>
    isJsonObject(item) && ["olm.csv.metadata", "olm.bundle.object"].some((type) => member(item, "type") === type);
  return {
    json: summary(json, root),
    yaml: summary(run("yaml"), root),
    templated: summary(templated, root),
    migrated: summary(migrated, root),
    bundle: {
      name: member(blob, "name"),
      package: member(blob, "package"),
      image: member(blob, "image"),
      relatedImages: listIn(blob, "relatedImages"),
      properties: listIn(blob, "properties").map(shortened),
    },
    migratedBundle: {
      image: member(after, "image"),
      relatedImages: listIn(after, "relatedImages"),
      metadata: listIn(after, "properties").filter(isBulk).map(shortened),
    },
  };
}

export const suite: Suite = {
  name: "bundle-render",
  compare(golden, value) {
    const [expect, actual] = withoutOrder(golden.expect, value);
    const compared = member(golden.input, "runs") === undefined ? [golden.expect, value] : [expect, actual];
    return compareLoosely(compareExactly(), ["stderr"])(
      { ...golden, expect: compared[0] as JsonObject },
      compared[1] ?? null,
    );
  },
  run({ input }, { data }) {
    const bundle = member(input, "bundle");
    if (typeof bundle !== "string")
      return withFiles(member(input, "files"), (root) => answer(answerRuns(input, root, runCatalogCommand, "none")));
    const root = data.bundle(bundle);
    const template = member(input, "imageRefTemplate");
    if (root === undefined) return absent(`bundle ${bundle}`);
    return answer(answerBundle(root, typeof template === "string" ? template : ""));
  },
};
