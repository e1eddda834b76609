import { isJsonObject, type JsonObject, type JsonValue, member } from "@purser/kubernetes/json";
import type { Place } from "@purser/kubernetes/place";
import { type ApiType, fieldsOf } from "../api-types/struct-table.ts";
import { objectMember, textMember } from "../directory/first-object.ts";
import type { BundleIssue } from "./issue.ts";

/** Fields that the CSV's API type always writes and that hold nothing. @param csv as that type reads it */
export function missingFields(csv: JsonObject, locate: (pointer: string) => Place | undefined): readonly BundleIssue[] {
  const found: [field: string, kind: "struct" | "field", pointer: string][] = [];
  const isNothing = (struct: string, value: JsonObject): boolean => isZero({ kind: "struct", name: struct }, value);
  const spec = objectMember(csv, "spec");
  const install = objectMember(spec, "install");
  const strategy = objectMember(install, "spec");
  if (isNothing("ObjectMeta", objectMember(csv, "metadata"))) found.push(["ObjectMeta", "struct", "/metadata"]);
  if (isNothing("csv.ClusterServiceVersionSpec", spec)) found.push(["Spec", "struct", "/spec"]);
  else {
    const at = "Spec.InstallStrategy";
    if (isNothing("csv.NamedInstallStrategy", install)) found.push([at, "struct", "/spec/install"]);
    else {
      if (textMember(install, "strategy") === "") found.push([`${at}.StrategyName`, "field", "/spec/install/strategy"]);
      if (!isNothing("csv.StrategyDetailsDeployment", strategy) && (strategy["deployments"] ?? null) === null)
        found.push([`${at}.StrategySpec.DeploymentSpecs`, "field", "/spec/install/spec/deployments"]);
    }
    if (textMember(spec, "displayName") === "") found.push(["Spec.DisplayName", "field", "/spec/displayName"]);
  }
  return found.map(([field, kind, pointer]) => {
    const place = locate(pointer);
    return {
      rule: "csv-required-field",
      level: "Error",
      type: "FieldNotFound",
      detail: "required field missing",
      field,
      value: { text: kind },
      ...(place === undefined ? {} : { place }),
    };
  });
}

/** Whether it is the zero value of the Go type: a list or a map that is there is none, though it is empty. */
function isZero(type: ApiType, value: JsonValue | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (type.kind === "struct")
    return isJsonObject(value) && fieldsOf(type.name).every((field) => isZero(field.type, member(value, field.name)));
  if (type.kind !== "scalar") return false;
  return value === "" || value === 0 || value === false || (type.scalar === "version" && value === "0.0.0");
}
