import {
  lifecycleOf,
  type LifecyclePhase,
  type PackageLifecycle,
  phaseState,
  type VersionLifecycle,
} from "../../discovery/package-lifecycle.ts";
import { shellWord } from "../../explanation/summary.ts";
import { fitTable } from "../output/table.ts";

/** The support of each minor version as a table; a sentence when the catalog states none, or no one thing. */
export function lifecycleLines(
  packageName: string,
  lifecycle: PackageLifecycle,
  today: string,
  width: number,
): readonly string[] {
  switch (lifecycle.kind) {
    case "none":
      return ["The catalog states nothing about its support"];
    case "several":
      return [
        `The catalog has ${lifecycle.count} documents about the support of ${shellWord(packageName)}, and should have one: it states nothing`,
      ];
    case "stated":
      return fitTable(
        [
          { heading: "VERSION" },
          { heading: "PHASE", isSentence: true },
          { heading: "FROM", rank: 2 },
          { heading: "UNTIL" },
          { heading: "STATE", rank: 3 },
          { heading: "PLATFORMS", rank: 1 },
        ],
        lifecycle.versions.flatMap((version) => rowsOf(version, today)),
        true,
        width,
      ).split("\n");
  }
}

function rowsOf({ name, phases, platforms }: VersionLifecycle, today: string): readonly (readonly string[])[] {
  const where = platforms.map((one) => `${one.name} ${one.versions.join(",")}`).join("; ");
  if (phases.length === 0) return [[name, "", "", "", "", where]];
  return phases.map((phase) => [
    name,
    phase.name,
    phase.startDate ?? "",
    phase.endDate ?? "",
    phaseState(phase, today),
    where,
  ]);
}

/** How long a version is supported, in a few words; undefined when that is not stated. */
export function supportWords(lifecycle: PackageLifecycle, version: string, today: string): string | undefined {
  const phases = lifecycleOf(lifecycle, version)?.phases ?? [];
  const last = phases.at(-1);
  if (last === undefined) return undefined;
  const active = phases.find((phase) => phaseState(phase, today) === "active");
  if (active !== undefined)
    return `${active.name}${untilWords(active)}${active === last ? "" : `, then ${last.name}${untilWords(last)}`}`;
  const next = phases.find((phase) => phaseState(phase, today) === "future");
  return next === undefined ? `ended ${last.endDate ?? ""}` : `${next.name} from ${next.startDate ?? ""}`;
}

const untilWords = ({ endDate }: LifecyclePhase): string => (endDate === undefined ? "" : ` until ${endDate}`);
