import type { JsonObject } from "@purser/kubernetes/json";
import { goJson } from "@purser/kubernetes/text/go-json";
import { hasMember, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";

interface Claim {
  readonly path: string;
  /** Who wants the path; empty where there is only one who could. */
  readonly source: string;
}

/** Paths in one volume of which one lies within another, or is the same. */
export function overlapWarnings(spec: JsonObject): readonly string[] {
  return objectsIn(spec, "volumes").flatMap((volume) => {
    const told = (kind: string, claims: readonly Claim[]): readonly string[] =>
      overlaps(claims).map((text) => `volume ${goJson(textIn(volume, "name"))} (${kind}): overlapping paths: ${text}`);
    const [map, secret] = [objectIn(volume, "configMap"), objectIn(volume, "secret")];
    return [
      ...told(`ConfigMap ${goJson(textIn(map, "name"))}`, itemsOf(map, "")),
      ...told(`Secret ${goJson(textIn(secret, "secretName"))}`, itemsOf(secret, "")),
      ...told("DownwardAPI", itemsOf(objectIn(volume, "downwardAPI"), "")),
      ...objectsIn(objectIn(volume, "projected"), "sources")
        .filter((source) => Object.keys(source).length === 0)
        .map(() => `volume ${goJson(textIn(volume, "name"))} (Projected) has no sources provided`),
      ...told("Projected", objectsIn(objectIn(volume, "projected"), "sources").flatMap(claimsOf)),
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
