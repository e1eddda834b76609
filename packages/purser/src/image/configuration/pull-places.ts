import { done, failed, type Result } from "@purser/kubernetes/result";
import { type ImageReference, parseImageReference } from "../../image-reference.ts";
import type { PullPlace } from "./pull-place.ts";
import type { MirrorUse, RegistryRule } from "./registries-file.ts";

/** Why the configuration gives no place for a reference: the second half of a sentence. */
export interface NoPlace {
  readonly text: string;
  readonly remedy: string;
}

/**
 * Where to look for an image, in order: the mirrors of the rule with the longest matching prefix that serve this kind of
 * reference, then its location; without a rule the registry that the reference names. As `PullSourcesFromReference` of
 * containers/image. `isInsecure` is what the caller allows for the registry itself, not for its mirrors.
 */
export function pullPlaces(
  reference: ImageReference,
  rules: readonly RegistryRule[],
  isInsecure: boolean,
): Result<readonly PullPlace[], NoPlace> {
  const text = referenceText(reference);
  const rule = ruleFor(text, rules);
  if (rule === undefined) return done([{ reference, isInsecure, isMirror: false }]);
  const wanted: readonly MirrorUse[] = ["all", reference.digest === undefined ? "tag-only" : "digest-only"];
  const endpoints = [
    ...rule.mirrors.filter(({ use }) => wanted.includes(use)).map((mirror) => ({ ...mirror, isMirror: true })),
    { location: rule.location, isInsecure: rule.isInsecure, isMirror: false },
  ];
  if (rule.isBlocked) return failed(blocked(rule));
  const places: PullPlace[] = [];
  for (const { location, isInsecure: isAllowed, isMirror } of endpoints) {
    const rewritten =
      location === "" ? done(reference) : parseImageReference(location + text.slice(matchedLength(text, rule.prefix)));
    if (!rewritten.ok)
      return failed({
        text: `is rewritten by ${rule.file}:${rule.line} to a name that is not valid: ${rewritten.problem}`,
        remedy: `correct location "${location}"`,
      });
    // A mirror may have a rule of its own.
    const own = ruleFor(referenceText(rewritten.value), rules);
    if (own?.isBlocked === true && isMirror) continue;
    if (own?.isBlocked === true) return failed(blocked(own));
    places.push({
      reference: rewritten.value,
      isInsecure: isAllowed || own?.isInsecure === true || (isInsecure && !isMirror),
      isMirror,
    });
  }
  return done(places);
}

function blocked({ file, line, prefix }: RegistryRule): NoPlace {
  return {
    text: `comes from a blocked registry (${prefix})`,
    remedy: `change "blocked" in ${file}:${line}, or use another registry`,
  };
}

function referenceText({ registry, repository, tag, digest }: ImageReference): string {
  return `${registry}/${repository}${tag === undefined ? "" : `:${tag}`}${digest === undefined ? "" : `@${digest}`}`;
}

function ruleFor(text: string, rules: readonly RegistryRule[]): RegistryRule | undefined {
  return rules
    .filter(({ prefix }) => matchedLength(text, prefix) > 0)
    .toSorted((a, b) => b.prefix.length - a.prefix.length)[0];
}

/** How much of the reference the prefix stands for; 0 when it does not match. `example.com` matches `example.com:5000` too. */
function matchedLength(text: string, prefix: string): number {
  const [host = ""] = text.split(/[/@]/, 1);
  const name = host.replace(/:\d+$/, "");
  if (prefix.startsWith("*.")) return name.endsWith(prefix.slice(1)) ? name.length : 0;
  const matches = text === prefix || (text.startsWith(prefix) && /[:/@]/.test(text.charAt(prefix.length)));
  return matches ? prefix.length : 0;
}
