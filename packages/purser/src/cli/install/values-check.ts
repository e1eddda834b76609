import { isJsonObject, type JsonObject, member } from "@purser/kubernetes/json";
import { formatFieldError } from "@purser/kubernetes/object/field-error";
import { prune } from "@purser/kubernetes/object/schema/prune";
import { compileSchema } from "@purser/kubernetes/object/schema/structural-schema";
import { validateOpenApi } from "@purser/kubernetes/object/schema/validate-openapi";
import { invariant } from "@purser/kubernetes/invariant";
import { ownCrds } from "../../engine/own-manifests.ts";
import { nearestNames } from "../../explanation/nearest-name.ts";
import { UsageError } from "../command.ts";

/**
 * Refuses what `spec.config` of a Subscription cannot hold: the API server would drop unknown fields, and refuse wrong types when
 * the namespace is already written.
 * @throws UsageError naming every such field
 */
export async function checkSubscriptionConfig(values: JsonObject): Promise<void> {
  const crds = await ownCrds(["v0"]);
  const versions = crds.find(({ spec }) => spec.names.plural === "subscriptions")?.spec.versions ?? [];
  const root = versions.find(({ name }) => name === "v1alpha1")?.schema?.openAPIV3Schema;
  const schema = ["spec", "config"].reduce<JsonObject | undefined>(inside, root);
  invariant(schema !== undefined, "the definition of Subscriptions has spec.config");
  const compiled = compileSchema(schema, { trusted: true });
  invariant(compiled.ok, "the schema of the package is valid");
  const { value, pruned } = prune(values, compiled.value);
  const errors = validateOpenApi(value, compiled.value);
  const problems = [...pruned.map((path) => `unknown field ${path}`), ...errors.map(formatFieldError)];
  if (problems.length === 0) return;
  const known = Object.keys((schema["properties"] ?? {}) as JsonObject);
  const [near] = pruned.flatMap((path) => nearestNames(path, known, 1));
  throw new UsageError(
    `the operator's configuration does not fit spec.config of a Subscription: ${problems.join("; ")}`,
    near === undefined ? `its fields are ${known.join(", ")}` : `did you mean ${near}?`,
  );
}

function inside(schema: JsonObject | undefined, field: string): JsonObject | undefined {
  const properties = schema === undefined ? undefined : member(schema, "properties");
  const found = isJsonObject(properties) ? member(properties, field) : undefined;
  return isJsonObject(found) ? found : undefined;
}
