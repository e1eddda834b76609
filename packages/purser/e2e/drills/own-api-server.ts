import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { connectWith } from "../surroundings.ts";
import { freePort } from "../../src/image/testing/free-port.ts";

/** One more kube-apiserver of a control plane on this machine, which may be killed while the control plane goes on. */
export interface OwnApiServer {
  /** Of the administrator, through this server. */
  readonly kubeconfig: string;
  /** Resolves when it answers. */
  start(): Promise<void>;
  kill(): Promise<void>;
}

/** How the kube-apiserver that listens at `url` was started; undefined when no process of this machine says so. */
export function apiServerCommand(url: string): readonly string[] | undefined {
  const { port } = new URL(url);
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0").slice(0, -1);
      if (command[0]?.endsWith("/kube-apiserver") === true && flagOf(command, "--secure-port") === port) return command;
    } catch {
      // It has ended.
    }
  }
  return undefined;
}

/** The value of a flag of a command line. */
export function flagOf(command: readonly string[], flag: string): string | undefined {
  return command[command.indexOf(flag) + 1];
}

/** Prepares a server with the settings of another one, at a port of its own; starts nothing yet. */
export async function ownApiServer(
  command: readonly string[],
  kubeconfig: string,
  directory: string,
): Promise<OwnApiServer> {
  const port = String(await freePort());
  const [program = "", ...given] = command;
  const changed = new Map([
    ["--secure-port", port],
    ["--cert-dir", join(directory, "certs")],
  ]);
  const args = given.map((arg, index) => changed.get(given[index - 1] ?? "") ?? arg);
  const own = join(directory, "own-kubeconfig");
  const text = readFileSync(kubeconfig, "utf8");
  writeFileSync(own, text.replace(/(server: "?https:\/\/[^:"]+):\d+/, `$1:${port}`), { mode: 0o600 });
  let child: ChildProcess | undefined;
  return {
    kubeconfig: own,
    async start() {
      // The endpoints of the Service `kubernetes` are those of the servers that stay.
      child = spawn(program, [...args, "--endpoint-reconciler-type=none"], { stdio: "ignore" });
      const started = child;
      const { client, close } = connectWith(own);
      try {
        await eventually("the API server answers", async () => {
          if (started.exitCode !== null) throw new Error(`the API server ended with ${started.exitCode}`);
          return client.requestJson({ method: "GET", path: "/version" }, AbortSignal.timeout(5000)).then(
            () => undefined,
            (error: unknown) => String(error),
          );
        });
      } finally {
        close();
      }
    },
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const killed = child;
      const ended = new Promise((done) => killed.once("exit", done));
      killed.kill("SIGKILL");
      await ended;
    },
  };
}
