import { type CauseCode, causeCodes } from "../../explanation/explanation.ts";

/** Why a condition is as it is: the cause code before its message, else its reason, and the message's first line without the code. */
export function conditionCause({
  reason = "",
  message = "",
}: {
  readonly reason?: string;
  readonly message?: string;
}): {
  readonly reason: string;
  readonly blockedBy: string;
} {
  const line = firstLine(message);
  const colon = line.indexOf(": ");
  const code = line.slice(0, Math.max(0, colon));
  return causeCodes.includes(code as CauseCode)
    ? { reason: code, blockedBy: line.slice(colon + 2) }
    : { reason, blockedBy: line };
}

/** The text before the first line break. */
export const firstLine = (text: string): string => text.split("\n", 1)[0] ?? "";
