// Runs OLM's configmap-server for the ConfigMaps of a golden file and writes into it what the server serves, or that it
// refuses the ConfigMap. The server reads the ConfigMap from an embedded API server.
// usage: node conformance/record-config-map.ts CONFIGMAP-SERVER FILE.jsonl
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startApiServer } from "@purser/apiserver";
import { configMaps } from "@purser/kubernetes/apis/resources";
import { invariant } from "@purser/kubernetes/invariant";
import type { JsonObject } from "@purser/kubernetes/json";
import { createClient } from "@purser/kubernetes/kube/client";
import { written } from "@purser/kubernetes/kube/refusal";
import { systemClock } from "@purser/kubernetes/system/system-clock";
import { message, text } from "../src/catalog-store/registry/message-writer.ts";
import { packageOfBundle, readServedBundle, readServedPackage } from "../src/catalog-store/registry/served-messages.ts";
import { openRegistryConnection } from "../src/content/address/registry-connection.ts";
import { servedAnswers } from "./suites/v0/config-map-answers.ts";

const [, , program = "", file = "", firstPort = "18260"] = process.argv;
const never = new AbortController().signal;
const directory = mkdtempSync(join(tmpdir(), "purser-record-"));
const started = await startApiServer({});
invariant(started.ok, "the API server starts");
const kubeconfig = join(directory, "kubeconfig");
writeFileSync(kubeconfig, started.value.kubeconfig);
const client = createClient(started.value.server.transport());

/** What the server sends; undefined when it ended before it answered. */
async function served(name: string, port: number): Promise<JsonObject> {
  const database = join(directory, `${name}.db`);
  const args = [
    "-k",
    kubeconfig,
    "-c",
    name,
    "-n",
    "default",
    "-d",
    database,
    "-p",
    String(port),
    "-t",
    join(directory, "log"),
  ];
  const child = spawn(program, args, { stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (chunk: Buffer) => (errors += chunk.toString()));
  const ended = new Promise<"ended">((resolve) => child.once("exit", () => resolve("ended")));
  const limits = { silenceMs: 10_000, streamMs: 60_000, messageBytes: 64 * 2 ** 20 };
  const options = { address: `127.0.0.1:${port}`, environment: {}, limits, clock: systemClock };
  try {
    for (;;) {
      const open = await openRegistryConnection(options);
      invariant(open.ok, "the address is valid");
      try {
        const bundles: Uint8Array[] = [];
        for await (const bytes of open.value.list("/api.Registry/ListBundles", never)) bundles.push(bytes);
        const packages: Uint8Array[] = [];
        for (const each of new Set(bundles.map(packageOfBundle)))
          packages.push(await open.value.call("/api.Registry/GetPackage", message(text(1, each)), never));
        return servedAnswers(packages.map(readServedPackage), bundles.map(readServedBundle));
      } catch (error) {
        if ((await Promise.race([ended, systemClock.sleep(50, never)])) !== "ended") continue;
        if (!errors.includes("error loading manifests from configmap")) throw error;
        console.error(`${name}: ${/error="((?:[^"\\]|\\.)*)"/.exec(errors)?.[1] ?? errors.slice(-300)}`);
        return { refused: true };
      } finally {
        await open.value.close();
      }
    }
  } finally {
    child.kill("SIGKILL");
    await ended;
  }
}

const recorded: string[] = [];
let port = Number(firstPort);
for (const line of readFileSync(file, "utf8").split("\n")) {
  if (line === "") continue;
  const { name, input } = JSON.parse(line) as {
    readonly name: string;
    readonly input: { readonly data: Readonly<Record<string, string>> };
  };
  const object = { apiVersion: "v1", kind: "ConfigMap", metadata: { namespace: "default", name }, data: input.data };
  written(await client.write({ verb: "create", type: configMaps, object }, never));
  recorded.push(`${JSON.stringify({ name, input, expect: await served(name, port++) })}\n`);
}
writeFileSync(file, recorded.join(""));
await started.value.server.stop();
rmSync(directory, { recursive: true, force: true });
