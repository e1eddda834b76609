import { spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findKubectl } from "./find-kubectl.ts";
import { CannotShow } from "./row.ts";
import type { Scene } from "./scene.ts";

export interface Ran {
  readonly code: number;
  /** Standard output and error, interleaved. */
  readonly text: string;
}

export type Kubectl = (args: readonly string[], input?: string) => Promise<Ran>;

/**
 * kubectl in the case's namespace, with its own discovery cache.
 * @throws CannotShow when there is no kubectl
 */
export async function kubectlIn(scene: Scene): Promise<Kubectl> {
  const program = findKubectl(process.env);
  if (program === undefined) throw new CannotShow("no kubectl in KUBEBUILDER_ASSETS or PATH");
  const cache = await mkdtemp(join(tmpdir(), "conformance-kubectl-"));
  scene.atEnd(() => rm(cache, { recursive: true, force: true }));
  const kubeconfig = await scene.cluster.kubeconfig();
  const always = ["--kubeconfig", kubeconfig, "--cache-dir", cache, "--namespace", scene.ns];
  return (args, input = "") =>
    new Promise((resolve, reject) => {
      const child = spawn(program, [...always, ...args], { stdio: ["pipe", "pipe", "pipe"] });
      let text = "";
      const take = (chunk: Buffer): void => void (text += chunk.toString());
      child.stdout.on("data", take);
      child.stderr.on("data", take);
      child.on("error", reject);
      child.on("close", (code) => resolve({ code: code ?? -1, text }));
      child.stdin.end(input);
    });
}
