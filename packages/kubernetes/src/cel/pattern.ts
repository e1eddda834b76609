import { RE2JS, RE2JSException } from "re2js";
import { done, failed, type Result } from "../result.ts";

/** A regular expression in Go's syntax, matched in linear time. */
export interface Pattern {
  readonly text: string;
  /** Whether it matches anywhere in `subject`. */
  test(subject: string): boolean;
  /** The leftmost match; undefined when there is none. */
  find(subject: string): string | undefined;
  /** Up to `limit` matches from the left; all of them without a limit. */
  findAll(subject: string, limit?: number): readonly string[];
}

const compiled = new Map<string, Result<Pattern, string>>();
const remembered = 2000;

/** Compiles the pattern, cached by text; the problem is Go's error text. */
export function compilePattern(text: string): Result<Pattern, string> {
  const known = compiled.get(text);
  if (known !== undefined) return known;
  const pattern = compile(text);
  if (compiled.size >= remembered) compiled.clear();
  compiled.set(text, pattern);
  return pattern;
}

/** Go quotes the faulty part in all messages; for this one it is empty. */
function goMessage(message: string): string {
  return message.endsWith("trailing backslash at end of expression") ? `${message}: \`\`` : message;
}

function compile(text: string): Result<Pattern, string> {
  try {
    const expression = RE2JS.compile(text);
    return done({
      text,
      test: (subject) => expression.test(subject),
      find: (subject) => {
        const matcher = expression.matcher(subject);
        return matcher.find() ? (matcher.group() ?? "") : undefined;
      },
      findAll: (subject, limit = Number.POSITIVE_INFINITY) => {
        const found: string[] = [];
        const matcher = expression.matcher(subject);
        while (found.length < limit && matcher.find()) found.push(matcher.group() ?? "");
        return found;
      },
    });
  } catch (error) {
    if (error instanceof RE2JSException) return failed(goMessage(error.message));
    throw error;
  }
}
