import type { ImageReference } from "../../image-reference.ts";
import type { RegistryAuth } from "../registry-auth.ts";

/**
 * The credentials with the most specific path that contains the repository; of equal ones the last. A host may hold `*` for
 * a part of a label (`*.example.com`), as in pull secrets of Kubernetes; a host without it counts more.
 */
export function chooseAuth(
  { registry, repository }: Pick<ImageReference, "registry" | "repository">,
  auths: readonly RegistryAuth[],
): RegistryAuth | undefined {
  const fitting = auths.filter(({ path }) => contains(path, registry, repository));
  return fitting.toSorted((a, b) => specificity(a.path) - specificity(b.path)).at(-1);
}

function contains(path: string, registry: string, repository: string): boolean {
  const slash = path.indexOf("/");
  const host = slash < 0 ? path : path.slice(0, slash);
  const rest = slash < 0 ? "" : path.slice(slash + 1);
  return matchesHost(host, registry) && (rest === "" || repository === rest || repository.startsWith(`${rest}/`));
}

function matchesHost(pattern: string, registry: string): boolean {
  if (!pattern.includes("*")) return pattern === registry;
  const [patterns, labels] = [pattern.split("."), registry.split(".")];
  return (
    patterns.length === labels.length &&
    patterns.every((one, index) => {
      const [start = "", ...rest] = one.split("*");
      const label = labels[index] ?? "";
      if (rest.length === 0) return one === label;
      const end = rest.at(-1) ?? "";
      // One star per label is all that pull secrets use.
      return (
        rest.length === 1 && label.length >= start.length + end.length && label.startsWith(start) && label.endsWith(end)
      );
    })
  );
}

function specificity(path: string): number {
  return path.split("/").length * 2 - (path.includes("*") ? 1 : 0);
}
