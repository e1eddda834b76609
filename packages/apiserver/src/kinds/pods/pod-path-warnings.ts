import type { JsonObject } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/go-json";
import { hasMember, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";

interface Claim {
  readonly path: string;
  /** The source within the volume that defines the path; empty when the volume has only one. */
  readonly source: string;
}

/** Warnings for paths of one volume that are equal or nested. */
export function overlapWarnings(spec: JsonObject): readonly string[] {
  return objectsIn(spec, "volumes").flatMap((volume) => {
    const warningsFor = (kind: string, claims: readonly Claim[]): readonly string[] =>
      overlaps(claims).map((text) => `volume ${goJson(textIn(volume, "name"))} (${kind}): overlapping paths: ${text}`);
    const [map, secret] = [objectIn(volume, "configMap"), objectIn(volume, "secret")];
    return [
      ...warningsFor(`ConfigMap ${goJson(textIn(map, "name"))}`, itemsOf(map, "")),
      ...warningsFor(`Secret ${goJson(textIn(secret, "secretName"))}`, itemsOf(secret, "")),
      ...warningsFor("DownwardAPI", itemsOf(objectIn(volume, "downwardAPI"), "")),
      ...objectsIn(objectIn(volume, "projected"), "sources")
        .filter((source) => Object.keys(source).length === 0)
        .map(() => `volume ${goJson(textIn(volume, "name"))} (Projected) has no sources provided`),
      ...warningsFor("Projected", objectsIn(objectIn(volume, "projected"), "sources").flatMap(claimsOf)),
    ];
  });
}

function itemsOf(held: JsonObject, source: string): readonly Claim[] {
  return objectsIn(held, "items").map((item) => ({ path: textIn(item, "path"), source }));
}

function claimsOf(source: JsonObject): readonly Claim[] {
  for (const [key, word] of [
    ["configMap", "ConfigMap"],
    ["secret", "Secret"],
  ] as const) {
    const held = objectIn(source, key);
    if (hasMember(held, "items")) return itemsOf(held, `${word} ${goJson(textIn(held, "name"))}`);
  }
  if (hasMember(objectIn(source, "downwardAPI"), "items"))
    return itemsOf(objectIn(source, "downwardAPI"), "DownwardAPI");
  if (hasMember(source, "serviceAccountToken"))
    return [{ path: textIn(objectIn(source, "serviceAccountToken"), "path"), source: "ServiceAccountToken" }];
  const bundle = objectIn(source, "clusterTrustBundle");
  return hasMember(source, "clusterTrustBundle")
    ? [
        {
          path: textIn(bundle, "path"),
          source: `ClusterTrustBundle ${goJson(textIn(bundle, "name") || textIn(bundle, "signerName"))}`,
        },
      ]
    : [];
}

function overlaps(claims: readonly Claim[]): readonly string[] {
  const plain = claims.map(({ path, source }) => ({ path: path.replace(/\/+$/u, ""), source }));
  return plain.flatMap((claim, index) =>
    claim.path === ""
      ? []
      : plain
          .slice(0, index)
          .filter(({ path }) => path !== "" && (isWithin(path, claim.path) || isWithin(claim.path, path)))
          .map((other) => `${claimText(claim)} with ${claimText(other)}`),
  );
}

function isWithin(inner: string, outer: string): boolean {
  return `${inner}/`.startsWith(`${outer}/`);
}

function claimText({ path, source }: Claim): string {
  return source === "" ? goJson(path) : `${goJson(path)} (${source})`;
}
