import type { JsonObject } from "@purser/kubernetes/json";
import { type Steps, Strides } from "@purser/kubernetes/steps";
import { withoutEnding } from "@purser/kubernetes/without-ending";
import { goJson } from "@purser/kubernetes/text/go-json";
import { hasMember, objectIn, objectsIn, textIn } from "../decoding/json-parts.ts";

interface Claim {
  readonly path: string;
  /** The source within the volume that defines the path; empty when the volume has only one. */
  readonly source: string;
}

/** Warnings for paths of one volume that are equal or nested, with pauses. */
export function* overlapWarnings(spec: JsonObject): Steps<readonly string[]> {
  const warnings: string[] = [];
  const strides = new Strides();
  for (const volume of objectsIn(spec, "volumes")) {
    const name = goJson(textIn(volume, "name"));
    const [map, secret] = [objectIn(volume, "configMap"), objectIn(volume, "secret")];
    const sources = objectsIn(objectIn(volume, "projected"), "sources");
    for (const [kind, claims] of [
      [`ConfigMap ${goJson(textIn(map, "name"))}`, itemsOf(map, "")],
      [`Secret ${goJson(textIn(secret, "secretName"))}`, itemsOf(secret, "")],
      ["DownwardAPI", itemsOf(objectIn(volume, "downwardAPI"), "")],
      ["Projected", sources.flatMap(claimsOf)],
    ] as const) {
      if (strides.isDue(1 + claims.length * workOfClaim)) yield;
      if (kind === "Projected")
        for (const source of sources)
          if (Object.keys(source).length === 0) warnings.push(`volume ${name} (Projected) has no sources provided`);
      for (const text of yield* overlaps(claims, strides))
        warnings.push(`volume ${name} (${kind}): overlapping paths: ${text}`);
    }
  }
  return warnings;
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

/** What one path costs, in {@link Strides}. */
const workOfClaim = 4;

/** More than that are not written: all warnings of one request are cut to some thousand characters. */
const mostOverlaps = 1000;

/** Pairs of paths that are equal or nested: each path with those before it, in the order of the claims. */
function* overlaps(claims: readonly Claim[], strides: Strides): Steps<readonly string[]> {
  const plain = claims.map(({ path, source }, index) => ({ path: withoutEnding(path, "/"), source, index }));
  // In this order all paths within a path follow it: what is open at a path are those that it is within.
  const sorted = plain
    .filter(({ path }) => path !== "")
    .map((claim) => ({ claim, start: `${claim.path}/` }))
    .toSorted((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : a.claim.index - b.claim.index));
  yield;
  const open: typeof sorted = [];
  const pairs: (readonly [later: number, earlier: number])[] = [];
  for (const held of sorted) {
    if (strides.isDue(workOfClaim)) yield;
    while (open.length > 0 && !held.start.startsWith(open.at(-1)?.start ?? "")) open.pop();
    for (const { claim } of open) {
      if (pairs.length === mostOverlaps) break;
      pairs.push([Math.max(claim.index, held.claim.index), Math.min(claim.index, held.claim.index)]);
    }
    open.push(held);
  }
  return pairs
    .toSorted(([a, x], [b, y]) => a - b || x - y)
    .flatMap(([later, earlier]) => {
      const [claim, other] = [plain[later], plain[earlier]];
      return claim === undefined || other === undefined ? [] : [`${claimText(claim)} with ${claimText(other)}`];
    });
}

function claimText({ path, source }: Claim): string {
  return source === "" ? goJson(path) : `${goJson(path)} (${source})`;
}
