import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { writeYaml } from "@purser/kubernetes/text/yaml/go-yaml";
import { plainJson } from "@purser/kubernetes/json";
import { clusterFailure } from "../cluster/report-cluster-error.ts";
import { UsageError } from "../command.ts";
import { exitCodeOfFailure } from "../failure.ts";
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
    if (error instanceof UsageError) return [head, "usage error", error.message, ...error.hints].join("\n");
    const failed = clusterFailure(error);
    if (failed === undefined) throw error;
    return [head, `exit code ${exitCodeOfFailure(failed.code)}`, writeYaml(plainJson(failed))].join("\n");
  }
}

/** What differs from run to run is replaced. Columns differ by the widths of ages and random names, so spaces are one. */
export const settledText = (text: string): string =>
  text
    .replaceAll(/\b20[0-8]\d-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g, "TIME")
    .replaceAll(/\b(?!3d|4h|10m)\d+(ms|[smhd])(\d+[smh])?\b/g, "AGE")
    .replaceAll(/\bsha256:[0-9a-f]{8,64}/g, "sha256:DIGEST")
    .replaceAll(/\binstall-[a-z0-9]{5}\b/g, "install-RANDOM")
    .replaceAll(/\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g, "UID")
    .replaceAll(/(tookSeconds|generation|observedGeneration|indexMs|openMs|solveMs|variablesMs): [\d.]+/g, "$1: N")
    .replaceAll(/(?<=\S) {2,}/g, "  ");

/** Whether the screens are those of the file; with PURSER_SCREENS=write the file is written anew. */
export function assertScreens(file: string, screens: readonly string[]): void {
  if (process.env["PURSER_SCREENS"] === "write") writeFileSync(file, `${screens.join("\n\n\n")}\n`);
  const expected = readFileSync(file, "utf8")
    .trimEnd()
    .split(/\n\n\n(?=\$ purser )/);
  for (const [at, screen] of screens.entries()) assert.equal(screen, expected[at]);
  assert.equal(expected.length, screens.length);
}
