// npm run -s conformance -- SUITE [FILE] [--data DIR] [--kubeconfig FILE] [--case NAME] | --list
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { readDifferences } from "./differences.ts";
import { readGolden } from "./golden-file.ts";
import { reportLines } from "./report.ts";
import { dataFolder } from "./real-data.ts";
import { dataIn, runSuite } from "./run-suite.ts";
import type { SuiteContext } from "./suite.ts";
import { suites } from "./suites.ts";

const root = resolve(import.meta.dirname, "..");

const usage = `usage: npm run -s conformance -- SUITE [FILE] [--data DIR] [--kubeconfig FILE] [--case NAME]
       npm run -s conformance -- apiserver [--kubeconfig FILE] [--case NAME]
       npm run -s conformance -- apiserver-differential --kubeconfig FILE [--seed N] [--operations N] [--case KIND,KIND]
       npm run -s conformance -- apiserver-pod-security --kubeconfig FILE [--seed N] [--operations N]
       npm run -s conformance -- --list

FILE          golden cases as JSON lines (default conformance/golden/SUITE.jsonl)
--data DIR    folder with catalogs/ and bundles/ or operators/ (default ../shared/data beside the checkout)
--kubeconfig  run the cases against a real cluster instead of our own code (suites that support it)
--case NAME   run only this case
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
    data: dataIn(values.data ?? dataFolder),
    ...(values.kubeconfig === undefined ? {} : { kubeconfig: values.kubeconfig }),
  };
  const wanted = cases.value.filter((golden) => values.case === undefined || golden.name === values.case);
  const tally = await runSuite(suite, wanted, context, readDifferences());
  for (const line of reportLines(tally)) console.log(line);
  return tally.failures.length > 0 ? 1 : 0;
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
