import { type ImageReference, parseImageReference } from "../../image-reference.ts";
import type { SignedIdentity } from "./policy.ts";

/**
 * Why a signature for the image called `signed` does not count for the image called `image`; undefined when it does. The digest is
 * compared elsewhere. Rules of containers-policy.json(5).
 * @param signed undefined for a signature of a digest alone, as cosign 3 makes it
 * @param image undefined for a layout or an archive, which only `matchDigest` and the rules with an exact name accept
 */
export function identityMismatch(
  rule: SignedIdentity,
  image: ImageReference | undefined,
  signed: string | undefined,
): string | undefined {
  if (rule.kind === "matchDigest") return undefined;
  if (signed === undefined)
    return `it names no image, only the digest, as cosign 3 signs; accept that with signedIdentity {"type": "matchDigest"}`;
  const parsed = parseImageReference(signed);
  if (!parsed.ok) return `it is for ${JSON.stringify(signed)}, which is no image name`;
  const mismatch = `it is for ${signed}`;
  if (rule.kind === "exactReference" || rule.kind === "exactRepository") {
    const wanted = parseImageReference(rule.reference);
    if (!wanted.ok) return `the policy's ${JSON.stringify(rule.reference)} is no image name`;
    const matches =
      rule.kind === "exactRepository"
        ? sameRepository(wanted.value, parsed.value)
        : hasVersion(wanted.value) && textOf(wanted.value) === textOf(parsed.value);
    return matches ? undefined : `${mismatch}, not for ${rule.reference}`;
  }
  if (image === undefined) return `${needsRegistry(rule.kind)}; use exactReference or exactRepository`;
  if (rule.kind === "matchRepository") return sameRepository(image, parsed.value) ? undefined : mismatch;
  if (!hasVersion(parsed.value))
    return `${mismatch} without a tag, as cosign signs; accept that with signedIdentity {"type": "matchRepository"}`;
  if (rule.kind === "matchExact") return textOf(image) === textOf(parsed.value) ? undefined : mismatch;
  const intended = rule.kind === "remapIdentity" ? remapped(image, rule.prefix, rule.signedPrefix) : image;
  if (intended === undefined) return `the policy remaps ${textOf(image)} to a name that is none`;
  const matches =
    intended.tag === undefined
      ? sameRepository(intended, parsed.value)
      : sameRepository(intended, parsed.value) && intended.tag === parsed.value.tag;
  return matches ? undefined : `${mismatch}, not for ${textOf(intended)}`;
}

const needsRegistry = (kind: SignedIdentity["kind"]): string => `identity ${kind} needs an image of a registry`;

function remapped(image: ImageReference, prefix: string, signedPrefix: string): ImageReference | undefined {
  const text = textOf(image);
  const next = text.charAt(prefix.length);
  // A whole component must match: `example.com/team` is no prefix of `example.com/teams/x`, nor a host one of `host:5000`.
  const isPort = !prefix.includes("/") && next === ":";
  if (!text.startsWith(prefix) || !["", "/", ":", "@"].includes(next) || isPort) return image;
  const parsed = parseImageReference(signedPrefix + text.slice(prefix.length));
  return parsed.ok ? parsed.value : undefined;
}

const hasVersion = ({ tag, digest }: ImageReference): boolean => tag !== undefined || digest !== undefined;
const sameRepository = (a: ImageReference, b: ImageReference): boolean =>
  a.registry === b.registry && a.repository === b.repository;

function textOf({ registry, repository, tag, digest }: ImageReference): string {
  return `${registry}/${repository}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
}
