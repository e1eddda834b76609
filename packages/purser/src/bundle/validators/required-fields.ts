import { isJsonObject, type JsonObject, type JsonValue } from "@purser/kubernetes/json";
import type { Place } from "@purser/kubernetes/place";
import { objectMember, textMember } from "../directory/first-object.ts";
import type { BundleIssue } from "./issue.ts";

/** Fields that the CSV's API type always writes and that hold nothing. @param csv as that type reads it */
export function missingFields(csv: JsonObject, locate: (pointer: string) => Place | undefined): readonly BundleIssue[] {
  const found: [field: string, kind: "struct" | "field", pointer: string][] = [];
  const spec = objectMember(csv, "spec");
  const install = objectMember(spec, "install");
  if (isNothing(objectMember(csv, "metadata"))) found.push(["ObjectMeta", "struct", "/metadata"]);
  if (isNothing(spec)) found.push(["Spec", "struct", "/spec"]);
  else {
    if (isNothing(install)) found.push(["Spec.InstallStrategy", "struct", "/spec/install"]);
    else if (textMember(install, "strategy") === "")
      found.push(["Spec.InstallStrategy.StrategyName", "field", "/spec/install/strategy"]);
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

/** The zero value of a Go type, whatever type it is; the zero version is one too. */
function isNothing(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === "" || value === 0 || value === false) return true;
  if (value === "0.0.0") return true;
  if (Array.isArray(value)) return value.length === 0;
  return isJsonObject(value) && Object.values(value).every((held) => isNothing(held));
}
