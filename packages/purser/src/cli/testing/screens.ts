import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import { UsageError } from "../command.ts";
import type { Ran } from "./run-purser.ts";

/** The screens of command lines, one after the other. */
export async function screensOf(
  lines: readonly (readonly string[])[],
  purser: (args: readonly string[]) => Promise<Ran>,
  settled: (text: string) => string = (text) => text,
): Promise<readonly string[]> {
  const screens: string[] = [];
  for (const args of lines) {
    const printed = await screenOf(args, purser);
    screens.push(
      settled(printed)
        .replaceAll(/ +$/gm, "")
        .replaceAll(/\n{3,}/g, "\n\n")
        .trimEnd(),
    );
  }
  return screens;
}

async function screenOf(args: readonly string[], purser: (args: readonly string[]) => Promise<Ran>): Promise<string> {
  const head = `$ purser ${args.join(" ")}`;
  try {
    const { exitCode, text, errors, data } = await purser(args);
    const result = args.at(-1) === "yaml" && data !== undefined ? writeYaml(data) : text;
    return [head, `exit code ${exitCode}`, result, ...(errors === "" ? [] : ["stderr:", errors])].join("\n");
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    return [head, "usage error", error.message, ...error.hints].join("\n");
  }
}

/** Whether the screens are those of the file; with PURSER_SCREENS=write the file is written anew. */
export function assertScreens(file: string, screens: readonly string[]): void {
  if (process.env["PURSER_SCREENS"] === "write") writeFileSync(file, `${screens.join("\n\n\n")}\n`);
  const expected = readFileSync(file, "utf8")
    .trimEnd()
    .split(/\n\n\n(?=\$ purser )/);
  for (const [at, screen] of screens.entries()) assert.equal(screen, expected[at]);
  assert.equal(expected.length, screens.length);
}
