import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import { readYaml } from "@purser/kubernetes/text/documents";
import { statusCauses } from "@purser/kubernetes/object/field-error";
import { prune } from "@purser/kubernetes/object/schema/prune";
import { allSteps } from "@purser/kubernetes/steps";
import { applyDefaults, dropNulls } from "@purser/kubernetes/object/schema/schema-defaults";
import type { StructuralSchema } from "@purser/kubernetes/testing/schema-node";
import { deepEqual } from "@purser/kubernetes/object/semantic-equal";
import { compileSchema } from "@purser/kubernetes/object/schema/structural-schema";
import { validateValue } from "@purser/kubernetes/object/schema/validate";

const repository = resolve(import.meta.dirname, "../..");
const suite = resolve(repository, "conformance/golden/v1-admission.jsonl");

function at(value: JsonValue | undefined, ...path: (string | number)[]): JsonValue | undefined {
  let current = value;
  for (const key of path) {
    current = Array.isArray(current)
      ? current[Number(key)]
      : isJsonObject(current)
        ? member(current, String(key))
        : undefined;
  }
  return current;
}

function textOf(value: JsonValue | undefined): string {
  return typeof value === "string" ? value : "";
}

function sortedCauses(causes: JsonValue | undefined): readonly JsonValue[] {
  const key = (cause: JsonValue): string => `${textOf(at(cause, "field"))} ${textOf(at(cause, "message"))}`;
  return Array.isArray(causes) ? causes.toSorted((a, b) => (key(a) < key(b) ? -1 : 1)) : [];
}

const plurals: Readonly<Record<string, string>> = {
  ClusterExtension: "clusterextensions",
  ClusterCatalog: "clustercatalogs",
  ClusterObjectSet: "clusterobjectsets",
};

const compiled = new Map<string, StructuralSchema>();

function schemaOf(kind: string, set: string): StructuralSchema | undefined {
  const name = `olm.operatorframework.io_${plurals[kind] ?? ""}.yaml`;
  const file = join(repository, "crds", set === "standard" ? "standard" : ".", name);
  const known = compiled.get(file);
  if (known !== undefined || !existsSync(file)) return known;
  const crd = readYaml(readFileSync(file, "utf8"));
  assert.ok(crd.ok);
  const source = at(crd.value, "spec", "versions", 0, "schema", "openAPIV3Schema");
  assert.ok(isJsonObject(source));
  const schema = compileSchema(source, { path: "spec.validation.openAPIV3Schema" });
  assert.ok(schema.ok, schema.ok ? "" : JSON.stringify(schema.problem.slice(0, 3)));
  compiled.set(file, schema.value);
  return schema.value;
}

function incoming(object: JsonObject, schema: StructuralSchema): JsonObject {
  const pruned = prune(object, schema, { isResourceRoot: true }).value;
  const value = applyDefaults(allSteps(dropNulls(pruned, schema)), schema);
  assert.ok(isJsonObject(value));
  return value;
}

/** What the API server stores: the main endpoint keeps the stored status, the status endpoint all but the status. */
function next(op: string, sent: JsonObject, stored: JsonObject | undefined): JsonObject {
  if (op === "status") return { ...stored, status: sent["status"] };
  const { status: _, ...rest } = sent;
  return stored?.["status"] === undefined ? rest : { ...rest, status: stored["status"] };
}

/** Whether the answer is about names or unknown kinds, which schemas do not check. */
function isAboutNames(expected: JsonValue | undefined): boolean {
  const causes = at(expected, "causes");
  return (
    at(expected, "code") === 404 ||
    (Array.isArray(causes) && causes.some((cause) => at(cause, "field") === "metadata.name"))
  );
}

function differences(line: JsonObject): readonly string[] {
  const found: string[] = [];
  let stored: JsonObject | undefined;
  const steps = at(line, "input", "steps");
  const set = at(line, "input", "crds");
  for (const [index, step] of (Array.isArray(steps) ? steps : []).entries()) {
    const expected = at(line, "expect", "steps", index);
    const object = at(step, "object");
    const op = at(step, "op");
    if (!isJsonObject(object) || typeof op !== "string") return ["the case cannot be read"];
    if (isAboutNames(expected)) return found;
    const schema = schemaOf(textOf(at(object, "kind")), textOf(set));
    if (schema === undefined) return ["no manifest"];
    const value = next(op, incoming(object, schema), stored);
    const errors = validateValue(value, schema, {
      ...(op === "create" ? {} : { old: stored }),
      statusOnly: op === "status",
    });
    const causes = statusCauses(errors)
      .map((cause) => ({ field: cause.field, message: cause.message, reason: cause.reason }))
      .toSorted((a, b) => (`${a.field} ${a.message}` < `${b.field} ${b.message}` ? -1 : 1));
    const accepted = at(expected, "accepted") === true;
    if (accepted !== (errors.length === 0))
      found.push(`step ${index}: expected ${JSON.stringify(expected)}, got ${JSON.stringify(causes)}`);
    else if (!accepted) {
      const wanted = sortedCauses(at(expected, "causes"));
      if (!deepEqual(wanted, causes))
        found.push(`step ${index}: expected ${JSON.stringify(wanted)}, got ${JSON.stringify(causes)}`);
    } else {
      stored = value;
      const spec = at(expected, "spec") ?? object["spec"] ?? undefined;
      if (!deepEqual(spec, value["spec"])) found.push(`step ${index}: spec ${JSON.stringify(value["spec"])}`);
    }
  }
  return found;
}

test("our schemas refuse the same objects as kube-apiserver, with the same messages (golden v1-admission)", () => {
  const lines = readFileSync(suite, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as JsonObject);
  const failures = lines.flatMap((line) => differences(line).map((text) => `${textOf(line["name"])}: ${text}`));
  assert.deepEqual(failures.slice(0, 8), [], `${failures.length} differences in ${lines.length} cases`);
});
