import { unreachable } from "@purser/kubernetes/invariant";
import type { StorageProblem } from "./storage/storage.ts";

/** Why `startApiServer` could not start. `message` is the system's sentence about the socket. */
export type StartProblem =
  | { readonly kind: "storage"; readonly problem: StorageProblem }
  | { readonly kind: "portTaken"; readonly address: string; readonly port: number }
  /** The system does not let this user listen on the port. */
  | { readonly kind: "portRefused"; readonly address: string; readonly port: number; readonly message: string }
  /** The address does not belong to this machine, or is none. */
  | { readonly kind: "addressRefused"; readonly address: string; readonly message: string };

/** What happened, and what to do about it: one line each, in the words of a library's caller. */
export interface StartAdvice {
  readonly what: string;
  readonly remedy: string;
}

/** The problem as text for people; it names the port, the address, or the file. */
export function describeStartProblem(problem: StartProblem): StartAdvice {
  switch (problem.kind) {
    case "portTaken":
      return {
        what: `cannot listen on ${problem.address} port ${problem.port}: the port is taken`,
        remedy: "choose another port, or 0 for a free one",
      };
    case "portRefused":
      return {
        what: `cannot listen on ${problem.address} port ${problem.port}: ${problem.message}`,
        remedy: "choose another port; those below 1024 need privileges",
      };
    case "addressRefused":
      return {
        what: `cannot listen on "${problem.address}": ${problem.message}`,
        remedy: "choose an address of this machine, such as 127.0.0.1",
      };
    case "storage":
      return describeStorageProblem(problem.problem);
  }
  return unreachable(problem);
}

function describeStorageProblem({ kind, file, message }: StorageProblem): StartAdvice {
  // SQLite reports some of its findings in several lines.
  const line = message.replaceAll(/\s*\n\s*/g, " ");
  switch (kind) {
    case "locked":
      return {
        what: `the data directory of "${file}" is in use by another process`,
        remedy: "stop that process, choose another directory, or none to keep the state in memory",
      };
    case "damaged":
      return {
        what: `the data file "${file}" is damaged and was left as it is: ${line}`,
        remedy: "choose another directory",
      };
    case "lost":
      return {
        what: `the data directory is incomplete and was left as it is: "${file}": ${line}`,
        remedy: "put the missing file back, or choose another directory",
      };
    case "unknownFormat":
      return {
        what: `the data file "${file}" was written by a later version of this program: ${line}`,
        remedy: "use that version, or choose another directory",
      };
    case "unreadable":
      return { what: `cannot use the data file "${file}": ${line}`, remedy: "choose another directory" };
  }
  return unreachable(kind);
}
