import { type ChildProcess, spawn } from "node:child_process";

/** Starts a program that runs a lifecycle manager, until it prints `running`; returns what stops it. */
export async function startManager(
  program: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<() => Promise<void>> {
  const child: ChildProcess = spawn(program, args, {
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  await new Promise<void>((done, refuse) => {
    child.on("close", (code) => refuse(new Error(`${program} ended with ${code}:\n${output}`)));
    const take = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes("running")) done();
    };
    child.stdout?.on("data", take);
    child.stderr?.on("data", take);
  });
  return async () => {
    child.kill("SIGTERM");
    await ended;
  };
}
