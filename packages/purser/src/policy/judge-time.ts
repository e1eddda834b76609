import { formatTime } from "@purser/kubernetes/clock";
import type { NamedPolicy } from "./effective-policy.ts";
import type { PolicyBundle, Verdict } from "./verdict.ts";
import { parsePolicyDuration } from "./policy-duration.ts";
import { openingOf, openingWords, readWindows, type Windows } from "./windows.ts";

/**
 * Why an upgrade may not begin at `now`: the version soaks, or no window is open. Undefined when it may. What cannot be read holds
 * everything back.
 */
export function judgeTime(
  { spec: { soak, windows: given = [] }, firstSeen }: Pick<NamedPolicy, "spec" | "firstSeen">,
  packageName: string,
  { name }: PolicyBundle,
  now: number,
): Verdict | undefined {
  const windows = given.length === 0 ? undefined : readWindows(given);
  if (windows?.ok === false) return { code: "VersionHeld", text: windows.problem };
  if (soak !== undefined) {
    const soakMs = parsePolicyDuration(soak);
    if (soakMs === undefined) return { code: "VersionHeld", text: `its soak "${soak}" cannot be read` };
    const seen = firstSeen.find((one) => one.package === packageName && one.bundles.includes(name))?.at;
    if (seen === undefined) return { code: "Soaking", text: `soaks for ${soak}, from when it is seen in a catalog` };
    const until = Date.parse(seen) + soakMs;
    if (until > now) {
      const text = `soaks until ${formatTime(until)}, ${soak} after it was first seen${laterOpening(windows?.value, until)}`;
      return { code: "Soaking", text, until };
    }
  }
  if (windows === undefined) return undefined;
  const opening = openingOf(windows.value, now);
  if (opening === "open") return undefined;
  if (opening === undefined)
    return { code: "OutsideWindow", text: "outside of its windows, none of which opens again" };
  const text = `outside of its windows, the next of which opens at ${openingWords(opening)}`;
  return { code: "OutsideWindow", text, until: opening.at };
}

/** When a version that has soaked is upgraded to, if not at once. */
function laterOpening(windows: Windows | undefined, soaked: number): string {
  const opening = windows === undefined ? "open" : openingOf(windows, soaked);
  if (opening === "open") return "";
  return opening === undefined ? ", then no window opens" : `, then waits until ${openingWords(opening)}`;
}
