import type { JsonObject } from "@purser/kubernetes/json";
import type { Place } from "@purser/kubernetes/place";
import { escapePointer, sortedKeys } from "@purser/kubernetes/text/documents";
import { type BundleIssue, valueIssue } from "./issue.ts";

const exactNames = [
  "olm.operatorGroup",
  "olm.operatorNamespace",
  "olm.targetNamespaces",
  "olm.providedAPIs",
  "olm.skipRange",
];

/** Annotations whose case matters must have it right, and properties belong into a file of their own. */
export function annotationNameIssues(
  annotations: JsonObject,
  name: string,
  locate: (pointer: string) => Place | undefined,
): readonly BundleIssue[] {
  return sortedKeys(annotations).flatMap((key): BundleIssue[] => {
    const place = locate(`/metadata/annotations/${escapePointer(key)}`);
    if (key === "olm.properties") {
      const detail =
        "found olm.properties annotation, please define these properties in metadata/properties.yaml instead";
      const issue = {
        rule: "properties-annotation",
        level: "Warning",
        type: "PropertiesAnnotationUsed",
        detail,
      } as const;
      return [place === undefined ? issue : { ...issue, place }];
    }
    const exact = exactNames.find((known) => known.toLowerCase() === key.toLowerCase());
    if (exact === undefined || exact === key) return [];
    const detail = `provided annotation ${key} uses wrong case and should be ${exact} instead`;
    return [valueIssue("annotation-case", "Error", "ValidationFailed", detail, { text: name }, place)];
  });
}
