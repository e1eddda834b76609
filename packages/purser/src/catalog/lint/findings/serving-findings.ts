import { isJsonObject } from "@purser/kubernetes/json";
import { parseBlangRange } from "../../../version-range.ts";
import { fieldOf, itemsOf, textOf } from "../../schemas/go-shape.ts";
import type { CatalogBlob } from "../../model.ts";
import { documentOf, placeIn } from "../../catalog-view.ts";
import type { Finding } from "../finding.ts";
import { quoted } from "../finding-words.ts";
import type { Checked } from "./checked.ts";

const servedName = /^[a-zA-Z0-9][a-zA-Z0-9._-]*$/;

/** What no validation of upstream looks at and a server, a resolver or a mirror has trouble with. */
export function servingFindings({ blobs }: Checked): readonly Finding[] {
  return blobs.flatMap((blob) => {
    if (blob.content.kind === "custom") return customFindings(blob);
    if (blob.content.kind !== "bundle") return [];
    const { packageName, name } = blob;
    return [...propertyFindings(blob), ...emptyImages(blob)].map((finding) => ({
      ...finding,
      packageName,
      bundle: name,
    }));
  });
}

function customFindings(blob: CatalogBlob): readonly Finding[] {
  const { schema, packageName } = blob;
  const findings: Finding[] = [];
  if (!servedName.test(schema))
    findings.push({
      rule: "PCB001",
      message: `a server refuses a blob of schema ${quoted(schema)}`,
      place: placeIn(blob, "/schema"),
    });
  if (packageName !== "" && !servedName.test(packageName))
    findings.push({
      rule: "PCB001",
      message: `a server refuses a blob of package ${quoted(packageName)}`,
      place: placeIn(blob, "/package"),
    });
  return findings;
}

function propertyFindings(blob: CatalogBlob): readonly Finding[] {
  const findings: Finding[] = [];
  let metadata = 0;
  for (const [index, item] of itemsOf(blob.json, "properties").entries()) {
    if (!isJsonObject(item)) continue;
    const [type, value] = [textOf(item, "type"), fieldOf(item, "value")];
    const pointer = `/properties/${index}`;
    if (type === "olm.csv.metadata" && ++metadata === 2)
      findings.push({
        rule: "PBN013",
        message: `bundle ${quoted(blob.name)} has two olm.csv.metadata properties`,
        place: placeIn(blob, pointer),
      });
    if (!isJsonObject(value)) continue;
    if (type === "olm.gvk" || type === "olm.gvk.required") {
      const missing = ["version", "kind"].filter((key) => textOf(value, key) === "");
      if (missing.length > 0)
        findings.push({
          rule: "PBN014",
          message: `property ${type} of bundle ${quoted(blob.name)} has no ${missing.join(" and no ")}`,
          place: placeIn(blob, `${pointer}/value`),
        });
    }
    if (type === "olm.package.required")
      findings.push(...requiredRange(blob, textOf(value, "versionRange"), `${pointer}/value/versionRange`));
  }
  return findings;
}

function requiredRange(blob: CatalogBlob, text: string, pointer: string): readonly Finding[] {
  const range = text === "" ? undefined : parseBlangRange(text);
  if (range === undefined || range.ok) return [];
  return [
    {
      rule: "PBN015",
      message: `bundle ${quoted(blob.name)} requires a package in the range ${quoted(text)}`,
      why: range.problem.message,
      place: placeIn(blob, pointer),
    },
  ];
}

function emptyImages(blob: CatalogBlob): readonly Finding[] {
  if (blob.content.kind !== "bundle") return [];
  return blob.content.relatedImages.flatMap(({ name, image }, index): Finding[] => {
    if (image !== "") return [];
    const pointer = `/relatedImages/${index}`;
    return [
      {
        rule: "PBN016",
        message: `related image ${index}${name === "" ? "" : ` (${name})`} of bundle ${quoted(blob.name)} has no image`,
        place: placeIn(blob, pointer),
        fix: [{ kind: "removeItem", ...documentOf(blob), pointer }],
      },
    ];
  });
}
