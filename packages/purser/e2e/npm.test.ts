import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { test } from "node:test";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { written } from "@purser/kubernetes/kube/refusal";
import { eventually } from "./eventually.ts";
import { productDirectory } from "./built-product.ts";
import { connectWith, freshSurroundings, patient } from "./surroundings.ts";

const { dataDirectory, env } = freshSurroundings();

/** Processes of the group that have not ended; one whose parent never collected it has. */
function processesOf(group: number): readonly string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
        // After the name in parentheses: state, parent, process group.
        const [state, , ownGroup] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return ownGroup === String(group) && state !== "Z";
      } catch {
        return false;
      }
    });
}

const cases = [
  { script: ["start", "--"], signal: "SIGTERM", to: "npm alone" },
  { script: ["run", "-s", "purser", "--", "up"], signal: "SIGINT", to: "npm alone" },
  { script: ["start", "--"], signal: "SIGINT", to: "the process group" },
  { script: ["start", "--"], signal: "SIGHUP", to: "npm alone" },
  { script: ["start", "--"], signal: "SIGKILL", to: "npm alone" },
] as const;

/** What earlier starts wrote. */
const notes: string[] = [];

for (const { script, signal, to } of cases)
  test(
    `${signal} to ${to} ends "npm ${script.join(" ")}": no process, a free port, all objects kept`,
    { skip: !existsSync("/proc/self/stat") && "not here: processes are found in /proc" },
    async () => {
      const child = spawn("npm", [...script, "--demo", "none", "--catalog-address", "none"], {
        cwd: resolve(productDirectory, "../.."),
        env: { ...process.env, ...env },
        stdio: ["ignore", "pipe", "pipe"],
        detached: true,
      });
      const group = child.pid ?? assert.fail("npm is not on the PATH");
      let output = "";
      for (const stream of [child.stdout, child.stderr])
        stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
      try {
        await eventually("the cluster is ready", async () => (/^Ready/m.test(output) ? undefined : output));
        assert.match(output, /^ {2}npm run -s purser -- status$/m);
        const cluster = connectWith(join(dataDirectory, "kubeconfig"));
        const name = `note-${notes.length}`;
        notes.push(name);
        const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { name, namespace: "default" } };
        written(await cluster.client.write({ verb: "create", type: configMaps, object }, patient));
        const names = (await cluster.client.list(configMaps)).map(({ metadata }) => metadata.name ?? "");
        cluster.close();
        assert.deepEqual(
          notes.filter((note) => !names.includes(note)),
          [],
        );
        process.kill(to === "npm alone" ? group : -group, signal);
        await eventually("all processes have ended", async () => {
          const left = processesOf(group);
          return left.length === 0 ? undefined : `${left.join(" ")}\n${output}`;
        });
        await assert.rejects(fetch(cluster.url), "the port is still served");
        assert.ok(!existsSync(join(dataDirectory, "running.json")), "it ended without its shutdown");
      } finally {
        if (processesOf(group).length > 0) process.kill(-group, "SIGKILL");
      }
    },
  );
