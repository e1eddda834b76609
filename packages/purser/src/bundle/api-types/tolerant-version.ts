import { done, failed, type Result } from "@purser/kubernetes/result";

/**
 * A version as a ClusterServiceVersion's type reads it: blanks and a leading `v` are dropped, leading zeros too, missing
 * parts are 0. The problem is blang's text.
 */
export function tolerantVersion(text: string): Result<string, string> {
  const bare = text.trim().replace(/^v/, "");
  const parts = splitAtMost(bare, ".", 3);
  const completed = parts.length < 3 ? completeParts(parts) : done(parts.map(dropLeadingZeros).join("."));
  return completed.ok ? strictVersion(completed.value) : completed;
}

function splitAtMost(text: string, separator: string, count: number): readonly string[] {
  const parts = text.split(separator);
  return parts.length <= count ? parts : [...parts.slice(0, count - 1), parts.slice(count - 1).join(separator)];
}

function completeParts(parts: readonly string[]): Result<string, string> {
  if (/[+-]/.test(parts.at(-1) ?? "")) return failed("Short version cannot contain PreRelease/Build meta data");
  const padded = parts.map(dropLeadingZeros);
  while (padded.length < 3) padded.push("0");
  return done(padded.join("."));
}

function dropLeadingZeros(part: string): string {
  if (part.length < 2) return part;
  const rest = part.replace(/^0+/, "");
  return rest === "" || !/^\d/.test(rest) ? `0${rest}` : rest;
}

function strictVersion(text: string): Result<string, string> {
  if (text === "") return failed("Version string empty");
  const parts = splitAtMost(text, ".", 3);
  if (parts.length !== 3) return failed("No Major.Minor.Patch elements found");
  const [major = "", minor = "", rest = ""] = parts;
  const plus = rest.indexOf("+");
  const build = plus < 0 ? undefined : rest.slice(plus + 1);
  const beforeBuild = plus < 0 ? rest : rest.slice(0, plus);
  const dash = beforeBuild.indexOf("-");
  const pre = dash < 0 ? undefined : beforeBuild.slice(dash + 1);
  const patch = dash < 0 ? beforeBuild : beforeBuild.slice(0, dash);
  for (const [name, digits] of [
    ["Major", major],
    ["Minor", minor],
    ["Patch", patch],
  ] as const) {
    if (!/^\d+$/.test(digits))
      return failed(`Invalid character(s) found in ${name.toLowerCase()} number ${JSON.stringify(digits)}`);
    if (digits.length > 1 && digits.startsWith("0")) {
      return failed(`${name} number must not contain leading zeroes ${JSON.stringify(digits)}`);
    }
  }
  for (const part of pre?.split(".") ?? []) {
    if (part === "") return failed("Prerelease is empty");
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return failed(`Invalid character(s) found in prerelease ${JSON.stringify(part)}`);
    if (/^0\d+$/.test(part))
      return failed(`Numeric PreRelease version must not contain leading zeroes ${JSON.stringify(part)}`);
  }
  for (const part of build?.split(".") ?? []) {
    if (part === "") return failed("Build meta data is empty");
    if (!/^[0-9A-Za-z-]+$/.test(part))
      return failed(`Invalid character(s) found in build meta data ${JSON.stringify(part)}`);
  }
  return done(text);
}
