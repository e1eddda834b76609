import { listOf } from "../../../explanation/summary.ts";
import { formatGvk } from "../entry.ts";
import type { Predicate } from "../predicate.ts";

/** A requirement for people, such as `package etcd in version >=1.2.0`. */
export function predicateWords(predicate: Predicate): string {
  switch (predicate.kind) {
    case "api":
      return `the API ${formatGvk(predicate.api)}`;
    case "package":
      return `package ${predicate.name} in version ${predicate.range.text}`;
    case "label":
      return `a bundle labelled ${predicate.label}`;
    case "cel":
      return predicate.message === "" ? `a bundle for which ${predicate.rule} holds` : `"${predicate.message}"`;
    case "all":
      return `one bundle with ${listOf(predicate.of.map(predicateWords), 8, "and")}`;
    case "any":
      return `one bundle with ${listOf(predicate.of.map(predicateWords), 8, "or")}`;
    case "not":
      return `a bundle without ${listOf(predicate.of.map(predicateWords), 8, "or")}`;
  }
}
