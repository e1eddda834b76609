import { spawn } from "node:child_process";
import type { Clock } from "@purser/kubernetes/clock";
import { done, failed, type Result } from "@purser/kubernetes/result";
import type { RegistryAuth } from "../registry-auth.ts";
import { startTimeLimit } from "../time-limit.ts";
import type { Environment } from "./image-paths.ts";

const outputBytes = 64 * 1024;
const helperMs = 30_000;

export interface HelperQuestion {
  readonly name: string;
  readonly registry: string;
  readonly environment: Environment;
  /** A program that is not on the PATH has no credentials: a `credsStore` often outlives the desktop program that wrote it. */
  readonly mayBeMissing: boolean;
}

type Run = Result<{ readonly code: number | null; readonly output: string } | undefined, string>;

/**
 * The credentials that `docker-credential-NAME get` has for a registry; undefined when it has none. What the program prints
 * is never part of a problem: it may be the secret. Rejects when the signal aborts.
 */
export async function askCredentialHelper(
  { name, registry, environment, mayBeMissing }: HelperQuestion,
  clock: Clock,
  signal: AbortSignal,
): Promise<Result<RegistryAuth | undefined, string>> {
  const program = `docker-credential-${name}`;
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name))
    return failed(`credential helper ${JSON.stringify(name)} is not a program name`);
  // Docker Hub is known to helpers by the address of its old API.
  const server = registry === "docker.io" ? "https://index.docker.io/v1/" : registry;
  const ended = await run(program, server, { environment, clock, signal });
  if (!ended.ok) return ended;
  if (ended.value === undefined)
    return mayBeMissing ? done(undefined) : failed(`credential helper ${program} is not on the PATH`);
  const { code, output } = ended.value;
  if (code !== 0)
    return /credentials not found/i.test(output)
      ? done(undefined)
      : failed(`credential helper ${program} failed with exit code ${code}`);
  return parseAnswer(output, registry, program);
}

function parseAnswer(output: string, registry: string, program: string): Result<RegistryAuth | undefined, string> {
  const unusable = failed(`credential helper ${program} printed something that is no credentials`);
  let answer: unknown;
  try {
    answer = JSON.parse(output);
  } catch {
    return unusable;
  }
  if (typeof answer !== "object" || answer === null) return unusable;
  const { Username: username, Secret: secret } = answer as Readonly<Record<string, unknown>>;
  if (typeof username !== "string" || typeof secret !== "string") return unusable;
  if (username === "" && secret === "") return done(undefined);
  return username === "<token>"
    ? done({ path: registry, username: "", password: "", identityToken: secret })
    : done({ path: registry, username, password: secret });
}

/** Undefined when there is no such program. */
function run(
  program: string,
  input: string,
  {
    environment,
    clock,
    signal,
  }: { readonly environment: Environment; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Run> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, ["get"], { env: { ...environment }, stdio: ["pipe", "pipe", "ignore"] });
    let output = "";
    const stopLimit = startTimeLimit(clock, helperMs, () =>
      end(failed(`credential helper ${program} did not finish within ${helperMs / 1000} s`)),
    );
    const end = (result: Run): void => {
      stopLimit();
      signal.removeEventListener("abort", abort);
      child.kill("SIGKILL");
      resolve(result);
    };
    const abort = (): void => {
      end(failed("aborted"));
      reject(signal.reason as Error);
    };
    if (signal.aborted) {
      abort();
      return;
    }
    signal.addEventListener("abort", abort, { once: true });
    child.on("error", (error) => {
      const code = "code" in error ? String(error.code) : "unknown";
      end(code === "ENOENT" ? done(undefined) : failed(`credential helper ${program} cannot be started (${code})`));
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      output += text;
      if (output.length > outputBytes)
        end(failed(`credential helper ${program} printed more than ${outputBytes} characters`));
    });
    child.on("close", (code) => end(done({ code, output })));
    child.stdin.on("error", () => undefined).end(`${input}\n`);
  });
}
