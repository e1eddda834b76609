import { parseVersion, type Version } from "../../version.ts";

export type Semver = Version;

/** Parses a strict version; `normalize` first removes a leading `v` and leading zeros and adds missing parts. */
export function parseSemver(text: string, normalize = false): Semver | undefined {
  const parsed = parseVersion(normalize ? normalized(text) : text);
  return parsed.ok ? parsed.value : undefined;
}

function normalized(text: string): string {
  const parts = text.replace(/^v/, "").split(".");
  while (parts.length < 3) {
    const last = parts.at(-1) ?? "";
    if (/[+-]/.test(last)) break;
    parts.push("0");
  }
  return parts.map((part, index) => (index < 3 ? part.replace(/^0+(?=\d)/, "") : part)).join(".");
}
