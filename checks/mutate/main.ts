// npm run -s mutate -- PATH [--sample N] [--seed S] [--jobs N] [--coverage] [-o text|json] [--list]
import { readFileSync, readdirSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";
import { noticingOf, readCoverage } from "./coverage.ts";
import { isRefusedByCompiler, judgeMutant } from "./judge-mutant.ts";
import { isValid, mutantsOf, sampleOf, type Mutant } from "./mutants.ts";
import { coverageFile, openRecord, recordFile, versionOf } from "./record.ts";
import { jsonOf, textOf, type Judged } from "./report.ts";
import { createScratch, sourcesOf } from "./scratch.ts";
import { judgesOf, readGraph } from "./test-order.ts";

const root = resolve(import.meta.dirname, "../..");

const usage = `usage: npm run -s mutate -- PATH[:LINE] ... [--sample N] [--seed S] [--jobs N] [--coverage] [-o text|json] [--list]

Plants faults one at a time in a copy of the checkout and reports which of them the tests notice: the test files that
import the changed file, the other tests of its room that reach it, then the conformance suites that reach it.
A run that was ended goes on where it stopped while version and seed are the same.

PATH        a file or a directory of packages/*/src; with :LINE only the mutants of that line
--sample N  a random sample (default 50; 0: all)
--seed S    which sample (default 1)
--jobs N    mutants at a time, each in a copy of its own (default 1)
--coverage  run all tests and suites once before, and leave out those that do not execute the changed piece: worth it
            from about a hundred mutants on; kept for the version
--list      print the mutants of the sample and run nothing`;

function isProduct(path: string): boolean {
  if (!/^packages\/[^/]+\/src\/.*\.ts$/.test(path)) return false;
  return !/\.(test|gen|d)\.ts$|\/testing\//.test(path);
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      sample: { type: "string", default: "50" },
      seed: { type: "string", default: "1" },
      jobs: { type: "string", default: "1" },
      coverage: { type: "boolean", default: false },
      output: { type: "string", short: "o", default: "text" },
      list: { type: "boolean", default: false },
      help: { type: "boolean", short: "h", default: false },
    },
  });
  const [sample, seed, jobs] = [values.sample, values.seed, values.jobs].map(Number);
  const isNumbers = [sample, seed, jobs].every((one) => Number.isSafeInteger(one) && (one ?? -1) >= 0);
  if (values.help || positionals.length === 0 || !isNumbers || !["text", "json"].includes(values.output)) {
    (values.help ? console.log : console.error)(usage);
    return values.help ? 0 : 2;
  }
  const wanted = positionals.map((one) => {
    const [, path = one, line] = /^(.*?)(?::(\d+))?$/.exec(one) ?? [];
    return { path: relative(root, resolve(path)), line: line === undefined ? undefined : Number(line) };
  });
  const texts = new Map<string, string>();
  const all: Mutant[] = [];
  for (const path of sourcesOf(root).filter(isProduct).sort()) {
    const matching = wanted.filter((one) => path === one.path || path.startsWith(`${one.path}/`));
    if (matching.length === 0) continue;
    const text = readFileSync(join(root, path), "utf8");
    texts.set(path, text);
    for (const mutant of mutantsOf(path, text))
      if (matching.some(({ line }) => line === undefined || line === mutant.line)) all.push(mutant);
  }
  if (all.length === 0) {
    console.error(`nothing to mutate in ${positionals.join(" ")}`);
    return 2;
  }
  const count = sample === 0 ? all.length : (sample ?? 0);
  const chosen = sampleOf(all, seed ?? 1, count, (mutant) => isValid(texts.get(mutant.path) ?? "", mutant));
  if (values.list) {
    for (const { path, line, column, operator, before, after } of chosen)
      console.log(`${path}:${line}:${column}  ${operator}: ${JSON.stringify(before)} -> ${JSON.stringify(after)}`);
    return 0;
  }
  const version = versionOf(root);
  const record = openRecord(recordFile(root, version, seed ?? 1));
  const graph = readGraph(root);
  const golden = readdirSync(join(root, "packages/purser/conformance/golden"));
  const suites = new Set(golden.map((name) => name.replace(/\.jsonl$/, "")));
  const canNotice = values.coverage
    ? noticingOf(await readCoverage(root, coverageFile(root, version), suites))
    : () => true;
  const judged: Judged[] = [];
  const used = new Set<string>();
  const waiting = [...chosen];
  const work = async (): Promise<boolean> => {
    const scratch = createScratch(root);
    const drop = (): void => scratch.delete();
    process.once("exit", drop);
    // Every survivor would count as refused.
    if (await isRefusedByCompiler(scratch.root)) return false;
    for (let mutant = waiting.shift(); mutant !== undefined; mutant = waiting.shift()) {
      const judges = judgesOf(mutant.path, graph, suites).filter(({ name }) => canNotice(name, mutant));
      for (const { name } of judges) used.add(name);
      const known = record.outcome(mutant);
      const outcome = known ?? (await judgeMutant({ checkout: root, scratch: scratch.root, record }, mutant, judges));
      if (known === undefined) {
        record.addOutcome(mutant, outcome);
        const { path, line, column } = mutant;
        console.error(
          `${judged.length + 1}/${chosen.length}  ${outcome.fate}  ${path}:${line}:${column}  ${outcome.by ?? ""}`,
        );
      }
      judged.push({ mutant, outcome });
    }
    process.off("exit", drop);
    drop();
    return true;
  };
  const ended = await Promise.all(Array.from({ length: Math.max(1, jobs ?? 1) }, work));
  if (ended.includes(false)) {
    console.error("the compiler refuses the checkout as it is: run `npm ci` and `npm run -s typecheck` first");
    return 1;
  }
  const unusable = [...used].filter((name) => record.unmutated(name) === "failed").sort();
  const result = { version, seed: seed ?? 1, candidates: all.length, judged, unusable };
  console.log(values.output === "json" ? jsonOf(result) : textOf(result));
  return 0;
}

for (const [at, signal] of ["SIGINT", "SIGTERM", "SIGHUP"].entries()) process.on(signal, () => process.exit(130 + at));
process.exitCode = await main(process.argv.slice(2));
