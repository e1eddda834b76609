import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { FlagSpec } from "./flags.ts";
import { groups } from "./groups.ts";
import { isShown } from "./help.ts";
import { commandLines, everywhere, onRoot } from "./run-opm.ts";

/** A command or group as the help of opm 1.73 shows it; `alpha` are flags that it shows with HELP_ALPHA=true only. */
interface Recorded {
  readonly path: string;
  readonly members: readonly string[];
  readonly hidden: readonly string[];
  readonly alpha: readonly string[];
  readonly flags: readonly {
    readonly name: string;
    readonly short?: string;
    readonly type: string;
    readonly default?: string;
  }[];
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, "testing/upstream-commands.json"), "utf8"),
) as readonly Recorded[];

function ours(path: string): Recorded {
  const command = commandLines.find((line) => line.path === path);
  const own = command?.flags ?? (path === "" ? onRoot : []);
  const flags = [...own, ...everywhere.filter(({ name }) => !own.some((flag) => flag.name === name))];
  const names = (chosen: readonly FlagSpec[]): readonly string[] => chosen.map(({ name }) => name).toSorted();
  const below = path === "" ? "" : `${path} `;
  const members = commandLines.filter(
    (line) => line.path.startsWith(below) && line.hidden !== true && line.deprecated === undefined,
  );
  const next = members.map((line) => line.path.slice(below.length).split(" ")[0] ?? "");
  return {
    path,
    members: command === undefined ? [...new Set([...next, ...(path === "" ? ["help"] : [])])].toSorted() : [],
    hidden: names(flags.filter((flag) => !isShown(flag, true))),
    alpha: names(flags.filter((flag) => isShown(flag, true) && !isShown(flag, false))),
    flags: flags
      .filter((flag) => isShown(flag, true))
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, short, value, type, initial }) => ({
        name,
        ...(short === undefined ? {} : { short }),
        type: value === undefined ? "switch" : (type ?? "text"),
        ...(initial === undefined ? {} : { default: initial }),
      })),
  };
}

for (const command of recorded)
  test(`opm ${command.path}: members, flags, letters, types, defaults and what is hidden are upstream's`, () => {
    assert.deepEqual(ours(command.path), { ...command, hidden: command.hidden.toSorted() });
  });

test("every command and group exists upstream", () => {
  const known = new Set(recorded.map(({ path }) => path));
  assert.deepEqual(
    [...commandLines, ...groups].map(({ path }) => path).filter((path) => !known.has(path)),
    [],
  );
});
