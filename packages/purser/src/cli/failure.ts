import type { DeletingRemedy, Explanation } from "../explanation/explanation.ts";
import { exitCodes, type ExitCode } from "./exit-code.ts";

/** Why a command failed where no decision was refused; in documents beside the causes of `docs/causes.md`. */
const failureExitCodes = {
  UsageError: exitCodes.usage,
  NotFound: exitCodes.notFound,
  AlreadyExists: exitCodes.conflict,
  Conflict: exitCodes.conflict,
  Forbidden: exitCodes.forbidden,
  Refused: exitCodes.failed,
  Unreachable: exitCodes.unreachable,
  Unexpected: exitCodes.failed,
} as const satisfies Readonly<Record<string, ExitCode>>;

export type FailureCode = keyof typeof failureExitCodes;

/** A failure of a command in the form of an explanation: summary, reasons and ways out. */
export interface Failure extends Omit<Explanation, "code"> {
  readonly code: FailureCode;
}

/** Whether it is a failure of the command and not a decision that was refused. */
export function isFailure(one: Explanation | Failure): one is Failure {
  return Object.hasOwn(failureExitCodes, one.code);
}

export const exitCodeOfFailure = (code: FailureCode): ExitCode => failureExitCodes[code];

/** A command as a way out, and what it does; one that deletes says so. */
type Way =
  | readonly [command: string, does: string]
  | readonly [command: string, does: DeletingRemedy["summary"], deletes: DeletingRemedy["deletes"]];

/** A failure with commands as ways out, each with what it does. */
export function failure(
  code: FailureCode,
  summary: string,
  ways: readonly Way[] = [],
  facts: Failure["facts"] = {},
): Failure {
  return {
    code,
    summary,
    facts,
    derivation: [],
    remedies: ways.map((way) =>
      way.length === 2 ? { summary: way[1], command: way[0] } : { summary: way[1], command: way[0], deletes: way[2] },
    ),
  };
}

/** A failure whose only way out is advice. */
export function advised(code: FailureCode, summary: string, ...advice: readonly string[]): Failure {
  return { code, summary, facts: {}, derivation: [], remedies: advice.map((one) => ({ summary: one })) };
}
