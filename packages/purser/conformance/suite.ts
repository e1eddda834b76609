// What a suite is: how our program answers one golden case, and by which rules the answer is compared.
import type { JsonObject, JsonValue } from "@purser/kubernetes/json";

/** One line of a golden file. */
export interface GoldenCase {
  readonly name: string;
  readonly input: JsonObject;
  readonly expect: JsonObject;
  /** The expected texts contain internals of OLM's programs: an error at the same place is enough. */
  readonly loose: boolean;
  /** One-based line of its file. */
  readonly line: number;
  /** The line itself, for suites that need numbers beyond a double. */
  readonly text: string;
}

/** Where the real catalogs and bundles lie; undefined when one is absent, which skips the case. */
export interface SuiteData {
  /** Directory of a catalog such as `v4.20`. */
  catalog(name: string): string | undefined;
  /** Bundle directory `<operator>/<version>`. */
  bundle(path: string): string | undefined;
}

export interface SuiteContext {
  readonly data: SuiteData;
  /** Kubeconfig of a real cluster that answers in place of Purser, for suites that support it: it verifies the golden cases. */
  readonly kubeconfig?: string;
}

/** Our answer in the shape of `expect`, or what is missing to give one. */
export type Answer =
  | { readonly kind: "answer"; readonly value: JsonValue }
  | { readonly kind: "absent"; readonly what: string };

export function answer(value: JsonValue): Answer {
  return { kind: "answer", value };
}

export function absent(what: string): Answer {
  return { kind: "absent", what };
}

/** The first place where an answer differs, for a person to read. */
export interface Difference {
  /** RFC 6901 pointer into `expect`. */
  readonly pointer: string;
  readonly expected: JsonValue | undefined;
  readonly actual: JsonValue | undefined;
}

/** Undefined when the answer is right. */
export type Compare = (golden: GoldenCase, value: JsonValue) => Difference | undefined;

/** One run over a file, with state that is kept between its lines and closed at the end. */
export interface SuiteSession {
  run(golden: GoldenCase): Answer | Promise<Answer>;
  /** Reads a line that defines data for later lines and is not a case; returns whether it was such a line. */
  define?(golden: GoldenCase): boolean | Promise<boolean>;
  close?(): void | Promise<void>;
}

interface SuiteRules {
  readonly name: string;
  /** Default: everything exactly, with `alternatives`, `otherOrders` and `panic` as the conventions say. */
  readonly compare?: Compare;
  /** Rules that `docs/differences.md` may name: whether the rule explains this answer. */
  readonly differences?: Readonly<Record<string, (golden: GoldenCase, value: JsonValue) => boolean>>;
}

/** `run` for suites without state between lines, `open` for the others. */
export type Suite =
  | (SuiteRules & { readonly run: (golden: GoldenCase, context: SuiteContext) => Answer | Promise<Answer> })
  | (SuiteRules & { readonly open: (context: SuiteContext) => SuiteSession | Promise<SuiteSession> });
