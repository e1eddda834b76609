// Runs OLM's opm for the command lines of a golden file and writes the answers into it.
// usage: node conformance/record-opm.ts OPM FILE.jsonl
import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import type { JsonObject } from "@purser/kubernetes/json";
import { answerLines, type RunLine } from "./suites/opm-command-line.ts";

const [, , program = "", file = ""] = process.argv;

const real: RunLine = (args, directory) => {
  const env = { PATH: "/nonexistent", HOME: directory };
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: directory, env, encoding: "utf8", input: "" });
  return { exit: status ?? -1, stdout, stderr };
};

const recorded: string[] = [];
for (const line of readFileSync(file, "utf8").split("\n")) {
  if (line === "") continue;
  const { name, input } = JSON.parse(line) as { readonly name: string; readonly input: JsonObject };
  recorded.push(`${JSON.stringify({ name, input, expect: await answerLines(input, real) })}\n`);
}
writeFileSync(file, recorded.join(""));
