import { createHash } from "node:crypto";
import type { JsonObject } from "@purser/kubernetes/json";
import type { DebianPackage } from "./debian-packages.ts";
import type { Architecture } from "./elf.ts";

/** A package of npm by its licence as the package states it. */
export interface BundledPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
}

export interface SbomInputs {
  readonly architecture: Architecture;
  readonly version: string;
  readonly node: { readonly package: string; readonly version: string };
  readonly bundled: readonly BundledPackage[];
  readonly debian: readonly DebianPackage[];
  readonly suite: string;
}

/** What the image holds as SPDX 2.3: Purser, the packages bundled into it, Node, and packages of Debian. Equal inputs give equal text. */
export function sbomOf({ architecture, version, node, bundled, debian, suite }: SbomInputs): string {
  const packages = [
    packageOf("npm", "purser", version, "Apache-2.0"),
    packageOf("npm", node.package, node.version, "MIT"),
    ...bundled.map((one) => packageOf("npm", one.name, one.version, one.license)),
    ...debian.map((one) => ({
      ...packageOf("deb", one.name, one.version, "NOASSERTION", `?arch=${one.architecture}&distro=${suite}`),
      checksums: [{ algorithm: "SHA256", checksumValue: one.sha256 }],
    })),
  ];
  const [own, ...held] = packages.map(({ SPDXID }) => SPDXID);
  const digest = createHash("sha256").update(JSON.stringify(packages)).digest("hex");
  const document: JsonObject = {
    spdxVersion: "SPDX-2.3",
    dataLicense: "CC0-1.0",
    SPDXID: "SPDXRef-DOCUMENT",
    name: `purser-${version}-linux-${architecture}`,
    // Fixed, so that the same inputs give the same bytes.
    documentNamespace: `https://purser.dev/spdx/purser-${version}-linux-${architecture}-${digest}`,
    creationInfo: { created: "1970-01-01T00:00:00Z", creators: [`Tool: purser-image-${version}`] },
    packages,
    relationships: [
      { spdxElementId: "SPDXRef-DOCUMENT", relationshipType: "DESCRIBES", relatedSpdxElement: own ?? "" },
      ...held.map((id) => ({ spdxElementId: own ?? "", relationshipType: "CONTAINS", relatedSpdxElement: id })),
    ],
  };
  return `${JSON.stringify(document, undefined, 2)}\n`;
}

interface SpdxPackage {
  readonly [name: string]: JsonObject[string];
  readonly SPDXID: string;
}

function packageOf(type: "npm" | "deb", name: string, version: string, license: string, qualifiers = ""): SpdxPackage {
  const path = type === "deb" ? `debian/${name}` : name.replace("@", "%40");
  return {
    SPDXID: `SPDXRef-${type}-${name}-${version}`.replaceAll(/[^A-Za-z0-9.-]+/g, "-"),
    name,
    versionInfo: version,
    downloadLocation: "NOASSERTION",
    filesAnalyzed: false,
    licenseConcluded: "NOASSERTION",
    licenseDeclared: license,
    copyrightText: "NOASSERTION",
    externalRefs: [
      {
        referenceCategory: "PACKAGE-MANAGER",
        referenceType: "purl",
        referenceLocator: `pkg:${type}/${path}@${encodeURIComponent(version)}${qualifiers}`,
      },
    ],
  };
}
