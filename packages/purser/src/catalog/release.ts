import { goQuote } from "@purser/kubernetes/go-quote";
import { done, failed, type Result } from "@purser/kubernetes/result";

const longest = 20;

/** Checks an `olm.package` release: dot-separated pre-release identifiers, at most 20 characters; "" is none. */
export function parseRelease(text: string): Result<string, string> {
  if (text === "") return done(text);
  if (new TextEncoder().encode(text).length > longest)
    return failed(`invalid release ${goQuote(text)}: exceeds maximum length of ${longest} characters`);
  const complaints = text.split(".").flatMap((segment, index) => {
    const complaint = segmentProblem(segment);
    return complaint === undefined ? [] : [`segment ${index}: ${complaint}`];
  });
  return complaints.length === 0 ? done(text) : failed(`invalid release ${goQuote(text)}: ${complaints.join("\n")}`);
}

function segmentProblem(segment: string): string | undefined {
  if (segment === "") return "Prerelease is empty";
  if (!/^[0-9A-Za-z-]+$/.test(segment)) return `Invalid character(s) found in prerelease ${goQuote(segment)}`;
  if (/^0[0-9]+$/.test(segment))
    return `Numeric PreRelease version must not contain leading zeroes ${goQuote(segment)}`;
  return undefined;
}
