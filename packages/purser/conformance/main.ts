// npm run -s conformance -- SUITE [FILE] [--data DIR] [--kubeconfig FILE] [--case NAME] | --list
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { readDifferences } from "./differences.ts";
import { readGolden } from "./golden-file.ts";
import { reportLines } from "./report.ts";
import { dataDirectory } from "./real-data.ts";
import { dataIn, runSuite } from "./run-suite.ts";
import type { SuiteContext } from "./suite.ts";
import { suites } from "./suites.ts";

const root = resolve(import.meta.dirname, "..");

const usage = `usage: npm run -s conformance -- SUITE [FILE] [--data DIR] [--kubeconfig FILE] [--case NAME]
       npm run -s conformance -- apiserver [--kubeconfig FILE] [--case NAME]
       npm run -s conformance -- apiserver-differential --kubeconfig FILE [--seed N] [--operations N] [--case KIND,KIND]
       npm run -s conformance -- apiserver-pod-security --kubeconfig FILE [--seed N] [--operations N]
       npm run -s conformance -- --all [--data DIR]
       npm run -s conformance -- --list

FILE          golden cases as JSON lines (default conformance/golden/SUITE.jsonl)
--data DIR    directory with catalogs/ and bundles/ or operators/ (default ../shared/data beside the checkout)
--kubeconfig  run the cases against a real cluster instead of our own code (suites that support it)
--case NAME   run only this case
--all         every golden suite and the rows of the embedded API server; the last line counts them together
apiserver     the rows of the embedded API server; NAME is a row's name or number
apiserver-differential   the same random writes on the embedded API server and on the kube-apiserver of FILE (default 500)
apiserver-pod-security   the same random pods in namespaces with Pod Security levels, on both (default 500)`;

/** Prints to stderr and returns exit code 2: no case was compared. */
function refuse(message: string): number {
  console.error(message);
  return 2;
}

async function main(args: readonly string[]): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      data: { type: "string" },
      kubeconfig: { type: "string" },
      case: { type: "string" },
      seed: { type: "string", default: "1" },
      operations: { type: "string", default: "500" },
      all: { type: "boolean" },
      list: { type: "boolean" },
      help: { type: "boolean", short: "h" },
    },
  });
  if (values.help === true) {
    console.log(usage);
    return 0;
  }
  if (values.list === true) {
    console.log(["apiserver", "apiserver-differential", "apiserver-pod-security", ...Object.keys(suites)].join("\n"));
    return 0;
  }
  if (values.all === true) return positionals.length > 0 ? refuse(usage) : runAll(values.data ?? dataDirectory);
  const [name, file, extra] = positionals;
  if (name === undefined || extra !== undefined) return refuse(usage);
  if (name === "apiserver") {
    const { runApiserverRows } = await import("@purser/apiserver/testing/conformance");
    return runApiserverRows({ kubeconfig: values.kubeconfig, only: values.case });
  }
  if (name === "apiserver-differential") {
    const { runDifferential } = await import("@purser/apiserver/testing/differential");
    const { kubeconfig, seed, operations } = values;
    return runDifferential({
      kubeconfig,
      seed: Number(seed),
      operations: Number(operations),
      kinds: values.case,
    });
  }
  if (name === "apiserver-pod-security") {
    const { runPodSecurity } = await import("@purser/apiserver/testing/pod-security");
    const { kubeconfig, seed, operations } = values;
    return runPodSecurity({ kubeconfig, seed: Number(seed), operations: Number(operations) });
  }
  const load = Object.hasOwn(suites, name) ? suites[name] : undefined;
  if (load === undefined) return refuse(`unknown suite "${name}"; known: ${Object.keys(suites).join(", ")}`);
  const cases = readGolden(file ?? resolve(root, "conformance/golden", `${name}.jsonl`));
  if (!cases.ok) return refuse(cases.problem);
  const { suite } = await load();
  const context: SuiteContext = {
    data: dataIn(values.data ?? dataDirectory),
    ...(values.kubeconfig === undefined ? {} : { kubeconfig: values.kubeconfig }),
  };
  const wanted = cases.value.filter((golden) => values.case === undefined || golden.name === values.case);
  const tally = await runSuite(suite, wanted, context, readDifferences());
  for (const line of reportLines(tally)) console.log(line);
  return tally.failures.length > 0 ? 1 : 0;
}

/** Each suite under its name, then the rows of the API server. 2 when a golden file is missing, 1 when a case fails. */
async function runAll(data: string): Promise<number> {
  const differences = readDifferences();
  const sums = { passed: 0, failed: 0, skipped: 0 };
  for (const [name, load] of Object.entries(suites)) {
    const cases = readGolden(resolve(root, "conformance/golden", `${name}.jsonl`));
    if (!cases.ok) return refuse(cases.problem);
    const tally = await runSuite((await load()).suite, cases.value, { data: dataIn(data) }, differences);
    console.log([`== ${name}`, ...reportLines(tally)].join("\n"));
    sums.passed += tally.passed + tally.loose + tally.listed;
    sums.failed += tally.failures.length;
    sums.skipped += tally.skipped;
  }
  console.log("== apiserver");
  const { runApiserverRows } = await import("@purser/apiserver/testing/conformance");
  const rows = await runApiserverRows({ kubeconfig: undefined, only: undefined });
  const together = `${sums.passed} right, ${sums.failed} failed, ${sums.skipped} skipped`;
  console.log(`== all\n${together}; rows of the API server: ${rows === 0 ? "none failed" : "some failed"}`);
  return rows === 0 && sums.failed === 0 ? 0 : 1;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  // parseArgs throws for an unknown option; anything else is a bug and shows its stack.
  const isUsage = error instanceof TypeError && "code" in error && String(error.code).startsWith("ERR_PARSE_ARGS");
  process.exitCode = refuse(
    isUsage ? `${error.message}\n${usage}` : String(error instanceof Error ? error.stack : error),
  );
}
