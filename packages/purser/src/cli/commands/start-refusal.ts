// Why a cluster or its controllers cannot start, and what to do about it.
import type { EmbeddedProblem } from "../../engine/embedded.ts";
import type { ServingProblem } from "../../engine/lifecycle.ts";
import type { Outcome } from "../command.ts";
import { exitCodes } from "../exit-code.ts";
import type { Terminal } from "../output/terminal.ts";

/** What happened, and the ways out, each a line. */
export interface StartRefusal {
  readonly what: string;
  readonly ways: readonly string[];
}

const refusal = (what: string, ...ways: readonly string[]): StartRefusal => ({ what, ways });

/** Prints the refusal on stderr. */
export function refused(terminal: Terminal, { what, ways }: StartRefusal): Outcome {
  terminal.err(`${terminal.paint("bad", terminal.symbol("failed"))} ${what}`);
  ways.forEach((way, index) => terminal.err(`  ${index === 0 ? "do" : "or"}    ${way}`));
  return { exitCode: exitCodes.failed };
}

/** Why catalogs, metrics or PackageManifests cannot be served at an address. */
export function addressRefusal({ kind, address, message }: ServingProblem): StartRefusal {
  if (kind === "metricsAddress")
    return refusal(
      `Cannot serve metrics on ${address}: ${message}`,
      "--metrics-address HOST:PORT   serves them at another address",
    );
  if (kind === "packageAddress")
    return refusal(
      `Cannot serve PackageManifests on ${address}: ${message}`,
      "--package-api-address HOST:PORT   serves them at another address",
      "--no-package-api                  does not serve them",
    );
  return refusal(
    `Cannot serve catalogs on ${address}: ${message}`,
    "--catalog-address HOST:PORT   serves them elsewhere",
    "--catalog-address none        serves them nowhere",
  );
}

/** Why `purser up` cannot start a cluster in the data directory. */
export function startRefusal(problem: EmbeddedProblem, dataDirectory: string): StartRefusal {
  if (problem.kind === "portTaken")
    return refusal(
      `Cannot listen on 127.0.0.1:${problem.port}: the port is taken`,
      "purser up                  takes a free port when 7443 is taken",
      "purser up --port N         another one",
    );
  if (problem.kind === "portRefused")
    return refusal(
      `Cannot listen on 127.0.0.1:${problem.port}: ${problem.message}`,
      "purser up --port N         another one; those below 1024 need privileges",
    );
  if (problem.kind === "addressRefused")
    return refusal(
      `Cannot listen on ${problem.address}: ${problem.message}`,
      "make this address available, and start again",
    );
  if (problem.kind !== "storage") return addressRefusal(problem);
  const { kind, file } = problem.problem;
  // Some messages of SQLite have several lines.
  const message = problem.problem.message.replaceAll(/\s*\n\s*/g, " ");
  switch (kind) {
    case "locked":
      return refusal(
        `Another process uses the data directory "${dataDirectory}"`,
        "purser status                      talks to the cluster that runs there",
        "purser up --data DIR               starts a second one elsewhere",
        "purser up --ephemeral              starts one in memory",
      );
    case "damaged":
      return refusal(
        `The data file "${file}" is damaged: ${message}. It was left as it is`,
        "purser up --data DIR               starts on another directory",
        "purser up --fresh                  forgets the damaged state",
      );
    case "lost":
      return refusal(
        `The cluster in "${dataDirectory}" is incomplete: "${file}": ${message}. Nothing was changed`,
        "put the missing file back, and start again",
        "purser up --data DIR               starts on another directory",
        "purser up --fresh                  forgets the cluster and starts a new one",
      );
    case "unknownFormat":
      return refusal(
        `The data file "${file}" was written by a later version of purser: ${message}`,
        "use that version, or purser up --data DIR",
      );
    case "unreadable":
      return refusal(
        `Cannot use the data file "${file}": ${message}`,
        "purser up --data DIR               starts on another directory",
      );
  }
}
