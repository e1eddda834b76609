import { isAbsolute, relative, resolve, sep } from "node:path";
import type { JudgedFinding } from "../../../catalog/lint/finding.ts";
import { ruleTable } from "../../../catalog/lint/rules.ts";
import type { JsonValue } from "@purser/kubernetes/json";
import type { JudgedCatalog } from "../judged-catalog.ts";

/**
 * Findings as SARIF 2.1.0. Files below `root`, the source root of the report's consumer, have relative URIs; all others
 * have absolute URIs. Without a root, files are those of an image and keep their paths.
 */
export function reportSarif({ findings }: JudgedCatalog, version: string, root: string | undefined): string {
  const positions = new Map(ruleTable.map(({ id }, index) => [id, index]));
  const log = {
    $schema: "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: {
          driver: {
            name: "purser",
            semanticVersion: version,
            rules: ruleTable.map(({ id, name, cause, remedy, severity }) => ({
              id,
              name,
              shortDescription: { text: sentence(cause) },
              help: { text: sentence(remedy) },
              defaultConfiguration: severity === "off" ? { enabled: false } : { level: level(severity) },
            })),
          },
        },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { SRCROOT: { description: { text: "The directory in which purser ran." } } },
        results: findings.map((finding) => resultOf(finding, positions.get(finding.rule), root)),
      },
    ],
  };
  return `${JSON.stringify(log, undefined, 2)}\n`;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;
const level = (severity: "error" | "warn"): "error" | "warning" => (severity === "error" ? "error" : "warning");

function resultOf(finding: JudgedFinding, ruleIndex: number | undefined, root: string | undefined): JsonValue {
  const { rule, message, why, remedy, place, packageName, channel, bundle, severity } = finding;
  const names = [
    ...(packageName === undefined || packageName === "" ? [] : [{ name: packageName, kind: "module" }]),
    ...(channel === undefined || channel === "" ? [] : [{ name: channel, kind: "namespace" }]),
    ...(bundle === undefined || bundle === "" ? [] : [{ name: bundle, kind: "resource" }]),
  ];
  const physicalLocation =
    place.file === undefined
      ? undefined
      : {
          artifactLocation: artifact(place.file, root),
          ...(place.line === undefined
            ? {}
            : {
                region: { startLine: place.line, ...(place.column === undefined ? {} : { startColumn: place.column }) },
              }),
        };
  const text = [
    sentence(message),
    ...(why === undefined ? [] : [sentence(why)]),
    ...(remedy === undefined ? [] : [sentence(remedy)]),
  ];
  return {
    ruleId: rule,
    ...(ruleIndex === undefined ? {} : { ruleIndex }),
    level: level(severity),
    message: { text: text.join(" ") },
    locations: [
      {
        ...(physicalLocation === undefined ? {} : { physicalLocation }),
        ...(names.length === 0 ? {} : { logicalLocations: names }),
      },
    ],
  };
}

function artifact(file: string, root: string | undefined): JsonValue {
  const uri = (text: string): string => text.split(sep).map(encodeURIComponent).join("/");
  if (root === undefined) return { uri: uri(file) };
  const path = relative(root, resolve(root, file));
  if (path === ".." || path.startsWith(`..${sep}`) || isAbsolute(path))
    return { uri: `file://${uri(resolve(root, file))}` };
  return { uri: uri(path), uriBaseId: "SRCROOT" };
}
