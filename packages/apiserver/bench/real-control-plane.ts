import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { memoryOf, repository } from "../../../bench/built-purser.ts";

export interface RealControlPlane {
  readonly kubeconfig: string;
  /** Of kube-apiserver and etcd together, in MB. */
  residentMB(): number;
  stop(): Promise<void>;
}

const starter = join(repository, "../shared/tools/control-plane/start");
const binaries = process.env["KUBEBUILDER_ASSETS"] ?? join(homedir(), ".cache/purser/kube-1.36.3");

/** A kube-apiserver with etcd and controllers on loopback; undefined when it is not installed. */
export async function startRealControlPlane(directory: string, port: number): Promise<RealControlPlane | undefined> {
  if (!existsSync(starter) || !existsSync(join(binaries, "kube-apiserver"))) return undefined;
  const child = spawn(starter, [directory, "--no-nodes"], {
    stdio: ["ignore", "pipe", "inherit"],
    env: { ...process.env, PORT: String(port), KUBEBUILDER_ASSETS: binaries },
  });
  const ended = new Promise<void>((done) => child.on("close", () => done()));
  await new Promise<void>((ready, refuse) => {
    child.stdout.on("data", (bytes: Buffer) => bytes.includes("ready:") && ready());
    void ended.then(() => refuse(new Error("the real control plane ended before it was ready")));
  });
  return {
    kubeconfig: join(directory, "kubeconfig"),
    residentMB: () => residentOf(port, ["kube-apiserver", "etcd"]),
    async stop() {
      child.kill("SIGTERM");
      await ended;
    },
  };
}

/** The processes are children of the starter script; they are found by program and by a port of this control plane. */
function residentOf(port: number, programs: readonly string[]): number {
  let sum = 0;
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const command = commandOf(pid);
    const program = command[0]?.split("/").at(-1) ?? "";
    if (!programs.includes(program)) continue;
    if (!command.some((word) => word.includes(String(port)) || word.includes(`:${port + 1}`))) continue;
    sum += memoryOf(Number(pid))?.residentMB ?? 0;
  }
  return sum;
}

function commandOf(pid: string): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
  } catch {
    return []; // It ended meanwhile.
  }
}
